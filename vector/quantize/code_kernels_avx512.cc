// Code kernels of 64 bytes, for processors that have AVX-512 F, BW, VL, VNNI and VPOPCNTDQ together.
#if defined(__x86_64__)
#include "vector/quantize/code_simd.h"

namespace fornix::vector {

void HadamardAvx2(float* v, size_t n);  // code_kernels_avx2.cc

namespace {

template <size_t kRows>
void HalfSums(const float* query, CodeKernels::Rows rows, size_t n, float* out) {
  __m512 sums[kRows];
  for (size_t r = 0; r < kRows; ++r) sums[r] = _mm512_setzero_ps();
  for (size_t i = 0; i < n; i += 16) {
    const __m512 q = _mm512_loadu_ps(query + i);
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) {
      const __m512 row = _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows[r] + 2 * i)));
      sums[r] = _mm512_fmadd_ps(q, row, sums[r]);
    }
  }
  for (size_t r = 0; r < kRows; ++r) out[r] = _mm512_reduce_add_ps(sums[r]);
}

// The instruction multiplies unsigned by signed bytes: 128 is added to the row's and taken off the sum.
template <size_t kRows>
void ByteSums(const int8_t* query, CodeKernels::Rows rows, size_t n, int32_t* out) {
  const __m512i offset = _mm512_set1_epi8(static_cast<char>(0x80));
  __m512i sums[kRows], query_sum = _mm512_setzero_si512();
  for (size_t r = 0; r < kRows; ++r) sums[r] = _mm512_setzero_si512();
  for (size_t i = 0; i < n; i += 64) {
    const __m512i q = _mm512_loadu_si512(query + i);
    query_sum = _mm512_dpbusd_epi32(query_sum, offset, q);
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) {
      sums[r] = _mm512_dpbusd_epi32(sums[r], _mm512_xor_si512(_mm512_loadu_si512(rows[r] + i), offset), q);
    }
  }
  for (size_t r = 0; r < kRows; ++r) out[r] = _mm512_reduce_add_epi32(_mm512_sub_epi32(sums[r], query_sum));
}

// Sum of q * (2k - 15) = 2 * sum of q * k - 15 * sum of q.
template <size_t kRows>
void NibbleSums(const int8_t* query, CodeKernels::Rows rows, size_t n, int32_t* out) {
  const __m512i low_half = _mm512_set1_epi8(15);
  __m512i sums[kRows], query_sum = _mm512_setzero_si512();
  for (size_t r = 0; r < kRows; ++r) sums[r] = _mm512_setzero_si512();
  for (size_t i = 0; i < n; i += 64) {
    const __m512i q = _mm512_loadu_si512(query + i);
    query_sum = _mm512_dpbusd_epi32(query_sum, low_half, q);
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) {
      const __m256i row = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows[r] + i / 2));
      const __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(row), _mm256_srli_epi16(row, 4), 1);
      sums[r] = _mm512_dpbusd_epi32(sums[r], _mm512_and_si512(both, low_half), q);
    }
  }
  for (size_t r = 0; r < kRows; ++r) {
    out[r] = _mm512_reduce_add_epi32(_mm512_sub_epi32(_mm512_add_epi32(sums[r], sums[r]), query_sum));
  }
}

template <size_t kRows>
void BitSums(const uint64_t* planes, CodeKernels::Rows rows, size_t n, int32_t* out) {
  const size_t words = n / 64;
  __m512i sums[kRows][4];
#pragma GCC unroll 4
  for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (size_t p = 0; p < 4; ++p) sums[r][p] = _mm512_setzero_si512();
  }
  for (size_t w = 0; w < words; w += 8) {
    const size_t left = words - w;
    const __mmask8 mask = static_cast<__mmask8>(left >= 8 ? 0xFF : (1u << left) - 1);
    __m512i plane[4];
#pragma GCC unroll 4
    for (size_t p = 0; p < 4; ++p) plane[p] = _mm512_maskz_loadu_epi64(mask, planes + p * words + w);
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) {
      const __m512i row = _mm512_maskz_loadu_epi64(mask, rows[r] + 8 * w);
#pragma GCC unroll 4
      for (size_t p = 0; p < 4; ++p) {
        sums[r][p] = _mm512_add_epi64(sums[r][p], _mm512_popcnt_epi64(_mm512_and_si512(row, plane[p])));
      }
    }
  }
#pragma GCC unroll 4
  for (size_t r = 0; r < kRows; ++r) {
    const __m512i low = _mm512_add_epi64(sums[r][0], _mm512_slli_epi64(sums[r][1], 1));
    const __m512i high = _mm512_sub_epi64(_mm512_slli_epi64(sums[r][2], 2), _mm512_slli_epi64(sums[r][3], 3));
    out[r] = static_cast<int32_t>(_mm512_reduce_add_epi64(_mm512_add_epi64(low, high)));
  }
}

void HalfDecode(const uint8_t* row, size_t n, float* out) {
  for (size_t i = 0; i < n; i += 16) {
    _mm512_storeu_ps(out + i, _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + 2 * i))));
  }
}

void NibbleDecode(const uint8_t* row, size_t n, int8_t* out) {
  const __m512i low_half = _mm512_set1_epi8(15);
  for (size_t i = 0; i < n; i += 64) {
    const __m256i half = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + i / 2));
    const __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(half), _mm256_srli_epi16(half, 4), 1);
    const __m512i k = _mm512_and_si512(both, low_half);
    _mm512_storeu_si512(out + i, _mm512_sub_epi8(_mm512_add_epi8(k, k), low_half));
  }
}

}  // namespace

extern const CodeKernels kAvx512CodeKernels;
const CodeKernels kAvx512CodeKernels = {"avx512",
                                        &OverRows<float, float, &HalfSums<4>, &HalfSums<1>>,
                                        &OverRows<int8_t, int32_t, &ByteSums<4>, &ByteSums<1>>,
                                        &OverRows<int8_t, int32_t, &NibbleSums<4>, &NibbleSums<1>>,
                                        &OverRows<uint64_t, int32_t, &BitSums<4>, &BitSums<1>>,
                                        &HalfDecode,
                                        &NibbleDecode,
                                        &HadamardAvx2};

}  // namespace fornix::vector
#endif
