// Extents: the pieces the data file is made of behind its root slots. docs/format.md, "Extents".
//
// A page is 4 KiB; an extent is 1 to 1,024 pages in a row. It begins with a header of 32 bytes and is written once: what changes
// is written anew elsewhere, and the old extent is freed. A reference carries the checkpoint's number `seq` that wrote the
// extent, the header carries it too, and the reader knows the kind and the owner it expects: so a lost, stale or misdirected
// write is found when it is read.
//
//   u8 kind, u8 codec (0 raw, 1 LZ4), u16 0, u32 raw bytes, u32 stored bytes, u32 CRC32C, u64 owner, u64 seq, then the stored bytes
//   The CRC is over the header with the CRC as 0 and the stored bytes (kFloats: over the header page's part alone;
//   its stored bytes are the table, which lies in the extent's first page with the header and holds a CRC for each page behind it).
#pragma once

#include <compare>
#include <cstdint>

#include "base/bytes.h"

namespace fornix::storage {

inline constexpr uint64_t kPageBytes = 4096;
inline constexpr uint32_t kFirstExtentPage = 2;        // pages 0 and 1 are the root slots
inline constexpr uint32_t kExtentPagesMax = 1024;
inline constexpr size_t kExtentHeaderBytes = 32;
inline constexpr size_t kExtentPayloadMax = kExtentPagesMax * kPageBytes - kExtentHeaderBytes;

enum class ExtentKind : uint8_t {
  kCatalog = 1,        // the checkpoint's table of contents; larger ones are chains
  kFreeMap = 2,
  kDirectoryRoot = 3,  // chunk directory
  kDirectoryLeaf = 4,
  kTokenLists = 5,     // per label or type: its chunks and counts
  kChunk = 6,          // a chunk's main extent
  kPiece = 7,          // one column or one adjacency list of a chunk
  kHubRoot = 8,        // fences of a long adjacency list
  kHubLeaf = 9,
  kBlob = 10,          // one large value, or a part of it
  kFloats = 11,        // fixed-length float lists, a CRC a page
  kTreeInner = 12,     // ordered property index
  kTreeLeaf = 13,
  // Reserved: 32-47 history, 48-63 text, 64-79 vector index:
  kVectorDirectory = 64,
  kVectorCodes = 65,
  kVectorFineCodes = 66,
  kVectorBaseLinks = 67,
  kVectorUpperLinks = 68,
  kVectorSlots = 69,
  kVectorElements = 70,
};

struct ExtentRef {
  uint32_t page = 0;       // of 4 KiB; 0 is a root slot, so it means "none"
  uint32_t pages = 0;
  uint64_t seq = 0;
  bool none() const { return page == 0; }
  friend auto operator<=>(const ExtentRef&, const ExtentRef&) = default;
};
// As stored: u32 page, u32 pages, u64 seq.
inline constexpr size_t kExtentRefBytes = 16;
void EncodeExtentRef(const ExtentRef& ref, ByteWriter* out);
// Corruption if it can't be one of a file of `file_pages` pages. May be none().
Result<ExtentRef> DecodeExtentRef(ByteReader* in, uint64_t file_pages);

// Owners: what an extent belongs to, as one number.
enum class OwnerSpace : uint8_t { kNone, kNodeChunk, kRelChunk, kIndex, kToken };
constexpr uint64_t ExtentOwner(OwnerSpace space, uint64_t number, uint32_t part = 0) {
  return uint64_t{static_cast<uint8_t>(space)} << 60 | (number & 0xFFFFFFFFFFull) << 20 | (part & 0xFFFFF);
}

}  // namespace fornix::storage
