// A catalog, counts and functions by hand, and short ways to plan a text.
//
// 1,000 nodes: 600 Person (range indexes on id, on (city, age)), 100 Company (unique name), 50 Memory with a vector index `emb`
// on embedding; 5,000 relationships: 4,000 KNOWS, 600 WORKS_AT, 400 ABOUT.
#pragma once

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "grammar/parse.h"
#include "planner/planner.h"

namespace fornix::planner::test {

class Functions : public FunctionCatalog {
 public:
  Functions();
  const FunctionSignature* FindFunction(std::string_view name) const override;
  const ProcedureSignature* FindProcedure(std::string_view name) const override;
  std::string NearestFunction(std::string_view name) const override;
  std::string NearestProcedure(std::string_view name) const override;
  std::vector<const FunctionSignature*> AllFunctions() const override { return {}; }
  std::vector<const ProcedureSignature*> AllProcedures() const override { return {}; }

 private:
  void Add(const char* name, int args_min, int args_max, std::vector<TypeSet> arguments, TypeSet result);
  std::map<std::string, FunctionSignature> functions_;   // by lower case
  std::map<std::string, ProcedureSignature> procedures_;
};

class Counts : public storage::Statistics {
 public:
  uint64_t NodeCount() const override { return 1000; }
  uint64_t LabelCount(LabelId label) const override { return label.value < 3 ? kLabels[label.value] : 0; }
  uint64_t RelationshipCount() const override { return 5000; }
  uint64_t TypeCount(TypeId type) const override { return type.value < 3 ? kTypes[type.value] : 0; }
  uint64_t DistinctKeys(IndexId index) const override { return index.value == 0 ? 600 : 100; }

 private:
  static constexpr uint64_t kLabels[] = {600, 100, 50};
  static constexpr uint64_t kTypes[] = {4000, 600, 400};
};

struct Planner {
  Planner();
  Result<std::shared_ptr<const PhysicalPlan>> Plan(const std::string& text) const;
  // The tree without the numbers: "Operator details" a line.
  std::string Explain(const std::string& text) const;
  // "SyntaxError UndefinedVariable 1:14"; "" when the text is fine. Both ways of planning must agree.
  std::string Error(const std::string& text) const;
  std::string Message(const std::string& text) const;

  storage::Tokens tokens;
  storage::SchemaVersion schema;
  Counts counts;
  Functions functions;
  bool optimize = true;
};

}  // namespace fornix::planner::test
