// The kinds of code that an index can keep of its vectors (quantize/quantizer.h makes them).
#pragma once

#include <cstdint>

namespace fornix::vector {

// What an index keeps in memory of a vector; the values are those of files.
//               finds its way by   ranks by                bytes at 1,024 dimensions, without links
//   kNone       f32                -                       4,096
//   kHalf       f16                originals, if readable  2,060
//   kByte       8 bits             originals, if readable  1,036
//   kRabitq4    1 bit              4 bits, then originals  140 hot, 524 read for the last candidates only
//   kRabitq8    1 bit              8 bits, then originals  140 hot, 1,036
enum class Quantization : uint8_t { kNone = 0, kHalf = 1, kByte = 2, kRabitq4 = 3, kRabitq8 = 4 };

}  // namespace fornix::vector
