// Schema commands: indexes, constraints, graph types, SHOW.
#include <algorithm>
#include <cctype>

#include "base/limits.h"
#include "grammar/build.h"
#include "grammar/diagnostics.h"

namespace fornix::grammar {

using ast::SchemaCommand;

namespace {

std::string Upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

// A child of the context that is the given word.
bool HasWord(antlr4::ParserRuleContext* context, std::string_view upper) {
  for (antlr4::tree::ParseTree* child : context->children) {
    auto* terminal = dynamic_cast<antlr4::tree::TerminalNode*>(child);
    if (terminal && Upper(terminal->getText()) == upper) return true;
  }
  return false;
}

}  // namespace

std::unique_ptr<SchemaCommand> Builder::Command(P::CommandContext* context) {
  std::unique_ptr<SchemaCommand> command;
  if (context->createIndex()) {
    command = CreateIndex(context->createIndex());
  } else if (context->createConstraint()) {
    command = CreateConstraint(context->createConstraint());
  } else if (context->dropCommand()) {
    command = Drop(context->dropCommand());
  } else if (context->alterIndex()) {
    command = AlterIndex(context->alterIndex());
  } else if (context->alterGraphType()) {
    command = AlterGraphType(context->alterGraphType());
  } else {
    command = Show(context->showCommand());
  }
  command->span = SpanOf(context);
  return command;
}

void Builder::SchemaName(P::SchemaNameContext* context, SchemaCommand* command) {
  if (context == nullptr) return;
  if (context->variable()) {
    command->name = NameOf(context->variable());
  } else {
    command->name_parameter = Parameter(context->start);
  }
}

ast::Name Builder::PropertyOf(P::PropertyOfContext* context, const std::string& variable) {
  ast::Name owner = NameOf(context->name(0));
  if (owner.text != variable) {
    FailSyntax(owner.span.start, "variable `" + owner.text + "` isn't defined; the element after FOR is named `" + variable + "`",
               "UndefinedVariable");
  }
  return NameOf(context->name(1));
}

// Fills labels or types; returns the variable.
std::string Builder::Element(P::ElementContext* context, SchemaCommand* command) {
  auto names = [&](const std::vector<P::NameContext*>& all) {
    for (P::NameContext* name : all) command->labels_or_types.push_back(NameOf(name));
  };
  if (auto* node = dynamic_cast<P::NodeElementContext*>(context)) {
    names(node->name());
    return NameOf(node->variable()).text;
  }
  if (auto* relationship = dynamic_cast<P::RelationshipElementContext*>(context)) {
    command->on_relationship = true;
    names(relationship->name());
    return NameOf(relationship->variable()).text;
  }
  if (auto* any_node = dynamic_cast<P::AnyNodeElementContext*>(context)) return NameOf(any_node->variable()).text;
  command->on_relationship = true;
  return NameOf(static_cast<P::AnyRelationshipElementContext*>(context)->variable()).text;
}

std::unique_ptr<SchemaCommand> Builder::CreateIndex(P::CreateIndexContext* context) {
  auto command = std::make_unique<SchemaCommand>(SchemaCommand::Kind::kCreateIndex);
  using IndexKind = SchemaCommand::IndexKind;
  const std::string kind = context->kind ? Upper(TextOf(context->kind)) : "RANGE";
  command->index_kind = kind == "TEXT"       ? IndexKind::kText
                        : kind == "POINT"    ? IndexKind::kPoint
                        : kind == "LOOKUP"   ? IndexKind::kLookup
                        : kind == "VECTOR"   ? IndexKind::kVector
                        : kind == "FULLTEXT" ? IndexKind::kFulltext
                                             : IndexKind::kRange;
  SchemaName(context->schemaName(), command.get());
  command->if_not_exists = context->ifNotExists() != nullptr;
  const std::string variable = Element(context->element(), command.get());
  for (P::PropertyOfContext* property : context->indexed()->propertyOf()) command->properties.push_back(PropertyOf(property, variable));
  for (P::PropertyOfContext* property : context->propertyOf()) command->filter_properties.push_back(PropertyOf(property, variable));
  if (context->properties()) command->options = Properties(context->properties(), PatternUse::kCreate);
  const SourcePosition at = SpanOf(context).start;
  if (command->labels_or_types.empty() && command->index_kind != IndexKind::kLookup) {
    FailSyntax(at, "an index needs a label or a type, as in FOR (n:Label) or FOR ()-[r:TYPE]-()", "UnexpectedSyntax");
  }
  if (command->index_kind == IndexKind::kVector && command->properties.size() != 1)
    FailSyntax(at, "a vector index is on one property", "UnexpectedSyntax");
  return command;
}

void Builder::Requirement(P::RequirementContext* context, const std::string& variable, SchemaCommand* command) {
  using ConstraintKind = SchemaCommand::ConstraintKind;
  for (P::PropertyOfContext* property : context->propertyOf()) command->properties.push_back(PropertyOf(property, variable));
  P::RequiredRuleContext* rule = context->requiredRule();
  if (auto* unique = dynamic_cast<P::UniqueRuleContext*>(rule)) {
    P::UniquenessContext* uniqueness = unique->uniqueness();
    command->constraint_kind = uniqueness->key ? ConstraintKind::kKey : ConstraintKind::kUnique;
    if (HasWord(uniqueness, "NODE") && command->on_relationship) {
      FailSyntax(SpanOf(uniqueness).start,
                 "a rule for relationships is written IS RELATIONSHIP " + std::string(uniqueness->key ? "KEY" : "UNIQUE"),
                 "UnexpectedSyntax");
    }
  } else if (auto* type = dynamic_cast<P::TypeRuleContext*>(rule)) {
    command->constraint_kind = ConstraintKind::kPropertyType;
    command->type_name = TypeName(type->type());
  } else {
    command->constraint_kind = ConstraintKind::kExistence;
  }
  const bool several = command->constraint_kind == ConstraintKind::kUnique || command->constraint_kind == ConstraintKind::kKey;
  if (!several && command->properties.size() != 1) FailSyntax(SpanOf(context).start, "this rule is about one property", "UnexpectedSyntax");
}

std::unique_ptr<SchemaCommand> Builder::CreateConstraint(P::CreateConstraintContext* context) {
  auto command = std::make_unique<SchemaCommand>(SchemaCommand::Kind::kCreateConstraint);
  SchemaName(context->schemaName(), command.get());
  command->if_not_exists = context->ifNotExists() != nullptr;
  const std::string variable = Element(context->element(), command.get());
  if (command->labels_or_types.size() != 1)
    FailSyntax(SpanOf(context->element()).start, "a constraint is about one label or type", "UnexpectedSyntax");
  Requirement(context->requirement(), variable, command.get());
  if (context->properties()) command->options = Properties(context->properties(), PatternUse::kCreate);
  return command;
}

std::unique_ptr<SchemaCommand> Builder::Drop(P::DropCommandContext* context) {
  auto command = std::make_unique<SchemaCommand>(TextOf(context->kind).size() == 5 ? SchemaCommand::Kind::kDropIndex
                                                                                   : SchemaCommand::Kind::kDropConstraint);
  SchemaName(context->schemaName(), command.get());
  command->if_exists = HasWord(context, "EXISTS");
  return command;
}

std::unique_ptr<SchemaCommand> Builder::AlterIndex(P::AlterIndexContext* context) {
  auto command = std::make_unique<SchemaCommand>(SchemaCommand::Kind::kAlterIndex);
  SchemaName(context->schemaName(), command.get());
  command->if_exists = HasWord(context, "EXISTS");
  command->options = Properties(context->properties(), PatternUse::kCreate);
  return command;
}

std::vector<SchemaCommand::PropertyType> Builder::TypedMap(P::TypedMapContext* context) {
  std::vector<SchemaCommand::PropertyType> properties;
  if (context == nullptr) return properties;
  for (P::TypedPropertyContext* property : context->typedProperty()) {
    SchemaCommand::PropertyType built;
    built.name = NameOf(property->name());
    built.type_name = TypeName(property->type());
    constexpr std::string_view kNotNull = " NOT NULL";
    if (built.type_name.ends_with(kNotNull) && built.type_name.find(" | ") == std::string::npos) {
      built.not_null = true;
      built.type_name.resize(built.type_name.size() - kNotNull.size());
    }
    if (P::UniquenessContext* uniqueness = property->uniqueness()) (uniqueness->key ? built.key : built.unique) = true;
    properties.push_back(std::move(built));
  }
  return properties;
}

std::unique_ptr<SchemaCommand> Builder::AlterGraphType(P::AlterGraphTypeContext* context) {
  auto command = std::make_unique<SchemaCommand>(SchemaCommand::Kind::kAlterGraphType);
  using Action = SchemaCommand::GraphTypeAction;
  const std::string action = Upper(TextOf(context->action));
  command->action = action == "SET" ? Action::kSet : action == "ADD" ? Action::kAdd : action == "ALTER" ? Action::kAlter : Action::kDrop;
  command->closed = HasWord(context, "CLOSED");
  if (command->closed && command->action == Action::kDrop)
    FailSyntax(SpanOf(context).start, "CLOSED goes with SET, ADD or ALTER", "UnexpectedSyntax");
  auto require = [&](const std::vector<P::RequirementContext*>& requirements, const SchemaCommand::ElementType& element) {
    for (P::RequirementContext* requirement : requirements) {
      auto constraint = std::make_unique<SchemaCommand>(SchemaCommand::Kind::kCreateConstraint);
      constraint->span = SpanOf(requirement);
      constraint->on_relationship = element.is_relationship;
      constraint->labels_or_types.push_back(element.label_or_type);
      Requirement(requirement, element.variable.text, constraint.get());
      command->constraints.push_back(std::move(constraint));
    }
  };
  for (P::GraphTypeItemContext* item : context->graphTypeItem()) {
    SchemaCommand::ElementType element;
    element.span = SpanOf(item);
    if (auto* node = dynamic_cast<P::NodeTypeItemContext*>(item)) {
      P::NodeTypeContext* type = node->nodeType();
      element.variable = NameOf(type->variable());
      element.label_or_type = NameOf(type->name());
      if (type->implied()) {
        for (P::NameContext* name : type->implied()->name()) element.implied_labels.push_back(NameOf(name));
      }
      element.properties = TypedMap(type->typedMap());
      require(node->requirement(), element);
      command->elements.push_back(std::move(element));
    } else if (auto* relationship = dynamic_cast<P::RelationshipTypeItemContext*>(item)) {
      P::RelationshipTypeContext* type = relationship->relationshipType();
      element.is_relationship = true;
      element.variable = NameOf(type->variable());
      element.label_or_type = NameOf(type->name());
      element.start_label = NameOf(type->endType(0)->name());
      element.end_label = NameOf(type->endType(1)->name());
      element.properties = TypedMap(type->typedMap());
      require(relationship->requirement(), element);
      command->elements.push_back(std::move(element));
    } else if (auto* constraint_item = dynamic_cast<P::ConstraintItemContext*>(item)) {
      auto constraint = std::make_unique<SchemaCommand>(SchemaCommand::Kind::kCreateConstraint);
      constraint->span = element.span;
      SchemaName(constraint_item->schemaName(), constraint.get());
      const std::string variable = Element(constraint_item->element(), constraint.get());
      Requirement(constraint_item->requirement(), variable, constraint.get());
      command->constraints.push_back(std::move(constraint));
    } else {
      auto constraint = std::make_unique<SchemaCommand>(SchemaCommand::Kind::kDropConstraint);
      constraint->span = element.span;
      SchemaName(static_cast<P::ConstraintNameItemContext*>(item)->schemaName(), constraint.get());
      if (command->action != Action::kDrop)
        FailSyntax(element.span.start, "a constraint needs FOR ... REQUIRE ... here", "UnexpectedSyntax");
      command->constraints.push_back(std::move(constraint));
    }
  }
  return command;
}

// SHOW ..., or several: SHOW TRANSACTIONS YIELD ... TERMINATE TRANSACTIONS ... YIELD ... RETURN ...
std::unique_ptr<SchemaCommand> Builder::Show(P::ShowCommandContext* context) {
  std::vector<std::unique_ptr<SchemaCommand>> parts;
  for (P::ShowPartContext* part : context->showPart()) parts.push_back(ShowPart(part));
  if (parts.size() > kClausesMax) {
    Fail(LimitErrorAt(text_, parts[kClausesMax]->span.start, "more than " + std::to_string(kClausesMax) + " joined commands"));
    return std::move(parts[0]);
  }
  for (const auto& part : parts) {
    if (parts.size() == 1 || part->has_yield) continue;
    FailSyntax(part->span.start, "where commands are joined each needs a YIELD, which names what the next ones may read", "UnexpectedSyntax");
  }
  if (context->projection()) {
    SchemaCommand& last = *parts.back();
    last.has_return = true;
    last.returns = Projection(context->projection());
    if (!last.has_yield) {
      FailSyntax(last.returns.span.start, "RETURN needs a YIELD before it: SHOW ... YIELD name RETURN name", "UnexpectedSyntax");
    }
  }
  for (; parts.size() > 1; parts.pop_back()) parts[parts.size() - 2]->then = std::move(parts.back());
  return std::move(parts[0]);
}

std::unique_ptr<SchemaCommand> Builder::ShowPart(P::ShowPartContext* context) {
  auto command = std::make_unique<SchemaCommand>(SchemaCommand::Kind::kShow);
  command->span = SpanOf(context);
  if (context->showWord().empty()) {
    command->show_kind = SchemaCommand::ShowKind::kTerminate;
    for (P::ExprContext* id : context->expr()) command->transactions.push_back(Expression(id));
  } else {
    ShowKind(context, command.get());
    if (P::ShowWordContext* name = ShownName(context)) command->transactions.push_back(VariableOf(name));
    for (P::ShownIdContext* id : context->shownId()) command->transactions.push_back(ShownId(id));
    if (!command->transactions.empty() && command->show_kind != SchemaCommand::ShowKind::kTransactions) {
      FailSyntax(SpanOf(context->shownId(0)).start, "only SHOW TRANSACTIONS takes ids", "UnexpectedSyntax");
    }
  }
  if (context->yieldItems()) {
    command->has_yield = true;
    command->yield = YieldItems(context->yieldItems(), &command->yield_star);
    Tail(context->projectionTail(), &command->yield_projection);
  }
  command->where = Where(context->whereClause());
  return command;
}

// SHOW TRANSACTIONS id: the word behind TRANSACTIONS, if it is no word of a command but a name.
P::ShowWordContext* Builder::ShownName(P::ShowPartContext* context) {
  const std::vector<P::ShowWordContext*> words = context->showWord();
  if (words.size() < 2 || words.back()->start->getType() != P::IDENTIFIER) return nullptr;
  const std::string before = Upper(TextOf(words[words.size() - 2]->start)), last = Upper(TextOf(words.back()->start));
  return (before == "TRANSACTION" || before == "TRANSACTIONS") && last != "EXECUTABLE" ? words.back() : nullptr;
}

ast::ExprPtr Builder::ShownId(P::ShownIdContext* context) {
  antlr4::Token* token = context->start;
  if (token->getType() == P::PARAMETER) {
    ast::ExprPtr parameter = Make(ast::ExprKind::kParameter, context);
    parameter->name = Parameter(token);
    return parameter;
  }
  if (token->getType() == P::STRING || token->getType() == P::CONSTANT_LIST) {
    ast::ExprPtr literal = Make(ast::ExprKind::kLiteral, context);
    literal->value = token->getType() == P::STRING ? Value(UnescapeString(TextOf(token))) : list_->constants[TokenOf(token).constant];
    return literal;
  }
  ast::ExprPtr list = Make(ast::ExprKind::kList, context);
  for (P::ShownIdContext* id : context->shownId()) list->args.push_back(ShownId(id));
  return list;
}

void Builder::ShowKind(P::ShowPartContext* context, SchemaCommand* command) {
  using Kind = SchemaCommand::ShowKind;
  static const std::pair<const char*, Kind> kKinds[] = {
      {"INDEX", Kind::kIndexes},         {"INDEXES", Kind::kIndexes},           {"CONSTRAINT", Kind::kConstraints},
      {"CONSTRAINTS", Kind::kConstraints}, {"FUNCTION", Kind::kFunctions},      {"FUNCTIONS", Kind::kFunctions},
      {"PROCEDURE", Kind::kProcedures},  {"PROCEDURES", Kind::kProcedures},     {"TRANSACTION", Kind::kTransactions},
      {"TRANSACTIONS", Kind::kTransactions}, {"SETTING", Kind::kSettings},      {"SETTINGS", Kind::kSettings},
      {"DATABASE", Kind::kDatabases},    {"DATABASES", Kind::kDatabases},       {"GRAPH TYPE", Kind::kGraphType}};
  std::vector<std::string> words;
  for (P::ShowWordContext* word : context->showWord()) words.push_back(Upper(TextOf(word->start)));
  if (ShownName(context) != nullptr) words.pop_back();
  if (words.size() >= 2 && words[words.size() - 1] == "GRAPH" && words[words.size() - 2] == "AS") words.resize(words.size() - 2);
  if (words.size() >= 3 && words[0] == "CURRENT") words.erase(words.begin());
  if (words.size() >= 2 && words[words.size() - 1] == "TYPE" && words[words.size() - 2] == "GRAPH") {
    words.pop_back();
    words.back() = "GRAPH TYPE";
  }
  // EXECUTABLE [BY CURRENT USER]: everybody may run everything.
  if (auto executable = std::find(words.begin(), words.end(), "EXECUTABLE"); executable != words.end() && executable != words.begin()) {
    words.erase(executable, words.end());
  }
  bool found = false;
  for (auto [text, kind] : kKinds) {
    if (words.empty() || words.back() != text) continue;
    command->show_kind = kind;
    found = true;
  }
  if (!found) {
    const std::string last = words.empty() ? "" : words.back();
    const std::string near = Nearest(last, {"INDEXES", "CONSTRAINTS", "FUNCTIONS", "PROCEDURES", "TRANSACTIONS", "SETTINGS", "DATABASES"});
    FailSyntax(SpanOf(context->showWord().back()).start,
               "there is nothing to SHOW called " + last +
                   (near.empty() ? "; SHOW knows INDEXES, CONSTRAINTS, FUNCTIONS, PROCEDURES, TRANSACTIONS, SETTINGS, DATABASES, "
                                   "CURRENT GRAPH TYPE"
                                 : "; did you mean " + near + "?"),
               "UnexpectedSyntax");
  }
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] != "ALL") command->show_filter += (command->show_filter.empty() ? "" : " ") + words[i];
  }
}

}  // namespace fornix::grammar
