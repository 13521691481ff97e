#include "storage/base/chunk_access.h"

#include <string>

#include "base/errors.h"

namespace fornix::storage {
namespace {

struct ColumnFrame : Frame {
  std::vector<std::byte> payload;
  Column object;
};
struct EndsFrame : Frame {
  std::vector<std::byte> payload;
  EndsPiece object;
};
struct ListsFrame : Frame {
  AdjacencyPiece object;
};
struct HubRootFrame : Frame {
  HubRoot object;
};
struct HubLeafFrame : Frame {
  HubLeaf object;
};

// What a decoder must know to test that it holds the piece that was asked for.
struct PieceContext {
  const BaseContext* base;
  const ChunkFrame* chunk;
  uint32_t part;
  unsigned first, end;
};

std::string Name(const ChunkFrame& chunk) {
  return (chunk.space == OwnerSpace::kNodeChunk ? "node chunk " : "relationship chunk ") + std::to_string(chunk.chunk);
}
// For messages; the cache adds file and offset.
std::string Where(const PieceContext& context) { return "part " + std::to_string(context.part) + " of " + Name(*context.chunk); }
std::span<const std::byte> WithoutTail(std::span<const std::byte> payload) {
  return payload.first(payload.size() - std::min(payload.size(), kPackedTail));
}

Status CheckSpan(const ByteReader& in, const PieceContext& context, unsigned first, unsigned end) {
  if (first == context.first && end <= context.end) return Status::Ok();
  return in.Damaged("slots [" + std::to_string(first) + ", " + std::to_string(end) + "), expected them in [" +
                    std::to_string(context.first) + ", " + std::to_string(context.end) + ")");
}

Result<std::unique_ptr<Frame>> DecodeChunkFrame(ExtentBytes bytes, const ExtentRef& ref, const void* context) {
  ASSIGN_OR_RETURN(std::unique_ptr<ChunkFrame> frame, DecodeChunk(std::move(bytes), ref, *static_cast<const ChunkContext*>(context)));
  return std::unique_ptr<Frame>(std::move(frame));
}

Result<std::unique_ptr<Frame>> DecodeColumnFrame(ExtentBytes bytes, const ExtentRef&, const void* raw) {
  const auto& context = *static_cast<const PieceContext*>(raw);
  auto frame = std::make_unique<ColumnFrame>();
  frame->payload = std::move(bytes.bytes);
  const std::string where = Where(context);
  ByteReader in(WithoutTail(frame->payload), where);
  ASSIGN_OR_RETURN(frame->object, Column::Decode(&in, context.base->file->file_pages()));
  RETURN_IF_ERROR(CheckSpan(in, context, frame->object.first(), frame->object.end()));
  frame->bytes = sizeof(ColumnFrame) + frame->payload.capacity() + frame->object.MemoryBytes();
  return std::unique_ptr<Frame>(std::move(frame));
}

Result<std::unique_ptr<Frame>> DecodeEndsFrame(ExtentBytes bytes, const ExtentRef&, const void* raw) {
  const auto& context = *static_cast<const PieceContext*>(raw);
  auto frame = std::make_unique<EndsFrame>();
  frame->payload = std::move(bytes.bytes);
  const std::string where = Where(context);
  ByteReader in(WithoutTail(frame->payload), where);
  ASSIGN_OR_RETURN(frame->object, EndsPiece::Decode(&in));
  RETURN_IF_ERROR(CheckSpan(in, context, 0, frame->object.end()));
  frame->bytes = sizeof(EndsFrame) + frame->payload.capacity();
  return std::unique_ptr<Frame>(std::move(frame));
}

Result<std::unique_ptr<Frame>> DecodeListsFrame(ExtentBytes bytes, const ExtentRef&, const void* raw) {
  const auto& context = *static_cast<const PieceContext*>(raw);
  auto frame = std::make_unique<ListsFrame>();
  const std::string where = Where(context);
  ByteReader in(WithoutTail(bytes.bytes), where);
  ASSIGN_OR_RETURN(frame->object, AdjacencyPiece::Decode(&in, context.base->file->file_pages()));
  RETURN_IF_ERROR(CheckSpan(in, context, frame->object.first(), frame->object.end()));
  frame->bytes = sizeof(ListsFrame) + frame->object.MemoryBytes();
  return std::unique_ptr<Frame>(std::move(frame));
}

Result<std::unique_ptr<Frame>> DecodeHubRootFrame(ExtentBytes bytes, const ExtentRef&, const void* raw) {
  const auto& context = *static_cast<const PieceContext*>(raw);
  auto frame = std::make_unique<HubRootFrame>();
  const std::string where = Where(context);
  ByteReader in(bytes.bytes, where);
  ASSIGN_OR_RETURN(frame->object, HubRoot::Decode(&in, context.base->file->file_pages()));
  RETURN_IF_ERROR(CheckSpan(in, context, frame->object.slot, frame->object.slot + 1));
  frame->bytes = sizeof(HubRootFrame) + frame->object.fences.capacity() * (sizeof(HubFence) + sizeof(uint64_t));
  return std::unique_ptr<Frame>(std::move(frame));
}

Result<std::unique_ptr<Frame>> DecodeHubLeafFrame(ExtentBytes bytes, const ExtentRef&, const void* raw) {
  const auto& context = *static_cast<const PieceContext*>(raw);
  auto frame = std::make_unique<HubLeafFrame>();
  const std::string where = Where(context);
  ByteReader in(WithoutTail(bytes.bytes), where);
  ASSIGN_OR_RETURN(frame->object, HubLeaf::Decode(&in));
  frame->bytes = sizeof(HubLeafFrame) + frame->object.neighbours.MemoryBytes() + frame->object.relationships.MemoryBytes();
  return std::unique_ptr<Frame>(std::move(frame));
}

template <typename F>
const auto& ReadPiece(const BaseContext& context, const ChunkFrame& chunk, const Piece& piece, FrameCache::Decode decode) {
  const PieceContext wanted{&context, &chunk, piece.part, piece.first, piece.end};
  return context.cache->Get<F>(*context.file, piece.ref, ExtentKind::kPiece, PieceOwner(chunk, piece.part), decode, &wanted).object;
}

}  // namespace

const ChunkFrame& ChunkMap::Read(uint64_t chunk, const ExtentRef& ref) const {
  const ChunkContext context{context_, space_, chunk};
  return context_->cache->Get<ChunkFrame>(*context_->file, ref, ExtentKind::kChunk, ExtentOwner(space_, chunk, PartOf(ChunkPart::kMain)),
                                          DecodeChunkFrame, &context);
}

const ChunkFrame* ChunkMap::Find(uint64_t chunk) const {
  if (root_.none() || chunk >= kChunksMax) return nullptr;
  const ExtentRef* leaf = ReadDirectoryRoot(*context_, space_, root_).Find(chunk / kLeafChunks);
  if (leaf == nullptr) return nullptr;
  const ExtentRef& ref = ReadDirectoryLeaf(*context_, space_, chunk / kLeafChunks, *leaf).chunks[chunk % kLeafChunks];
  return ref.none() ? nullptr : &Read(chunk, ref);
}

const ChunkFrame* ChunkMap::Next(uint64_t* from) const {
  if (root_.none()) return nullptr;
  const DirectoryRoot& root = ReadDirectoryRoot(*context_, space_, root_);
  auto it = std::lower_bound(root.leaves.begin(), root.leaves.end(), *from / kLeafChunks,
                             [](const auto& leaf, uint64_t number) { return leaf.first < number; });
  for (; it != root.leaves.end(); ++it) {
    const DirectoryLeaf& leaf = ReadDirectoryLeaf(*context_, space_, it->first, it->second);
    for (size_t i = it->first == *from / kLeafChunks ? *from % kLeafChunks : 0; i < kLeafChunks; ++i) {
      if (leaf.chunks[i].none()) continue;
      *from = uint64_t{it->first} * kLeafChunks + i;
      return &Read(*from, leaf.chunks[i]);
    }
  }
  return nullptr;
}

const Column& ReadColumn(const BaseContext& context, const ChunkFrame& chunk, const Piece& piece) {
  if (piece.object != Piece::kOutside) return chunk.columns[piece.object];
  return ReadPiece<ColumnFrame>(context, chunk, piece, DecodeColumnFrame);
}
const AdjacencyPiece& ReadLists(const BaseContext& context, const ChunkFrame& chunk, const Piece& piece) {
  if (piece.object != Piece::kOutside) return chunk.adjacency[piece.object];
  return ReadPiece<ListsFrame>(context, chunk, piece, DecodeListsFrame);
}
const EndsPiece& ReadEndsPiece(const BaseContext& context, const ChunkFrame& chunk, const Piece& piece) {
  if (piece.object != Piece::kOutside) return chunk.ends[piece.object];
  return ReadPiece<EndsFrame>(context, chunk, piece, DecodeEndsFrame);
}

const HubRoot& ReadHubRoot(const BaseContext& context, const ChunkFrame& chunk, uint32_t part, const HubEntry& hub) {
  const PieceContext wanted{&context, &chunk, HubRootPart(part), hub.slot, hub.slot + 1};
  const HubRoot& root = context.cache->Get<HubRootFrame>(*context.file, hub.root, ExtentKind::kHubRoot,
                                                         PieceOwner(chunk, HubRootPart(part)), DecodeHubRootFrame, &wanted).object;
  if (root.degree != hub.degree) ThrowDamaged(context, chunk, "a long list whose leaves don't add up to its degree");
  return root;
}

const HubLeaf& ReadHubLeaf(const BaseContext& context, const ChunkFrame& chunk, uint32_t part, const HubFence& fence) {
  const PieceContext wanted{&context, &chunk, HubLeafPart(part), 0, 0};
  const HubLeaf& leaf = context.cache->Get<HubLeafFrame>(*context.file, fence.leaf, ExtentKind::kHubLeaf,
                                                         PieceOwner(chunk, HubLeafPart(part)), DecodeHubLeafFrame, &wanted).object;
  if (leaf.count != fence.count || leaf.At(0) != fence.first)
    ThrowDamaged(context, chunk, "a leaf of a long list that isn't the one of its fence");
  return leaf;
}

ValueReader ReaderOf(const BaseContext& context, const ChunkFrame& chunk, uint32_t property) {
  return ValueReader(&context, chunk.space, chunk.chunk, property, chunk.ref.page);
}

Value ReadValue(const BaseContext& context, const ChunkFrame& chunk, uint32_t property, unsigned slot) {
  const ValueReader reader = ReaderOf(context, chunk, property);
  const uint32_t part = PartOf(ChunkPart::kColumn, property);
  if (const Patches* patches = chunk.PatchesOf(part); patches != nullptr && patches->Has(slot)) return reader.Tagged(patches->At(slot));
  const Piece* piece = chunk.Find(part, slot);
  return piece == nullptr ? Value() : ReadColumn(context, chunk, *piece).Get(slot, reader);
}

Cell ReadCell(const BaseContext& context, const ChunkFrame& chunk, uint32_t property, unsigned slot) {
  const uint32_t part = PartOf(ChunkPart::kColumn, property);
  if (const Patches* patches = chunk.PatchesOf(part); patches != nullptr && patches->Has(slot)) return CellOfTagged(patches->At(slot));
  const Piece* piece = chunk.Find(part, slot);
  return piece == nullptr ? Cell() : ReadColumn(context, chunk, *piece).CellAt(slot);
}

std::pair<uint64_t, uint64_t> ReadEnds(const BaseContext& context, const ChunkFrame& chunk, unsigned slot) {
  constexpr uint32_t part = PartOf(ChunkPart::kEnds);
  if (const Patches* patches = chunk.PatchesOf(part); patches != nullptr && patches->Has(slot)) {
    ByteReader in(patches->At(slot), "the patched ends of a relationship");
    const uint64_t start = ValueOrThrow(in.ReadVarint()), end = ValueOrThrow(in.ReadVarint());
    if (start > kElementIdMax || end > kElementIdMax || !in.empty()) ThrowDamaged(context, chunk, "patched ends that can't be ids");
    return {start, end};
  }
  if (const Piece* piece = chunk.Find(part, slot); piece != nullptr) {
    const EndsPiece& ends = ReadEndsPiece(context, chunk, *piece);
    if (ends.Has(slot)) return ends.At(slot);
  }
  ThrowDamaged(context, chunk, "the relationship at slot " + std::to_string(slot) + " has no ends");
}

void PropertiesOf(const ChunkFrame& chunk, std::vector<uint32_t>* out) {
  out->clear();
  for (const Piece& piece : chunk.pieces) {
    if (PartKind(piece.part) == ChunkPart::kColumn && (out->empty() || out->back() != piece.part)) out->push_back(piece.part);
  }
  for (const Patches& patches : chunk.patches) {
    if (PartKind(patches.part) != ChunkPart::kColumn) continue;
    const auto it = std::lower_bound(out->begin(), out->end(), patches.part);
    if (it == out->end() || *it != patches.part) out->insert(it, patches.part);
  }
}

void ThrowDamaged(const BaseContext& context, const ChunkFrame& chunk, std::string_view what) {
  throw ReadFailure(Corruption(context.file->path() + ": offset " + std::to_string(chunk.ref.page * kPageBytes) + ": " + Name(chunk) +
                               ": " + std::string(what)));
}

}  // namespace fornix::storage
