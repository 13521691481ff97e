// How numbers lie in bytes: little endian at fixed width, varints of 7 bits a byte, zigzag for signed ones.
//
// These work on raw pointers that the caller has checked; bytes that come from disk or net are read through
// ByteReader (base/bytes.h), which checks. Everything goes through memcpy, so no buffer needs an alignment.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fornix {

static_assert(std::endian::native == std::endian::little, "a big-endian machine needs byte swaps here");

inline constexpr size_t kVarintBytesMax = 10;  // 64 bits at 7 a byte

template <typename T>
inline T LoadFixed(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}
template <typename T>
inline void StoreFixed(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

inline uint64_t ZigZag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
inline int64_t UnZigZag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

// Writes at most kVarintBytesMax bytes; returns how many.
inline size_t StoreVarint(std::byte* to, uint64_t value) {
  size_t n = 0;
  while (value >= 0x80) {
    to[n++] = static_cast<std::byte>(value | 0x80);
    value >>= 7;
  }
  to[n++] = static_cast<std::byte>(value);
  return n;
}

// How many bytes were read into *value; 0 if they end too early or hold more than 64 bits.
inline size_t LoadVarint(const std::byte* from, size_t available, uint64_t* value) {
  uint64_t result = 0;
  for (size_t i = 0; i < available && i < kVarintBytesMax; ++i) {
    const uint64_t byte = static_cast<uint64_t>(from[i]);
    if (i == kVarintBytesMax - 1 && byte > 1) return 0;
    result |= (byte & 0x7f) << (7 * i);
    if ((byte & 0x80) == 0) {
      *value = result;
      return i + 1;
    }
  }
  return 0;
}

}  // namespace fornix
