// Vectors: making them, and similarity of two lists or vectors of numbers. vector.similarity.* is scaled to 0..1 as the
// vector indexes score; gds.similarity.cosine is the bare cosine from -1 to 1.
#include <cmath>

#include "base/interrupt.h"
#include "base/value_format.h"
#include "engine/function/errors.h"
#include "engine/function/registry.h"

namespace fornix::engine {
namespace {

using Arguments = std::span<const Value>;

Result<std::vector<double>> Elements(std::string_view function, const Value& v) {
  std::vector<double> elements;
  if (v.type() == Type::kVector) {
    elements.assign(v.AsVector().begin(), v.AsVector().end());
    return elements;
  }
  if (v.type() != Type::kList) return WrongType(function, "a LIST of numbers or a VECTOR", v);
  elements.reserve(v.AsList().size());
  CountWork(v.AsList().size());
  for (const Value& item : v.AsList()) {
    if (!item.is_number()) return WrongType(function, "a LIST of numbers", item);
    elements.push_back(item.AsNumber());
  }
  return elements;
}

struct Products {
  double dot = 0, norm_a = 0, norm_b = 0, distance = 0;
};

Result<Products> Multiply(std::string_view function, Arguments a) {
  ASSIGN_OR_RETURN(std::vector<double> x, Elements(function, a[0]));
  ASSIGN_OR_RETURN(std::vector<double> y, Elements(function, a[1]));
  if (x.size() != y.size() || x.empty()) {
    return BadArgument(std::string(function) + " wants two vectors of the same dimension, not " + std::to_string(x.size()) + " and " +
                       std::to_string(y.size()));
  }
  Products p;
  for (size_t i = 0; i < x.size(); ++i) {
    p.dot += x[i] * y[i];
    p.norm_a += x[i] * x[i];
    p.norm_b += y[i] * y[i];
    p.distance += (x[i] - y[i]) * (x[i] - y[i]);
  }
  return p;
}

Result<Value> Cosine(FunctionContext&, Arguments a) {
  if (a[0].is_null() || a[1].is_null()) return Value();
  ASSIGN_OR_RETURN(Products p, Multiply("vector.similarity.cosine()", a));
  if (p.norm_a == 0 || p.norm_b == 0) return BadArgument("vector.similarity.cosine(): a vector of length 0 has no direction");
  return Value((1 + p.dot / std::sqrt(p.norm_a) / std::sqrt(p.norm_b)) / 2);
}

Result<Value> Euclidean(FunctionContext&, Arguments a) {
  if (a[0].is_null() || a[1].is_null()) return Value();
  ASSIGN_OR_RETURN(Products p, Multiply("vector.similarity.euclidean()", a));
  return Value(1 / (1 + p.distance));
}

Result<Value> BareCosine(FunctionContext&, Arguments a) {
  if (a[0].is_null() || a[1].is_null()) return Value();
  ASSIGN_OR_RETURN(Products p, Multiply("gds.similarity.cosine()", a));
  if (p.norm_a == 0 || p.norm_b == 0) return Value(0.0);
  return Value(p.dot / std::sqrt(p.norm_a) / std::sqrt(p.norm_b));
}

Result<Value> MakeVector(FunctionContext&, Arguments a) {
  if (a[0].is_null()) return Value();
  if (a[0].type() == Type::kVector && a.size() == 1) return a[0];
  ASSIGN_OR_RETURN(std::vector<double> elements, Elements("vector()", a[0]));
  if (a.size() > 1) {
    if (a[1].type() != Type::kInteger) return WrongType("vector()", "a dimension as an INTEGER", a[1]);
    if (a[1].AsInteger() != static_cast<int64_t>(elements.size())) {
      return BadArgument("vector(): the dimension is " + ToText(a[1]) + ", but there are " + std::to_string(elements.size()) + " elements");
    }
  }
  std::vector<float> floats;
  floats.reserve(elements.size());
  for (double d : elements) {
    if (!std::isfinite(static_cast<float>(d))) {
      return OutOfRange("vector(): the element " + FormatFloat(d) + " isn't a finite 32-bit float");
    }
    floats.push_back(static_cast<float>(d));
  }
  return Value::Vector(std::move(floats));
}

Result<Value> Dimension(FunctionContext&, Arguments a) {
  if (a[0].is_null()) return Value();
  if (a[0].type() != Type::kVector) return WrongType("vector_dimension_count()", "a VECTOR", a[0]);
  return Value(static_cast<int64_t>(a[0].AsVector().size()));
}

}  // namespace

void AddVectorFunctions(FunctionRegistry* r) {
  r->Category("Vector");
  r->Scalar("vector(value :: LIST<NUMBER> | VECTOR, [dimension :: INTEGER], [coordinateType :: STRING]) :: VECTOR",
            "A vector of 32-bit floats; the dimension, if given, is checked.", MakeVector);
  r->Scalar("vector_dimension_count(vector :: VECTOR) :: INTEGER", "The number of elements.", Dimension);
  r->Scalar("vector.similarity.cosine(a :: LIST<NUMBER> | VECTOR, b :: LIST<NUMBER> | VECTOR) :: FLOAT",
            "(1 + cosine) / 2: 1 for the same direction, 0 for the opposite.", Cosine);
  r->Scalar("vector.similarity.euclidean(a :: LIST<NUMBER> | VECTOR, b :: LIST<NUMBER> | VECTOR) :: FLOAT",
            "1 / (1 + squared distance): 1 for the same point.", Euclidean);
  r->Scalar("gds.similarity.cosine(a :: LIST<NUMBER> | VECTOR, b :: LIST<NUMBER> | VECTOR) :: FLOAT", "The cosine, from -1 to 1.",
      BareCosine);
}

}  // namespace fornix::engine
