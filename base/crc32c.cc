// CRC32C: eight bytes an instruction (about 7 GB/s on one stream, far above any disk), or eight bits a table step.
#include "base/crc32c.h"

#include <array>

#include "base/coding.h"

#ifdef __SSE4_2__
#include <nmmintrin.h>
#endif

namespace fornix {
namespace {

constexpr std::array<uint32_t, 256> MakeTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value & 1) ? (value >> 1) ^ 0x82f63b78u : value >> 1;
    table[i] = value;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kTable = MakeTable();

}  // namespace

uint32_t Crc32cPortable(std::span<const std::byte> bytes, uint32_t crc) {
  crc = ~crc;
  for (const std::byte byte : bytes) crc = kTable[(crc ^ static_cast<uint32_t>(byte)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

uint32_t Crc32c(std::span<const std::byte> bytes, uint32_t crc) {
#ifdef __SSE4_2__
  uint64_t state = static_cast<uint32_t>(~crc);
  const std::byte* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) state = _mm_crc32_u64(state, LoadFixed<uint64_t>(at));
  auto state32 = static_cast<uint32_t>(state);
  for (; left > 0; --left, ++at) state32 = _mm_crc32_u8(state32, static_cast<uint8_t>(*at));
  return ~state32;
#else
  return Crc32cPortable(bytes, crc);
#endif
}

}  // namespace fornix
