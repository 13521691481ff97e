// Code kernels of 32 bytes. Bits are counted by a table of 16 in a register:
//   W. Mula, N. Kurz, D. Lemire: Faster population counts using AVX2 instructions. The Computer Journal 61(1),
//   2018 (arXiv 1611.07612)
// here with the weights of the four planes in the tables, so that one sum of bytes serves three planes.
#if defined(__x86_64__)
#include "vector/quantize/code_simd.h"

namespace fornix::vector {
namespace {

inline __m256i Load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }

inline int32_t SumLanes(__m256i v) {
  __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4E));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xB1));
  return _mm_cvtsi128_si32(sum);
}

inline float SumLanes(__m256 v) {
  __m128 sum = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
  return _mm_cvtss_f32(_mm_add_ss(sum, _mm_shuffle_ps(sum, sum, 1)));
}

inline __m256 FloatsAt(const uint8_t* halves) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(halves)));
}

template <size_t kRows>
void HalfSums(const float* query, CodeKernels::Rows rows, size_t n, float* out) {
  __m256 sums[kRows][2];
  for (size_t r = 0; r < kRows; ++r) sums[r][0] = sums[r][1] = _mm256_setzero_ps();
  for (size_t i = 0; i < n; i += 16) {
    const __m256 q0 = _mm256_loadu_ps(query + i), q1 = _mm256_loadu_ps(query + i + 8);
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) {
      sums[r][0] = _mm256_fmadd_ps(q0, FloatsAt(rows[r] + 2 * i), sums[r][0]);
      sums[r][1] = _mm256_fmadd_ps(q1, FloatsAt(rows[r] + 2 * i + 16), sums[r][1]);
    }
  }
  for (size_t r = 0; r < kRows; ++r) out[r] = SumLanes(_mm256_add_ps(sums[r][0], sums[r][1]));
}

// |row| * (query with row's sign): pairs of products stay within 2 * 128 * 127 and so within 16 bits.
inline __m256i ByteProducts(__m256i row, __m256i query) {
  const __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(row), _mm256_sign_epi8(query, row));
  return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

template <size_t kRows>
void ByteSums(const int8_t* query, CodeKernels::Rows rows, size_t n, int32_t* out) {
  __m256i sums[kRows];
  for (size_t r = 0; r < kRows; ++r) sums[r] = _mm256_setzero_si256();
  for (size_t i = 0; i < n; i += 32) {
    const __m256i q = Load(query + i);
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) sums[r] = _mm256_add_epi32(sums[r], ByteProducts(Load(rows[r] + i), q));
  }
  for (size_t r = 0; r < kRows; ++r) out[r] = SumLanes(sums[r]);
}

// Sum of q * (2k - 15) = 2 * sum of q * k - 15 * sum of q. A pair of products k * q is at most 2 * 15 * 127, so
// four of them still fit in 16 bits.
template <size_t kRows>
void NibbleSums(const int8_t* query, CodeKernels::Rows rows, size_t n, int32_t* out) {
  const __m256i low_half = _mm256_set1_epi8(15), ones = _mm256_set1_epi16(1);
  __m256i sums[kRows], query_sum = _mm256_setzero_si256();
  for (size_t r = 0; r < kRows; ++r) sums[r] = _mm256_setzero_si256();
  for (size_t i = 0; i < n; i += 64) {
    const __m256i q_low = Load(query + i), q_high = Load(query + i + 32);
    const __m256i pairs = _mm256_add_epi16(_mm256_maddubs_epi16(_mm256_set1_epi8(1), q_low),
                                           _mm256_maddubs_epi16(_mm256_set1_epi8(1), q_high));
    query_sum = _mm256_add_epi32(query_sum, _mm256_madd_epi16(pairs, ones));
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) {
      const __m256i row = Load(rows[r] + i / 2);
      const __m256i low = _mm256_and_si256(row, low_half);
      const __m256i high = _mm256_and_si256(_mm256_srli_epi16(row, 4), low_half);
      const __m256i products = _mm256_add_epi16(_mm256_maddubs_epi16(low, q_low), _mm256_maddubs_epi16(high, q_high));
      sums[r] = _mm256_add_epi32(sums[r], _mm256_madd_epi16(products, ones));
    }
  }
  const int32_t offset = 15 * SumLanes(query_sum);
  for (size_t r = 0; r < kRows; ++r) out[r] = 2 * SumLanes(sums[r]) - offset;
}

inline __m256i Table(char one) {
  const auto bits = [one](int ones) { return static_cast<char>(one * ones); };
  const __m128i table = _mm_setr_epi8(bits(0), bits(1), bits(1), bits(2), bits(1), bits(2), bits(2), bits(3), bits(1),
                                      bits(2), bits(2), bits(3), bits(2), bits(3), bits(3), bits(4));
  return _mm256_broadcastsi128_si256(table);
}

inline __m256i CountBytes(__m256i v, __m256i table) {
  const __m256i low_half = _mm256_set1_epi8(15);
  return _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(v, low_half)),
                         _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(v, 4), low_half)));
}

// A byte of the first three planes counts to (1 + 2 + 4) * 8 at most, one of the last to 8 * 8.
template <size_t kRows>
void BitSums(const uint64_t* planes, CodeKernels::Rows rows, size_t n, int32_t* out) {
  const size_t words = n / 64;
  const __m256i zero = _mm256_setzero_si256();
  const __m256i table1 = Table(1), table2 = Table(2), table4 = Table(4), table8 = Table(8);
  __m256i sums[kRows];
  for (size_t r = 0; r < kRows; ++r) sums[r] = zero;
  size_t w = 0;
  for (; w + 4 <= words; w += 4) {
    const __m256i plane0 = Load(planes + w), plane1 = Load(planes + words + w);
    const __m256i plane2 = Load(planes + 2 * words + w), plane3 = Load(planes + 3 * words + w);
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) {
      const __m256i row = Load(rows[r] + 8 * w);
      __m256i plus = CountBytes(_mm256_and_si256(row, plane0), table1);
      plus = _mm256_add_epi8(plus, CountBytes(_mm256_and_si256(row, plane1), table2));
      plus = _mm256_add_epi8(plus, CountBytes(_mm256_and_si256(row, plane2), table4));
      const __m256i minus = CountBytes(_mm256_and_si256(row, plane3), table8);
      // Sums of 8 bytes each, which fit in the low 32 bits of their lanes; so do their differences.
      sums[r] = _mm256_add_epi32(sums[r], _mm256_sub_epi32(_mm256_sad_epu8(plus, zero), _mm256_sad_epu8(minus, zero)));
    }
  }
  for (size_t r = 0; r < kRows; ++r) {
    int64_t sum = SumLanes(sums[r]);
    for (size_t tail = w; tail < words; ++tail) {
      uint64_t row;
      __builtin_memcpy(&row, rows[r] + 8 * tail, sizeof row);
      sum += _mm_popcnt_u64(row & planes[tail]) + 2 * _mm_popcnt_u64(row & planes[words + tail]) +
             4 * _mm_popcnt_u64(row & planes[2 * words + tail]) - 8 * _mm_popcnt_u64(row & planes[3 * words + tail]);
    }
    out[r] = static_cast<int32_t>(sum);
  }
}

void HalfDecode(const uint8_t* row, size_t n, float* out) {
  for (size_t i = 0; i < n; i += 8) _mm256_storeu_ps(out + i, FloatsAt(row + 2 * i));
}

void NibbleDecode(const uint8_t* row, size_t n, int8_t* out) {
  const __m256i low_half = _mm256_set1_epi8(15);
  for (size_t i = 0; i < n; i += 64) {
    const __m256i halves = Load(row + i / 2);
    const __m256i parts[2] = {_mm256_and_si256(halves, low_half), _mm256_and_si256(_mm256_srli_epi16(halves, 4), low_half)};
    for (size_t p = 0; p < 2; ++p) {
      const __m256i values = _mm256_sub_epi8(_mm256_add_epi8(parts[p], parts[p]), _mm256_set1_epi8(15));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i + 32 * p), values);
    }
  }
}

}  // namespace

// Also the one of the AVX-512 set: it is bound by loads and stores.
void HadamardAvx2(float* v, size_t n);
void HadamardAvx2(float* v, size_t n) {
  for (size_t i = 0; i < n; i += 8) {
    __m256 a = _mm256_loadu_ps(v + i);
    __m256 other = _mm256_permute_ps(a, 0xB1);
    a = _mm256_blend_ps(_mm256_add_ps(a, other), _mm256_sub_ps(other, a), 0xAA);
    other = _mm256_permute_ps(a, 0x4E);
    a = _mm256_blend_ps(_mm256_add_ps(a, other), _mm256_sub_ps(other, a), 0xCC);
    other = _mm256_permute2f128_ps(a, a, 1);
    _mm256_storeu_ps(v + i, _mm256_blend_ps(_mm256_add_ps(a, other), _mm256_sub_ps(other, a), 0xF0));
  }
  for (size_t half = 8; half < n; half *= 2) {
    for (size_t start = 0; start < n; start += 2 * half) {
      for (size_t i = start; i < start + half; i += 8) {
        const __m256 a = _mm256_loadu_ps(v + i), b = _mm256_loadu_ps(v + i + half);
        _mm256_storeu_ps(v + i, _mm256_add_ps(a, b));
        _mm256_storeu_ps(v + i + half, _mm256_sub_ps(a, b));
      }
    }
  }
}

extern const CodeKernels kAvx2CodeKernels;
const CodeKernels kAvx2CodeKernels = {"avx2",
                                      &OverRows<float, float, &HalfSums<4>, &HalfSums<1>>,
                                      &OverRows<int8_t, int32_t, &ByteSums<4>, &ByteSums<1>>,
                                      &OverRows<int8_t, int32_t, &NibbleSums<4>, &NibbleSums<1>>,
                                      &OverRows<uint64_t, int32_t, &BitSums<4>, &BitSums<1>>,
                                      &HalfDecode,
                                      &NibbleDecode,
                                      &HadamardAvx2};

}  // namespace fornix::vector
#endif
