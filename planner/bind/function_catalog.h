// What the binder must know of functions and procedures to check a call before it runs. The engine owns the
// implementations (engine/function, engine/procedure) and hands the planner this view of them.
// Thread safety: immutable after start, but for procedures registered by tests, which must not run beside queries.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/type_set.h"

namespace fornix::planner {

struct FunctionSignature {
  std::string name;                     // canonical spelling: "toUpper", "date.truncate"
  int args_min = 0;
  int args_max = 0;                     // -1: any number
  std::vector<TypeSet> arguments;       // accepted types by position; the last one repeats
  TypeSet result = kAnyType;
  bool aggregate = false;
  bool deterministic = true;            // within a statement: false for rand(), true for date(), which a kept plan must not fold either
  bool reads_graph = false;             // needs the elements its arguments name
  std::string category;                 // "String", "List", ...
  std::string signature;                // "toUpper(input :: STRING) :: STRING"
  std::string description;
  const void* implementation = nullptr; // points at an engine::ScalarFunction or engine::AggregateFunction
};

struct ProcedureField {
  std::string name;
  TypeSet type = kAnyType;
  std::string type_name;                // as written: "INTEGER?", "NODE"
  bool has_default = false;
};
struct ProcedureSignature {
  std::string name;                     // "db.labels"
  std::vector<ProcedureField> inputs;
  std::vector<ProcedureField> outputs;  // empty: a void procedure
  bool writes = false;
  bool schema = false;
  bool at_once = false;                 // acts on more than the graph: runs when the statement does, whether or not its rows are asked for
  std::string description;
  const void* implementation = nullptr; // points at an engine::Procedure
};

class FunctionCatalog {
 public:
  virtual ~FunctionCatalog() = default;
  virtual const FunctionSignature* FindFunction(std::string_view name) const = 0;    // any case
  virtual const ProcedureSignature* FindProcedure(std::string_view name) const = 0;  // any case
  virtual std::string NearestFunction(std::string_view name) const = 0;              // "" if none is near
  virtual std::string NearestProcedure(std::string_view name) const = 0;
  virtual std::vector<const FunctionSignature*> AllFunctions() const = 0;            // by name
  virtual std::vector<const ProcedureSignature*> AllProcedures() const = 0;
};

}  // namespace fornix::planner
