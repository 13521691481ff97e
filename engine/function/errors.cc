#include "engine/function/errors.h"

#include "base/value_format.h"

namespace fornix::engine {

std::string Describe(const Value& v) {
  std::string type(TypeName(v.type()));
  switch (v.type()) {
    case Type::kBoolean: case Type::kInteger: case Type::kFloat: return type + " " + ToText(v);
    case Type::kString: return v.AsString().size() <= 40 ? type + " " + ToText(v) : type;
    default: return type;
  }
}

Status WrongType(std::string_view function, std::string_view wanted, const Value& got) {
  return Status(Code::kTypeError, std::string(function) + " wants " + std::string(wanted) + ", not " + Describe(got))
      .Detail("InvalidArgumentValue");
}

Status WrongOperands(std::string_view op, const Value& a, const Value& b) {
  return Status(Code::kTypeError, "can't apply " + std::string(op) + " to " + Describe(a) + " and " + Describe(b))
      .Detail("InvalidArgumentType");
}

Status OutOfRange(std::string message) { return Status(Code::kArgumentError, std::move(message)).Detail("NumberOutOfRange"); }

Status BadArgument(std::string message) {
  return Status(Code::kArgumentError, std::move(message)).Detail("InvalidArgumentValue");
}

Status Overflow(std::string_view expression) {
  return Status(Code::kArithmeticError, "integer overflow in " + std::string(expression)).Detail("IntegerOverflow");
}

}  // namespace fornix::engine
