// The list of built-in functions while it is being built: each group file adds its own.
//
// The signature's text, as the manual and SHOW FUNCTIONS print it, is also what the binder checks: names of types
// become TypeSets, "A | B" is a union, brackets mark optional arguments, "..." repeats the last one:
//   substring(original :: STRING, start :: INTEGER, [length :: INTEGER]) :: STRING
// FLOAT accepts integers too, for they are widened; ANY accepts everything, and "LIST<T>" is a list.
#pragma once

#include <deque>
#include <initializer_list>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/function/function.h"

namespace fornix::engine {

enum class FunctionTrait : uint8_t {
  kCheckedWhenRun,     // arguments of a wrong type are an error of the run, not of the statement
  kNotDeterministic,   // differs from call to call within one statement
  kReadsGraph,
};

class FunctionRegistry final : public planner::FunctionCatalog {
 public:
  FunctionRegistry();
  // Opens a category for the functions that follow.
  void Category(std::string_view name) { category_ = name; }
  void Scalar(std::string_view signature, std::string_view description, ScalarFunction function,
              std::initializer_list<FunctionTrait> traits = {});
  void Aggregate(std::string_view signature, std::string_view description, AggregateFunction function);

  const planner::FunctionSignature* FindFunction(std::string_view name) const override;
  const planner::ProcedureSignature* FindProcedure(std::string_view) const override { return nullptr; }
  std::string NearestFunction(std::string_view name) const override;
  std::string NearestProcedure(std::string_view) const override { return {}; }
  std::vector<const planner::FunctionSignature*> AllFunctions() const override;
  std::vector<const planner::ProcedureSignature*> AllProcedures() const override { return {}; }

 private:
  planner::FunctionSignature* Append(std::string_view signature, std::string_view description);

  std::string category_;
  std::deque<planner::FunctionSignature> functions_;           // deques: pointers into them stay good
  std::deque<ScalarFunction> scalars_;
  std::deque<AggregateFunction> aggregates_;
  std::unordered_map<std::string, const planner::FunctionSignature*> by_name_;   // in lower case
};

void AddScalarFunctions(FunctionRegistry* registry);
void AddStringFunctions(FunctionRegistry* registry);
void AddListFunctions(FunctionRegistry* registry);
void AddMathFunctions(FunctionRegistry* registry);
void AddConversionFunctions(FunctionRegistry* registry);
void AddGraphFunctions(FunctionRegistry* registry);
void AddTemporalFunctions(FunctionRegistry* registry);
void AddSpatialFunctions(FunctionRegistry* registry);
void AddVectorFunctions(FunctionRegistry* registry);
void AddAggregateFunctions(FunctionRegistry* registry);
void AddApocFunctions(FunctionRegistry* registry);

}  // namespace fornix::engine
