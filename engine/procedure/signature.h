// Short makers of procedure signatures and of procedures from functions.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/procedure/procedure.h"
#include "planner/bind/function_catalog.h"

namespace fornix::engine {

inline planner::ProcedureField Field(std::string name, TypeSet type, std::string type_name) {
  planner::ProcedureField field;
  field.name = std::move(name);
  field.type = type;
  field.type_name = std::move(type_name);
  return field;
}
inline planner::ProcedureField StringField(std::string name) { return Field(std::move(name), kStringType, "STRING"); }
inline planner::ProcedureField IntegerField(std::string name) { return Field(std::move(name), kIntegerType, "INTEGER"); }
inline planner::ProcedureField FloatField(std::string name) { return Field(std::move(name), kFloatType, "FLOAT"); }
inline planner::ProcedureField BooleanField(std::string name) { return Field(std::move(name), kBooleanType, "BOOLEAN"); }
inline planner::ProcedureField ListField(std::string name) { return Field(std::move(name), kListType, "LIST<STRING>"); }
inline planner::ProcedureField MapField(std::string name) { return Field(std::move(name), kMapType, "MAP"); }
inline planner::ProcedureField Optional(planner::ProcedureField field) {
  field.has_default = true;
  return field;
}

inline planner::ProcedureSignature Signature(std::string name, std::vector<planner::ProcedureField> inputs,
                                             std::vector<planner::ProcedureField> outputs, std::string description) {
  planner::ProcedureSignature signature;
  signature.name = std::move(name);
  signature.inputs = std::move(inputs);
  signature.outputs = std::move(outputs);
  signature.description = std::move(description);
  return signature;
}

// A procedure that makes all its rows at once.
class RowsProcedure : public Procedure {
 public:
  using Function = Result<std::vector<List>> (*)(ExecutionContext& context, std::span<const Value> arguments);
  explicit RowsProcedure(Function function) : function_(function) {}
  Result<std::unique_ptr<ProcedureStream>> Call(ExecutionContext& context, std::span<const Value> arguments) const override {
    ASSIGN_OR_RETURN(std::vector<List> rows, function_(context, arguments));
    return TableStream(std::move(rows));
  }

 private:
  Function function_;
};

// A void procedure.
class VoidProcedure : public Procedure {
 public:
  using Function = Status (*)(ExecutionContext& context, std::span<const Value> arguments);
  explicit VoidProcedure(Function function) : function_(function) {}
  Result<std::unique_ptr<ProcedureStream>> Call(ExecutionContext& context, std::span<const Value> arguments) const override {
    RETURN_IF_ERROR(function_(context, arguments));
    return std::unique_ptr<ProcedureStream>();
  }

 private:
  Function function_;
};

}  // namespace fornix::engine
