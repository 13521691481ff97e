// Rotations keep lengths and spread energy; projections turn every metric into an inner product.
#include "vector/quantize/projection.h"

#include "tests/unit/vector/vector_test_util.h"

namespace fornix::vector {
namespace {

double Dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

std::vector<float> Normal(std::mt19937& random, size_t n, float mean = 0) {
  std::normal_distribution<float> normal(mean, 1);
  std::vector<float> v(n);
  for (float& f : v) f = normal(random);
  return v;
}

}  // namespace

TEST_CASE("a projection gives the distance of every metric, rotated or not, centred or not, in 1 to 16,384 dimensions") {
  std::mt19937 random(NewSeed("projection"));
  std::vector<uint32_t> sizes = {1, 2, 3, 63, 64, 65, 128, 784, 1024, 1025, 1536, 16384};
  for (int i = 0; i < 30; ++i) sizes.push_back(1 + random() % 1100);
  for (uint32_t n : sizes) {
    const std::vector<float> a = Normal(random, n, 0.5f), b = Normal(random, n, 0.5f);
    for (Metric metric : {Metric::kCosine, Metric::kEuclidean, Metric::kDot}) {
      double exact = -Dot(a, b), size = std::sqrt(Dot(a, a) * Dot(b, b));
      if (metric == Metric::kCosine) exact = 1 + exact / size, size = 1;
      if (metric == Metric::kEuclidean) exact = Dot(a, a) + Dot(b, b) + 2 * exact;
      for (int form = 0; form < 4; ++form) {
        INFO(n << " " << MetricName(metric) << " form " << form);
        std::vector<float> centre = form % 2 == 0 ? std::vector<float>() : MeanOf(Normal(random, 5 * n, 0.5f), n, metric);
        const Projection projection(n, metric, centre, form / 2 == 1, random(), BestCodeKernels());
        Projected pa, pb;
        projection.Apply(a, &pa);
        projection.Apply(b, &pb);
        REQUIRE(pa.values.size() == projection.padded());
        const double found = pa.query_base + pb.row_base + projection.scale() * Dot(pa.values, pb.values);
        CHECK(std::abs(found - exact) <= 1e-5 * (size + std::abs(exact) + 1));
        CHECK(Dot(pa.values, pa.values) == Approx(pa.norm2).epsilon(1e-5).margin(1e-9));
      }
    }
  }
}

TEST_CASE("a rotation has the same bits with every kernel set, other bits with another seed") {
  std::mt19937 random(NewSeed("rotation bits"));
  for (uint32_t n : {5u, 100u, 784u, 1024u}) {
    const std::vector<float> v = Normal(random, n);
    Projected judge, other;
    Projection(n, Metric::kDot, {}, true, 7, ScalarCodeKernels()).Apply(v, &judge);
    for (const CodeKernels* kernels : RunnableCodeKernels()) {
      Projection(n, Metric::kDot, {}, true, 7, *kernels).Apply(v, &other);
      CHECK(judge.values == other.values);
    }
    Projection(n, Metric::kDot, {}, true, 8, ScalarCodeKernels()).Apply(v, &other);
    CHECK(judge.values != other.values);
  }
}

TEST_CASE("a rotation spreads a vector of one number over all dimensions") {
  for (uint32_t n : {100u, 784u, 1000u, 1024u, 1100u, 16384u}) {
    const Rotation rotation(n, 42, BestCodeKernels());
    for (uint32_t at : {0u, n / 2, n - 1}) {
      std::vector<float> v(rotation.padded(), 0.0f);
      v[at] = 1;
      rotation.Apply(v.data());
      float greatest = 0;
      for (float f : v) greatest = std::max(greatest, std::abs(f));
      INFO(n << " dimensions, number " << at);
      CHECK(greatest <= 5.5f / std::sqrt(static_cast<float>(rotation.padded())));
    }
  }
}

}  // namespace fornix::vector
