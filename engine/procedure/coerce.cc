#include "engine/procedure/coerce.h"

namespace fornix::engine {

Result<Value> CoerceArgument(const planner::ProcedureSignature& signature, size_t index, Value value) {
  const planner::ProcedureField& field = signature.inputs[index];
  if (value.is_null()) return value;
  Type type = value.type();
  if (type == Type::kNodeRef) type = Type::kNode;
  if (type == Type::kRelationshipRef) type = Type::kRelationship;
  if (field.type.Has(type)) return value;
  if (type == Type::kInteger && field.type.Has(Type::kFloat)) return Value(static_cast<double>(value.AsInteger()));
  return Status(Code::kTypeError, "Type mismatch: argument `" + field.name + "` of " + signature.name + "() takes " +
                                      (field.type_name.empty() ? std::string("another type") : field.type_name) + ", but was " +
                                      std::string(TypeName(value.type())))
      .Detail("InvalidArgumentType");
}

}  // namespace fornix::engine
