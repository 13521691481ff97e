// The built-in functions as the planner sees them: signatures read into TypeSets, lookup in any case, and the nearest
// name for a misspelt one. Built once, at first use; immutable after.
#include <algorithm>

#include "base/check.h"
#include "base/nearest.h"
#include "engine/function/registry.h"

namespace fornix::engine {
namespace {

std::string Lower(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return lower;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

TypeSet TypeNamed(std::string_view name) {
  struct Named {
    std::string_view name;
    TypeSet types;
  };
  constexpr TypeSet kFloatOrInteger = kNumberType;
  static constexpr Named kNames[] = {
      {"ANY", kAnyType}, {"BOOLEAN", kBooleanType}, {"INTEGER", kIntegerType}, {"FLOAT", kFloatOrInteger},
      {"NUMBER", kNumberType}, {"STRING", kStringType}, {"LIST", kListType}, {"MAP", kMapType}, {"NODE", kNodeType},
      {"RELATIONSHIP", kRelationshipType}, {"PATH", kPathType}, {"DURATION", kDurationType}, {"POINT", kPointType},
      {"VECTOR", kVectorType}, {"DATE", Only(Type::kDate)}, {"LOCAL TIME", Only(Type::kLocalTime)},
      {"ZONED TIME", Only(Type::kTime)}, {"LOCAL DATETIME", Only(Type::kLocalDateTime)},
      {"ZONED DATETIME", Only(Type::kDateTime)}, {"TEMPORAL", kInstantType},
  };
  if (name.starts_with("LIST<")) return kListType;
  for (const Named& named : kNames) {
    if (named.name == name) return named.types;
  }
  CheckFailed("a type in a signature is known", __FILE__, __LINE__);
}

TypeSet TypesNamed(std::string_view text) {
  TypeSet types = kNullType;
  while (true) {
    size_t bar = text.find('|');
    types = types | TypeNamed(Trim(text.substr(0, bar)));
    if (bar == std::string_view::npos) return types;
    text.remove_prefix(bar + 1);
  }
}

// "(a :: STRING, [b :: INTEGER]) :: STRING" into the counts and sets of `out`.
void ReadSignature(std::string_view text, planner::FunctionSignature* out) {
  size_t open = text.find('('), close = text.rfind(')');
  CHECK(open != std::string_view::npos && close != std::string_view::npos);
  out->name = text.substr(0, open);
  std::string_view result = Trim(text.substr(close + 1));
  CHECK(result.starts_with("::"));
  // A function that says FLOAT gives floats, though an argument of that type may be an integer.
  result = Trim(result.substr(2));
  out->result = result == "FLOAT" ? kFloatType : TypesNamed(result);
  std::string_view rest = text.substr(open + 1, close - open - 1);
  while (!Trim(rest).empty()) {
    size_t comma = rest.find(',');
    std::string_view argument = Trim(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    if (argument == "...") {
      out->args_max = -1;
      continue;
    }
    bool optional = argument.starts_with('[');
    if (optional) argument = argument.substr(1, argument.size() - 2);
    size_t colons = argument.find("::");
    CHECK(colons != std::string_view::npos);
    out->arguments.push_back(TypesNamed(Trim(argument.substr(colons + 2))));
    out->args_max += 1;
    out->args_min += !optional;
  }
}

}  // namespace

FunctionRegistry::FunctionRegistry() {
  AddScalarFunctions(this);
  AddStringFunctions(this);
  AddListFunctions(this);
  AddMathFunctions(this);
  AddConversionFunctions(this);
  AddGraphFunctions(this);
  AddTemporalFunctions(this);
  AddSpatialFunctions(this);
  AddVectorFunctions(this);
  AddAggregateFunctions(this);
  AddApocFunctions(this);
}

planner::FunctionSignature* FunctionRegistry::Append(std::string_view signature, std::string_view description) {
  planner::FunctionSignature& f = functions_.emplace_back();
  ReadSignature(signature, &f);
  f.category = category_;
  f.signature = signature;
  f.description = description;
  bool added = by_name_.emplace(Lower(f.name), &f).second;
  CHECK(added);
  return &f;
}

void FunctionRegistry::Scalar(std::string_view signature, std::string_view description, ScalarFunction function,
                              std::initializer_list<FunctionTrait> traits) {
  planner::FunctionSignature* f = Append(signature, description);
  f->implementation = &scalars_.emplace_back(function);
  for (FunctionTrait trait : traits) {
    if (trait == FunctionTrait::kCheckedWhenRun) std::fill(f->arguments.begin(), f->arguments.end(), kAnyType);
    if (trait == FunctionTrait::kNotDeterministic) f->deterministic = false;
    if (trait == FunctionTrait::kReadsGraph) f->reads_graph = true;
  }
}

void FunctionRegistry::Aggregate(std::string_view signature, std::string_view description, AggregateFunction function) {
  planner::FunctionSignature* f = Append(signature, description);
  f->aggregate = true;
  f->implementation = &aggregates_.emplace_back(function);
}

const planner::FunctionSignature* FunctionRegistry::FindFunction(std::string_view name) const {
  auto it = by_name_.find(Lower(name));
  return it == by_name_.end() ? nullptr : it->second;
}

std::string FunctionRegistry::NearestFunction(std::string_view name) const {
  std::vector<std::string> names;
  for (const planner::FunctionSignature& f : functions_) names.push_back(f.name);
  return Nearest(name, names);
}

std::vector<const planner::FunctionSignature*> FunctionRegistry::AllFunctions() const {
  std::vector<const planner::FunctionSignature*> all;
  for (const planner::FunctionSignature& f : functions_) all.push_back(&f);
  std::sort(all.begin(), all.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
  return all;
}

const planner::FunctionCatalog& BuiltinFunctions() {
  static const FunctionRegistry registry;
  return registry;
}

}  // namespace fornix::engine
