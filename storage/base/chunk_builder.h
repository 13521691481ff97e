// ChunkBuilder: gathers the pieces of one chunk's next main extent, decides which lie in it, and writes it and the new pieces.
//
// What the chunk had before is either kept or dropped by whoever writes that part; dropped extents are freed. Threads: one.
#pragma once

#include "storage/base/chunk_access.h"

namespace fornix::storage {

// What the writers of one base share.
struct WriterContext {
  BaseContext base;
  ExtentFile* file = nullptr;
  CellArena arena;                          // of one chunk
};

class ChunkBuilder {
 public:
  ChunkBuilder(WriterContext* writer, OwnerSpace space, uint64_t chunk, const ChunkFrame* old);   // old may be null
  const ChunkFrame* old() const { return old_; }
  WriterContext& writer() { return *writer_; }
  const BaseContext& base() const { return writer_->base; }
  ChunkImage& image() { return image_; }
  bool Live(unsigned slot) const { return TestBit(image_.live, slot); }
  uint64_t Owner(uint32_t part) const { return ExtentOwner(image_.space, chunk_, part); }

  void Keep(const Piece& piece);
  void Drop(const Piece& piece);            // frees its own extent; what it refers to is the caller's
  void Put(uint32_t part, unsigned first, unsigned span_log2, bool blobs, std::vector<std::byte> bytes, Compress compress);
  // Patches, in any order of the parts; the values live until Write.
  void Patch(PatchesImage patches);
  bool has_pieces() const { return !pieces_.empty(); }
  size_t patch_bytes() const { return patch_bytes_; }

  // The span that a new piece takes for a slot which none of the part's old pieces covers: the largest that overlaps none.
  unsigned FreeSpanLog2(uint32_t part, unsigned slot) const;
  Result<ExtentRef> Write();

 private:
  struct NewPiece {
    PieceImage image;
    std::vector<std::byte> bytes;
    Compress compress = Compress::kNever;
  };
  WriterContext* writer_;
  uint64_t chunk_;
  const ChunkFrame* old_;
  ChunkImage image_;
  std::vector<NewPiece> pieces_;
  size_t patch_bytes_ = 0;
};

}  // namespace fornix::storage
