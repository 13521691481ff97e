// What may enter a vector index, and the scores.
#include "vector/validate.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "vector/similarity.h"

namespace fornix::vector {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

Status Check(const std::vector<float>& v, uint32_t dimensions, Metric metric = Metric::kEuclidean) {
  return ValidateVector(std::span<const float>(v), dimensions, metric);
}
Status CheckDoubles(const std::vector<double>& v, uint32_t dimensions, Metric metric = Metric::kEuclidean) {
  return ValidateVector(std::span<const double>(v), dimensions, metric);
}

}  // namespace

TEST_CASE("a vector of the wrong dimension is refused with both numbers") {
  const Status status = Check({1, 2, 3}, 4);
  CHECK(status.code() == Code::kArgumentError);
  CHECK(status.detail() == "VectorDimension");
  CHECK(status.message() == "a vector of 3 dimensions, expected 4");
  CHECK(Check({1, 2, 3}, 3).ok());
  CHECK(!Check({}, 3).ok());
}

TEST_CASE("NaN and infinities are refused with index and value") {
  CHECK(Check({0, kNan}, 2).message() == "vector value nan at index 1 is not a finite 32-bit float");
  CHECK(Check({kInf, 0}, 2).message() == "vector value inf at index 0 is not a finite 32-bit float");
  CHECK(Check({1, 2, -kInf}, 3, Metric::kCosine).message() ==
        "vector value -inf at index 2 is not a finite 32-bit float");
  CHECK(CheckDoubles({0, 1e39}, 2).message() == "vector value 1e+39 at index 1 is not a finite 32-bit float");
  CHECK(CheckDoubles({0, 1e38}, 2, Metric::kCosine).ok());
}

TEST_CASE("a vector of zeros is refused for cosine only") {
  CHECK(Check({0, -0.0f}, 2, Metric::kCosine).detail() == "VectorValue");
  CHECK(Check({0, 0}, 2, Metric::kEuclidean).ok());
  CHECK(Check({0, 0}, 2, Metric::kDot).ok());
  CHECK(Check({0, 1e-45f}, 2, Metric::kCosine).ok());
  CHECK(!CheckDoubles({0, 1e-60}, 2, Metric::kCosine).ok());  // zero as a float
}

TEST_CASE("a vector whose distances would overflow is refused, and just below that none overflows") {
  CHECK(!Check({1e19f, 0}, 2, Metric::kEuclidean).ok());
  CHECK(!Check({1e19f, 0}, 2, Metric::kDot).ok());
  CHECK(Check({1e19f, 0}, 2, Metric::kCosine).ok());
  const float longest = 9.2e18f;
  REQUIRE(Check({longest}, 1, Metric::kEuclidean).ok());
  CHECK(std::isfinite((longest - -longest) * (longest - -longest)));
}

TEST_CASE("an index has 1 to 16,384 dimensions") {
  CHECK(!ValidateDimensions(0).ok());
  CHECK(ValidateDimensions(1).ok());
  CHECK(ValidateDimensions(16384).ok());
  CHECK(!ValidateDimensions(16385).ok());
  CHECK(!ValidateDimensions(uint64_t{1} << 40).ok());
}

TEST_CASE("metric names round-trip") {
  for (Metric metric : {Metric::kCosine, Metric::kEuclidean, Metric::kDot})
    CHECK(MetricFromName(MetricName(metric)) == metric);
  CHECK(!MetricFromName("manhattan").has_value());
}

TEST_CASE("scores are those of Neo4j and stay in range despite rounding") {
  CHECK(ScoreOfDistance(Metric::kCosine, 0.0f) == 1.0);
  CHECK(ScoreOfDistance(Metric::kCosine, 1.0f) == 0.5);
  CHECK(ScoreOfDistance(Metric::kCosine, 2.0f) == 0.0);
  CHECK(ScoreOfDistance(Metric::kCosine, -1e-6f) == 1.0);
  CHECK(ScoreOfDistance(Metric::kCosine, 2.000001f) == 0.0);
  CHECK(ScoreOfDistance(Metric::kEuclidean, 3.0f) == 0.25);
  CHECK(ScoreOfDistance(Metric::kDot, -7.0f) == 7.0);
  const std::vector<float> x = {1, 0}, y = {0, 2}, z = {-3, 0};
  CHECK(CosineScore(x, y) == Approx(0.5));
  CHECK(CosineScore(x, z) == Approx(0.0));
  CHECK(CosineScore(y, y) == Approx(1.0));
  CHECK(EuclideanScore(x, y) == Approx(1.0 / 6));
}

}  // namespace fornix::vector
