// The scalar kernels over codes, and the choice among all sets.
#include "vector/quantize/code_kernels.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <array>
#include <bit>
#include <cstring>

namespace fornix::vector {

#if defined(__x86_64__)
extern const CodeKernels kSse42CodeKernels;
extern const CodeKernels kAvx2CodeKernels;
extern const CodeKernels kAvx512CodeKernels;
#endif

uint16_t HalfOfFloat(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return static_cast<uint16_t>(sign | 0x7E00u);  // NaN
  if (magnitude >= 0x47800000u) return static_cast<uint16_t>(sign | 0x7C00u);
  if (magnitude < 0x38800000u) {
    // Below the least normal half, 2^-14: adding 0.5 leaves the number's multiple of 2^-24 in the low bits,
    // rounded by the processor.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3F000000u));
  }
  // Rebias the exponent and round the 13 bits that go, to even; a carry goes on into the exponent, which is
  // right, and from the greatest half to infinity.
  const uint32_t odd = (magnitude >> 13) & 1u;
  return static_cast<uint16_t>(sign | ((magnitude - 0x38000000u + 0xFFFu + odd) >> 13));
}

float FloatOfHalf(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 0x1Fu, fraction = half & 0x3FFu;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000u | fraction << 13);
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

namespace {

uint64_t Word(const uint8_t* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

float HalfAt(const uint8_t* row, size_t i) {
  return FloatOfHalf(static_cast<uint16_t>(row[2 * i] | row[2 * i + 1] << 8));
}

void HalfDot(const float* query, CodeKernels::Rows rows, size_t count, size_t n, float* out) {
  for (size_t r = 0; r < count; ++r) {
    float sums[4] = {0, 0, 0, 0};
    for (size_t i = 0; i < n; i += 4) {
      for (size_t j = 0; j < 4; ++j) sums[j] += query[i + j] * HalfAt(rows[r], i + j);
    }
    out[r] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
}

void ByteDot(const int8_t* query, CodeKernels::Rows rows, size_t count, size_t n, int32_t* out) {
  for (size_t r = 0; r < count; ++r) {
    int32_t sum = 0;
    for (size_t i = 0; i < n; ++i) sum += query[i] * static_cast<int8_t>(rows[r][i]);
    out[r] = sum;
  }
}

void NibbleDecode(const uint8_t* row, size_t n, int8_t* out) {
  for (size_t block = 0; block < n / 64; ++block) {
    for (size_t j = 0; j < 32; ++j) {
      const int byte = row[block * 32 + j];
      out[block * 64 + j] = static_cast<int8_t>(2 * (byte & 15) - 15);
      out[block * 64 + 32 + j] = static_cast<int8_t>(2 * (byte >> 4) - 15);
    }
  }
}

void NibbleDot(const int8_t* query, CodeKernels::Rows rows, size_t count, size_t n, int32_t* out) {
  for (size_t r = 0; r < count; ++r) {
    int32_t sum = 0;
    for (size_t block = 0; block < n; block += 64) {
      int8_t values[64];
      NibbleDecode(rows[r] + block / 2, 64, values);
      for (size_t j = 0; j < 64; ++j) sum += query[block + j] * values[j];
    }
    out[r] = sum;
  }
}

void BitDot(const uint64_t* planes, CodeKernels::Rows rows, size_t count, size_t n, int32_t* out) {
  const size_t words = n / 64;
  for (size_t r = 0; r < count; ++r) {
    int32_t sum = 0;
    for (size_t w = 0; w < words; ++w) {
      const uint64_t row = Word(rows[r] + 8 * w);
      sum += std::popcount(row & planes[w]) + 2 * std::popcount(row & planes[words + w]) +
             4 * std::popcount(row & planes[2 * words + w]) - 8 * std::popcount(row & planes[3 * words + w]);
    }
    out[r] = sum;
  }
}

void HalfDecode(const uint8_t* row, size_t n, float* out) {
  for (size_t i = 0; i < n; ++i) out[i] = HalfAt(row, i);
}

void Hadamard(float* v, size_t n) {
  for (size_t half = 1; half < n; half *= 2) {
    for (size_t start = 0; start < n; start += 2 * half) {
      for (size_t i = start; i < start + half; ++i) {
        const float a = v[i], b = v[i + half];
        v[i] = a + b;
        v[i + half] = a - b;
      }
    }
  }
}

constexpr CodeKernels kScalarCodeKernels = {"scalar", &HalfDot, &ByteDot, &NibbleDot, &BitDot, &HalfDecode, &NibbleDecode, &Hadamard};

#if defined(__x86_64__)
// Half floats; clang 14 has no name for them in __builtin_cpu_supports.
bool HasF16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
#endif

struct Runnable {
  std::array<const CodeKernels*, 4> sets{};
  size_t count = 0;

  Runnable() {
    sets[count++] = &kScalarCodeKernels;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt")) sets[count++] = &kSse42CodeKernels;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && HasF16c()) {
      sets[count++] = &kAvx2CodeKernels;
    }
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vpopcntdq")) {
      sets[count++] = &kAvx512CodeKernels;
    }
#endif
  }
};

}  // namespace

const CodeKernels& ScalarCodeKernels() { return kScalarCodeKernels; }

std::span<const CodeKernels* const> RunnableCodeKernels() {
  static const Runnable runnable;
  return {runnable.sets.data(), runnable.count};
}

const CodeKernels& BestCodeKernels() { return *RunnableCodeKernels().back(); }

}  // namespace fornix::vector
