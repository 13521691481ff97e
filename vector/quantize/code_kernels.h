// The kernels over codes: sums of products between a prepared query and rows of small numbers, one set for each
// kind of processor, chosen once like the kernels over floats (vector/distance/distance.h). Stateless and safe
// from every thread.
//
// The integer kernels are exact, so every set gives the same value; the float ones (half_dot) differ in the
// order of additions only and stay within the tolerance that distance.h derives. hadamard and the decoders give
// the same bits on every machine, because codes are stored in files and must not depend on who wrote them.
//
// Rows are bytes as a file holds them, little-endian, at any address. `n` counts dimensions and is a multiple of
// 64, of 16 for half_*; the quantizers pad.
//   half    n IEEE 754 binary16 numbers
//   byte    n signed bytes
//   nibble  blocks of 64 dimensions in 32 bytes: byte j of a block has dimension j in its low half and 32 + j
//           in its high one. The value of a half k is 2k - 15: odd, -15 .. 15
//   bit     n bits, dimension i in bit i % 64 of word i / 64
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fornix::vector {

struct CodeKernels {
  using Rows = const uint8_t* const*;

  const char* name;  // "scalar", "sse4.2", "avx2", "avx512"
  // out[r] = sum of query[i] * row r's [i]. A row's result doesn't depend on its neighbours in the call.
  void (*half_dot)(const float* query, Rows rows, size_t count, size_t n, float* out);
  // REQUIRES: query within -127 .. 127; rows may hold anything.
  void (*byte_dot)(const int8_t* query, Rows rows, size_t count, size_t n, int32_t* out);
  void (*nibble_dot)(const int8_t* query, Rows rows, size_t count, size_t n, int32_t* out);
  // The query's numbers -8 .. 7 in two's complement, as four bit planes of n bits, the lowest first; a row says
  // which of them are added up.
  void (*bit_dot)(const uint64_t* planes, Rows rows, size_t count, size_t n, int32_t* out);

  void (*half_decode)(const uint8_t* row, size_t n, float* out);
  void (*nibble_decode)(const uint8_t* row, size_t n, int8_t* out);  // the values 2k - 15
  // v becomes H v, with H the Hadamard matrix of order n in Sylvester's order, not scaled. REQUIRES: n is a
  // power of two, 64 or more.
  void (*hadamard)(float* v, size_t n);
};

// Always there; the judge of the others.
const CodeKernels& ScalarCodeKernels();
// What this machine can run, slowest first, beginning with the scalar one.
std::span<const CodeKernels* const> RunnableCodeKernels();
// The last of these.
const CodeKernels& BestCodeKernels();

// Between float and half, ties to even. A number beyond the range becomes infinite; subnormal halves are exact.
uint16_t HalfOfFloat(float value);
float FloatOfHalf(uint16_t half);

}  // namespace fornix::vector
