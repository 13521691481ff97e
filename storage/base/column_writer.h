// ColumnWriter: one property's column of a chunk, from what it was and what changed.
//
// A few changed values of a piece in an extent of its own become patches; once an eighth of its slots has changed (or the chunk's
// patches grow long) the piece is written anew with them. A piece that lies in the main extent is always written anew. Lists of
// floats rewrite the blocks that change, and blobs are written when they come and freed when they go.
// Threads: one.
#pragma once

#include "storage/base/chunk_builder.h"

namespace fornix::storage {

inline constexpr size_t kPieceBytesMax = size_t{36} << 10;   // 4,096 doubles and their bitmap; a longer piece is split by slots
inline constexpr unsigned kSplitSpanLog2 = 9;                // into pieces of 512 slots, or fewer
inline constexpr unsigned kSpanLog2Min = 3;
inline constexpr size_t kPatchesBytesMax = 4096;             // of a chunk: its main extent stays at two pages
inline constexpr size_t kPatchBytesMax = 64;                 // of one value
inline constexpr unsigned kPatchedShare = 8;                 // an eighth of the slots

struct SlotChange {
  uint16_t slot = 0;
  Cell cell;                              // kAbsent: removed
};

class ColumnWriter {
 public:
  ColumnWriter(ChunkBuilder* builder, uint32_t property)
      : builder_(builder), property_(property), part_(PartOf(ChunkPart::kColumn, property)) {}
  // Puts the column into the builder. `changes` ascend by slot; `tidy` says which spans have too many dead slots now.
  Status Write(std::span<const SlotChange> changes, const std::function<bool(unsigned first, unsigned end)>& tidy);

  // Whether the value that is here now differs from the cell; a new value that differs becomes what is stored (a blob, if large).
  Result<bool> Changed(unsigned slot, const Cell& now, Cell* cell);
  Status Externalise(Cell* cell);         // a large value becomes a blob
  Status FreeBlob(const Cell& cell);      // no-op for other cells

 private:
  Status WriteSpan(unsigned first, unsigned span_log2, const Piece* old, std::span<const SlotChange> changes);
  // Only blocks with a change are written; cells that stay in their block have no bytes.
  Status WriteFloats(unsigned first, std::span<Cell> cells, const Column* old, std::span<const SlotChange> changes, FloatBlocks* out);
  Status KeepFloatsOut(std::span<Cell> cells, unsigned first, const Column* old, CellKind main, uint32_t dimensions);
  size_t DeadRows(std::span<const Cell> rows, unsigned slot, const Column& old) const;
  void KeepBlock(std::span<Cell> rows, unsigned slot, const Column& old);
  Result<ExtentRef> WriteBlock(std::span<Cell> rows, unsigned slot, const Column* old, CellKind kind, uint32_t dimensions);
  Status MakeBlob(Cell* cell);
  void SetTagged(std::span<const std::byte> tagged, Cell* cell);
  Result<BlobRef> BlobOf(const Cell& cell) const;
  void LoadFloats(Cell* cell, const Column& old, unsigned slot);
  Status PutCells(unsigned first, unsigned span_log2, std::span<const Cell> cells, const FloatBlocks* floats);
  bool Patchable(const Piece& piece, std::span<const SlotChange> changes, size_t patched) const;

  ChunkBuilder* builder_;
  uint32_t property_, part_;
  PatchesImage patches_;
};

}  // namespace fornix::storage
