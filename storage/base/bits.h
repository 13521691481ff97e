// Packed numbers: n unsigned numbers of the same width, one after the other, low bits first, without gaps.
//
// A width is 0 to 56 or 64, so that one unaligned load of 64 bits and a shift give any of them without a branch. For that load
// everything that is packed must have kPackedTail readable bytes behind it: extents of the base end with so many zeros.
// Numbers are stored as the difference to the least one (frame of reference): zigzag varint base, u8 width, packed bits.
// docs/format.md, "Base". Pure.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace fornix::storage {

inline constexpr size_t kPackedTail = 8;

constexpr unsigned PackedWidth(uint64_t largest) {
  const unsigned bits = static_cast<unsigned>(std::bit_width(largest));
  return bits > 56 ? 64 : bits;
}
constexpr size_t PackedBytes(uint64_t n, unsigned width) { return static_cast<size_t>((n * width + 7) / 8); }

// A view; the bytes belong to whoever holds them.
struct Packed {
  const std::byte* data = nullptr;
  uint64_t mask = 0;
  uint32_t width = 0;
  uint64_t operator[](size_t i) const {
    const size_t bit = i * width;
    return (LoadFixed<uint64_t>(data + (bit >> 3)) >> (bit & 7)) & mask;
  }
};
struct PackedNumbers {
  uint64_t base = 0;
  Packed packed;
  uint64_t operator[](size_t i) const { return base + packed[i]; }
};

// value(i) gives the i-th number, below 2^width.
template <typename F>
void PackBits(size_t n, unsigned width, ByteWriter* out, F value) {
  std::byte buffer[1024];
  size_t used = 0;
  uint64_t word = 0;
  unsigned bits = 0;
  auto flush_word = [&] {
    if (used == sizeof(buffer)) {
      out->Bytes({buffer, used});
      used = 0;
    }
    StoreFixed(buffer + used, word);
    used += sizeof(word);
  };
  for (size_t i = 0; i < n && width > 0; ++i) {
    const uint64_t v = value(i);
    word |= v << bits;
    bits += width;
    if (bits >= 64) {
      flush_word();
      bits -= 64;
      word = bits == 0 ? 0 : v >> (width - bits);
    }
  }
  out->Bytes({buffer, used});
  std::byte rest[8];
  StoreFixed(rest, word);
  out->Bytes({rest, (bits + 7) / 8});
}

// u8 width, bits.
template <typename F>
void WritePacked(size_t n, uint64_t largest, ByteWriter* out, F value) {
  const unsigned width = PackedWidth(largest);
  out->U8(static_cast<uint8_t>(width));
  PackBits(n, width, out, value);
}
// Signed or unsigned numbers (as their 64 bits) with a base; `least` and `largest` in the caller's own order.
template <typename F>
void WritePackedNumbers(size_t n, uint64_t least, uint64_t largest, ByteWriter* out, F value) {
  out->SignedVarint(static_cast<int64_t>(least));
  WritePacked(n, largest - least, out, [&](size_t i) { return value(i) - least; });
}

// The reader's span must be followed by kPackedTail readable bytes.
Result<Packed> ReadPacked(ByteReader* in, size_t n);
Result<PackedNumbers> ReadPackedNumbers(ByteReader* in, size_t n);

// A bitmap of up to 4,096 places; which of them, and how many before.
inline constexpr size_t kBitmapWords = 64;
inline bool TestBit(const uint64_t* words, size_t i) { return (words[i >> 6] >> (i & 63) & 1) != 0; }
inline void SetBit(uint64_t* words, size_t i) { words[i >> 6] |= uint64_t{1} << (i & 63); }
inline void ClearBit(uint64_t* words, size_t i) { words[i >> 6] &= ~(uint64_t{1} << (i & 63)); }

class RankedBits {
 public:
  RankedBits() = default;
  RankedBits(const std::byte* bits, size_t n);         // n <= 4,096, (n + 7) / 8 bytes; bits beyond n are ignored
  size_t size() const { return size_; }
  size_t count() const { return count_; }
  bool Test(size_t i) const { return TestBit(words_.data(), i); }
  // How many are set before i.
  size_t Rank(size_t i) const {
    return ranks_[i >> 6] + static_cast<size_t>(std::popcount(words_[i >> 6] & ((uint64_t{1} << (i & 63)) - 1)));
  }
  const uint64_t* words() const { return words_.data(); }
  size_t MemoryBytes() const { return words_.capacity() * sizeof(uint64_t) + ranks_.capacity() * sizeof(uint16_t); }

 private:
  std::vector<uint64_t> words_;
  std::vector<uint16_t> ranks_;
  uint32_t size_ = 0, count_ = 0;
};

void WriteBitmap(const uint64_t* words, size_t n, ByteWriter* out);   // (n + 7) / 8 bytes
Result<RankedBits> ReadBitmap(ByteReader* in, size_t n);              // Corruption if a bit beyond n is set

}  // namespace fornix::storage
