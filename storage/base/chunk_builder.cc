#include "storage/base/chunk_builder.h"

#include <numeric>

namespace fornix::storage {

ChunkBuilder::ChunkBuilder(WriterContext* writer, OwnerSpace space, uint64_t chunk, const ChunkFrame* old)
    : writer_(writer), chunk_(chunk), old_(old) {
  image_.space = space;
  if (old == nullptr) return;
  image_.slots = old->slots;
  std::copy_n(old->live, kBitmapWords, image_.live);
  image_.type = old->type;
}

void ChunkBuilder::Keep(const Piece& piece) {
  const unsigned span = piece.end - piece.first;
  NewPiece& kept = pieces_.emplace_back();
  kept.image = {piece.part, piece.first, static_cast<uint8_t>(std::countr_zero(span)), piece.blobs, piece.ref, piece.bytes};
}

void ChunkBuilder::Drop(const Piece& piece) {
  if (!piece.ref.none()) writer_->file->Free(piece.ref);
}

void ChunkBuilder::Put(uint32_t part, unsigned first, unsigned span_log2, bool blobs, std::vector<std::byte> bytes, Compress compress) {
  NewPiece& piece = pieces_.emplace_back();
  piece.bytes = std::move(bytes);
  piece.compress = compress;
  piece.image = {part, static_cast<uint16_t>(first), static_cast<uint8_t>(span_log2), blobs, {}, piece.bytes};
}

void ChunkBuilder::Patch(PatchesImage patches) {
  if (patches.patches.empty()) return;
  for (const PatchImage& patch : patches.patches) patch_bytes_ += patch.value.size() + 2;
  image_.patches.push_back(std::move(patches));
}

unsigned ChunkBuilder::FreeSpanLog2(uint32_t part, unsigned slot) const {
  unsigned log2 = 12;
  if (old_ == nullptr) return log2;
  for (const Piece& piece : old_->Of(part)) {
    while ((slot >> log2) == (unsigned{piece.first} >> log2) || (slot >> log2) == ((piece.end - 1u) >> log2)) --log2;
  }
  return log2;
}

Result<ExtentRef> ChunkBuilder::Write() {
  std::sort(pieces_.begin(), pieces_.end(), [](const NewPiece& a, const NewPiece& b) {
    return std::pair(a.image.part, a.image.first) < std::pair(b.image.part, b.image.first);
  });
  std::sort(image_.patches.begin(), image_.patches.end(), [](const auto& a, const auto& b) { return a.part < b.part; });
  // The small ones stay inside while there is room, the largest go out first.
  std::vector<size_t> inside;
  size_t bytes = 0;
  for (size_t i = 0; i < pieces_.size(); ++i) {
    if (!pieces_[i].image.ref.none()) continue;
    inside.push_back(i);
    bytes += pieces_[i].image.bytes.size();
  }
  std::sort(inside.begin(), inside.end(),
            [this](size_t a, size_t b) { return pieces_[a].image.bytes.size() > pieces_[b].image.bytes.size(); });
  for (const size_t i : inside) {
    PieceImage& piece = pieces_[i].image;
    if (piece.bytes.size() <= kInlinePieceMax && bytes <= kInlineBytesMax) break;
    bytes -= piece.bytes.size();
    std::vector<std::byte> payload = std::move(pieces_[i].bytes);
    if (payload.empty()) payload.assign(piece.bytes.begin(), piece.bytes.end());   // one that was inside before
    payload.resize(payload.size() + kPackedTail);
    ASSIGN_OR_RETURN(piece.ref, writer_->file->Write(ExtentKind::kPiece, Owner(piece.part), payload, pieces_[i].compress));
  }
  for (const NewPiece& piece : pieces_) image_.pieces.push_back(piece.image);
  ByteWriter payload;
  EncodeChunk(image_, &payload);
  const Compress compress = payload.size() + kExtentHeaderBytes > kPageBytes ? Compress::kIfSmaller : Compress::kNever;
  return writer_->file->Write(ExtentKind::kChunk, Owner(PartOf(ChunkPart::kMain)), payload.bytes(), compress);
}

}  // namespace fornix::storage
