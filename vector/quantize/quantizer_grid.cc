// Codes of 8 and 4 bits a dimension: the rotated vector rounded to a grid of equal steps, and the factor that
// makes its inner products right (quantizer.h). The query is rounded to 8 bits, so that sums are of integers.
//
//   kByte    values -127 .. 127, the step is the greatest number / 127
//   kNibble  values -15, -13 .. 15 in half steps. The best step is a compromise between fine and wide; for numbers
//            of a normal distribution 0.335 of their deviation (J. Max: Quantizing for minimum distortion, IRE
//            Trans. Inf. Theory 6(1), 1960). The paper searches all steps for the one whose grid point is nearest
//            in angle; eight around that optimum come within a few per cent of its error, for 1 / 50 of the time.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "vector/quantize/coded_row.h"

namespace fornix::vector {
namespace {

// The relative error of a query rounded to 8 bits: a step of 1 / 127 of a greatest number that is 3 to 4 times
// the deviation, over sqrt(12).
constexpr double kQueryRounding = 0.009;
constexpr float kNibbleSteps[] = {0.24f, 0.28f, 0.31f, 0.335f, 0.36f, 0.39f, 0.44f};  // of the deviation

struct Fit {
  double sum = 0;    // <y, x'>
  double norm2 = 0;  // |y|^2
  double quality() const { return norm2 == 0 ? 0 : sum * sum / norm2; }
};

// The halves k, 0 .. 15, of n numbers, one a byte.
void NibblesOf(const float* v, size_t n, float inverse_step, uint8_t* out) {
  for (size_t i = 0; i < n; ++i) {
    const float at = std::min(std::max(v[i] * inverse_step + 8.0f, 0.0f), 15.5f);
    out[i] = static_cast<uint8_t>(static_cast<int>(at));
  }
}

// Four sums, so that additions overlap. `value` gives y's number i.
template <typename Value>
Fit FitOf(const float* v, size_t n, const Value& value) {
  double sums[4] = {0, 0, 0, 0};
  int64_t norm2 = 0;
  for (size_t i = 0; i < n; i += 4) {
    for (size_t j = 0; j < 4; ++j) {
      const int32_t y = value(i + j);
      sums[j] += static_cast<double>(v[i + j]) * y;
      norm2 += y * y;
    }
  }
  return {(sums[0] + sums[1]) + (sums[2] + sums[3]), static_cast<double>(norm2)};
}

// Of less no float tells the steps it has in one: such a vector is one of zeros.
constexpr float kGreatestMin = 1e-36f;

// -127 .. 127 of steps of 1 / inverse_step.
void LevelsOf(const float* v, size_t n, float inverse_step, int8_t* out) {
  for (size_t i = 0; i < n; ++i) {
    const float at = std::min(std::max(v[i] * inverse_step + 128.5f, 1.0f), 255.0f);
    out[i] = static_cast<int8_t>(static_cast<int>(at) - 128);
  }
}

class GridQuantizer : public Quantizer {
 public:
  GridQuantizer(CodeKind kind, std::shared_ptr<const Projection> projection, const CodeKernels& kernels)
      : Quantizer(kind, projection, kCodeHeaderBytes + projection->padded() / (kind == CodeKind::kByte ? 1 : 2)),
        padded_(projection->padded()),
        kernels_(kernels) {}

  void Encode(const Projected& v, uint8_t* code) const override {
    const float greatest = Greatest(v.values);
    uint8_t* row = code + kCodeHeaderBytes;
    Fit fit;
    if (greatest < kGreatestMin) {
      std::memset(row, kind() == CodeKind::kByte ? 0 : 0x88, code_bytes() - kCodeHeaderBytes);
    } else if (kind() == CodeKind::kByte) {
      int8_t* levels = reinterpret_cast<int8_t*>(row);
      LevelsOf(v.values.data(), padded_, 127 / greatest, levels);
      fit = FitOf(v.values.data(), padded_, [levels](size_t i) { return static_cast<int32_t>(levels[i]); });
    } else {
      fit = EncodeNibbles(v, greatest, row);
    }
    const CodeHeader header = MakeHeader(v, fit.sum, fit.norm2, kQueryRounding * kQueryRounding);
    std::memcpy(code, &header, sizeof header);
  }

  void Prepare(const Projected& v, PreparedQuery* query) const override {
    const float greatest = Greatest(v.values);
    query->level_buffer.resize(padded_);
    if (greatest < kGreatestMin) {
      std::fill(query->level_buffer.begin(), query->level_buffer.end(), int8_t{0});
    } else {
      LevelsOf(v.values.data(), padded_, 127 / greatest, query->level_buffer.data());
    }
    query->levels = query->level_buffer.data();
    Finish(v.query_base, static_cast<double>(greatest) / 127, std::sqrt(v.norm2), query);
  }

  void PrepareCode(const uint8_t* code, PreparedQuery* query) const override {
    const CodeHeader header = HeaderOf(code);
    const uint8_t* row = code + kCodeHeaderBytes;
    if (kind() == CodeKind::kByte) {
      query->levels = reinterpret_cast<const int8_t*>(row);
    } else {
      query->level_buffer.resize(padded_);
      kernels_.nibble_decode(row, padded_, query->level_buffer.data());
      query->levels = query->level_buffer.data();
    }
    // As a query, y stands for itself, so it is scaled to be nearest to x', by factor * c^2; with `factor` on both
    // sides the length of a vector would be 1 / c^2 of what it is. From the definitions |x'|^2 = factor^2 * |y|^2
    // - error^2 * (D - 1).
    int32_t own = 0;
    const uint8_t* self = reinterpret_cast<const uint8_t*>(query->levels);
    kernels_.byte_dot(query->levels, &self, 1, padded_, &own);
    const double norm2 = own, factor = header.factor, error = header.error;
    const double long2 = factor * factor * norm2;
    const double step = long2 > 0 ? std::max(0.0, long2 - error * error * static_cast<double>(padded_ - 1)) / (factor * norm2) : 0;
    Finish(QueryBaseOf(projection(), header), step, 0, query);
  }

  void Distances(const PreparedQuery& query, const uint8_t* const* codes, size_t count, float* out) const override {
    const auto kernel = kind() == CodeKind::kByte ? kernels_.byte_dot : kernels_.nibble_dot;
    CodedDistances<int32_t>(query, codes, count, out, [&](const uint8_t* const* rows, size_t n, int32_t* sums) {
      kernel(query.levels, rows, n, padded_, sums);
    });
  }

  float ErrorOf(const PreparedQuery& query, const uint8_t* code) const override {
    return static_cast<float>(query.error_scale * std::abs(HeaderOf(code).error));
  }

 private:
  // The step that fits best, of eight; leaves its halves in `row`.
  Fit EncodeNibbles(const Projected& v, float greatest, uint8_t* row) const {
    static thread_local std::vector<uint8_t> halves, best_halves;
    halves.resize(padded_);
    best_halves.resize(padded_);
    const float deviation = static_cast<float>(std::sqrt(v.norm2 / static_cast<double>(padded_)));
    Fit best;
    const auto attempt = [&](float step) {
      if (!(step > 0)) return;
      NibblesOf(v.values.data(), padded_, 1 / step, halves.data());
      const Fit fit = FitOf(v.values.data(), padded_, [&](size_t i) { return 2 * int32_t{halves[i]} - 15; });
      if (fit.quality() <= best.quality()) return;
      best = fit;
      std::swap(halves, best_halves);
    };
    for (float part : kNibbleSteps) attempt(part * deviation);
    attempt(greatest / 8);  // few dimensions aren't normal; this loses none
    for (size_t i = 0; i < padded_; i += 64) {
      for (size_t j = 0; j < 32; ++j) {
        row[i / 2 + j] = static_cast<uint8_t>(best_halves[i + j] | best_halves[i + 32 + j] << 4);
      }
    }
    return best;
  }

  void Finish(double base, double step, double norm, PreparedQuery* query) const {
    query->base = base;
    query->scale = projection().scale() * step;
    query->weight = 1;
    query->offset = 0;
    query->error_scale = -projection().scale() * norm;
    query->rounding = 0;
  }

  const size_t padded_;
  const CodeKernels& kernels_;
};

}  // namespace

std::unique_ptr<const Quantizer> NewGridQuantizer(CodeKind kind, std::shared_ptr<const Projection> projection, const CodeKernels& kernels) {
  return std::make_unique<GridQuantizer>(kind, std::move(projection), kernels);
}

}  // namespace fornix::vector
