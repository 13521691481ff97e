// The two kinds of floats, and the choice of a kind. The grids are in quantizer_grid.cc, the bits in
// quantizer_bit.cc.
#include "vector/quantize/quantizer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "vector/quantize/coded_row.h"

namespace fornix::vector {
namespace {

class FloatQuantizer : public Quantizer {
 public:
  FloatQuantizer(std::shared_ptr<const Projection> projection, const DistanceKernels& kernels)
      : Quantizer(CodeKind::kNone, projection, projection->padded() * sizeof(float)),
        padded_(projection->padded()),
        one_(projection->metric() == Metric::kEuclidean ? kernels.squared_l2 : kernels.dot),
        four_(projection->metric() == Metric::kEuclidean ? kernels.squared_l2_4 : kernels.dot4),
        scale_(projection->metric() == Metric::kEuclidean ? 1.0f : -1.0f),
        offset_(projection->metric() == Metric::kCosine ? 1.0f : 0.0f) {
    CHECK(!projection->centred());
  }

  void Encode(const Projected& v, uint8_t* code) const override { std::memcpy(code, v.values.data(), code_bytes()); }
  void Prepare(const Projected& v, PreparedQuery* query) const override {
    query->float_buffer.assign(v.values.begin(), v.values.end());
    query->floats = query->float_buffer.data();
  }
  // In place: rows are aligned to their floats by whoever keeps them (vector_store.h).
  void PrepareCode(const uint8_t* code, PreparedQuery* query) const override { query->floats = Floats(code); }
  void Distances(const PreparedQuery& query, const uint8_t* const* codes, size_t count, float* out) const override {
    size_t done = 0;
    for (; done + 4 <= count; done += 4) {
      const float* const rows[4] = {Floats(codes[done]), Floats(codes[done + 1]), Floats(codes[done + 2]), Floats(codes[done + 3])};
      four_(query.floats, rows, padded_, out + done);
    }
    for (; done < count; ++done) out[done] = one_(query.floats, Floats(codes[done]), padded_);
    for (size_t i = 0; i < count; ++i) {
      const float distance = offset_ + scale_ * out[i];
      out[i] = distance < std::numeric_limits<float>::max() ? distance : std::numeric_limits<float>::max();
    }
  }
  float ErrorOf(const PreparedQuery&, const uint8_t*) const override { return 0; }

 private:
  static const float* Floats(const uint8_t* code) { return reinterpret_cast<const float*>(code); }

  const size_t padded_;
  const DistanceKernels::One one_;
  const DistanceKernels::Four four_;
  const float scale_, offset_;  // distance = offset_ + scale_ * kernel
};

class HalfQuantizer : public Quantizer {
 public:
  HalfQuantizer(std::shared_ptr<const Projection> projection, const CodeKernels& kernels)
      : Quantizer(CodeKind::kHalf, projection, kCodeHeaderBytes + 2 * projection->padded()), kernels_(kernels) {}

  void Encode(const Projected& v, uint8_t* code) const override {
    // A power of two brings the greatest number to 2^14 .. 2^15: none overflows, and all that are not 2^28 times
    // smaller keep their 11 bits.
    int exponent = 0;
    std::frexp(Greatest(v.values), &exponent);
    uint8_t* row = code + kCodeHeaderBytes;
    double sum = 0, norm2 = 0;
    for (size_t i = 0; i < v.values.size(); ++i) {
      const float scaled = std::ldexp(v.values[i], 15 - exponent);
      const uint16_t half = HalfOfFloat(scaled);
      row[2 * i] = static_cast<uint8_t>(half);
      row[2 * i + 1] = static_cast<uint8_t>(half >> 8);
      const double y = FloatOfHalf(half);
      sum += y * v.values[i];
      norm2 += y * y;
    }
    const CodeHeader header = MakeHeader(v, sum, norm2, 0);
    std::memcpy(code, &header, sizeof header);
  }
  void Prepare(const Projected& v, PreparedQuery* query) const override {
    query->float_buffer.assign(v.values.begin(), v.values.end());
    Finish(v.query_base, std::sqrt(v.norm2), query);
  }
  void PrepareCode(const uint8_t* code, PreparedQuery* query) const override {
    const CodeHeader header = HeaderOf(code);
    query->float_buffer.resize(projection().padded());
    kernels_.half_decode(code + kCodeHeaderBytes, projection().padded(), query->float_buffer.data());
    for (float& f : query->float_buffer) f *= header.factor;
    Finish(QueryBaseOf(projection(), header), 0, query);
  }
  void Distances(const PreparedQuery& query, const uint8_t* const* codes, size_t count, float* out) const override {
    CodedDistances<float>(query, codes, count, out, [&](const uint8_t* const* rows, size_t n, float* sums) {
      kernels_.half_dot(query.floats, rows, n, projection().padded(), sums);
    });
  }
  float ErrorOf(const PreparedQuery& query, const uint8_t* code) const override {
    return static_cast<float>(query.error_scale * std::abs(HeaderOf(code).error));
  }

 private:
  void Finish(double base, double norm, PreparedQuery* query) const {
    query->floats = query->float_buffer.data();
    query->base = base;
    query->scale = projection().scale();
    query->weight = 1;
    query->offset = 0;
    query->error_scale = -projection().scale() * norm;
    query->rounding = 0;
  }

  const CodeKernels& kernels_;
};

}  // namespace

std::string_view CodeKindName(CodeKind kind) {
  switch (kind) {
    case CodeKind::kNone: return "f32";
    case CodeKind::kHalf: return "f16";
    case CodeKind::kByte: return "8-bit";
    case CodeKind::kNibble: return "4-bit";
    case CodeKind::kBit: return "1-bit";
  }
  return "unknown";
}

std::unique_ptr<const Quantizer> Quantizer::Create(CodeKind kind, std::shared_ptr<const Projection> projection,
                                                   const CodeKernels& kernels, const DistanceKernels& float_kernels) {
  switch (kind) {
    case CodeKind::kNone: return std::make_unique<FloatQuantizer>(std::move(projection), float_kernels);
    case CodeKind::kHalf: return std::make_unique<HalfQuantizer>(std::move(projection), kernels);
    case CodeKind::kByte:
    case CodeKind::kNibble: return NewGridQuantizer(kind, std::move(projection), kernels);
    case CodeKind::kBit: return NewBitQuantizer(std::move(projection), kernels);
  }
  CHECK(false);
  return nullptr;
}

}  // namespace fornix::vector
