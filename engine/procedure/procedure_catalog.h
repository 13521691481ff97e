// ProcedureCatalog: the functions of engine/function and the procedures of this folder, as the one FunctionCatalog that the
// planner binds against.
//
// DefaultCatalog() has the built-ins only, lives as long as the process and never changes. A catalog of one's own may get
// further procedures whose whole behaviour is a table (RegisterTable): a call returns the outputs of the rows whose inputs
// equal the arguments, null being equal to null, in table order. That is how tests declare "there exists a procedure".
// Thread safety: reads from any thread; RegisterTable and Unregister must not run beside anything else.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/procedure/procedure.h"
#include "planner/bind/function_catalog.h"

namespace fornix::engine {

class ProcedureCatalog : public planner::FunctionCatalog {
 public:
  ProcedureCatalog();
  ~ProcedureCatalog() override;

  const planner::FunctionSignature* FindFunction(std::string_view name) const override;
  const planner::ProcedureSignature* FindProcedure(std::string_view name) const override;
  std::string NearestFunction(std::string_view name) const override;
  std::string NearestProcedure(std::string_view name) const override;
  std::vector<const planner::FunctionSignature*> AllFunctions() const override;
  std::vector<const planner::ProcedureSignature*> AllProcedures() const override;

  // `signature`: "test.my.proc(in :: NUMBER?, name :: STRING?) :: (out :: STRING?)", blanks free, "()" for no outputs.
  // Each row has the inputs, then the outputs. SyntaxError if the signature can't be read or a row has the wrong width.
  Status RegisterTable(std::string_view signature, std::vector<List> rows);
  // Takes back everything that RegisterTable brought. Plans bound before are void.
  void UnregisterTables();

 private:
  struct Entry {
    planner::ProcedureSignature signature;
    std::unique_ptr<Procedure> procedure;
    bool table = false;
  };
  void AddBuiltin(planner::ProcedureSignature signature, std::unique_ptr<Procedure> procedure);
  friend void AddDatabaseProcedures(ProcedureCatalog* catalog);
  friend void AddVectorProcedures(ProcedureCatalog* catalog);
  friend void AddRecallProcedures(ProcedureCatalog* catalog);
  friend void AddShowProcedures(ProcedureCatalog* catalog);
  friend void AddTransactionProcedures(ProcedureCatalog* catalog);
  friend void AddApocProcedures(ProcedureCatalog* catalog);
  friend void AddMetaProcedures(ProcedureCatalog* catalog);
  friend void AddMetaGraphProcedures(ProcedureCatalog* catalog);
  friend void AddRefactorProcedures(ProcedureCatalog* catalog);

  std::map<std::string, std::unique_ptr<Entry>> procedures_;   // by name in lower case
};

const ProcedureCatalog& DefaultCatalog();

}  // namespace fornix::engine
