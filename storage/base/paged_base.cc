#include "storage/base/paged_base.h"

#include "storage/base/chunk_access.h"
#include "storage/base/list_access.h"

namespace fornix::storage {
namespace {

constexpr size_t kReadsAGuard = 16;            // pieces of up to some 100 KiB that one guard keeps in memory; renewing it costs 20 ns

constexpr uint64_t ChunkOf(uint64_t id) { return id / kChunkSlots; }
constexpr unsigned SlotOf(uint64_t id) { return static_cast<unsigned>(id % kChunkSlots); }

class PagedBase final : public Base {
 public:
  PagedBase(const BaseContext& context, const BaseRoots& roots)
      : Base(false, roots.timestamp, context.file->path()), context_(context), roots_(roots),
        nodes_(&context_, OwnerSpace::kNodeChunk, roots.node_directory), relationships_(&context_, OwnerSpace::kRelChunk, roots.rel_directory) {
    for (const auto& [index, tree] : roots.trees) {
      trees_.emplace(index, IndexTree(context.file, context.cache, IndexId(index), tree));
    }
  }

  const LabelSet* Labels(NodeId id) const override {
    EpochGuard guard;
    const ChunkFrame* chunk = nodes_.Find(ChunkOf(id.value));
    return chunk != nullptr && chunk->Live(SlotOf(id.value)) ? chunk->Labels(SlotOf(id.value)) : nullptr;
  }
  bool Has(RelId id) const override {
    EpochGuard guard;
    const ChunkFrame* chunk = relationships_.Find(ChunkOf(id.value));
    return chunk != nullptr && chunk->Live(SlotOf(id.value));
  }
  std::optional<RelationshipEnds> Ends(RelId id) const override {
    EpochGuard guard;
    const ChunkFrame* chunk = relationships_.Find(ChunkOf(id.value));
    if (chunk == nullptr || !chunk->Live(SlotOf(id.value))) return std::nullopt;
    const auto [start, end] = ReadEnds(context_, *chunk, SlotOf(id.value));
    return RelationshipEnds{NodeId(start), NodeId(end), TypeId(chunk->type)};
  }
  Value Property(NodeId id, PropertyId key) const override { return PropertyOf(nodes_, id.value, key); }
  Value Property(RelId id, PropertyId key) const override { return PropertyOf(relationships_, id.value, key); }
  void Properties(NodeId id, PropertyList* out) const override { AllProperties(nodes_, id.value, out); }
  void Properties(RelId id, PropertyList* out) const override { AllProperties(relationships_, id.value, out); }
  void Gather(std::span<const NodeId> ids, PropertyId key, Value* out) const override {
    static_assert(sizeof(NodeId) == sizeof(uint64_t));
    GatherFrom(nodes_, {reinterpret_cast<const uint64_t*>(ids.data()), ids.size()}, key, out);
  }
  void Gather(std::span<const RelId> ids, PropertyId key, Value* out) const override {
    static_assert(sizeof(RelId) == sizeof(uint64_t));
    GatherFrom(relationships_, {reinterpret_cast<const uint64_t*>(ids.data()), ids.size()}, key, out);
  }
  void GatherFloats(std::span<const NodeId> ids, PropertyId key, TakeFloats take) const override { FloatsFrom(nodes_, ids, key, take); }
  void GatherFloats(std::span<const RelId> ids, PropertyId key, TakeFloats take) const override {
    FloatsFrom(relationships_, ids, key, take);
  }
  void GatherLabels(std::span<const NodeId> ids, const LabelSet** out) const override {
    EpochGuard guard;
    const ChunkFrame* chunk = nullptr;
    uint64_t number = ~uint64_t{0};
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ChunkOf(ids[i].value) != number) chunk = nodes_.Find(number = ChunkOf(ids[i].value));
      const unsigned slot = SlotOf(ids[i].value);
      out[i] = chunk != nullptr && chunk->Live(slot) ? chunk->Labels(slot) : nullptr;
    }
  }

  size_t Nodes(std::optional<LabelId> label, uint64_t from, uint64_t* out, size_t max) const override {
    EpochGuard guard;
    if (!label) return Scan(nodes_, from, out, max, [](const ChunkFrame&, unsigned) { return true; });
    return ScanToken(nodes_, TokenSpace::kLabel, label->value, from, out, max,
                     [&](const ChunkFrame& chunk, unsigned slot) { return chunk.Labels(slot)->Has(*label); });
  }
  size_t Relationships(std::optional<TypeId> type, uint64_t from, uint64_t* out, size_t max) const override {
    EpochGuard guard;
    const auto all = [](const ChunkFrame&, unsigned) { return true; };
    if (!type) return Scan(relationships_, from, out, max, all);
    return ScanToken(relationships_, TokenSpace::kType, type->value, from, out, max, all);
  }

  void Neighbours(NodeId id, TypeId type, bool incoming, uint64_t at, size_t max, std::vector<Neighbour>* out) const override {
    EpochGuard guard;
    FindList(id.value, type, incoming).Append(at, max, out);
  }
  void NeighboursOf(std::span<const NodeId> ids, TypeId type, bool incoming, std::vector<uint32_t>* ends,
                    std::vector<Neighbour>* out) const override {
    EpochGuard guard;
    const ChunkFrame* chunk = nullptr;
    uint64_t number = ~uint64_t{0};
    size_t chunks = 0;
    for (const NodeId id : ids) {
      if (ChunkOf(id.value) != number) {
        if (++chunks % kReadsAGuard == 0) guard.Renew();
        chunk = nodes_.Find(number = ChunkOf(id.value));
      }
      if (chunk != nullptr) ListAt(&context_, chunk, ListPart(type.value, incoming), SlotOf(id.value)).Append(0, ~size_t{0}, out);
      ends->push_back(static_cast<uint32_t>(out->size()));
    }
  }
  void Between(NodeId id, TypeId type, bool incoming, NodeId neighbour, std::vector<RelId>* out) const override {
    EpochGuard guard;
    FindList(id.value, type, incoming).Between(neighbour.value, out);
  }
  uint64_t Degree(NodeId id, TypeId type, bool incoming) const override {
    EpochGuard guard;
    return FindList(id.value, type, incoming).degree();
  }
  uint64_t Loops(NodeId id, TypeId type) const override {
    EpochGuard guard;
    return FindList(id.value, type, false).CountBetween(id.value);
  }
  void Types(NodeId id, std::vector<TypeId>* out) const override {
    EpochGuard guard;
    const ChunkFrame* chunk = nodes_.Find(ChunkOf(id.value));
    if (chunk == nullptr) return;
    const size_t before = out->size();
    for (const Piece& piece : chunk->pieces) {
      if (PartKind(piece.part) != ChunkPart::kOutgoing && PartKind(piece.part) != ChunkPart::kIncoming) continue;
      if (SlotOf(id.value) < piece.first || SlotOf(id.value) >= piece.end) continue;
      const TypeId type(PartToken(piece.part));
      if (std::find(out->begin() + static_cast<ptrdiff_t>(before), out->end(), type) != out->end()) continue;
      if (ListAt(&context_, chunk, piece.part, SlotOf(id.value)).degree() > 0) out->push_back(type);
    }
  }

  uint64_t NodeCount() const override { return roots_.nodes; }
  uint64_t RelationshipCount() const override { return roots_.relationships; }
  uint64_t LabelCount(LabelId label) const override { return TokenCount(TokenSpace::kLabel, label.value); }
  uint64_t TypeCount(TypeId type) const override { return TokenCount(TokenSpace::kType, type.value); }
  const IndexTree* Tree(IndexId index) const override {
    const auto it = trees_.find(index.value);
    return it == trees_.end() ? nullptr : &it->second;
  }

 private:
  ListAt FindList(uint64_t id, TypeId type, bool incoming) const {
    return ListAt(&context_, nodes_.Find(ChunkOf(id)), ListPart(type.value, incoming), SlotOf(id));
  }

  Value PropertyOf(const ChunkMap& map, uint64_t id, PropertyId key) const {
    EpochGuard guard;
    const ChunkFrame* chunk = map.Find(ChunkOf(id));
    return chunk != nullptr && chunk->Live(SlotOf(id)) ? ReadValue(context_, *chunk, key.value, SlotOf(id)) : Value();
  }
  void AllProperties(const ChunkMap& map, uint64_t id, PropertyList* out) const {
    EpochGuard guard;
    out->clear();
    const ChunkFrame* chunk = map.Find(ChunkOf(id));
    if (chunk == nullptr || !chunk->Live(SlotOf(id))) return;
    std::vector<uint32_t> keys;
    PropertiesOf(*chunk, &keys);
    for (const uint32_t key : keys) {
      Value value = ReadValue(context_, *chunk, key, SlotOf(id));
      if (!value.is_null()) out->emplace_back(PropertyId(key), std::move(value));
    }
  }

  // Runs of live ids in one piece are read from it at once; then what is patched among them is put right.
  void GatherFrom(const ChunkMap& map, std::span<const uint64_t> ids, PropertyId key, Value* out) const {
    EpochGuard guard;
    const uint32_t part = PartOf(ChunkPart::kColumn, key.value);
    const ChunkFrame* chunk = nullptr;
    const Patches* patches = nullptr;
    uint64_t number = ~uint64_t{0};
    size_t runs = 0;
    for (size_t begin = 0; begin < ids.size();) {
      if (++runs % kReadsAGuard == 0 && guard.Renew()) number = ~uint64_t{0};
      if (ChunkOf(ids[begin]) != number) {
        chunk = map.Find(number = ChunkOf(ids[begin]));
        patches = chunk == nullptr ? nullptr : chunk->PatchesOf(part);
      }
      if (chunk == nullptr || !chunk->Live(SlotOf(ids[begin]))) {   // what a dead slot refers to may be overwritten
        out[begin++] = Value();
        continue;
      }
      const Piece* piece = chunk->Find(part, SlotOf(ids[begin]));
      if (piece == nullptr) {   // and so no patches here
        out[begin++] = Value();
        continue;
      }
      const uint64_t low = number * kChunkSlots + piece->first, span = piece->end - piece->first;
      const bool full = chunk->live_count == kChunkSlots;
      size_t end = begin + 1;
      while (end < ids.size() && ids[end] - low < span && (full || chunk->Live(SlotOf(ids[end])))) ++end;
      const std::span<const uint64_t> run = ids.subspan(begin, end - begin);
      ReadColumn(context_, *chunk, *piece).Gather(run, out + begin, ReaderOf(context_, *chunk, key.value));
      if (patches != nullptr) {
        const ValueReader reader = ReaderOf(context_, *chunk, key.value);
        for (size_t i = begin; i < end; ++i) {
          const unsigned slot = SlotOf(ids[i]);
          if (patches->Has(slot)) out[i] = reader.Tagged(patches->At(slot));
        }
      }
      begin = end;
    }
  }

  template <typename Id>
  void FloatsFrom(const ChunkMap& map, std::span<const Id> ids, PropertyId key, TakeFloats take) const {
    static thread_local std::vector<float> numbers;
    EpochGuard guard;
    const uint32_t part = PartOf(ChunkPart::kColumn, key.value);
    const ChunkFrame* chunk = nullptr;
    uint64_t number = ~uint64_t{0};
    for (size_t i = 0; i < ids.size(); ++i) {
      if (i % kReadsAGuard == kReadsAGuard - 1 && guard.Renew()) number = ~uint64_t{0};
      if (ChunkOf(ids[i].value) != number) chunk = map.Find(number = ChunkOf(ids[i].value));
      const unsigned slot = SlotOf(ids[i].value);
      const Piece* piece = chunk == nullptr || !chunk->Live(slot) ? nullptr : chunk->Find(part, slot);
      if (piece == nullptr) continue;
      const ValueReader reader = ReaderOf(context_, *chunk, key.value);
      const Patches* patches = chunk->PatchesOf(part);
      const bool patched = patches != nullptr && patches->Has(slot);
      if (patched ? FloatsOf(reader.Tagged(patches->At(slot)), &numbers) : ReadColumn(context_, *chunk, *piece).Floats(slot, reader, &numbers)) {
        take(i, numbers);
      }
    }
  }

  // Appends the live slots of a chunk from `slot` on that `wanted` takes.
  template <typename F>
  static size_t ScanChunk(const ChunkFrame& chunk, unsigned slot, uint64_t* out, size_t max, F wanted) {
    size_t n = 0;
    const uint64_t first = chunk.chunk * kChunkSlots;
    for (unsigned word = slot / 64; word < kBitmapWords && n < max; ++word) {
      uint64_t bits = chunk.live[word];
      if (word == slot / 64) bits &= ~uint64_t{0} << (slot % 64);
      for (; bits != 0 && n < max; bits &= bits - 1) {
        const unsigned here = word * 64 + static_cast<unsigned>(std::countr_zero(bits));
        if (wanted(chunk, here)) out[n++] = first + here;
      }
    }
    return n;
  }
  template <typename F>
  size_t Scan(const ChunkMap& map, uint64_t from, uint64_t* out, size_t max, F wanted) const {
    size_t n = 0;
    uint64_t number = ChunkOf(from);
    unsigned slot = SlotOf(from);
    while (n < max && number < kChunksMax) {
      const uint64_t wanted_number = number;
      const ChunkFrame* chunk = map.Next(&number);
      if (chunk == nullptr) break;
      n += ScanChunk(*chunk, number == wanted_number ? slot : 0, out + n, max - n, wanted);
      ++number;
      slot = 0;
    }
    return n;
  }
  template <typename F>
  size_t ScanToken(const ChunkMap& map, TokenSpace space, uint32_t token, uint64_t from, uint64_t* out, size_t max, F wanted) const {
    if (roots_.token_lists.none()) return 0;
    const TokenList* list = ReadTokenLists(context_, roots_.token_lists).Find(space, token);
    if (list == nullptr) return 0;
    size_t n = 0;
    auto it = std::lower_bound(list->chunks.begin(), list->chunks.end(), ChunkOf(from),
                               [](const TokenChunk& chunk, uint64_t number) { return chunk.chunk < number; });
    for (; it != list->chunks.end() && n < max; ++it) {
      const ChunkFrame* chunk = map.Find(it->chunk);
      if (chunk != nullptr) n += ScanChunk(*chunk, it->chunk == ChunkOf(from) ? SlotOf(from) : 0, out + n, max - n, wanted);
    }
    return n;
  }
  uint64_t TokenCount(TokenSpace space, uint32_t token) const {
    if (roots_.token_lists.none()) return 0;
    EpochGuard guard;
    const TokenList* list = ReadTokenLists(context_, roots_.token_lists).Find(space, token);
    return list == nullptr ? 0 : list->total;
  }

  const BaseContext context_;
  const BaseRoots roots_;
  const ChunkMap nodes_, relationships_;
  std::map<uint32_t, IndexTree> trees_;
};

}  // namespace

std::shared_ptr<const Base> OpenBase(const BaseContext& context, const BaseRoots& roots) {
  return std::make_shared<PagedBase>(context, roots);
}

}  // namespace fornix::storage
