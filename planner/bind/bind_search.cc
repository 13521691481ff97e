// Vector search as a source: MATCH ... SEARCH and CALL db.index.vector.queryNodes() both become the PatternSeed of a
// QueryGraph, so that one plan serves both spellings.
//
// A label of the pattern that every element of the index has is no condition any more; others filter the hits afterwards.
#include <algorithm>

#include "base/nearest.h"
#include "planner/bind/binder.h"
#include "planner/bind/expr_util.h"

namespace fornix::planner {

namespace {

// The index by name, or an error that lists what there is.
Result<const storage::IndexDefinition*> FindVectorIndex(const PlannerInput& input, const std::string& name, SourcePosition at) {
  const storage::IndexDefinition* index = input.schema->FindIndex(name);
  if (index && index->kind == storage::IndexKind::kVector) return index;
  std::vector<std::string> names;
  for (const auto& known : input.schema->indexes) {
    if (known.kind == storage::IndexKind::kVector) names.push_back(known.name);
  }
  return Status(Code::kSchemaNotFound, index ? "index `" + name + "` is no vector index" : "there is no vector index `" + name + "`" + DidYouMeanOrAll(name, names))
      .At(at)
      .CompileTime();
}

bool ImpliedByIndex(const BoundExpr& predicate, Slot element, const storage::IndexDefinition& index, const PlannerInput& input) {
  if (predicate.kind != BoundKind::kHasLabels || index.entity != storage::EntityKind::kNode) return false;
  if (predicate.args[0]->kind != BoundKind::kSlot || predicate.args[0]->slot != element) return false;
  // One of these labels is enough: `A`, or `A|B`.
  std::vector<const LabelPredicate*> any{&predicate.labels};
  if (predicate.labels.kind == LabelPredicate::Kind::kOr) {
    any.clear();
    for (const auto& child : predicate.labels.children) any.push_back(&child);
  }
  return std::all_of(index.tokens.begin(), index.tokens.end(), [&](uint32_t token) {
    return std::any_of(any.begin(), any.end(), [&](const LabelPredicate* one) {
      return one->kind == LabelPredicate::Kind::kName && one->name == input.tokens->labels.Name(LabelId(token));
    });
  });
}

}  // namespace

Status Binder::BindSearch(const ast::SearchClause& search, const Scope& before, Scope* scope, QueryGraph* graph) {
  if (search.fulltext) return NotAvailable("SEARCH in a full-text index", search.span.start);
  const Variable* variable = scope->Find(search.variable.text);
  if (!variable) return UndefinedVariable(search.variable.text, *scope, search.variable.span.start);
  if (before.Find(search.variable.text)) {
    return BindError("VariableAlreadyBound", "SEARCH finds `" + search.variable.text + "`, so it must be new in this MATCH", search.variable.span.start);
  }
  PatternSeed seed;
  seed.element = variable->slot;
  seed.relationship = variable->type == kRelationshipType;
  if (!seed.relationship && !(variable->type == kNodeType)) {
    return BindError("VariableTypeConflict", "SEARCH needs a node or a relationship, and `" + variable->name + "` is of type " + Describe(variable->type),
                     search.variable.span.start);
  }
  ASSIGN_OR_RETURN(const storage::IndexDefinition* index, FindVectorIndex(input_, search.index.text, search.index.span.start));
  if ((index->entity == storage::EntityKind::kRelationship) != seed.relationship) {
    return BindError("VariableTypeConflict", "index `" + index->name + "` holds " +
                     (seed.relationship ? "nodes, and `" : "relationships, and `") + variable->name + "` is of type " + Describe(variable->type),
                     search.variable.span.start);
  }
  seed.index_name = index->name;
  // FOR and LIMIT say where to search, before anything of this MATCH is known.
  ASSIGN_OR_RETURN(seed.query, BindIn(*search.query, before));
  ASSIGN_OR_RETURN(seed.limit, BindIn(*search.limit, before));
  RETURN_IF_ERROR(Expect(*seed.limit, kIntegerType, "LIMIT"));
  if (seed.limit->kind == BoundKind::kLiteral && seed.limit->value.type() == Type::kInteger && seed.limit->value.AsInteger() < 0) {
    return BindError("NegativeIntegerArgument", "LIMIT takes a count, 0 or more, found " + TextOf(search.limit->span), search.limit->span.start);
  }
  if (search.filter) {
    Scope inner = before;
    inner.Add(*variable);
    ASSIGN_OR_RETURN(seed.filter, BindPredicate(*search.filter, ExprContext{&inner}));
  }
  seed.score = NewSlot(search.score.text);
  if (!search.score.empty()) {
    if (scope->Find(search.score.text)) {
      return BindError("VariableAlreadyBound", "variable `" + search.score.text + "` is defined already: SCORE AS needs a new name", search.score.span.start);
    }
    scope->Add({search.score.text, seed.score, kFloatType, kAnyType});
  }
  auto& predicates = graph->predicates;
  const Slot element = seed.element;
  predicates.erase(std::remove_if(predicates.begin(), predicates.end(),
                                  [&](const BoundExprPtr& p) { return ImpliedByIndex(*p, element, *index, input_); }),
                   predicates.end());
  graph->seeds.push_back(std::move(seed));
  return Status::Ok();
}

Result<LogicalPtr> Binder::SeedOfCall(const ast::Clause& clause, const ProcedureSignature& procedure, std::vector<BoundExprPtr>* arguments,
                                      Scope* scope, LogicalPtr input) {
  const bool nodes = procedure.name == "db.index.vector.queryNodes";
  if (!nodes && procedure.name != "db.index.vector.queryRelationships") return LogicalPtr();
  // A name that is only known at run time leaves an ordinary call.
  if (arguments->size() < 3 || (*arguments)[0]->kind != BoundKind::kLiteral || (*arguments)[0]->value.type() != Type::kString) {
    return LogicalPtr();
  }
  const std::string_view element_field = nodes ? "node" : "relationship";
  const ast::Name* element_name = nullptr;
  const ast::Name* score_name = nullptr;
  for (const auto& item : clause.yield) {
    const ast::Name* name = item.alias.empty() ? &item.field : &item.alias;
    if (item.field.text == element_field && !element_name) {
      element_name = name;
    } else if (item.field.text == "score" && !score_name) {
      score_name = name;
    } else {
      return LogicalPtr();
    }
    if (scope->Find(name->text)) return LogicalPtr();   // the ordinary way says what is wrong
  }
  if (element_name && score_name && element_name->text == score_name->text) return LogicalPtr();
  ASSIGN_OR_RETURN(const storage::IndexDefinition* index,
                   FindVectorIndex(input_, (*arguments)[0]->value.AsString(), (*arguments)[0]->position));
  if ((index->entity == storage::EntityKind::kNode) != nodes) {
    return Status(Code::kSchemaNotFound, "index `" + index->name + "` holds " + (nodes ? "relationships" : "nodes") + ": use db.index.vector.query" +
                  (nodes ? "Relationships" : "Nodes")).At((*arguments)[0]->position).CompileTime();
  }
  const bool all = clause.yield_star || (clause.standalone && !clause.has_yield);
  auto graph = std::make_unique<QueryGraph>();
  graph->arguments = scope->Slots();
  PatternSeed seed;
  seed.relationship = !nodes;
  seed.index_name = index->name;
  const std::string element_text = element_name ? element_name->text : all ? std::string(element_field) : "";
  const std::string score_text = score_name ? score_name->text : all ? "score" : "";
  seed.element = NewSlot(element_text);
  seed.score = NewSlot(score_text);
  if (!element_text.empty()) scope->Add({element_text, seed.element, nodes ? kNodeType : kRelationshipType, kAnyType});
  if (!score_text.empty()) scope->Add({score_text, seed.score, kFloatType, kAnyType});
  seed.limit = std::move((*arguments)[1]);
  seed.query = std::move((*arguments)[2]);
  if (arguments->size() > 3) seed.options = std::move((*arguments)[3]);
  if (nodes) graph->nodes.push_back(seed.element);
  if (clause.where) RETURN_IF_ERROR(AddPredicate(*clause.where, *scope, graph.get()));
  graph->seeds.push_back(std::move(seed));
  return MatchOperator(std::move(graph), std::move(input), false);
}

}  // namespace fornix::planner
