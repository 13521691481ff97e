// Makers of the errors that functions and operators give at run time. The detail words are those of the openCypher
// conformance suite; the text says which function, what it wants and what it got.
#pragma once

#include <string>
#include <string_view>

#include "fornix/status.h"
#include "fornix/value.h"

namespace fornix::engine {

// "INTEGER 5", "LIST": the type, and a scalar's text where it is short.
std::string Describe(const Value& v);

// A value of a type the function can't take: TypeError, InvalidArgumentValue.
Status WrongType(std::string_view function, std::string_view wanted, const Value& got);
// An operator between types that don't go together: TypeError, InvalidArgumentType.
Status WrongOperands(std::string_view op, const Value& a, const Value& b);
// The right type, a value outside its range: ArgumentError, NumberOutOfRange.
Status OutOfRange(std::string message);
// The right type, a value that means nothing here: ArgumentError, InvalidArgumentValue.
Status BadArgument(std::string message);
// Integer overflow and division by zero: ArithmeticError.
Status Overflow(std::string_view expression);

}  // namespace fornix::engine
