// The kernels over codes: all sets the same as the scalar one, and the scalar one right.
#include "vector/quantize/code_kernels.h"

#include <bit>

#include "tests/unit/vector/kernel_compare.h"
#include "tests/unit/vector/vector_test_util.h"

namespace fornix::vector {

TEST_CASE("every runnable set of code kernels gives the scalar one's values on random and extreme bytes") {
  std::mt19937 random(NewSeed("code kernels"));
  std::printf("code kernel sets:");
  for (const CodeKernels* kernels : RunnableCodeKernels()) std::printf(" %s", kernels->name);
  std::printf("\n");
  for (uint32_t round = 0; round < 600; ++round) {
    std::vector<uint8_t> input(2 + 7 * (1 + random() % 700));
    input[0] = static_cast<uint8_t>(round);
    input[1] = static_cast<uint8_t>(random());
    for (size_t i = 2; i < input.size(); ++i) {
      switch (round % 4) {
        case 0: input[i] = static_cast<uint8_t>(random()); break;
        case 1: input[i] = random() % 2 ? 0x80 : 0x7F; break;          // the ends of a byte
        case 2: input[i] = i % 2 ? 0x7B : 0xFF; break;                 // the greatest half in every place
        default: input[i] = static_cast<uint8_t>(random() % 60); break;  // halves that are numbers
      }
    }
    CHECK(CompareCodeKernels(input) == "");
  }
}

TEST_CASE("the scalar kernels compute what their names say") {
  std::mt19937 random(NewSeed("scalar code kernels"));
  constexpr size_t kN = 192;
  int8_t query[kN];
  uint8_t bytes[kN], nibbles[kN / 2], bits[kN / 8];
  uint64_t planes[4 * kN / 64] = {};
  int32_t byte_sum = 0, nibble_sum = 0, bit_sum = 0;
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(random());
  for (uint8_t& b : nibbles) b = static_cast<uint8_t>(random());
  for (uint8_t& b : bits) b = static_cast<uint8_t>(random());
  for (size_t i = 0; i < kN; ++i) {
    query[i] = static_cast<int8_t>(random() % 255 - 127);
    byte_sum += query[i] * static_cast<int8_t>(bytes[i]);
    const int half = nibbles[i / 64 * 32 + i % 32] >> (i % 64 < 32 ? 0 : 4) & 15;
    nibble_sum += query[i] * (2 * half - 15);
    const int level = static_cast<int>(random() % 16) - 8;
    for (size_t p = 0; p < 4; ++p) planes[p * kN / 64 + i / 64] |= uint64_t{static_cast<unsigned>(level) >> p & 1} << (i % 64);
    if (bits[i / 8] >> (i % 8) & 1) bit_sum += level;
  }
  int32_t sum = 0;
  const uint8_t* row = bytes;
  ScalarCodeKernels().byte_dot(query, &row, 1, kN, &sum);
  CHECK(sum == byte_sum);
  row = nibbles;
  ScalarCodeKernels().nibble_dot(query, &row, 1, kN, &sum);
  CHECK(sum == nibble_sum);
  row = bits;
  ScalarCodeKernels().bit_dot(planes, &row, 1, kN, &sum);
  CHECK(sum == bit_sum);
  // H H = n.
  std::vector<float> v(256, 0.0f);
  v[77] = 1;
  ScalarCodeKernels().hadamard(v.data(), 256);
  for (size_t i = 0; i < 256; ++i) CHECK(v[i] == (std::popcount(i & 77u) % 2 == 0 ? 1.0f : -1.0f));
  ScalarCodeKernels().hadamard(v.data(), 256);
  for (size_t i = 0; i < 256; ++i) CHECK(v[i] == (i == 77 ? 256.0f : 0.0f));
}

TEST_CASE("each half is the half of its float, and floats between round to the nearest, ties to even") {
  for (uint32_t half = 0; half < 0x10000; ++half) {
    const float value = FloatOfHalf(static_cast<uint16_t>(half));
    if (std::isnan(value)) continue;
    if (HalfOfFloat(value) != half) FAIL_CHECK(half);
  }
  CHECK(FloatOfHalf(0x3C00) == 1.0f);
  CHECK(FloatOfHalf(0xC000) == -2.0f);
  CHECK(FloatOfHalf(0x0001) == 0x1p-24f);
  CHECK(HalfOfFloat(65519.0f) == 0x7BFF);
  CHECK(HalfOfFloat(65520.0f) == 0x7C00);
  for (uint32_t half = 0; half < 0x7BFF; ++half) {
    const float low = FloatOfHalf(static_cast<uint16_t>(half)), high = FloatOfHalf(static_cast<uint16_t>(half + 1));
    const float middle = (low + high) / 2;
    CHECK(HalfOfFloat(middle) == (half % 2 == 0 ? half : half + 1));
    CHECK(HalfOfFloat(std::nextafter(middle, 0.0f)) == half);
    CHECK(HalfOfFloat(std::nextafter(middle, 1e9f)) == half + 1);
  }
}

TEST_CASE("the best set of code kernels is the last runnable one and the scalar set is the first") {
  CHECK(RunnableCodeKernels().front() == &ScalarCodeKernels());
  CHECK(RunnableCodeKernels().back() == &BestCodeKernels());
}

}  // namespace fornix::vector
