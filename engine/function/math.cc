// Mathematical functions. Integers are widened to floats except where the result is one (abs, sign); a result that
// doesn't exist is NaN, as IEEE 754 has it, not an error.
#include <cmath>
#include <numbers>

#include "base/random.h"
#include "base/value_format.h"
#include "engine/function/errors.h"
#include "engine/function/registry.h"
#include "engine/function/temporal/arithmetic.h"

namespace fornix::engine {
namespace {

using Arguments = std::span<const Value>;

template <double (*kFunction)(double)>
Result<Value> Unary(FunctionContext&, Arguments a) {
  if (a[0].is_null()) return Value();
  if (!a[0].is_number()) return WrongType("a mathematical function", "a number", a[0]);
  return Value(kFunction(a[0].AsNumber()));
}

double Cot(double x) { return 1 / std::tan(x); }
double Coth(double x) { return 1 / std::tanh(x); }
double Haversin(double x) { return (1 - std::cos(x)) / 2; }
double Degrees(double x) { return x * 180 / std::numbers::pi; }
double Radians(double x) { return x * std::numbers::pi / 180; }

Result<Value> Abs(FunctionContext&, Arguments a) {
  if (a[0].is_null()) return Value();
  if (a[0].type() == Type::kInteger) {
    if (a[0].AsInteger() == INT64_MIN) return Overflow("abs(" + ToText(a[0]) + ")");
    return Value(a[0].AsInteger() < 0 ? -a[0].AsInteger() : a[0].AsInteger());
  }
  if (a[0].type() == Type::kFloat) return Value(std::fabs(a[0].AsFloat()));
  return WrongType("abs()", "a number", a[0]);
}

Result<Value> Sign(FunctionContext&, Arguments a) {
  if (a[0].is_null()) return Value();
  if (!a[0].is_number()) return WrongType("sign()", "a number", a[0]);
  double x = a[0].AsNumber();
  return Value(int64_t{x > 0} - int64_t{x < 0});
}

Result<Value> IsNaN(FunctionContext&, Arguments a) {
  if (a[0].is_null()) return Value();
  if (!a[0].is_number()) return WrongType("isNaN()", "a number", a[0]);
  return Value(std::isnan(a[0].AsNumber()));
}

Result<Value> Atan2(FunctionContext&, Arguments a) {
  if (a[0].is_null() || a[1].is_null()) return Value();
  for (const Value& v : a) {
    if (!v.is_number()) return WrongType("atan2()", "a number", v);
  }
  return Value(std::atan2(a[0].AsNumber(), a[1].AsNumber()));
}

// Rounds to a whole number; ties and direction by mode. Returns false for an unknown mode.
bool RoundByMode(long double x, const std::string& mode, long double* out) {
  long double down = std::floor(x), rest = x - down;
  long double away = x < 0 ? down : std::ceil(x), toward = std::trunc(x);
  bool tie = rest == 0.5L;
  long double nearest = rest < 0.5L ? down : down + 1;
  if (mode == "UP") *out = away;
  else if (mode == "DOWN") *out = toward;
  else if (mode == "CEILING") *out = std::ceil(x);
  else if (mode == "FLOOR") *out = down;
  else if (mode == "HALF_UP") *out = tie ? away : nearest;
  else if (mode == "HALF_DOWN") *out = tie ? toward : nearest;
  else if (mode == "HALF_EVEN") *out = tie ? (std::fmod(down, 2.0L) == 0 ? down : down + 1) : nearest;
  else return false;
  return true;
}

// Without a precision ties go up (round(-1.5) is -1.0); with one they go away from zero unless a mode says otherwise.
Result<Value> Round(FunctionContext&, Arguments a) {
  for (const Value& v : a) {
    if (v.is_null()) return Value();
  }
  if (!a[0].is_number()) return WrongType("round()", "a number", a[0]);
  double x = a[0].AsNumber();
  if (a.size() == 1) return Value(std::floor(x) + (x - std::floor(x) >= 0.5 ? 1.0 : 0.0));
  if (!a[1].is_number()) return WrongType("round()", "a precision as an INTEGER", a[1]);
  double precision = a[1].AsNumber();
  if (!(precision >= 0 && precision <= 300)) return OutOfRange("round(): the precision must be 0 to 300, not " + ToText(a[1]));
  if (!std::isfinite(x)) return a[0];
  std::string mode = "HALF_UP";
  if (a.size() > 2) {
    if (a[2].type() != Type::kString) return WrongType("round()", "a mode as a STRING", a[2]);
    mode = a[2].AsString();
  }
  // On the decimal digits that are shown: 1.005 rounds to 1.01, though the double is a little less.
  long double scale = std::pow(10.0L, std::trunc(static_cast<long double>(precision))), rounded = 0;
  long double scaled = AsDecimal(x) * scale;
  if (!RoundByMode(scaled, mode, &rounded)) {
    return BadArgument("round(): unknown mode " + QuoteString(mode) +
        "; known are UP, DOWN, CEILING, FLOOR, HALF_UP, HALF_DOWN and HALF_EVEN");
  }
  if (!std::isfinite(scaled)) return Value(x);
  return Value(static_cast<double>(rounded / scale));
}

Result<Value> Rand(FunctionContext& context, Arguments) { return Value(context.random->Unit()); }
Result<Value> Pi(FunctionContext&, Arguments) { return Value(std::numbers::pi); }
Result<Value> E(FunctionContext&, Arguments) { return Value(std::numbers::e); }

}  // namespace

void AddMathFunctions(FunctionRegistry* r) {
  r->Category("Numeric");
  r->Scalar("abs(input :: NUMBER) :: NUMBER", "The number without its sign.", Abs);
  r->Scalar("ceil(input :: FLOAT) :: FLOAT", "The smallest whole number that isn't smaller.", Unary<std::ceil>);
  r->Scalar("floor(input :: FLOAT) :: FLOAT", "The greatest whole number that isn't greater.", Unary<std::floor>);
  r->Scalar("isNaN(input :: NUMBER) :: BOOLEAN", "Whether it isn't a number.", IsNaN);
  r->Scalar("rand() :: FLOAT", "A random number from 0 up to but not including 1.", Rand, {FunctionTrait::kNotDeterministic});
  r->Scalar("round(value :: NUMBER, [precision :: NUMBER], [mode :: STRING]) :: FLOAT",
      "The nearest number with so many decimals, none if not given.", Round);
  r->Scalar("sign(input :: NUMBER) :: INTEGER", "-1, 0 or 1.", Sign);
  r->Category("Logarithmic");
  r->Scalar("e() :: FLOAT", "The base of the natural logarithm.", E);
  r->Scalar("exp(input :: FLOAT) :: FLOAT", "e to the power of a number.", Unary<std::exp>);
  r->Scalar("log(input :: FLOAT) :: FLOAT", "The natural logarithm.", Unary<std::log>);
  r->Scalar("log10(input :: FLOAT) :: FLOAT", "The logarithm to base 10.", Unary<std::log10>);
  r->Scalar("sqrt(input :: FLOAT) :: FLOAT", "The square root.", Unary<std::sqrt>);
  r->Category("Trigonometric");
  r->Scalar("acos(input :: FLOAT) :: FLOAT", "The arccosine in radians.", Unary<std::acos>);
  r->Scalar("asin(input :: FLOAT) :: FLOAT", "The arcsine in radians.", Unary<std::asin>);
  r->Scalar("atan(input :: FLOAT) :: FLOAT", "The arctangent in radians.", Unary<std::atan>);
  r->Scalar("atan2(y :: FLOAT, x :: FLOAT) :: FLOAT", "The angle of a point in radians.", Atan2);
  r->Scalar("cos(input :: FLOAT) :: FLOAT", "The cosine.", Unary<std::cos>);
  r->Scalar("cosh(input :: FLOAT) :: FLOAT", "The hyperbolic cosine.", Unary<std::cosh>);
  r->Scalar("cot(input :: FLOAT) :: FLOAT", "The cotangent.", Unary<Cot>);
  r->Scalar("coth(input :: FLOAT) :: FLOAT", "The hyperbolic cotangent.", Unary<Coth>);
  r->Scalar("degrees(input :: FLOAT) :: FLOAT", "Radians in degrees.", Unary<Degrees>);
  r->Scalar("haversin(input :: FLOAT) :: FLOAT", "Half the versine.", Unary<Haversin>);
  r->Scalar("pi() :: FLOAT", "The ratio of a circle's circumference to its diameter.", Pi);
  r->Scalar("radians(input :: FLOAT) :: FLOAT", "Degrees in radians.", Unary<Radians>);
  r->Scalar("sin(input :: FLOAT) :: FLOAT", "The sine.", Unary<std::sin>);
  r->Scalar("sinh(input :: FLOAT) :: FLOAT", "The hyperbolic sine.", Unary<std::sinh>);
  r->Scalar("tan(input :: FLOAT) :: FLOAT", "The tangent.", Unary<std::tan>);
  r->Scalar("tanh(input :: FLOAT) :: FLOAT", "The hyperbolic tangent.", Unary<std::tanh>);
}

}  // namespace fornix::engine
