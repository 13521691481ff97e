// CRC32C (Castagnoli), the checksum of every byte we keep on disk. Hardware instruction where the build has SSE 4.2
// (always on x86-64-v2), a table otherwise; both give the same numbers. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fornix {

// Continues `crc` (0 to begin) over `bytes`: Crc32c(b, Crc32c(a)) is the checksum of a followed by b.
uint32_t Crc32c(std::span<const std::byte> bytes, uint32_t crc = 0);
// The table path, for tests and for machines without the instruction.
uint32_t Crc32cPortable(std::span<const std::byte> bytes, uint32_t crc = 0);

}  // namespace fornix
