// Calls of built-in functions by name, as text, over a graph of two nodes and one relationship.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/value_format.h"
#include "engine/function/function.h"

namespace fornix::engine {

// (1:Person:Admin {name: 'Ada'})-[5:KNOWS {since: 1833}]->(2); node 9 was deleted.
class TwoNodes final : public ElementReader {
 public:
  Result<std::vector<std::string>> NodeLabels(uint64_t node) override {
    if (node == 9) return Deleted();
    return node == 1 ? std::vector<std::string>{"Admin", "Person"} : std::vector<std::string>{};
  }
  Result<std::string> RelationshipType(uint64_t) override { return std::string("KNOWS"); }
  Result<std::pair<uint64_t, uint64_t>> RelationshipEnds(uint64_t) override { return std::pair<uint64_t, uint64_t>(1, 2); }
  Result<Map> NodeProperties(uint64_t node) override {
    if (node == 9) return Deleted();
    return node == 1 ? Map{{"name", "Ada"}} : Map{};
  }
  Result<Map> RelationshipProperties(uint64_t) override { return Map{{"since", 1833}}; }
  Result<Value> NodeProperty(uint64_t node, std::string_view key) override {
    ASSIGN_OR_RETURN(Map map, NodeProperties(node));
    return map.Find(key) ? *map.Find(key) : Value();
  }
  Result<Value> RelationshipProperty(uint64_t, std::string_view key) override { return key == "since" ? Value(1833) : Value(); }

 private:
  static Status Deleted() { return Status(Code::kEntityNotFound, "node 9 was deleted").Detail("DeletedEntityAccess"); }
};

struct Surroundings {
  TwoNodes elements;
  Random random{1};
  FunctionContext context;
  Surroundings() {
    context.elements = &elements;
    context.random = &random;
    context.statement_time = DateTime{1'700'000'000, 123'456'789, 0, ""};     // 2023-11-14T22:13:20.123456789Z
    context.transaction_time = DateTime{1'699'999'999, 0, 0, ""};
  }
};

inline Result<Value> Call(std::string_view name, std::vector<Value> arguments) {
  static Surroundings surroundings;
  const planner::FunctionSignature* f = BuiltinFunctions().FindFunction(name);
  if (f == nullptr || f->aggregate) return Status(Code::kSyntaxError, "no scalar function " + std::string(name));
  return (*static_cast<const ScalarFunction*>(f->implementation))(surroundings.context, arguments);
}

// The result as text, or "CODE/DETAIL" of the error.
inline std::string Said(const Result<Value>& r) {
  if (r.ok()) return ToText(*r);
  std::string code = r.status().ToString();
  return code.substr(0, code.find(':')) + "/" + r.status().detail();
}
inline std::string Say(std::string_view name, std::vector<Value> arguments = {}) { return Said(Call(name, std::move(arguments))); }

inline std::string Aggregated(std::string_view name, std::vector<std::vector<Value>> rows) {
  const planner::FunctionSignature* f = BuiltinFunctions().FindFunction(name);
  if (f == nullptr || !f->aggregate) return "no aggregate function";
  std::unique_ptr<Aggregator> aggregator = (*static_cast<const AggregateFunction*>(f->implementation))();
  for (const auto& row : rows) {
    if (Status s = aggregator->Add(row); !s.ok()) return Said(Result<Value>(s));
  }
  return Said(aggregator->Finish());
}

}  // namespace fornix::engine
