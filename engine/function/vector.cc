// Vectors: making them, and similarity of two lists or vectors of numbers (similarity.h).
#include <cmath>

#include "base/value_format.h"
#include "engine/function/errors.h"
#include "engine/function/registry.h"
#include "engine/function/similarity.h"

namespace fornix::engine {
namespace {

using Arguments = std::span<const Value>;

template <SimilarityKind kind>
Result<Value> Similar(FunctionContext&, Arguments a) {
  return Similarity(kind).Between(a[0], a[1]);
}

Result<Value> MakeVector(FunctionContext&, Arguments a) {
  if (a[0].is_null()) return Value();
  if (a[0].type() == Type::kVector && a.size() == 1) return a[0];
  std::vector<double> elements;
  RETURN_IF_ERROR(ReadElements("vector()", a[0], &elements));
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
            "(1 + cosine) / 2: 1 for the same direction, 0 for the opposite.", Similar<SimilarityKind::kCosine>);
  r->Scalar("vector.similarity.euclidean(a :: LIST<NUMBER> | VECTOR, b :: LIST<NUMBER> | VECTOR) :: FLOAT",
            "1 / (1 + squared distance): 1 for the same point.", Similar<SimilarityKind::kEuclidean>);
  r->Scalar("gds.similarity.cosine(a :: LIST<NUMBER> | VECTOR, b :: LIST<NUMBER> | VECTOR) :: FLOAT", "The cosine, from -1 to 1.",
      Similar<SimilarityKind::kBareCosine>);
}

}  // namespace fornix::engine
