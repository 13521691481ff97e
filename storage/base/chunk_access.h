// Reading chunks and their pieces through the cache. What every reader of the base stands on: PagedBase, the writer, the check.
//
// Everything returned lies in frames and is valid until the caller's EpochGuard ends. Every failure throws ReadFailure.
// Threads: any, each under an EpochGuard.
#pragma once

#include "storage/base/chunk.h"
#include "storage/base/directory.h"

namespace fornix::storage {

// The chunks of one kind under a directory's root.
class ChunkMap {
 public:
  ChunkMap(const BaseContext* context, OwnerSpace space, const ExtentRef& root) : context_(context), space_(space), root_(root) {}
  const ChunkFrame* Find(uint64_t chunk) const;        // null: no element has ever been in it, or none is left
  // The first chunk >= from there is; its number goes to *from.
  const ChunkFrame* Next(uint64_t* from) const;
  const ChunkFrame& Read(uint64_t chunk, const ExtentRef& ref) const;
  const ExtentRef& root() const { return root_; }
  OwnerSpace space() const { return space_; }

 private:
  const BaseContext* context_;
  OwnerSpace space_;
  ExtentRef root_;
};

inline uint64_t PieceOwner(const ChunkFrame& chunk, uint32_t part) { return ExtentOwner(chunk.space, chunk.chunk, part); }
constexpr uint32_t ListPart(uint32_t type, bool incoming) { return PartOf(incoming ? ChunkPart::kIncoming : ChunkPart::kOutgoing, type); }
constexpr uint32_t HubRootPart(uint32_t list_part) {
  return PartOf(PartKind(list_part) == ChunkPart::kIncoming ? ChunkPart::kHubIncoming : ChunkPart::kHubOutgoing, PartToken(list_part));
}
constexpr uint32_t HubLeafPart(uint32_t list_part) {
  return PartOf(PartKind(list_part) == ChunkPart::kIncoming ? ChunkPart::kLeafIncoming : ChunkPart::kLeafOutgoing, PartToken(list_part));
}

// Pieces, inline or in their extents.
const Column& ReadColumn(const BaseContext& context, const ChunkFrame& chunk, const Piece& piece);
const AdjacencyPiece& ReadLists(const BaseContext& context, const ChunkFrame& chunk, const Piece& piece);
const EndsPiece& ReadEndsPiece(const BaseContext& context, const ChunkFrame& chunk, const Piece& piece);
// Hubs: `part` is that of the lists.
const HubRoot& ReadHubRoot(const BaseContext& context, const ChunkFrame& chunk, uint32_t part, const HubEntry& hub);
const HubLeaf& ReadHubLeaf(const BaseContext& context, const ChunkFrame& chunk, uint32_t part, const HubFence& fence);

ValueReader ReaderOf(const BaseContext& context, const ChunkFrame& chunk, uint32_t property);
// One value: the patch, else the piece's. REQUIRES: the slot lives.
Value ReadValue(const BaseContext& context, const ChunkFrame& chunk, uint32_t property, unsigned slot);
// The same for a writer: pointers into frames; lists of floats have no bytes.
Cell ReadCell(const BaseContext& context, const ChunkFrame& chunk, uint32_t property, unsigned slot);
// Start and end; nothing if damaged bytes have none for a live slot: that throws.
std::pair<uint64_t, uint64_t> ReadEnds(const BaseContext& context, const ChunkFrame& chunk, unsigned slot);
// The properties that pieces or patches of the chunk have anywhere, ascending.
void PropertiesOf(const ChunkFrame& chunk, std::vector<uint32_t>* out);

// Damage found when pieces are put together.
[[noreturn]] void ThrowDamaged(const BaseContext& context, const ChunkFrame& chunk, std::string_view what);

}  // namespace fornix::storage
