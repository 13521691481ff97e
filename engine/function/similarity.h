// Similarity of two vectors as Cypher's functions give it, for one pair or for many: what is the same list as in the call before is not
// read again, so a constant is taken apart once for all rows.
//
// vector.similarity.* is scaled to 0..1 as the vector indexes score; gds.similarity.cosine is the bare cosine from -1 to 1. All
// sums are in double precision, and the same for one pair as for many.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "fornix/status.h"
#include "fornix/value.h"

namespace fornix::engine {

enum class SimilarityKind : uint8_t { kCosine, kEuclidean, kBareCosine };

// By the name of the function.
std::optional<SimilarityKind> SimilarityOf(std::string_view function);
// "vector.similarity.cosine()", as messages name it.
std::string_view SimilarityName(SimilarityKind kind);

// A VECTOR or a LIST of numbers; TypeError names the function for anything else.
Status ReadElements(std::string_view function, const Value& value, std::vector<double>* out);

class Similarity {
 public:
  explicit Similarity(SimilarityKind kind) : kind_(kind) {}
  // Null if either is; TypeError, or ArgumentError for dimensions that differ, none at all, and a cosine of no direction.
  Result<Value> Between(const Value& a, const Value& b);

 private:
  struct Side {
    Value held;                  // keeps what `from` points to
    const void* from = nullptr;
    std::vector<double> elements;
    double norm = 0;             // the sum of the squares
  };
  Status Read(const Value& value, Side* side) const;

  SimilarityKind kind_;
  Side a_, b_;
};

}  // namespace fornix::engine
