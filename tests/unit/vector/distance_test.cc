// Differential test of the distance kernels: each set against the sum in double, within the tolerance that
// vector/distance/distance.h promises.
#include "vector/distance/distance.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "tests/unit/vector/vector_test_util.h"

namespace fornix::vector {
namespace {

struct Exact {
  double value = 0;
  double magnitude = 0;  // S of the promise
};

Exact ExactDot(const float* a, const float* b, size_t n) {
  Exact exact;
  for (size_t i = 0; i < n; ++i) {
    const double term = static_cast<double>(a[i]) * b[i];
    exact.value += term;
    exact.magnitude += std::abs(term);
  }
  return exact;
}

Exact ExactSquaredL2(const float* a, const float* b, size_t n) {
  Exact exact;
  for (size_t i = 0; i < n; ++i) {
    const double d = static_cast<double>(a[i]) - b[i];
    exact.value += d * d;
  }
  exact.magnitude = exact.value;
  return exact;
}

double Tolerance(const Exact& exact, size_t n) {
  return (static_cast<double>(n) / 4 + 18) * 0x1p-24 * exact.magnitude + 1e-37;
}

bool SameBits(float a, float b) { return std::memcmp(&a, &b, sizeof(a)) == 0; }

// Five vectors of n floats at the given offset from an aligned address: a query and four rows.
void CheckKernels(const DistanceKernels& kernels, std::mt19937& random, size_t n, size_t offset,
                  float scale) {
  std::normal_distribution<float> normal(0.1f, scale);
  std::vector<float> storage(5 * (n + 16) + offset);
  for (float& f : storage) f = normal(random);
  const float* query = storage.data() + offset;
  const float* rows[4];
  for (size_t r = 0; r < 4; ++r) rows[r] = query + (r + 1) * (n + 16);

  float dots[4], l2s[4];
  kernels.dot4(query, rows, n, dots);
  kernels.squared_l2_4(query, rows, n, l2s);
  for (size_t r = 0; r < 4; ++r) {
    INFO(kernels.name << " n=" << n << " offset=" << offset << " row=" << r);
    const float dot = kernels.dot(query, rows[r], n);
    const float l2 = kernels.squared_l2(query, rows[r], n);
    const Exact exact_dot = ExactDot(query, rows[r], n);
    const Exact exact_l2 = ExactSquaredL2(query, rows[r], n);
    CHECK(std::abs(dot - exact_dot.value) <= Tolerance(exact_dot, n));
    CHECK(std::abs(l2 - exact_l2.value) <= Tolerance(exact_l2, n));
    CHECK(SameBits(dot, dots[r]));
    CHECK(SameBits(l2, l2s[r]));
    CHECK(SameBits(dot, kernels.dot(rows[r], query, n)));
    CHECK(SameBits(l2, kernels.squared_l2(rows[r], query, n)));
  }
  CHECK(kernels.squared_l2(query, query, n) == 0.0f);
}

}  // namespace

TEST_CASE("every runnable kernel agrees with the exact sum for dimensions 1 to 300 and some large ones") {
  const uint32_t seed = NewSeed("distance kernels");
  std::printf("kernel sets:");
  for (const DistanceKernels* kernels : RunnableKernels()) std::printf(" %s", kernels->name);
  std::printf("\n");
  std::mt19937 random(seed);
  for (const DistanceKernels* kernels : RunnableKernels()) {
    for (size_t n = 1; n <= 300; ++n) CheckKernels(*kernels, random, n, n % 16, n % 3 == 0 ? 1e-3f : 10.0f);
    for (size_t n : {384, 768, 784, 1000, 1023, 1024, 1025, 1536, 3072, 4096, 16384}) {
      CheckKernels(*kernels, random, n, 3, 1.0f);
      CheckKernels(*kernels, random, n, 0, 1e15f);
    }
  }
}

TEST_CASE("kernels never read past the end of a vector") {
  // Each vector ends at the end of its own allocation, which the address sanitizer guards; NaN behind would
  // show too.
  for (const DistanceKernels* kernels : RunnableKernels()) {
    for (size_t n = 1; n <= 70; ++n) {
      std::vector<float> a(n + 64, std::nanf("")), b = a;
      for (size_t i = 0; i < n; ++i) a[i] = b[i] = 1;
      CHECK(kernels->dot(a.data(), b.data(), n) == static_cast<float>(n));
      CHECK(kernels->squared_l2(a.data(), b.data(), n) == 0.0f);
      const std::vector<float> tight_a(a.begin(), a.begin() + static_cast<ptrdiff_t>(n)), tight_b = tight_a;
      CHECK(kernels->dot(tight_a.data(), tight_b.data(), n) == static_cast<float>(n));
    }
  }
}

TEST_CASE("the best kernel set is the last runnable one and the scalar set is the first") {
  CHECK(RunnableKernels().front() == &ScalarKernels());
  CHECK(RunnableKernels().back() == &BestKernels());
}

}  // namespace fornix::vector
