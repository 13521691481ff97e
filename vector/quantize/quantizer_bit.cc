// RaBitQ's code of one bit a dimension: the sign of each number of the rotated vector, y = +-1. The query is rounded
// to 4 bits, in four planes, so that a sum is four counts of bits:
//   <q', y> = step * (2 * sum of the query's levels where the bit is set - sum of all its levels)
// The papers round the query at random to keep the estimate without bias; here to the nearest, whose error the
// rotation has made as good as random, and which is smaller. ErrorOf counts it.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "vector/quantize/coded_row.h"

namespace fornix::vector {
namespace {

constexpr int kLevelMin = -8, kLevelMax = 7;
// Max's step for 16 levels of normal numbers, in deviations; a little more because the levels aren't symmetric.
constexpr double kStep = 0.35;

class BitQuantizer : public Quantizer {
 public:
  BitQuantizer(std::shared_ptr<const Projection> projection, const CodeKernels& kernels)
      : Quantizer(CodeKind::kBit, projection, kCodeHeaderBytes + projection->padded() / 8),
        padded_(projection->padded()),
        words_(padded_ / 64),
        kernels_(kernels) {}

  void Encode(const Projected& v, uint8_t* code) const override {
    uint8_t* row = code + kCodeHeaderBytes;
    double sum = 0;
    for (size_t w = 0; w < words_; ++w) {
      uint64_t bits = 0;
      for (size_t j = 0; j < 64; ++j) {
        const float f = v.values[64 * w + j];
        bits |= static_cast<uint64_t>(f >= 0) << j;
        sum += std::abs(f);
      }
      std::memcpy(row + 8 * w, &bits, sizeof bits);
    }
    const CodeHeader header = MakeHeader(v, sum, static_cast<double>(padded_), 0);
    std::memcpy(code, &header, sizeof header);
  }

  void Prepare(const Projected& v, PreparedQuery* query) const override {
    const double deviation = std::sqrt(v.norm2 / static_cast<double>(padded_));
    const double step = std::min(static_cast<double>(Greatest(v.values)) / kLevelMax, kStep * deviation);
    const double inverse = step > 0 ? 1 / step : 0;
    query->planes.assign(4 * words_, 0);
    int32_t total = 0;
    int64_t norm2 = 0;
    double sum = 0;
    for (size_t i = 0; i < padded_; ++i) {
      const double at = std::floor(v.values[i] * inverse + 0.5);
      const int level = static_cast<int>(std::clamp(at, double{kLevelMin}, double{kLevelMax}));
      total += level;
      norm2 += level * level;
      sum += static_cast<double>(v.values[i]) * level;
      for (size_t p = 0; p < 4; ++p) {
        query->planes[p * words_ + i / 64] |= static_cast<uint64_t>((static_cast<unsigned>(level) >> p) & 1) << (i % 64);
      }
    }
    // Scaled like a row's code, so that the estimate for what lies in the query's own direction is right.
    Finish(v.query_base, sum > 0 ? v.norm2 / sum : 0, total, query);
    const double sine2 = sum > 0 ? std::max(0.0, v.norm2 * static_cast<double>(norm2) / (sum * sum) - 1) : 0;
    query->error_scale = -projection().scale() * std::sqrt(v.norm2);
    query->rounding = -projection().scale() * std::sqrt(v.norm2 * sine2);
  }

  // Levels of +-1, at the length that is nearest to x': |x'|^2 / |y|^2 less the error, as in quantizer_grid.cc.
  void PrepareCode(const uint8_t* code, PreparedQuery* query) const override {
    const CodeHeader header = HeaderOf(code);
    query->planes.resize(4 * words_);
    int32_t ones = 0;
    for (size_t w = 0; w < words_; ++w) {
      uint64_t bits;
      std::memcpy(&bits, code + kCodeHeaderBytes + 8 * w, sizeof bits);
      ones += __builtin_popcountll(bits);
      query->planes[w] = ~uint64_t{0};  // 1 is 0001, -1 is 1111
      for (size_t p = 1; p < 4; ++p) query->planes[p * words_ + w] = ~bits;
    }
    const double norm2 = static_cast<double>(padded_), factor = header.factor, error = header.error;
    const double long2 = factor * factor * norm2;
    const double step = long2 > 0 ? std::max(0.0, long2 - error * error * (norm2 - 1)) / (factor * norm2) : 0;
    Finish(QueryBaseOf(projection(), header), step, 2 * ones - static_cast<int32_t>(padded_), query);
    query->error_scale = query->rounding = 0;
  }

  void Distances(const PreparedQuery& query, const uint8_t* const* codes, size_t count, float* out) const override {
    CodedDistances<int32_t>(query, codes, count, out, [&](const uint8_t* const* rows, size_t n, int32_t* sums) {
      kernels_.bit_dot(query.planes.data(), rows, n, padded_, sums);
    });
  }

  float ErrorOf(const PreparedQuery& query, const uint8_t* code) const override {
    const CodeHeader header = HeaderOf(code);
    const double code_error = query.error_scale * header.error, query_error = query.rounding * header.factor;
    return static_cast<float>(std::sqrt(code_error * code_error + query_error * query_error));
  }

 private:
  void Finish(double base, double step, int32_t total, PreparedQuery* query) const {
    query->base = base;
    query->scale = projection().scale() * step;
    query->weight = 2;
    query->offset = total;
  }

  const size_t padded_;
  const size_t words_;
  const CodeKernels& kernels_;
};

}  // namespace

std::unique_ptr<const Quantizer> NewBitQuantizer(std::shared_ptr<const Projection> projection, const CodeKernels& kernels) {
  return std::make_unique<BitQuantizer>(std::move(projection), kernels);
}

}  // namespace fornix::vector
