// An extent's first 32 bytes: made by the writer, tested in full by the reader. docs/format.md, "Extents".
#pragma once

#include <span>
#include <string>

#include "storage/page/extent.h"

namespace fornix::storage {

enum class ExtentCodec : uint8_t { kRaw = 0, kLz4 = 1 };

struct ExtentHeader {
  ExtentKind kind{};
  ExtentCodec codec = ExtentCodec::kRaw;
  uint32_t raw_bytes = 0;
  uint32_t stored_bytes = 0;
  uint64_t owner = 0;
  uint64_t seq = 0;
};

// Writes the header before the stored bytes, which must be in place already; `extent` begins with room for the header.
void StampExtent(const ExtentHeader& header, std::span<std::byte> extent);

// The header of an extent that was read, if it is whole and the one that was meant. `bytes` are the pages that were read (all,
// or the first of an extent of kFloats). The Corruption names `path` and the extent's offset.
Result<ExtentHeader> CheckExtent(std::span<const std::byte> bytes, const ExtentRef& ref, ExtentKind kind, uint64_t owner,
                                 const std::string& path);

// "X.fornix: offset 40960: " and what; for all that is found wrong with an extent.
Status ExtentDamage(const std::string& path, const ExtentRef& ref, const std::string& what);

// Eight hexadecimal digits.
std::string Hex(uint32_t number);

constexpr uint32_t PagesFor(size_t bytes) { return static_cast<uint32_t>((bytes + kPageBytes - 1) / kPageBytes); }

}  // namespace fornix::storage
