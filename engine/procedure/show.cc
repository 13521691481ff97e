// show.*: the rows of SHOW INDEXES, CONSTRAINTS, FUNCTIONS, PROCEDURES and the graph type, with all columns that Neo4j 5 has. The planner puts
// YIELD, WHERE and RETURN on top and leaves out what only YIELD shows. Transactions: show_transactions.cc.
#include <algorithm>

#include "base/value_format.h"
#include "engine/exec/context.h"
#include "engine/procedure/procedure_catalog.h"
#include "engine/procedure/schema_text.h"
#include "engine/procedure/signature.h"

namespace fornix::engine {
namespace {

using storage::ConstraintDefinition;
using storage::EntityKind;
using storage::IndexDefinition;

Value Strings(const std::vector<std::string>& names) {
  List list;
  for (const std::string& name : names) list.emplace_back(name);
  return Value(std::move(list));
}

Result<std::vector<List>> Indexes(ExecutionContext& context, std::span<const Value>) {
  std::vector<List> rows;
  const storage::SchemaVersion& schema = context.view().schema();
  for (const IndexDefinition& index : schema.indexes) {
    Value owner;
    for (const ConstraintDefinition& constraint : schema.constraints) {
      if (index.owner.valid() && constraint.id == index.owner) owner = Value(constraint.name);
    }
    storage::IndexProgress progress = context.view().ProgressOf(index.id);
    if (!index.online) progress = {false, 0, Status::Ok()};
    const char* state = !progress.failure.ok() ? "FAILED" : progress.filled ? "ONLINE" : "POPULATING";
    rows.push_back({Value(static_cast<int64_t>(index.id.value)), Value(index.name), Value(state), Value(progress.percent), Value(IndexTypeName(index.kind)),
                    Value(index.entity == EntityKind::kNode ? "NODE" : "RELATIONSHIP"), Strings(TokenNames(context.tokens(), index.entity, index.tokens)),
                    Strings(PropertyNames(context.tokens(), index)), Value(index.kind == storage::IndexKind::kVector ? "vector-2.0" : "range-1.0"), owner,
                    Value(), Value(0), Value(), Value(IndexOptions(context.tokens(), index)), Value(progress.failure.message()),
                    Value(CreateStatement(context.tokens(), index))});
  }
  std::sort(rows.begin(), rows.end(), [](const List& a, const List& b) { return a[1].AsString() < b[1].AsString(); });
  return rows;
}

// "UNIQUE", "NODE KEY", "PROPERTY EXISTENCE", ... against "NODE_PROPERTY_EXISTENCE": every word must occur.
bool FitsFilter(std::string_view type, std::string_view filter) {
  size_t at = 0;
  while (at < filter.size()) {
    const size_t end = std::min(filter.find_first_of(" _", at), filter.size());
    std::string_view word = filter.substr(at, end - at);
    at = end + 1;
    if (word.empty() || word == "ALL" || word == "CONSTRAINTS" || word == "CONSTRAINT") continue;
    if (word == "UNIQUENESS") word = "UNIQUE";
    if (word == "EXISTENCE" || word == "EXISTS") word = "EXIST";
    if (word == "REL") word = "RELATIONSHIP";
    // Plain UNIQUENESS and NODE_... are the ones of nodes.
    if (word == "NODE" && type == "UNIQUENESS") continue;
    if (type.find(word) == std::string_view::npos) return false;
  }
  return true;
}

Result<std::vector<List>> Constraints(ExecutionContext& context, std::span<const Value> arguments) {
  std::vector<List> rows;
  const storage::SchemaVersion& schema = context.view().schema();
  for (const ConstraintDefinition& constraint : schema.constraints) {
    const std::string type = ConstraintTypeName(constraint);
    if (arguments[0].type() == Type::kString && !FitsFilter(type, arguments[0].AsString())) continue;
    const IndexDefinition* index = constraint.index.valid() ? schema.FindIndex(constraint.index) : nullptr;
    List properties;
    for (PropertyId p : constraint.properties) properties.emplace_back(context.tokens().properties.Name(p));
    rows.push_back({Value(static_cast<int64_t>(constraint.id.value)), Value(constraint.name), Value(type),
                    Value(constraint.entity == EntityKind::kNode ? "NODE" : "RELATIONSHIP"),
                    Strings(TokenNames(context.tokens(), constraint.entity, {constraint.token})), Value(std::move(properties)),
                    index != nullptr ? Value(index->name) : Value(),
                    constraint.kind == storage::ConstraintKind::kPropertyType ? Value(constraint.type.text) : Value(),
                    index != nullptr ? Value(IndexOptions(context.tokens(), *index)) : Value(), Value(CreateStatement(context.tokens(), constraint))});
  }
  std::sort(rows.begin(), rows.end(), [](const List& a, const List& b) { return a[1].AsString() < b[1].AsString(); });
  return rows;
}

Result<std::vector<List>> Functions(ExecutionContext& context, std::span<const Value> arguments) {
  std::vector<List> rows;
  if (arguments[0].type() == Type::kString && arguments[0].AsString() == "USER DEFINED") return rows;   // there are none
  for (const planner::FunctionSignature* f : context.catalog().AllFunctions()) {
    rows.push_back({Value(f->name), Value(f->category), Value(f->description), Value(f->signature), Value(true), Value(List()), Value(""),
                    Value(f->aggregate), Value(), Value(), Value(false), Value()});
  }
  return rows;
}

Value Described(const std::vector<planner::ProcedureField>& fields) {
  List list;
  for (const planner::ProcedureField& field : fields) {
    list.emplace_back(Map{{"name", Value(field.name)}, {"type", Value(field.type_name)}, {"description", Value(field.name + " :: " + field.type_name)},
                          {"isDeprecated", Value(false)}});
  }
  return Value(std::move(list));
}

std::string Joined(const std::vector<planner::ProcedureField>& fields) {
  std::string text = "(";
  for (const planner::ProcedureField& field : fields) text += (text.size() > 1 ? ", " : "") + field.name + " :: " + field.type_name;
  return text + ")";
}

Result<std::vector<List>> Procedures(ExecutionContext& context, std::span<const Value>) {
  std::vector<List> rows;
  for (const planner::ProcedureSignature* p : context.catalog().AllProcedures()) {
    if (p->name.rfind("show.", 0) == 0) continue;   // what SHOW itself runs on
    rows.push_back({Value(p->name), Value(p->description), Value(p->schema ? "SCHEMA" : p->writes ? "WRITE" : "READ"), Value(false),
                    Value(p->name + Joined(p->inputs) + (p->outputs.empty() ? " :: VOID" : " :: " + Joined(p->outputs))), Described(p->inputs),
                    Described(p->outputs), Value(false), Value(), Value(), Value(false), Value(), Value(Map{{"deprecated", Value(false)}})});
  }
  return rows;
}

Result<std::vector<List>> GraphType(ExecutionContext& context, std::span<const Value>) {
  const storage::GraphType& type = context.view().schema().graph_type;
  std::vector<List> rows;
  if (type.declared) rows.push_back({Value(type.text), Value(type.closed), Strings(type.labels), Strings(type.types)});
  return rows;
}

}  // namespace

void AddShowProcedures(ProcedureCatalog* catalog) {
  auto add = [&](const char* name, std::vector<planner::ProcedureField> inputs, std::vector<planner::ProcedureField> outputs, const char* description,
                 RowsProcedure::Function function) {
    catalog->AddBuiltin(Signature(name, std::move(inputs), std::move(outputs), description), std::make_unique<RowsProcedure>(function));
  };
  const planner::ProcedureField filter = Optional(StringField("filter"));
  add("show.indexes", {},
      {IntegerField("id"), StringField("name"), StringField("state"), FloatField("populationPercent"), StringField("type"), StringField("entityType"),
       ListField("labelsOrTypes"), ListField("properties"), StringField("indexProvider"), StringField("owningConstraint"),
       Field("lastRead", kAnyType, "ZONED DATETIME"), IntegerField("readCount"), Field("trackedSince", kAnyType, "ZONED DATETIME"), MapField("options"),
       StringField("failureMessage"), StringField("createStatement")},
      "The indexes, by name.", Indexes);
  add("show.constraints", {filter},
      {IntegerField("id"), StringField("name"), StringField("type"), StringField("entityType"), ListField("labelsOrTypes"), ListField("properties"),
       StringField("ownedIndex"), StringField("propertyType"), MapField("options"), StringField("createStatement")},
      "The constraints, by name.", Constraints);
  add("show.functions", {filter},
      {StringField("name"), StringField("category"), StringField("description"), StringField("signature"), BooleanField("isBuiltIn"),
       ListField("argumentDescription"), StringField("returnDescription"), BooleanField("aggregating"), ListField("rolesExecution"),
       ListField("rolesBoostedExecution"), BooleanField("isDeprecated"), StringField("deprecatedBy")},
      "The functions, by name.", Functions);
  add("show.procedures", {filter},
      {StringField("name"), StringField("description"), StringField("mode"), BooleanField("worksOnSystem"), StringField("signature"),
       ListField("argumentDescription"), ListField("returnDescription"), BooleanField("admin"), ListField("rolesExecution"),
       ListField("rolesBoostedExecution"), BooleanField("isDeprecated"), StringField("deprecatedBy"), MapField("option")},
      "The procedures, by name.", Procedures);
  add("show.graphType", {filter}, {StringField("specification"), BooleanField("closed"), ListField("labels"), ListField("relationshipTypes")},
      "The graph type, if one is declared.", GraphType);
}

}  // namespace fornix::engine
