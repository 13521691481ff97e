// Code kernels of 16 bytes, with the popcount instruction: every processor that runs Fornix at all on x86-64.
// Half floats are decoded by arithmetic on their bits; what it makes of infinities and NaN is another finite
// number, but the quantizer scales its values so that none occur.
#if defined(__x86_64__)
#include "vector/quantize/code_simd.h"

namespace fornix::vector {
namespace {

inline __m128i Load(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }

inline int32_t SumLanes(__m128i v) {
  v = _mm_add_epi32(v, _mm_shuffle_epi32(v, 0x4E));
  v = _mm_add_epi32(v, _mm_shuffle_epi32(v, 0xB1));
  return _mm_cvtsi128_si32(v);
}

inline float SumLanes(__m128 v) {
  v = _mm_add_ps(v, _mm_movehl_ps(v, v));
  return _mm_cvtss_f32(_mm_add_ss(v, _mm_shuffle_ps(v, v, 1)));
}

// Four halves in the low halves of 32-bit lanes. Shifted to the place of a float's exponent they are the value
// times 2^-112, subnormal ones included.
inline __m128 FloatsOfHalves(__m128i halves) {
  const __m128i sign = _mm_slli_epi32(_mm_and_si128(halves, _mm_set1_epi32(0x8000)), 16);
  const __m128i magnitude = _mm_slli_epi32(_mm_and_si128(halves, _mm_set1_epi32(0x7FFF)), 13);
  const __m128 value = _mm_mul_ps(_mm_castsi128_ps(magnitude), _mm_set1_ps(0x1p112f));
  return _mm_or_ps(value, _mm_castsi128_ps(sign));
}

template <size_t kRows>
void HalfSums(const float* query, CodeKernels::Rows rows, size_t n, float* out) {
  __m128 sums[kRows][2];
  for (size_t r = 0; r < kRows; ++r) sums[r][0] = sums[r][1] = _mm_setzero_ps();
  for (size_t i = 0; i < n; i += 8) {
    const __m128 q0 = _mm_loadu_ps(query + i), q1 = _mm_loadu_ps(query + i + 4);
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) {
      const __m128i halves = Load(rows[r] + 2 * i);
      const __m128 low = FloatsOfHalves(_mm_cvtepu16_epi32(halves));
      const __m128 high = FloatsOfHalves(_mm_cvtepu16_epi32(_mm_srli_si128(halves, 8)));
      sums[r][0] = _mm_add_ps(sums[r][0], _mm_mul_ps(q0, low));
      sums[r][1] = _mm_add_ps(sums[r][1], _mm_mul_ps(q1, high));
    }
  }
  for (size_t r = 0; r < kRows; ++r) out[r] = SumLanes(_mm_add_ps(sums[r][0], sums[r][1]));
}

// |row| * (query with row's sign): pairs of products stay within 2 * 128 * 127 and so within 16 bits.
inline __m128i ByteProducts(__m128i row, __m128i query) {
  const __m128i pairs = _mm_maddubs_epi16(_mm_abs_epi8(row), _mm_sign_epi8(query, row));
  return _mm_madd_epi16(pairs, _mm_set1_epi16(1));
}

template <size_t kRows>
void ByteSums(const int8_t* query, CodeKernels::Rows rows, size_t n, int32_t* out) {
  __m128i sums[kRows];
  for (size_t r = 0; r < kRows; ++r) sums[r] = _mm_setzero_si128();
  for (size_t i = 0; i < n; i += 16) {
    const __m128i q = Load(query + i);
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) sums[r] = _mm_add_epi32(sums[r], ByteProducts(Load(rows[r] + i), q));
  }
  for (size_t r = 0; r < kRows; ++r) out[r] = SumLanes(sums[r]);
}

inline __m128i SignedValues(__m128i halves) {
  return _mm_sub_epi8(_mm_add_epi8(halves, halves), _mm_set1_epi8(15));
}

template <size_t kRows>
void NibbleSums(const int8_t* query, CodeKernels::Rows rows, size_t n, int32_t* out) {
  const __m128i low_half = _mm_set1_epi8(15);
  __m128i sums[kRows];
  for (size_t r = 0; r < kRows; ++r) sums[r] = _mm_setzero_si128();
  for (size_t i = 0; i < n; i += 64) {
    for (size_t part = 0; part < 32; part += 16) {
      const __m128i q_low = Load(query + i + part), q_high = Load(query + i + 32 + part);
#pragma GCC unroll 4
      for (size_t r = 0; r < kRows; ++r) {
        const __m128i row = Load(rows[r] + i / 2 + part);
        const __m128i low = SignedValues(_mm_and_si128(row, low_half));
        const __m128i high = SignedValues(_mm_and_si128(_mm_srli_epi16(row, 4), low_half));
        sums[r] = _mm_add_epi32(sums[r], _mm_add_epi32(ByteProducts(low, q_low), ByteProducts(high, q_high)));
      }
    }
  }
  for (size_t r = 0; r < kRows; ++r) out[r] = SumLanes(sums[r]);
}

template <size_t kRows>
void BitSums(const uint64_t* planes, CodeKernels::Rows rows, size_t n, int32_t* out) {
  const size_t words = n / 64;
  for (size_t r = 0; r < kRows; ++r) {
    int64_t sums[4] = {0, 0, 0, 0};
    for (size_t w = 0; w < words; ++w) {
      uint64_t row;
      __builtin_memcpy(&row, rows[r] + 8 * w, sizeof row);
#pragma GCC unroll 4
      for (size_t p = 0; p < 4; ++p) sums[p] += _mm_popcnt_u64(row & planes[p * words + w]);
    }
    out[r] = static_cast<int32_t>(sums[0] + 2 * sums[1] + 4 * sums[2] - 8 * sums[3]);
  }
}

void HalfDecode(const uint8_t* row, size_t n, float* out) {
  for (size_t i = 0; i < n; i += 8) {
    const __m128i halves = Load(row + 2 * i);
    _mm_storeu_ps(out + i, FloatsOfHalves(_mm_cvtepu16_epi32(halves)));
    _mm_storeu_ps(out + i + 4, FloatsOfHalves(_mm_cvtepu16_epi32(_mm_srli_si128(halves, 8))));
  }
}

void NibbleDecode(const uint8_t* row, size_t n, int8_t* out) {
  const __m128i low_half = _mm_set1_epi8(15);
  for (size_t i = 0; i < n; i += 64) {
    for (size_t part = 0; part < 32; part += 16) {
      const __m128i halves = Load(row + i / 2 + part);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i + part), SignedValues(_mm_and_si128(halves, low_half)));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i + 32 + part),
                       SignedValues(_mm_and_si128(_mm_srli_epi16(halves, 4), low_half)));
    }
  }
}

void Hadamard(float* v, size_t n) {
  for (size_t i = 0; i < n; i += 4) {
    __m128 a = _mm_loadu_ps(v + i);
    __m128 other = _mm_shuffle_ps(a, a, 0xB1);
    a = _mm_blend_ps(_mm_add_ps(a, other), _mm_sub_ps(other, a), 0xA);
    other = _mm_shuffle_ps(a, a, 0x4E);
    _mm_storeu_ps(v + i, _mm_blend_ps(_mm_add_ps(a, other), _mm_sub_ps(other, a), 0xC));
  }
  for (size_t half = 4; half < n; half *= 2) {
    for (size_t start = 0; start < n; start += 2 * half) {
      for (size_t i = start; i < start + half; i += 4) {
        const __m128 a = _mm_loadu_ps(v + i), b = _mm_loadu_ps(v + i + half);
        _mm_storeu_ps(v + i, _mm_add_ps(a, b));
        _mm_storeu_ps(v + i + half, _mm_sub_ps(a, b));
      }
    }
  }
}

}  // namespace

extern const CodeKernels kSse42CodeKernels;
const CodeKernels kSse42CodeKernels = {"sse4.2",
                                       &OverRows<float, float, &HalfSums<4>, &HalfSums<1>>,
                                       &OverRows<int8_t, int32_t, &ByteSums<4>, &ByteSums<1>>,
                                       &OverRows<int8_t, int32_t, &NibbleSums<4>, &NibbleSums<1>>,
                                       &OverRows<uint64_t, int32_t, &BitSums<4>, &BitSums<1>>,
                                       &HalfDecode,
                                       &NibbleDecode,
                                       &Hadamard};

}  // namespace fornix::vector
#endif
