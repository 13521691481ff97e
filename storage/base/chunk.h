// Chunk: the main extent of 4,096 neighbouring ids: which live, their label sets or their type, and where their columns and
// lists are.
//
// Small pieces lie in the main extent itself, larger ones in extents of their own. A piece covers a span of slots, a power of
// two and aligned; where no piece of a part covers a slot, there is nothing. Patches are values newer than the piece's: (slot,
// value) per part, null for none. A dead slot has nothing at all, whatever the pieces hold at its place.
// Layout: docs/format.md, "Base", "Chunks". Threads: any.
#pragma once

#include "storage/base/adjacency_piece.h"
#include "storage/base/column.h"

namespace fornix::storage {

inline constexpr size_t kInlinePieceMax = 2048;    // larger pieces get extents of their own
inline constexpr size_t kInlineBytesMax = 8192;    // of all small pieces of a chunk: a cold element costs one read, a change three pages

// Start and end of the relationships of a chunk.
class EndsPiece {
 public:
  static Result<EndsPiece> Decode(ByteReader* in);
  bool Has(unsigned slot) const { return slot < count_; }
  std::pair<uint64_t, uint64_t> At(unsigned slot) const { return {starts_[slot], ends_[slot]}; }
  unsigned end() const { return count_; }

 private:
  uint32_t count_ = 0;
  PackedNumbers starts_, ends_;
};
void EncodeEnds(std::span<const std::pair<uint64_t, uint64_t>> ends, ByteWriter* out);

struct Piece {
  static constexpr uint32_t kOutside = ~uint32_t{0};
  uint32_t part = 0;                     // ChunkPart: kColumn, kOutgoing, kIncoming, kEnds
  uint16_t first = 0, end = 0;           // its span
  bool blobs = false;                    // a value of it lies in a blob: so that a deletion knows where to look
  uint32_t object = kOutside;            // place among the decoded pieces of its kind; kOutside: in `ref`
  ExtentRef ref;
  std::span<const std::byte> bytes;      // of an inline one
};

struct Patches {
  uint32_t part = 0;
  uint64_t patched[kBitmapWords] = {};
  std::vector<uint16_t> slots;           // ascending
  PackedTexts values;                    // tagged; kEnds: varint start, varint end
  bool Has(unsigned slot) const { return TestBit(patched, slot); }
  std::span<const std::byte> At(unsigned slot) const {   // REQUIRES: Has
    return values[static_cast<size_t>(std::lower_bound(slots.begin(), slots.end(), slot) - slots.begin())];
  }
};

struct ChunkFrame : Frame {
  OwnerSpace space = OwnerSpace::kNone;
  uint64_t chunk = 0;
  ExtentRef ref;
  uint32_t slots = 0, live_count = 0;    // slots: one beyond the last that was ever written
  uint64_t live[kBitmapWords] = {};
  std::vector<const LabelSet*> sets;     // nodes
  Packed codes;                          // nodes: which of `sets`
  uint32_t type = 0;                     // relationships
  std::vector<Piece> pieces;             // ascending by (part, first)
  std::vector<Patches> patches;          // ascending by part
  std::vector<Column> columns;           // the inline pieces
  std::vector<AdjacencyPiece> adjacency;
  std::vector<EndsPiece> ends;
  std::vector<std::byte> payload;        // what the views above look into

  bool Live(unsigned slot) const { return TestBit(live, slot); }
  const LabelSet* Labels(unsigned slot) const { return sets[sets.size() == 1 ? 0 : codes[slot]]; }   // REQUIRES: live
  const Piece* Find(uint32_t part, unsigned slot) const;      // the piece whose span has the slot; null: none
  std::span<const Piece> Of(uint32_t part) const;             // all pieces of a part
  const Patches* PatchesOf(uint32_t part) const;              // null: none
};

struct ChunkContext {
  const BaseContext* base;
  OwnerSpace space;
  uint64_t chunk;
};
Result<std::unique_ptr<ChunkFrame>> DecodeChunk(ExtentBytes bytes, const ExtentRef& ref, const ChunkContext& context);

// A main extent to be written.
struct PieceImage {
  uint32_t part = 0;
  uint16_t first = 0;
  uint8_t span_log2 = 12;
  bool blobs = false;
  ExtentRef ref;                         // none(): inline
  std::span<const std::byte> bytes;
};
struct PatchImage {
  uint16_t slot = 0;
  std::span<const std::byte> value;
};
struct PatchesImage {
  uint32_t part = 0;
  std::vector<PatchImage> patches;       // ascending by slot
};
struct ChunkImage {
  OwnerSpace space = OwnerSpace::kNone;
  uint32_t slots = 0;
  uint64_t live[kBitmapWords] = {};
  std::vector<const LabelSet*> sets;     // nodes: at least one
  std::vector<uint16_t> codes;           // nodes, unless there is but one set
  uint32_t type = 0;
  std::vector<PieceImage> pieces;
  std::vector<PatchesImage> patches;
};
void EncodeChunk(const ChunkImage& image, ByteWriter* out);

}  // namespace fornix::storage
