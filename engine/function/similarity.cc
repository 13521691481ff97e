#include "engine/function/similarity.h"

#include <cmath>

#include "base/interrupt.h"
#include "engine/function/errors.h"

namespace fornix::engine {
namespace {

// Four sums side by side: one alone waits for each addition before the next.
template <typename Term>
double Sum(size_t n, const Term& term) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += term(i);
    s1 += term(i + 1);
    s2 += term(i + 2);
    s3 += term(i + 3);
  }
  for (; i < n; ++i) s0 += term(i);
  return (s0 + s1) + (s2 + s3);
}

const void* Identity(const Value& v) {
  if (v.type() == Type::kList) return &v.AsList();
  if (v.type() == Type::kVector) return &v.AsVector();
  return nullptr;
}

}  // namespace

std::optional<SimilarityKind> SimilarityOf(std::string_view function) {
  if (function == "vector.similarity.cosine") return SimilarityKind::kCosine;
  if (function == "vector.similarity.euclidean") return SimilarityKind::kEuclidean;
  if (function == "gds.similarity.cosine") return SimilarityKind::kBareCosine;
  return std::nullopt;
}

std::string_view SimilarityName(SimilarityKind kind) {
  switch (kind) {
    case SimilarityKind::kCosine: return "vector.similarity.cosine()";
    case SimilarityKind::kEuclidean: return "vector.similarity.euclidean()";
    case SimilarityKind::kBareCosine: return "gds.similarity.cosine()";
  }
  return "?";
}

Status ReadElements(std::string_view function, const Value& value, std::vector<double>* out) {
  out->clear();
  if (value.type() == Type::kVector) {
    CountWork(value.AsVector().size());
    out->assign(value.AsVector().begin(), value.AsVector().end());
    return Status::Ok();
  }
  if (value.type() != Type::kList) return WrongType(function, "a LIST of numbers or a VECTOR", value);
  const List& list = value.AsList();
  CountWork(list.size());
  out->resize(list.size());
  double* to = out->data();
  for (const Value& item : list) {
    if (!item.is_number()) return WrongType(function, "a LIST of numbers", item);
    *to++ = item.type() == Type::kFloat ? item.AsFloat() : static_cast<double>(item.AsInteger());
  }
  return Status::Ok();
}

Status Similarity::Read(const Value& value, Side* side) const {
  const void* identity = Identity(value);
  if (identity != nullptr && identity == side->from) return Status::Ok();
  side->from = nullptr;
  RETURN_IF_ERROR(ReadElements(SimilarityName(kind_), value, &side->elements));
  const double* x = side->elements.data();
  if (kind_ != SimilarityKind::kEuclidean) side->norm = Sum(side->elements.size(), [x](size_t i) { return x[i] * x[i]; });
  side->held = value;
  side->from = identity;
  return Status::Ok();
}

Result<Value> Similarity::Between(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return Value();
  RETURN_IF_ERROR(Read(a, &a_));
  RETURN_IF_ERROR(Read(b, &b_));
  const size_t n = a_.elements.size();
  if (n != b_.elements.size() || n == 0) {
    return BadArgument(std::string(SimilarityName(kind_)) + " wants two vectors of the same dimension, not " + std::to_string(n) + " and " +
                       std::to_string(b_.elements.size()));
  }
  CountWork(n);
  const double *x = a_.elements.data(), *y = b_.elements.data();
  if (kind_ == SimilarityKind::kEuclidean) {
    return Value(1 / (1 + Sum(n, [x, y](size_t i) { return (x[i] - y[i]) * (x[i] - y[i]); })));
  }
  if (a_.norm == 0 || b_.norm == 0) {
    if (kind_ == SimilarityKind::kBareCosine) return Value(0.0);
    return BadArgument("vector.similarity.cosine(): a vector of length 0 has no direction");
  }
  const double cosine = Sum(n, [x, y](size_t i) { return x[i] * y[i]; }) / std::sqrt(a_.norm) / std::sqrt(b_.norm);
  return Value(kind_ == SimilarityKind::kCosine ? (1 + cosine) / 2 : cosine);
}

}  // namespace fornix::engine
