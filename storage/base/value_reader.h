// ValueReader: turns what a column holds into values, reading blobs and lists of floats where they are.
//
// Knows whose column it is (for the owner that extents must carry) and where it came from (for messages). Every failure
// throws ReadFailure. Threads: any, each under an EpochGuard.
#pragma once

#include "storage/base/cell.h"
#include "storage/base/paged_base.h"

namespace fornix::storage {

struct FloatBlocks;

// Parts of a chunk, the low bits of an extent's owner: the property or type in the low 16 bits.
enum class ChunkPart : uint32_t {
  kColumn = 0x00000, kOutgoing = 0x10000, kIncoming = 0x20000, kEnds = 0x30000, kBlob = 0x40000, kFloats = 0x50000,
  kHubOutgoing = 0x60000, kHubIncoming = 0x70000, kLeafOutgoing = 0x80000, kLeafIncoming = 0x90000, kMain = 0xF0000,
};
constexpr uint32_t PartOf(ChunkPart part, uint32_t token = 0) { return static_cast<uint32_t>(part) | token; }
constexpr uint32_t PartToken(uint32_t part) { return part & 0xFFFF; }
constexpr ChunkPart PartKind(uint32_t part) { return static_cast<ChunkPart>(part & 0xF0000); }

class ValueReader {
 public:
  ValueReader(const BaseContext* context, OwnerSpace space, uint64_t chunk, uint32_t property, uint32_t page)
      : context_(context), space_(space), chunk_(chunk), property_(property), page_(page) {}

  Value Tagged(std::span<const std::byte> tagged) const;
  // The list in row `row` of an extent.
  Value Floats(CellKind kind, uint32_t dimensions, const ExtentRef& extent, unsigned row) const;
  void FloatsBytes(CellKind kind, uint32_t dimensions, const ExtentRef& extent, unsigned row, std::byte* out) const;
  // The tagged bytes of a value that lies in a blob.
  std::vector<std::byte> Blob(std::span<const std::byte> reference) const;

 private:
  uint64_t Owner(ChunkPart part) const { return ExtentOwner(space_, chunk_, PartOf(part, property_)); }
  ByteReader Reader(std::span<const std::byte> bytes) const;

  const BaseContext* context_;
  OwnerSpace space_;
  uint64_t chunk_;
  uint32_t property_, page_;
};

}  // namespace fornix::storage
