// The promises of vector/quantize/quantizer.h: how wrong estimates are, that the error they state is the error they
// make, and that bytes are stable and damage harmless.
#include "vector/quantize/quantizer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/unit/vector/vector_test_util.h"

namespace fornix::vector {
namespace {

constexpr CodeKind kKinds[] = {CodeKind::kNone, CodeKind::kHalf, CodeKind::kByte, CodeKind::kNibble, CodeKind::kBit};
constexpr Metric kMetrics[] = {Metric::kCosine, Metric::kEuclidean, Metric::kDot};

std::unique_ptr<const Quantizer> NewQuantizer(CodeKind kind, uint32_t dimensions, Metric metric, std::vector<float> centre = {},
                                              const CodeKernels& kernels = BestCodeKernels()) {
  if (kind == CodeKind::kNone) centre.clear();
  auto projection = std::make_shared<Projection>(dimensions, metric, std::move(centre), Quantizer::Rotates(kind), 99, kernels);
  return Quantizer::Create(kind, std::move(projection), kernels, BestKernels());
}

struct Encoded {
  Encoded(const Quantizer& quantizer, std::span<const float> v) : floats((quantizer.code_bytes() + 3) / 4) {
    quantizer.projection().Apply(v, &projected);
    quantizer.Encode(projected, data());
  }
  uint8_t* data() { return reinterpret_cast<uint8_t*>(floats.data()); }
  Projected projected;
  std::vector<float> floats;  // aligned as a store's rows are
};

double Exact(Metric metric, std::span<const float> a, std::span<const float> b) {
  double dot = 0, aa = 0, bb = 0, l2 = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double x = a[i], y = b[i];
    dot += x * y, aa += x * x, bb += y * y, l2 += (x - y) * (x - y);
  }
  return metric == Metric::kCosine ? 1 - dot / std::sqrt(aa * bb) : metric == Metric::kDot ? -dot : l2;
}

float Estimate(const Quantizer& quantizer, const PreparedQuery& query, Encoded* row) {
  const uint8_t* code = row->data();
  float distance;
  quantizer.Distances(query, &code, 1, &distance);
  return distance;
}

}  // namespace

TEST_CASE("the stated error of every code is the error it makes, for every metric and dimension") {
  std::mt19937 random(NewSeed("stated error"));
  for (uint32_t dimensions : {200u, 1024u}) {
    const Dataset data = Clusters(random, 200, dimensions, 8);
    for (Metric metric : kMetrics) {
      for (bool centred : {false, true}) {
        const std::vector<float> centre = centred ? MeanOf(data.values, dimensions, metric) : std::vector<float>();
        for (CodeKind kind : kKinds) {
          const auto quantizer = NewQuantizer(kind, dimensions, metric, centre);
          int pairs = 0, beyond2 = 0, beyond4 = 0;
          double squares = 0;
          std::vector<Encoded> rows;
          for (uint32_t r = 0; r < data.size(); ++r) rows.emplace_back(*quantizer, data[r]);
          for (uint32_t q = 0; q < 40; ++q) {
            PreparedQuery query;
            quantizer->Prepare(rows[q].projected, &query);
            for (uint32_t r = 40; r < data.size(); ++r) {
              Encoded& row = rows[r];
              const double exact = Exact(metric, data[q], data[r]);
              const double wrong = std::abs(Estimate(*quantizer, query, &row) - exact);
              const double error = quantizer->ErrorOf(query, row.data()) + 3e-6 * (1 + std::abs(exact));
              ++pairs, beyond2 += wrong > 1.9 * error, beyond4 += wrong > 4 * error;
              squares += wrong * wrong / (error * error);
            }
          }
          INFO(dimensions << " " << MetricName(metric) << " " << CodeKindName(kind) << " centred " << centred << ": " << beyond2 << " and "
                          << beyond4 << " of " << pairs << ", deviation " << std::sqrt(squares / pairs));
          CHECK(beyond2 <= pairs * 0.09);
          CHECK(beyond4 <= pairs / 500);
          // Neither is it stated far too great, which would make it useless for stopping early.
          if (kind == CodeKind::kNibble || kind == CodeKind::kBit) CHECK(squares / pairs > 0.25);
        }
      }
    }
  }
}

TEST_CASE("more bits are more exact, by the factors that the header gives") {
  std::mt19937 random(NewSeed("exactness"));
  const Dataset data = Clusters(random, 200, 768, 5);
  double wrong[5] = {};
  for (CodeKind kind : kKinds) {
    const auto quantizer = NewQuantizer(kind, 768, Metric::kCosine);
    double squares = 0;
    for (uint32_t r = 1; r < data.size(); ++r) {
      PreparedQuery query;
      quantizer->Prepare(Encoded(*quantizer, data[r - 1]).projected, &query);
      Encoded row(*quantizer, data[r]);
      const double d = Estimate(*quantizer, query, &row) - Exact(Metric::kCosine, data[r - 1], data[r]);
      squares += d * d;
    }
    wrong[static_cast<int>(kind)] = std::sqrt(squares / (data.size() - 1));
  }
  INFO("f32 " << wrong[0] << " f16 " << wrong[1] << " 8-bit " << wrong[2] << " 4-bit " << wrong[3] << " 1-bit " << wrong[4]);
  CHECK(wrong[0] < 1e-6);
  CHECK(wrong[1] < 4e-5);
  CHECK(wrong[2] < 6e-4);
  CHECK(wrong[3] < 6e-3);
  CHECK(wrong[4] < 4e-2);
  CHECK(std::is_sorted(wrong, wrong + 5));
}

TEST_CASE("the estimate has no bias over rotations") {
  std::mt19937 random(NewSeed("bias"));
  const Dataset data = Clusters(random, 2, 256, 1);
  for (CodeKind kind : {CodeKind::kBit, CodeKind::kNibble}) {
    double sum = 0, squares = 0;
    constexpr int kSeeds = 400;
    for (int seed = 0; seed < kSeeds; ++seed) {
      auto projection = std::make_shared<Projection>(256, Metric::kCosine, std::vector<float>(), true, static_cast<uint64_t>(seed), BestCodeKernels());
      const auto quantizer = Quantizer::Create(kind, std::move(projection), BestCodeKernels(), BestKernels());
      PreparedQuery query;
      quantizer->Prepare(Encoded(*quantizer, data[0]).projected, &query);
      Encoded row(*quantizer, data[1]);
      const double d = Estimate(*quantizer, query, &row) - Exact(Metric::kCosine, data[0], data[1]);
      sum += d, squares += d * d;
    }
    const double deviation = std::sqrt(squares / kSeeds);
    INFO(CodeKindName(kind) << ": mean " << sum / kSeeds << ", deviation " << deviation);
    CHECK(std::abs(sum / kSeeds) <= deviation * 0.25);  // 5 deviations of a mean of 400
  }
}

TEST_CASE("a code as a query is as near to its own vector as codes can tell, and orders others as the vector does") {
  std::mt19937 random(NewSeed("codes as queries"));
  const Dataset data = Clusters(random, 60, 512, 4);
  for (Metric metric : kMetrics) {
    for (CodeKind kind : {CodeKind::kNone, CodeKind::kHalf, CodeKind::kByte, CodeKind::kNibble}) {
      const auto quantizer = NewQuantizer(kind, 512, metric, MeanOf(data.values, 512, metric));
      double wrong = 0, spread = 0;
      for (uint32_t a = 0; a < data.size(); ++a) {
        Encoded code(*quantizer, data[a]);
        PreparedQuery query;
        quantizer->PrepareCode(code.data(), &query);
        for (uint32_t b = 0; b < data.size(); ++b) {
          Encoded row(*quantizer, data[b]);
          const double exact = Exact(metric, data[a], data[b]);
          wrong += std::abs(Estimate(*quantizer, query, &row) - exact);
          spread += std::abs(exact - Exact(metric, data[0], data[b]));
        }
      }
      INFO(MetricName(metric) << " " << CodeKindName(kind) << " " << wrong / spread);
      CHECK(wrong <= spread * (kind == CodeKind::kNibble ? 0.08 : 0.02));
    }
  }
}

TEST_CASE("codes and distances are the same with every kernel set, and a code's in any company, in sampled dimensions") {
  std::mt19937 random(NewSeed("kernel sets in quantizers"));
  for (int round = 0; round < 60; ++round) {
    const uint32_t dimensions = round < 8 ? static_cast<uint32_t>(round + 1) : 1 + random() % 1100;
    const Dataset data = Clusters(random, 8, dimensions, 2);
    for (CodeKind kind : {CodeKind::kHalf, CodeKind::kByte, CodeKind::kNibble, CodeKind::kBit}) {
      const Metric metric = kMetrics[random() % 3];
      const auto judge = NewQuantizer(kind, dimensions, metric, {}, ScalarCodeKernels());
      std::vector<Encoded> rows;
      std::vector<const uint8_t*> codes;
      for (uint32_t i = 0; i < data.size(); ++i) rows.emplace_back(*judge, data[i]);
      for (Encoded& row : rows) codes.push_back(row.data());
      PreparedQuery query;
      judge->Prepare(rows[0].projected, &query);
      float expected[8];
      judge->Distances(query, codes.data(), 8, expected);
      for (const CodeKernels* kernels : RunnableCodeKernels()) {
        INFO(kernels->name << " " << dimensions << " " << CodeKindName(kind));
        const auto quantizer = NewQuantizer(kind, dimensions, metric, {}, *kernels);
        Encoded first(*quantizer, data[0]);
        CHECK(std::memcmp(first.data(), rows[0].data(), quantizer->code_bytes()) == 0);
        PreparedQuery own;
        quantizer->Prepare(first.projected, &own);
        float found[8];
        quantizer->Distances(own, codes.data(), 8, found);
        for (size_t i = 0; i < 8; ++i) {
          CHECK(std::isfinite(found[i]));
          if (kind == CodeKind::kHalf) {
            // Near 0 what is left of two equal terms has their rounding.
            CHECK(found[i] == Approx(expected[i]).epsilon(1e-4).margin(1e-6 + 2e-6 * rows[0].projected.norm2));
          } else {
            CHECK(found[i] == expected[i]);
          }
          CHECK(Estimate(*quantizer, own, &rows[i]) == found[i]);
        }
      }
    }
  }
}

TEST_CASE("vectors at the ends of what is allowed have codes and finite distances") {
  for (uint32_t dimensions : {1u, 3u, 64u, 100u, 1024u}) {
    std::vector<std::vector<float>> extremes(6, std::vector<float>(dimensions, 0.0f));
    extremes[0][0] = 1e-38f;
    extremes[1][dimensions - 1] = 9e18f;
    extremes[2][0] = -9e18f;
    std::fill(extremes[3].begin(), extremes[3].end(), 1.0f);
    std::fill(extremes[4].begin(), extremes[4].end(), 2.5e17f);
    extremes[5][0] = -1e-30f;
    for (Metric metric : kMetrics) {
      for (CodeKind kind : kKinds) {
        for (bool centred : {false, true}) {
          std::vector<float> centre;
          if (centred) centre = metric == Metric::kCosine ? std::vector<float>(dimensions, 1 / std::sqrt(static_cast<float>(dimensions))) : extremes[3];
          const auto quantizer = NewQuantizer(kind, dimensions, metric, centre);
          for (const auto& a : extremes) {
            PreparedQuery query, code_query;
            Encoded row_a(*quantizer, a);
            quantizer->Prepare(row_a.projected, &query);
            quantizer->PrepareCode(row_a.data(), &code_query);
            for (const auto& b : extremes) {
              Encoded row(*quantizer, b);
              INFO(dimensions << " " << MetricName(metric) << " " << CodeKindName(kind));
              CHECK(std::isfinite(Estimate(*quantizer, query, &row)));
              CHECK(std::isfinite(Estimate(*quantizer, code_query, &row)));
              CHECK(quantizer->ErrorOf(query, row.data()) >= 0);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("damaged codes make distances wrong, never NaN") {
  std::mt19937 random(NewSeed("damaged codes"));
  const Dataset data = Clusters(random, 2, 100, 1);
  for (Metric metric : kMetrics) {
    for (CodeKind kind : kKinds) {
      const auto quantizer = NewQuantizer(kind, 100, metric);
      Encoded good(*quantizer, data[0]);
      PreparedQuery query;
      quantizer->Prepare(good.projected, &query);
      for (int round = 0; round < 300; ++round) {
        Encoded bad(*quantizer, data[1]);
        for (size_t i = 0; i < quantizer->code_bytes(); ++i) {
          if (round % 3 == 0 || random() % 8 == 0) bad.data()[i] = static_cast<uint8_t>(round % 2 == 0 ? random() : 0xFF);
        }
        const float distance = Estimate(*quantizer, query, &bad);
        if (std::isnan(distance)) FAIL_CHECK(CodeKindName(kind) << " round " << round);
        PreparedQuery code_query;
        quantizer->PrepareCode(bad.data(), &code_query);
        if (std::isnan(Estimate(*quantizer, code_query, &good))) FAIL_CHECK(CodeKindName(kind) << " as a query, round " << round);
      }
    }
  }
}

TEST_CASE("the bytes of a code are those that files hold") {
  // A change of rotation, layout or rounding changes these sums, and makes the codes of all files wrong.
  std::vector<float> v(70);
  for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(static_cast<int>(i * 37 % 101) - 50) / 16;
  const auto sum_of = [&](CodeKind kind) {
    const auto quantizer = NewQuantizer(kind, 70, Metric::kEuclidean);
    Encoded code(*quantizer, v);
    uint64_t sum = 0xCBF29CE484222325ull;
    for (size_t i = 0; i < quantizer->code_bytes(); ++i) sum = (sum ^ code.data()[i]) * 0x100000001B3ull;
    return sum;
  };
  CHECK(sum_of(CodeKind::kNone) == 0xf5585cb80cc09850);
  CHECK(sum_of(CodeKind::kHalf) == 0x243c628cc00a0445);
  CHECK(sum_of(CodeKind::kByte) == 0x4277229f5311ce0a);
  CHECK(sum_of(CodeKind::kNibble) == 0x909fb95d2624d349);
  CHECK(sum_of(CodeKind::kBit) == 0xacf525f58ae7c4f6);
}

}  // namespace fornix::vector
