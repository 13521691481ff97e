#include "storage/base/chunk.h"

#include <string>

#include "base/check.h"

namespace fornix::storage {
namespace {

// Bits of a piece's place.
constexpr uint8_t kInExtent = 1, kHasBlobs = 2;

Status DecodeLabels(ByteReader* in, LabelSets* label_sets, ChunkFrame* out) {
  ASSIGN_OR_RETURN(const uint32_t sets, in->ReadCount(1));
  if (sets == 0 || sets > kChunkSlots) return in->Damaged(std::to_string(sets) + " label sets in a chunk");
  std::vector<LabelId> labels;
  for (uint32_t i = 0; i < sets; ++i) {
    labels.clear();
    ASSIGN_OR_RETURN(const uint32_t n, in->ReadCount(1));
    for (uint32_t k = 0; k < n; ++k) {
      ASSIGN_OR_RETURN(const uint32_t token, in->ReadVarint32());
      if (token >= kTokensMax || (k > 0 && token <= labels.back().value)) return in->Damaged("labels out of order");
      labels.emplace_back(token);
    }
    out->sets.push_back(label_sets->Intern(labels));
  }
  ASSIGN_OR_RETURN(out->codes, ReadPacked(in, sets == 1 ? 0 : out->slots));
  for (uint32_t slot = 0; sets > 1 && slot < out->slots; ++slot) {
    if (out->codes[slot] >= sets) return in->Damaged("a label set beyond those of the chunk");
  }
  return Status::Ok();
}

bool PartFits(OwnerSpace space, uint32_t part) {
  switch (PartKind(part)) {
    case ChunkPart::kColumn: return true;
    case ChunkPart::kOutgoing: case ChunkPart::kIncoming: return space == OwnerSpace::kNodeChunk;
    case ChunkPart::kEnds: return space == OwnerSpace::kRelChunk && PartToken(part) == 0;
    default: return false;
  }
}

Status DecodePieceTable(ByteReader* in, uint64_t file_pages, ChunkFrame* out, std::vector<uint32_t>* sizes) {
  ASSIGN_OR_RETURN(const uint32_t n, in->ReadCount(5));
  out->pieces.reserve(n);
  for (uint32_t i = 0; i < n; ++i) {
    Piece piece;
    ASSIGN_OR_RETURN(piece.part, in->ReadVarint32());
    ASSIGN_OR_RETURN(const uint32_t first, in->ReadVarint32());
    ASSIGN_OR_RETURN(const uint8_t span_log2, in->ReadU8());
    ASSIGN_OR_RETURN(const uint8_t place, in->ReadU8());
    if (piece.part > 0xFFFFF || !PartFits(out->space, piece.part))
      return in->Damaged("a piece of the unknown part " + std::to_string(piece.part));
    if (span_log2 > 12 || first >= kChunkSlots || first % (1u << span_log2) != 0)
      return in->Damaged("a piece of slots that can't be a span");
    piece.first = static_cast<uint16_t>(first);
    piece.end = static_cast<uint16_t>(first + (1u << span_log2));
    if (!out->pieces.empty()) {
      const Piece& last = out->pieces.back();
      if (piece.part < last.part || (piece.part == last.part && piece.first < last.end)) return in->Damaged("pieces out of order");
    }
    if (place > 3) return in->Damaged("a piece at the unknown place " + std::to_string(place));
    piece.blobs = (place & kHasBlobs) != 0;
    uint32_t bytes = 0;
    if ((place & kInExtent) == 0) {
      ASSIGN_OR_RETURN(bytes, in->ReadVarint32());
      piece.object = 0;
    } else {
      ASSIGN_OR_RETURN(piece.ref, DecodeExtentRef(in, file_pages));
      if (piece.ref.none()) return in->Damaged("a piece without an extent");
    }
    out->pieces.push_back(piece);
    sizes->push_back(bytes);
  }
  return Status::Ok();
}

Status DecodePatches(ByteReader* in, ChunkFrame* out) {
  ASSIGN_OR_RETURN(const uint32_t n, in->ReadCount(4));
  for (uint32_t i = 0; i < n; ++i) {
    Patches patches;
    ASSIGN_OR_RETURN(patches.part, in->ReadVarint32());
    const ChunkPart kind = PartKind(patches.part);
    if (patches.part > 0xFFFFF || !PartFits(out->space, patches.part) || kind == ChunkPart::kOutgoing || kind == ChunkPart::kIncoming ||
        (i > 0 && patches.part <= out->patches.back().part)) {
      return in->Damaged("patches of a part that has none, or out of order");
    }
    ASSIGN_OR_RETURN(const uint32_t slots, in->ReadCount(1));
    if (slots == 0 || slots > out->slots) return in->Damaged(std::to_string(slots) + " patches");
    uint64_t slot = 0;
    for (uint32_t k = 0; k < slots; ++k) {
      ASSIGN_OR_RETURN(const uint64_t step, in->ReadVarint());
      if (step >= out->slots - slot) return in->Damaged("a patch beyond the chunk");
      slot += step;
      SetBit(patches.patched, slot);
      patches.slots.push_back(static_cast<uint16_t>(slot++));
    }
    ASSIGN_OR_RETURN(patches.values, ReadTexts(in, slots));
    out->patches.push_back(std::move(patches));
  }
  return Status::Ok();
}

// REQUIRES: kPackedTail bytes behind the reader's span.
Status DecodeInline(ByteReader* in, uint64_t file_pages, const std::vector<uint32_t>& sizes, std::string_view where, ChunkFrame* out) {
  for (size_t i = 0; i < out->pieces.size(); ++i) {
    Piece& piece = out->pieces[i];
    if (piece.object == Piece::kOutside) continue;
    ASSIGN_OR_RETURN(piece.bytes, in->ReadBytes(sizes[i]));
    ByteReader bytes(piece.bytes, where);
    unsigned first = 0, end = 0;
    switch (PartKind(piece.part)) {
      case ChunkPart::kColumn: {
        ASSIGN_OR_RETURN(Column column, Column::Decode(&bytes, file_pages));
        first = column.first(), end = column.end();
        piece.object = static_cast<uint32_t>(out->columns.size());
        out->columns.push_back(std::move(column));
        break;
      }
      case ChunkPart::kEnds: {
        ASSIGN_OR_RETURN(const EndsPiece ends, EndsPiece::Decode(&bytes));
        end = ends.end();
        piece.object = static_cast<uint32_t>(out->ends.size());
        out->ends.push_back(ends);
        break;
      }
      default: {
        ASSIGN_OR_RETURN(AdjacencyPiece lists, AdjacencyPiece::Decode(&bytes, file_pages));
        first = lists.first(), end = lists.end();
        piece.object = static_cast<uint32_t>(out->adjacency.size());
        out->adjacency.push_back(std::move(lists));
      }
    }
    if (first != piece.first || end > piece.end) return in->Damaged("a piece that isn't of its span");
  }
  return Status::Ok();
}

size_t MemoryOf(const ChunkFrame& chunk) {
  size_t bytes = sizeof(ChunkFrame) + chunk.payload.capacity() + chunk.sets.capacity() * sizeof(void*) +
                 chunk.pieces.capacity() * sizeof(Piece) + chunk.patches.capacity() * sizeof(Patches) +
                 chunk.columns.capacity() * sizeof(Column) + chunk.adjacency.capacity() * sizeof(AdjacencyPiece) +
                 chunk.ends.capacity() * sizeof(EndsPiece);
  for (const Patches& patches : chunk.patches) bytes += patches.slots.capacity() * sizeof(uint16_t);
  for (const Column& column : chunk.columns) bytes += column.MemoryBytes();
  for (const AdjacencyPiece& lists : chunk.adjacency) bytes += lists.MemoryBytes();
  return bytes;
}

}  // namespace

Result<EndsPiece> EndsPiece::Decode(ByteReader* in) {
  EndsPiece piece;
  ASSIGN_OR_RETURN(piece.count_, in->ReadVarint32());
  if (piece.count_ == 0 || piece.count_ > kChunkSlots) return in->Damaged("ends of " + std::to_string(piece.count_) + " relationships");
  ASSIGN_OR_RETURN(piece.starts_, ReadPackedNumbers(in, piece.count_));
  ASSIGN_OR_RETURN(piece.ends_, ReadPackedNumbers(in, piece.count_));
  RETURN_IF_ERROR(in->ExpectEnd());
  for (unsigned i = 0; i < piece.count_; ++i) {
    if (piece.starts_[i] > kElementIdMax || piece.ends_[i] > kElementIdMax) return in->Damaged("an id of more than 40 bits");
  }
  return piece;
}

void EncodeEnds(std::span<const std::pair<uint64_t, uint64_t>> ends, ByteWriter* out) {
  out->Varint(ends.size());
  for (const bool of_starts : {true, false}) {
    auto id = [&](size_t i) { return of_starts ? ends[i].first : ends[i].second; };
    uint64_t least = ~uint64_t{0}, largest = 0;
    for (size_t i = 0; i < ends.size(); ++i) {
      least = std::min(least, id(i));
      largest = std::max(largest, id(i));
    }
    WritePackedNumbers(ends.size(), least, largest, out, id);
  }
}

const Piece* ChunkFrame::Find(uint32_t part, unsigned slot) const {
  // A handful of pieces, or hundreds where a column is long: the last one that doesn't begin behind.
  auto it = std::upper_bound(pieces.begin(), pieces.end(), std::pair(part, slot), [](const auto& place, const Piece& piece) {
    return piece.part != place.first ? place.first < piece.part : place.second < piece.first;
  });
  if (it == pieces.begin()) return nullptr;
  --it;
  return it->part == part && slot < it->end ? &*it : nullptr;
}

std::span<const Piece> ChunkFrame::Of(uint32_t part) const {
  const auto begin = std::lower_bound(pieces.begin(), pieces.end(), part, [](const Piece& piece, uint32_t p) { return piece.part < p; });
  auto end = begin;
  while (end != pieces.end() && end->part == part) ++end;
  return {begin, end};
}

const Patches* ChunkFrame::PatchesOf(uint32_t part) const {
  for (const Patches& list : patches) {
    if (list.part == part) return &list;
  }
  return nullptr;
}

Result<std::unique_ptr<ChunkFrame>> DecodeChunk(ExtentBytes bytes, const ExtentRef& ref, const ChunkContext& context) {
  auto frame = std::make_unique<ChunkFrame>();
  frame->space = context.space;
  frame->chunk = context.chunk;
  frame->ref = ref;
  frame->payload = std::move(bytes.bytes);
  const std::string where =
      (context.space == OwnerSpace::kNodeChunk ? "node chunk " : "relationship chunk ") + std::to_string(context.chunk);
  const std::span<const std::byte> payload = frame->payload;
  ByteReader in(payload.first(payload.size() - std::min(payload.size(), kPackedTail)), where);
  ASSIGN_OR_RETURN(frame->slots, in.ReadVarint32());
  if (frame->slots == 0 || frame->slots > kChunkSlots) return in.Damaged("a chunk of " + std::to_string(frame->slots) + " slots");
  ASSIGN_OR_RETURN(const uint8_t holes, in.ReadU8());
  if (holes > 1) return in.Damaged("a live map of the unknown form " + std::to_string(holes));
  if (holes == 1) {
    ASSIGN_OR_RETURN(const RankedBits live, ReadBitmap(&in, frame->slots));
    std::copy_n(live.words(), (frame->slots + 63) / 64, frame->live);
    frame->live_count = static_cast<uint32_t>(live.count());
  } else {
    for (unsigned slot = 0; slot < frame->slots; ++slot) SetBit(frame->live, slot);
    frame->live_count = frame->slots;
  }
  if (frame->live_count == 0) return in.Damaged("a chunk without elements");
  if (frame->space == OwnerSpace::kNodeChunk) {
    RETURN_IF_ERROR(DecodeLabels(&in, context.base->label_sets, frame.get()));
  } else {
    ASSIGN_OR_RETURN(frame->type, in.ReadVarint32());
    if (frame->type >= kTokensMax) return in.Damaged("the type " + std::to_string(frame->type));
  }
  const uint64_t file_pages = context.base->file->file_pages();
  std::vector<uint32_t> sizes;
  RETURN_IF_ERROR(DecodePieceTable(&in, file_pages, frame.get(), &sizes));
  RETURN_IF_ERROR(DecodePatches(&in, frame.get()));
  RETURN_IF_ERROR(DecodeInline(&in, file_pages, sizes, where, frame.get()));
  RETURN_IF_ERROR(in.ExpectEnd());
  frame->bytes = MemoryOf(*frame);
  return frame;
}

void EncodeChunk(const ChunkImage& image, ByteWriter* out) {
  size_t live = 0;
  for (const uint64_t word : image.live) live += static_cast<size_t>(std::popcount(word));
  CHECK(live > 0 && image.slots > 0);
  out->Varint(image.slots);
  out->U8(live == image.slots ? 0 : 1);
  if (live != image.slots) WriteBitmap(image.live, image.slots, out);
  if (image.space == OwnerSpace::kNodeChunk) {
    out->Varint(image.sets.size());
    for (const LabelSet* set : image.sets) {
      out->Varint(set->labels.size());
      for (LabelId label : set->labels) out->Varint(label.value);
    }
    const size_t codes = image.sets.size() == 1 ? 0 : image.slots;
    WritePacked(codes, image.sets.size() - 1, out, [&](size_t i) { return image.codes[i]; });
  } else {
    out->Varint(image.type);
  }
  out->Varint(image.pieces.size());
  for (const PieceImage& piece : image.pieces) {
    out->Varint(piece.part);
    out->Varint(piece.first);
    out->U8(piece.span_log2);
    out->U8(static_cast<uint8_t>((piece.ref.none() ? 0 : kInExtent) | (piece.blobs ? kHasBlobs : 0)));
    if (piece.ref.none()) out->Varint(piece.bytes.size()); else EncodeExtentRef(piece.ref, out);
  }
  out->Varint(image.patches.size());
  for (const PatchesImage& list : image.patches) {
    out->Varint(list.part);
    out->Varint(list.patches.size());
    uint32_t next = 0;
    size_t total = 0;
    for (const PatchImage& patch : list.patches) {
      out->Varint(patch.slot - next);
      next = patch.slot + 1u;
      total += patch.value.size();
    }
    out->Varint(total);
    uint64_t offset = 0;
    WritePacked(list.patches.size() + 1, total, out, [&](size_t i) {
      const uint64_t here = offset;
      if (i < list.patches.size()) offset += list.patches[i].value.size();
      return here;
    });
    for (const PatchImage& patch : list.patches) out->Bytes(patch.value);
  }
  for (const PieceImage& piece : image.pieces) {
    if (piece.ref.none()) out->Bytes(piece.bytes);
  }
  out->Zeros(kPackedTail);
}

}  // namespace fornix::storage
