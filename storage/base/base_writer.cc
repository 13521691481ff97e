#include "storage/base/base_writer.h"

#include <string>

#include "base/check.h"
#include "base/errors.h"
#include "storage/base/chunk_builder.h"
#include "storage/base/column_writer.h"
#include "storage/base/list_writer.h"

namespace fornix::storage {
namespace {

// The changes of all properties of a chunk, in the order of slots.
class ChangedColumns {
 public:
  struct Changes {
    uint32_t property = 0;
    std::vector<SlotChange> slots;
  };
  // Elements of a chunk mostly have the same properties, so the next one is mostly the one after the last.
  std::vector<SlotChange>& Of(uint32_t property) {
    if (hint_ < columns_.size() && columns_[hint_].property == property) return columns_[hint_++].slots;
    auto it = std::lower_bound(columns_.begin(), columns_.end(), property, [](const Changes& c, uint32_t p) { return c.property < p; });
    if (it == columns_.end() || it->property != property) it = columns_.insert(it, Changes{property, {}});
    hint_ = static_cast<size_t>(it - columns_.begin()) + 1;
    return it->slots;
  }
  void NextElement() { hint_ = 0; }
  std::vector<Changes>& columns() { return columns_; }

 private:
  std::vector<Changes> columns_;
  size_t hint_ = 0;
};

// How many doublings a span's slots are from its live ones. A span is written anew when that grows: what dead slots
// leave behind stays below the live part, and each value moves a logarithmic number of times.
unsigned Emptiness(size_t slots, size_t live) { return static_cast<unsigned>(std::bit_width(slots / std::max<size_t>(live, 1))); }
size_t LiveIn(const uint64_t* live, unsigned first, unsigned end) {
  size_t n = 0;
  for (unsigned slot = first; slot < end; ++slot) n += TestBit(live, slot);
  return n;
}

}  // namespace

class BaseWriter::Impl {
 public:
  Impl(const BaseContext& context, ExtentFile* file, const BaseRoots& old)
      : writer_{context, file, {}}, old_(old), roots_(old),
        spaces_{Space(ChunkMap(&writer_.base, OwnerSpace::kNodeChunk, old.node_directory)),
                Space(ChunkMap(&writer_.base, OwnerSpace::kRelChunk, old.rel_directory))} {}

  // Every call of the interface: dead after an error, and reads of the old base may throw.
  template <typename F>
  Status Guarded(F call) {
    RETURN_IF_ERROR(dead_);
    try {
      EpochGuard guard;
      dead_ = call();
    } catch (const ReadFailure& failure) {
      dead_ = failure.status();
    }
    writer_.file->Pace();
    return dead_;
  }
  Status Apply(const NodeChunkEdit& edit);
  Status Apply(const RelChunkEdit& edit);
  Status Finish();
  const BaseRoots& roots() const { return roots_; }
  BaseRoots& roots() { return roots_; }

 private:
  // One of the two directories, with the leaves that change.
  struct Space {
    explicit Space(ChunkMap chunks) : map(chunks) {}
    ChunkMap map;
    std::map<uint64_t, std::array<ExtentRef, kLeafChunks>> leaves;
  };
  const ChunkFrame* Old(Space& space, uint64_t chunk) const { return space.map.Find(chunk); }
  void SetChunk(Space* space, uint64_t chunk, const ExtentRef& ref);
  Status FinishDirectory(Space* space, ExtentRef* root);

  Status CheckSlot(uint64_t chunk, uint32_t slot, int64_t last) const;
  // Property changes of one element against what is there.
  Status Diff(ChunkBuilder* builder, unsigned slot, const StoredProperties& properties, ChangedColumns* changed);
  Status Changes(ChunkBuilder* builder, unsigned slot, const StoredProperties* properties, ChangedColumns* changed) {
    static const StoredProperties kNone;
    const bool created = builder->old() == nullptr || !builder->old()->Live(slot);
    return properties == nullptr && !created ? Status::Ok() : Diff(builder, slot, properties == nullptr ? kNone : *properties, changed);
  }
  Status Bury(ChunkBuilder* builder, unsigned slot);   // frees the blobs of an element that is deleted
  Status WriteColumns(ChunkBuilder* builder, ChangedColumns* changed);
  Status WriteLists(ChunkBuilder* builder, const std::vector<AdjacencyEdit>& edits);
  Status WriteEnds(ChunkBuilder* builder, const RelChunkEdit& edit);
  Status SetLabels(ChunkBuilder* builder, const NodeChunkEdit& edit);
  Status FreePieces(ChunkBuilder* builder);
  Status Replace(Space* space, uint64_t chunk, ChunkBuilder* builder, uint64_t* total);

  void CountLabels(uint64_t chunk, const ChunkFrame* old, const ChunkImage& image);
  void SetCount(TokenSpace space, uint32_t token, uint64_t chunk, size_t count);
  std::map<TokenKey, TokenList>& tokens();

  WriterContext writer_;
  const BaseRoots old_;
  BaseRoots roots_;
  Space spaces_[2];
  std::optional<std::map<TokenKey, TokenList>> tokens_;   // read when the first count changes
  Status dead_;
};

void BaseWriter::Impl::SetChunk(Space* space, uint64_t chunk, const ExtentRef& ref) {
  const uint64_t number = chunk / kLeafChunks;
  auto [it, made] = space->leaves.try_emplace(number);
  if (made && !space->map.root().none()) {
    const ExtentRef* leaf = ReadDirectoryRoot(writer_.base, space->map.space(), space->map.root()).Find(number);
    if (leaf != nullptr) it->second = ReadDirectoryLeaf(writer_.base, space->map.space(), number, *leaf).chunks;
  }
  it->second[chunk % kLeafChunks] = ref;
}

Status BaseWriter::Impl::FinishDirectory(Space* space, ExtentRef* root) {
  if (space->leaves.empty()) return Status::Ok();
  const OwnerSpace owner = space->map.space();
  std::map<uint32_t, ExtentRef> refs;
  if (!root->none()) {
    for (const auto& [number, ref] : ReadDirectoryRoot(writer_.base, owner, *root).leaves) refs.emplace(number, ref);
  }
  for (const auto& [number, chunks] : space->leaves) {
    const auto key = static_cast<uint32_t>(number);
    if (const auto it = refs.find(key); it != refs.end()) {
      writer_.file->Free(it->second);
      refs.erase(it);
    }
    if (std::all_of(chunks.begin(), chunks.end(), [](const ExtentRef& ref) { return ref.none(); })) continue;
    ByteWriter bytes;
    EncodeDirectoryLeaf(chunks, &bytes);
    ASSIGN_OR_RETURN(refs[key],
                     writer_.file->Write(ExtentKind::kDirectoryLeaf, DirectoryLeafOwner(owner, number), bytes.bytes(), Compress::kNever));
  }
  if (!root->none()) writer_.file->Free(*root);
  *root = {};
  if (refs.empty()) return Status::Ok();
  ByteWriter bytes;
  EncodeDirectoryRoot(std::vector<std::pair<uint32_t, ExtentRef>>(refs.begin(), refs.end()), &bytes);
  ASSIGN_OR_RETURN(*root, writer_.file->Write(ExtentKind::kDirectoryRoot, DirectoryRootOwner(owner), bytes.bytes(), Compress::kNever));
  return Status::Ok();
}

std::map<TokenKey, TokenList>& BaseWriter::Impl::tokens() {
  if (!tokens_) {
    tokens_.emplace();
    if (!old_.token_lists.none()) *tokens_ = ReadTokenLists(writer_.base, old_.token_lists).lists;
  }
  return *tokens_;
}

void BaseWriter::Impl::SetCount(TokenSpace space, uint32_t token, uint64_t chunk, size_t count) {
  TokenList& list = tokens()[{space, token}];
  const auto number = static_cast<uint32_t>(chunk);
  auto it = list.chunks.end();
  if (!list.chunks.empty() && list.chunks.back().chunk >= number) {
    it = std::lower_bound(list.chunks.begin(), list.chunks.end(), number, [](const TokenChunk& c, uint32_t n) { return c.chunk < n; });
  }
  const bool found = it != list.chunks.end() && it->chunk == number;
  list.total += count;
  if (found) {
    list.total -= it->count;
    if (count == 0) list.chunks.erase(it); else it->count = static_cast<uint32_t>(count);
  } else if (count > 0) {
    list.chunks.insert(it, {number, static_cast<uint32_t>(count)});
  }
  if (list.chunks.empty()) tokens().erase({space, token});
}

void BaseWriter::Impl::CountLabels(uint64_t chunk, const ChunkFrame* old, const ChunkImage& image) {
  std::map<uint32_t, std::pair<size_t, size_t>> counts;   // by label: before, now
  std::vector<size_t> sets(std::max(image.sets.size(), old == nullptr ? 0 : old->sets.size()));
  if (old != nullptr) {
    for (unsigned slot = 0; slot < old->slots; ++slot) {
      if (old->Live(slot)) ++sets[old->sets.size() == 1 ? 0 : old->codes[slot]];
    }
    for (size_t i = 0; i < old->sets.size(); ++i) {
      for (LabelId label : old->sets[i]->labels) counts[label.value].first += sets[i];
    }
  }
  std::fill(sets.begin(), sets.end(), 0);
  for (unsigned slot = 0; slot < image.slots; ++slot) {
    if (TestBit(image.live, slot)) ++sets[image.codes.empty() ? 0 : image.codes[slot]];
  }
  for (size_t i = 0; i < image.sets.size(); ++i) {
    for (LabelId label : image.sets[i]->labels) counts[label.value].second += sets[i];
  }
  for (const auto& [label, count] : counts) {
    if (count.first != count.second) SetCount(TokenSpace::kLabel, label, chunk, count.second);
  }
}

Status BaseWriter::Impl::CheckSlot(uint64_t chunk, uint32_t slot, int64_t last) const {
  if (chunk < kChunksMax && slot < kChunkSlots && int64_t{slot} > last) return Status::Ok();
  return Status(Code::kInternal, "edits of chunk " + std::to_string(chunk) + " out of order at slot " + std::to_string(slot));
}

Status BaseWriter::Impl::Diff(ChunkBuilder* builder, unsigned slot, const StoredProperties& properties, ChangedColumns* changed) {
  changed->NextElement();
  const ChunkFrame* old = builder->old();
  const auto number = static_cast<uint16_t>(slot);
  std::vector<uint32_t> keys;
  if (old != nullptr && slot < old->slots) PropertiesOf(*old, &keys);
  if (old == nullptr || !old->Live(slot)) {
    for (const StoredProperty& property : properties) {
      Cell cell = CellOf(property, &writer_.arena);
      if (cell.empty()) continue;
      RETURN_IF_ERROR(ColumnWriter(builder, property.key.value).Externalise(&cell));
      changed->Of(property.key.value).push_back({number, cell});
    }
    // A hole that is filled late: where columns were dense around it, something stands at its place.
    for (const uint32_t key : keys) {
      if (FindStored(properties, PropertyId(key)) == nullptr && !ReadCell(writer_.base, *old, key, slot).empty())
        changed->Of(key).push_back({number, Cell()});
    }
    return Status::Ok();
  }
  size_t at = 0;
  for (const StoredProperty& property : properties) {
    for (; at < keys.size() && keys[at] < property.key.value; ++at) {
      Cell gone;
      ASSIGN_OR_RETURN(const bool changes,
                       ColumnWriter(builder, keys[at]).Changed(slot, ReadCell(writer_.base, *old, keys[at], slot), &gone));
      if (changes) changed->Of(keys[at]).push_back({number, gone});
    }
    Cell now;
    if (at < keys.size() && keys[at] == property.key.value) now = ReadCell(writer_.base, *old, keys[at++], slot);
    Cell cell = CellOf(property, &writer_.arena);
    ASSIGN_OR_RETURN(const bool changes, ColumnWriter(builder, property.key.value).Changed(slot, now, &cell));
    if (changes) changed->Of(property.key.value).push_back({number, cell});
  }
  for (; at < keys.size(); ++at) {
    Cell gone;
    ASSIGN_OR_RETURN(const bool changes,
                     ColumnWriter(builder, keys[at]).Changed(slot, ReadCell(writer_.base, *old, keys[at], slot), &gone));
    if (changes) changed->Of(keys[at]).push_back({number, gone});
  }
  return Status::Ok();
}

Status BaseWriter::Impl::Bury(ChunkBuilder* builder, unsigned slot) {
  for (const Piece& piece : builder->old()->pieces) {
    if (!piece.blobs || slot < piece.first || slot >= piece.end) continue;
    RETURN_IF_ERROR(ColumnWriter(builder, piece.part).FreeBlob(ReadCell(writer_.base, *builder->old(), piece.part, slot)));
  }
  return Status::Ok();
}

Status BaseWriter::Impl::WriteColumns(ChunkBuilder* builder, ChangedColumns* changed) {
  const ChunkFrame* old = builder->old();
  const ChunkImage& image = builder->image();
  bool died = false;
  for (size_t word = 0; old != nullptr && word < kBitmapWords; ++word) died = died || (old->live[word] & ~image.live[word]) != 0;
  const auto tidy = [&](unsigned first, unsigned end) {
    end = std::min(end, old->slots);
    if (!died || first >= end) return false;
    const size_t before = LiveIn(old->live, first, end), now = LiveIn(image.live, first, end);
    return now < before && Emptiness(end - first, now) > Emptiness(end - first, before);
  };
  if (old != nullptr) {
    std::vector<uint32_t> keys;
    PropertiesOf(*old, &keys);
    for (const uint32_t key : keys) (void)changed->Of(key);
  }
  for (const ChangedColumns::Changes& column : changed->columns()) {
    RETURN_IF_ERROR(ColumnWriter(builder, column.property).Write(column.slots, tidy));
  }
  return Status::Ok();
}

Status BaseWriter::Impl::WriteLists(ChunkBuilder* builder, const std::vector<AdjacencyEdit>& edits) {
  const ChunkFrame* old = builder->old();
  std::map<uint32_t, std::span<const AdjacencyEdit>> parts;
  for (const Piece& piece : old == nullptr ? std::span<const Piece>() : std::span<const Piece>(old->pieces)) {
    if (PartKind(piece.part) == ChunkPart::kOutgoing || PartKind(piece.part) == ChunkPart::kIncoming) parts[piece.part];
  }
  for (size_t begin = 0; begin < edits.size();) {
    size_t end = begin + 1;
    while (end < edits.size() && edits[end].type == edits[begin].type && edits[end].incoming == edits[begin].incoming) ++end;
    const uint32_t part = ListPart(edits[begin].type, edits[begin].incoming);
    if (!parts[part].empty()) return Status(Code::kInternal, "edits of lists out of order at type " + std::to_string(edits[begin].type));
    parts[part] = std::span(edits).subspan(begin, end - begin);
    begin = end;
  }
  for (const auto& [part, own] : parts) RETURN_IF_ERROR(ListWriter(builder, part).Write(own));
  return Status::Ok();
}

Status BaseWriter::Impl::SetLabels(ChunkBuilder* builder, const NodeChunkEdit& edit) {
  const ChunkFrame* old = builder->old();
  ChunkImage& image = builder->image();
  std::vector<const LabelSet*> now(image.slots, nullptr);
  if (old != nullptr) {
    for (unsigned slot = 0; slot < old->slots; ++slot) {
      if (old->Live(slot)) now[slot] = old->Labels(slot);
    }
  }
  const LabelSet* none = nullptr;
  for (const NodeEdit& node : edit.nodes) {
    if (node.deleted) continue;
    if (node.labels != nullptr) now[node.slot] = node.labels;
    if (now[node.slot] == nullptr) now[node.slot] = none == nullptr ? none = writer_.base.label_sets->Intern({}) : none;
  }
  image.codes.assign(image.slots, 0);
  std::map<const LabelSet*, uint16_t> codes;
  const LabelSet* last = nullptr;
  uint16_t code = 0;
  for (unsigned slot = 0; slot < image.slots; ++slot) {
    if (!builder->Live(slot)) continue;
    if (now[slot] != last) {
      last = now[slot];
      const auto [it, made] = codes.emplace(last, static_cast<uint16_t>(image.sets.size()));
      if (made) image.sets.push_back(last);
      code = it->second;
    }
    image.codes[slot] = code;
  }
  if (image.sets.size() <= 1) image.codes.clear();
  return Status::Ok();
}

// Of a chunk without elements: nothing of it stays.
Status BaseWriter::Impl::FreePieces(ChunkBuilder* builder) {
  for (const Piece& piece : builder->old()->pieces) {
    if (PartKind(piece.part) == ChunkPart::kColumn) {
      const Column& column = ReadColumn(writer_.base, *builder->old(), piece);
      for (size_t i = 0; column.floats() != nullptr && i < column.floats()->extents.size(); ++i) {
        if (!column.floats()->extents[i].none()) writer_.file->Free(column.floats()->extents[i]);
      }
    }
    builder->Drop(piece);
  }
  return Status::Ok();
}

Status BaseWriter::Impl::Replace(Space* space, uint64_t chunk, ChunkBuilder* builder, uint64_t* total) {
  size_t live = 0;
  for (const uint64_t word : builder->image().live) live += static_cast<size_t>(std::popcount(word));
  if (builder->old() != nullptr) {
    writer_.file->Free(builder->old()->ref);
    *total -= builder->old()->live_count;
  }
  *total += live;
  ExtentRef ref;
  if (live > 0) {
    ASSIGN_OR_RETURN(ref, builder->Write());
  }
  SetChunk(space, chunk, ref);
  writer_.arena.Clear();
  return Status::Ok();
}

Status BaseWriter::Impl::Apply(const NodeChunkEdit& edit) {
  Space& space = spaces_[0];
  const ChunkFrame* old = Old(space, edit.chunk);
  ChunkBuilder builder(&writer_, OwnerSpace::kNodeChunk, edit.chunk, old);
  ChunkImage& image = builder.image();
  ChangedColumns changed;
  int64_t last = -1;
  for (const NodeEdit& node : edit.nodes) {
    RETURN_IF_ERROR(CheckSlot(edit.chunk, node.slot, last));
    last = node.slot;
    if (node.deleted) {
      if (old == nullptr || !old->Live(node.slot)) continue;   // created and deleted between two checkpoints
      RETURN_IF_ERROR(Bury(&builder, node.slot));
      ClearBit(image.live, node.slot);
      continue;
    }
    SetBit(image.live, node.slot);
    image.slots = std::max(image.slots, node.slot + 1);
    RETURN_IF_ERROR(Changes(&builder, node.slot, node.properties, &changed));
  }
  if (image.slots == 0) {
    return edit.adjacency.empty()
               ? Status::Ok()
               : Corruption(writer_.base.file->path() + ": node chunk " + std::to_string(edit.chunk) + " has lists and no nodes");
  }
  RETURN_IF_ERROR(SetLabels(&builder, edit));
  CountLabels(edit.chunk, old, image);
  RETURN_IF_ERROR(WriteLists(&builder, edit.adjacency));
  if (image.sets.empty()) {
    if (builder.has_pieces())
      return Corruption(writer_.base.file->path() + ": the last node of chunk " + std::to_string(edit.chunk) +
                        " is deleted and still has relationships");
    if (old != nullptr) RETURN_IF_ERROR(FreePieces(&builder));
  } else {
    RETURN_IF_ERROR(WriteColumns(&builder, &changed));
  }
  return Replace(&space, edit.chunk, &builder, &roots_.nodes);
}

Status BaseWriter::Impl::WriteEnds(ChunkBuilder* builder, const RelChunkEdit& edit) {
  constexpr uint32_t part = PartOf(ChunkPart::kEnds);
  const ChunkFrame* old = builder->old();
  const std::span<const Piece> pieces = old == nullptr ? std::span<const Piece>() : old->Of(part);
  const Piece* piece = pieces.empty() ? nullptr : &pieces.front();
  const Patches* patches = old == nullptr ? nullptr : old->PatchesOf(part);
  size_t created = 0;
  for (const RelEdit& relationship : edit.relationships) created += relationship.created && !relationship.deleted;
  const size_t patched = created + (patches == nullptr ? 0 : patches->slots.size());
  if (piece != nullptr && (created == 0 || (!piece->ref.none() && patched * kPatchedShare <= old->slots))) {
    builder->Keep(*piece);
    PatchesImage next;
    next.part = part;
    for (size_t i = 0; patches != nullptr && i < patches->slots.size(); ++i) {
      if (builder->Live(patches->slots[i])) next.patches.push_back({patches->slots[i], patches->values[i]});
    }
    for (const RelEdit& relationship : edit.relationships) {
      if (!relationship.created || relationship.deleted) continue;
      ByteWriter ends;
      ends.Varint(relationship.start);
      ends.Varint(relationship.end);
      next.patches.push_back({static_cast<uint16_t>(relationship.slot), {writer_.arena.Keep(ends.bytes()), ends.size()}});
    }
    std::sort(next.patches.begin(), next.patches.end(), [](const PatchImage& a, const PatchImage& b) { return a.slot < b.slot; });
    builder->Patch(std::move(next));
    return Status::Ok();
  }
  std::vector<std::pair<uint64_t, uint64_t>> ends(builder->image().slots, {~uint64_t{0}, 0});
  for (unsigned slot = 0; old != nullptr && slot < old->slots; ++slot) {
    if (old->Live(slot) && builder->Live(slot)) ends[slot] = ReadEnds(writer_.base, *old, slot);
  }
  for (const RelEdit& relationship : edit.relationships) {
    if (relationship.created && !relationship.deleted) ends[relationship.slot] = {relationship.start, relationship.end};
  }
  // Dead slots stand in with whatever is near.
  std::pair<uint64_t, uint64_t> near{0, 0};
  for (const auto& pair : ends) {
    if (pair.first != ~uint64_t{0}) near = pair;
  }
  for (auto& pair : ends) {
    if (pair.first == ~uint64_t{0}) pair = near; else near = pair;
  }
  if (piece != nullptr) builder->Drop(*piece);
  ByteWriter bytes;
  EncodeEnds(ends, &bytes);
  builder->Put(part, 0, 12, false, bytes.Take(), Compress::kNever);
  return Status::Ok();
}

Status BaseWriter::Impl::Apply(const RelChunkEdit& edit) {
  Space& space = spaces_[1];
  const ChunkFrame* old = Old(space, edit.chunk);
  ChunkBuilder builder(&writer_, OwnerSpace::kRelChunk, edit.chunk, old);
  ChunkImage& image = builder.image();
  if (old != nullptr && old->type != edit.type) {
    return Corruption(writer_.base.file->path() + ": relationship chunk " + std::to_string(edit.chunk) + " is of type " +
                      std::to_string(old->type) + ", expected " + std::to_string(edit.type));
  }
  image.type = edit.type;
  ChangedColumns changed;
  int64_t last = -1;
  for (const RelEdit& relationship : edit.relationships) {
    RETURN_IF_ERROR(CheckSlot(edit.chunk, relationship.slot, last));
    last = relationship.slot;
    const bool was = old != nullptr && old->Live(relationship.slot);
    if (relationship.deleted) {
      if (!was) continue;
      RETURN_IF_ERROR(Bury(&builder, relationship.slot));
      ClearBit(image.live, relationship.slot);
      continue;
    }
    if (relationship.created == was || (relationship.created && std::max(relationship.start, relationship.end) > kElementIdMax)) {
      return Corruption(writer_.base.file->path() + ": the relationship at slot " + std::to_string(relationship.slot) + " of chunk " +
                        std::to_string(edit.chunk) + (was ? " is created and was there" : " is changed and isn't there"));
    }
    SetBit(image.live, relationship.slot);
    image.slots = std::max(image.slots, relationship.slot + 1);
    RETURN_IF_ERROR(Changes(&builder, relationship.slot, relationship.properties, &changed));
  }
  if (image.slots == 0) return Status::Ok();
  const size_t live = LiveIn(image.live, 0, image.slots);
  if (live != (old == nullptr ? 0 : old->live_count)) SetCount(TokenSpace::kType, edit.type, edit.chunk, live);
  if (live > 0) {
    RETURN_IF_ERROR(WriteColumns(&builder, &changed));
    RETURN_IF_ERROR(WriteEnds(&builder, edit));
  } else if (old != nullptr) {
    RETURN_IF_ERROR(FreePieces(&builder));
  }
  return Replace(&space, edit.chunk, &builder, &roots_.relationships);
}

Status BaseWriter::Impl::Finish() {
  RETURN_IF_ERROR(FinishDirectory(&spaces_[0], &roots_.node_directory));
  RETURN_IF_ERROR(FinishDirectory(&spaces_[1], &roots_.rel_directory));
  if (!tokens_) return Status::Ok();
  if (!old_.token_lists.none()) {
    for (const ExtentRef& ref : ReadTokenLists(writer_.base, old_.token_lists).extents) writer_.file->Free(ref);
    writer_.file->Free(old_.token_lists);
  }
  ASSIGN_OR_RETURN(roots_.token_lists, WriteTokenLists(writer_.file, *tokens_));
  return Status::Ok();
}

BaseWriter::BaseWriter(const BaseContext& context, ExtentFile* file, const BaseRoots& old)
    : impl_(std::make_unique<Impl>(context, file, old)) {}
BaseWriter::~BaseWriter() = default;

Status BaseWriter::Apply(const NodeChunkEdit& edit) {
  return impl_->Guarded([&] { return impl_->Apply(edit); });
}
Status BaseWriter::Apply(const RelChunkEdit& edit) {
  return impl_->Guarded([&] { return impl_->Apply(edit); });
}
Result<BaseRoots> BaseWriter::Finish(Timestamp timestamp) {
  RETURN_IF_ERROR(impl_->Guarded([&] { return impl_->Finish(); }));
  impl_->roots().timestamp = timestamp;
  return impl_->roots();
}

}  // namespace fornix::storage
