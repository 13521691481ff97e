// The parts of fixture.h, and that it holds what it says.
#include "tests/unit/planner/fixture.h"

#include <algorithm>

#include "base/error_table.h"
#include "base/nearest.h"

namespace fornix::planner::test {
namespace {

std::string Lower(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  return lower;
}

template <typename T>
std::string NearestKey(std::string_view name, const std::map<std::string, T>& known) {
  std::vector<std::string> names;
  for (const auto& [key, value] : known) names.push_back(value.name);
  return Nearest(name, names);
}

}  // namespace

void Functions::Add(const char* name, int args_min, int args_max, std::vector<TypeSet> arguments, TypeSet result) {
  FunctionSignature f;
  f.name = name;
  f.args_min = args_min;
  f.args_max = args_max;
  f.arguments = std::move(arguments);
  f.result = result;
  functions_[Lower(name)] = f;
}

Functions::Functions() {
  const TypeSet element = kNodeType | kRelationshipType;
  for (const char* name : {"count", "collect", "sum", "min", "max", "avg"}) {
    Add(name, 1, 1, {}, std::string(name) == "collect" ? kListType : std::string(name) == "count" ? kIntegerType : kAnyType);
    functions_[name].aggregate = true;
  }
  Add("id", 1, 1, {element}, kIntegerType);
  Add("elementId", 1, 1, {element}, kStringType);
  Add("labels", 1, 1, {kNodeType}, kListType);
  Add("type", 1, 1, {kRelationshipType}, kStringType);
  Add("startNode", 1, 1, {kRelationshipType}, kNodeType);
  Add("endNode", 1, 1, {kRelationshipType}, kNodeType);
  Add("length", 1, 1, {kPathType}, kIntegerType);
  Add("size", 1, 1, {kStringType | kListType}, kIntegerType);
  Add("toUpper", 1, 1, {kStringType}, kStringType);
  Add("range", 2, 3, {}, kListType);
  Add("nodes", 1, 1, {kPathType}, kListType);
  Add("rand", 0, 0, {}, kFloatType);
  functions_["rand"].deterministic = false;
  for (const char* name : {"id", "elementid", "labels", "type", "startnode", "endnode"}) functions_[name].reads_graph = true;

  ProcedureSignature labels;
  labels.name = "db.labels";
  labels.outputs = {{"label", kStringType, "STRING", false}};
  procedures_["db.labels"] = labels;
  ProcedureSignature query;
  query.name = "db.index.vector.queryNodes";
  query.inputs = {{"indexName", kStringType, "STRING", false}, {"numberOfNearestNeighbours", kIntegerType, "INTEGER", false}, {"query", kAnyType, "ANY", false}};
  query.outputs = {{"node", kNodeType, "NODE", false}, {"score", kFloatType, "FLOAT", false}};
  procedures_[Lower(query.name)] = query;
  ProcedureSignature add;
  add.name = "test.add";
  add.inputs = {{"a", kIntegerType, "INTEGER", false}, {"b", kIntegerType, "INTEGER", true}};
  add.outputs = {{"sum", kIntegerType, "INTEGER", false}, {"text", kStringType, "STRING", false}};
  procedures_["test.add"] = add;
  ProcedureSignature show;
  show.name = "show.indexes";
  for (const char* field : {"id", "name", "type", "options"}) show.outputs.push_back({field, kAnyType, "ANY", false});
  procedures_["show.indexes"] = show;
}

const FunctionSignature* Functions::FindFunction(std::string_view name) const {
  auto it = functions_.find(Lower(name));
  return it == functions_.end() ? nullptr : &it->second;
}
const ProcedureSignature* Functions::FindProcedure(std::string_view name) const {
  auto it = procedures_.find(Lower(name));
  return it == procedures_.end() ? nullptr : &it->second;
}
std::string Functions::NearestFunction(std::string_view name) const { return NearestKey(name, functions_); }
std::string Functions::NearestProcedure(std::string_view name) const { return NearestKey(name, procedures_); }

Planner::Planner() {
  for (const char* label : {"Person", "Company", "Memory"}) REQUIRE(tokens.labels.Intern(label).ok());
  for (const char* type : {"KNOWS", "WORKS_AT", "ABOUT"}) REQUIRE(tokens.types.Intern(type).ok());
  for (const char* property : {"id", "city", "age", "name", "embedding"}) REQUIRE(tokens.properties.Intern(property).ok());
  auto index = [&](const char* name, uint32_t label, std::vector<uint32_t> properties) {
    storage::IndexDefinition made;
    made.id = IndexId(static_cast<uint32_t>(schema.indexes.size()));
    made.name = name;
    made.tokens = {label};
    for (uint32_t p : properties) made.properties.push_back(PropertyId(p));
    schema.indexes.push_back(made);
  };
  index("person_id", 0, {0});
  index("person_city_age", 0, {1, 2});
  index("company_name", 1, {3});
  index("emb", 2, {4});
  schema.indexes.back().kind = storage::IndexKind::kVector;
}

Result<std::shared_ptr<const PhysicalPlan>> Planner::Plan(const std::string& text) const {
  ASSIGN_OR_RETURN(std::unique_ptr<ast::Statement> statement, grammar::Parse(text));
  return planner::Plan(std::move(statement), PlannerInput{&tokens, &schema, &counts, &functions, nullptr, optimize});
}

std::string Planner::Explain(const std::string& text) const {
  auto plan = Plan(text);
  if (!plan.ok()) return plan.status().ToString();
  const std::string table = ExplainText(**plan, {});
  std::string out;
  const size_t details = table.find("Details"), estimated = table.find("Estimated");
  size_t start = table.find('\n') + 1;
  while (start < table.size()) {
    const size_t end = table.find('\n', start);
    const std::string line = table.substr(start, end - start);
    auto cut = [&](size_t from, size_t to) {
      std::string part = from < line.size() ? line.substr(from, to - from) : "";
      while (!part.empty() && part.back() == ' ') part.pop_back();
      return part;
    };
    const std::string text_of = cut(details, estimated);
    out += cut(0, details) + (text_of.empty() ? "" : " " + text_of) + "\n";
    start = end + 1;
  }
  return out;
}

std::string Planner::Error(const std::string& text) const {
  std::string both[2];
  for (int i = 0; i < 2; ++i) {
    auto statement = grammar::Parse(text);
    Status status = statement.status();
    if (statement.ok()) {
      status = planner::Plan(std::move(*statement), PlannerInput{&tokens, &schema, &counts, &functions, nullptr, i == 0}).status();
    }
    if (status.ok()) continue;
    CHECK(status.compile_time());
    both[i] = std::string(NamesOf(status.code()).name) + " " + status.detail() + " " + std::to_string(status.position().line) + ":" +
              std::to_string(status.position().column);
  }
  CHECK(both[0] == both[1]);
  return both[0];
}

std::string Planner::Message(const std::string& text) const {
  auto plan = Plan(text);
  return plan.ok() ? "" : plan.status().message();
}

TEST_CASE("the planner's test catalog has the counts that it names") {
  Planner p;
  CHECK(p.schema.FindIndex("emb")->kind == storage::IndexKind::kVector);
  CHECK(p.schema.RangeIndexes(storage::EntityKind::kNode, 0).size() == 2);
  CHECK(p.functions.FindFunction("TOUPPER") != nullptr);
}

}  // namespace fornix::planner::test
