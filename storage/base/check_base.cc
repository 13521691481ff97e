// The integrity check of the base: one pass over node chunks, one over relationship chunks, both in the order of ids.
//
// That both directions of the lists agree with the relationships is tested without looking one up in the other: for each node
// chunk and direction the hashes of its lists' entries are summed, and the hashes of the entries that its relationships
// ask for. Equal sums are equal lists; where they differ, a third pass over the relationships names the difference for some chunks.
#include <array>
#include <string>
#include <unordered_map>

#include "storage/base/base_writer.h"
#include "storage/base/chunk_access.h"

namespace fornix::storage {
namespace {

constexpr size_t kNamedChunksMax = 16;        // whose differences are told one by one: their entries lie in memory
constexpr size_t kNamedEntriesMax = 20;       // of each

struct ListEntry {
  uint32_t type = 0;
  bool incoming = false;
  uint64_t node = 0, neighbour = 0, relationship = 0;
  friend auto operator<=>(const ListEntry&, const ListEntry&) = default;
};
uint64_t HashOf(const ListEntry& entry) {
  uint64_t h = entry.type * 2 + entry.incoming;
  for (const uint64_t part : {entry.node, entry.neighbour, entry.relationship}) {
    h = (h ^ part) * 0x9E3779B97F4A7C15ull;
    h ^= h >> 32;
  }
  return h * 0xBF58476D1CE4E5B9ull;
}

struct NodeChunkState {
  std::array<uint64_t, kBitmapWords> live{};
  std::array<uint64_t, 2> listed{}, wanted{};   // sums of hashes by direction
};

class Checker {
 public:
  Checker(const BaseContext& context, const BaseRoots& roots, const BaseCheck& check) : context_(context), roots_(roots), check_(check) {}
  Status Run();

 private:
  using Chunks = std::vector<std::pair<uint64_t, ExtentRef>>;
  Status Directory(OwnerSpace space, const ExtentRef& root, Chunks* out);
  Status NodeChunk(uint64_t number, const ExtentRef& ref);
  Status RelChunk(uint64_t number, const ExtentRef& ref);
  Status Values(const ChunkFrame& chunk);
  Status Column(const ChunkFrame& chunk, const Piece& piece);
  Status Lists(const ChunkFrame& chunk, const Piece& piece, const std::function<void(const ListEntry&)>& take);
  Status TokenListsExtents();
  void Counts();
  Status NameDifferences(const Chunks& nodes, const Chunks& relationships);

  Status Extent(const ExtentRef& ref, ExtentKind kind, uint64_t owner) {
    return check_.extent ? check_.extent(ref, kind, owner) : Status::Ok();
  }
  void Problem(std::string text) {
    if (check_.problem) check_.problem(std::move(text));
  }
  void Advance() {
    if (check_.progress) check_.progress(++done_, all_);
  }
  // Runs under a guard of its own; damage in one piece is told and the walk goes on.
  template <typename F>
  Status Tolerant(F call) {
    try {
      EpochGuard guard;
      return call();
    } catch (const ReadFailure& failure) {
      Problem(failure.status().message());
      return Status::Ok();
    }
  }
  static std::string Name(const ChunkFrame& chunk) {
    return (chunk.space == OwnerSpace::kNodeChunk ? "node chunk " : "relationship chunk ") + std::to_string(chunk.chunk);
  }

  const BaseContext& context_;
  const BaseRoots& roots_;
  const BaseCheck& check_;
  uint64_t done_ = 0, all_ = 0, nodes_ = 0, relationships_ = 0;
  std::unordered_map<uint64_t, NodeChunkState> states_;
  std::map<TokenKey, TokenList> counted_;
};

Status Checker::Directory(OwnerSpace space, const ExtentRef& root, Chunks* out) {
  if (root.none()) return Status::Ok();
  RETURN_IF_ERROR(Extent(root, ExtentKind::kDirectoryRoot, DirectoryRootOwner(space)));
  std::vector<std::pair<uint32_t, ExtentRef>> leaves;
  RETURN_IF_ERROR(Tolerant([&] {
    leaves = ReadDirectoryRoot(context_, space, root).leaves;
    return Status::Ok();
  }));
  for (const auto& [number, ref] : leaves) {
    RETURN_IF_ERROR(Extent(ref, ExtentKind::kDirectoryLeaf, DirectoryLeafOwner(space, number)));
    RETURN_IF_ERROR(Tolerant([&, leaf = number, place = ref] {
      const DirectoryLeaf& chunks = ReadDirectoryLeaf(context_, space, leaf, place);
      for (size_t i = 0; i < kLeafChunks; ++i) {
        if (!chunks.chunks[i].none()) out->emplace_back(uint64_t{leaf} * kLeafChunks + i, chunks.chunks[i]);
      }
      return Status::Ok();
    }));
  }
  return Status::Ok();
}

Status Checker::Column(const ChunkFrame& chunk, const Piece& piece) {
  const auto& column = ReadColumn(context_, chunk, piece);
  const uint32_t property = PartToken(piece.part);
  if (const FloatBlocks* floats = column.floats(); floats != nullptr) {
    for (const ExtentRef& ref : floats->extents) {
      if (!ref.none()) RETURN_IF_ERROR(Extent(ref, ExtentKind::kFloats, PieceOwner(chunk, PartOf(ChunkPart::kFloats, property))));
    }
  }
  bool blobs = false;
  const ValueReader reader = ReaderOf(context_, chunk, property);
  for (unsigned slot = column.first(); slot < column.end(); ++slot) {
    if (!chunk.Live(slot) || !column.Has(slot)) continue;
    const Cell cell = column.CellAt(slot);
    if (IsBlob(cell)) {
      blobs = true;
      ByteReader in({cell.bytes, cell.size}, context_.file->path(), chunk.ref.page * kPageBytes);
      RETURN_IF_ERROR(in.Skip(1));
      const BlobRef blob = ValueOrThrow(DecodeBlobRef(&in, context_.file->file_pages()));
      for (const ExtentRef& ref : blob.extents)
        RETURN_IF_ERROR(Extent(ref, ExtentKind::kBlob, PieceOwner(chunk, PartOf(ChunkPart::kBlob, property))));
    }
    RETURN_IF_ERROR(Tolerant([&] {
      if (column.Get(slot, reader).is_null())
        Problem(Name(chunk) + ": property " + std::to_string(property) + " of slot " + std::to_string(slot) + " is stored as null");
      return Status::Ok();
    }));
  }
  if (blobs && !piece.blobs) Problem(Name(chunk) + ": property " + std::to_string(property) + " has blobs that its entry doesn't tell of");
  return Status::Ok();
}

Status Checker::Values(const ChunkFrame& chunk) {
  for (const Piece& piece : chunk.pieces) {
    if (!piece.ref.none()) RETURN_IF_ERROR(Extent(piece.ref, ExtentKind::kPiece, PieceOwner(chunk, piece.part)));
    if (PartKind(piece.part) == ChunkPart::kColumn) RETURN_IF_ERROR(Tolerant([&] { return Column(chunk, piece); }));
  }
  for (const Patches& patches : chunk.patches) {
    for (const uint16_t slot : patches.slots) {
      if (!chunk.Live(slot)) Problem(Name(chunk) + ": slot " + std::to_string(slot) + " is patched and has no element");
      const Piece* piece = chunk.Find(patches.part, slot);
      if (piece == nullptr || piece->ref.none())
        Problem(Name(chunk) + ": slot " + std::to_string(slot) + " is patched where no piece needs it");
      if (PartKind(patches.part) != ChunkPart::kColumn) continue;
      RETURN_IF_ERROR(Tolerant([&] {
        (void)ReaderOf(context_, chunk, patches.part).Tagged(patches.At(slot));
        return Status::Ok();
      }));
    }
  }
  return Status::Ok();
}

Status Checker::Lists(const ChunkFrame& chunk, const Piece& piece, const std::function<void(const ListEntry&)>& take) {
  const AdjacencyPiece& lists = ReadLists(context_, chunk, piece);
  ListEntry entry;
  entry.type = PartToken(piece.part);
  entry.incoming = PartKind(piece.part) == ChunkPart::kIncoming;
  auto all = [&](const IdArray& neighbours, const IdArray& relationships, uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end; ++i) {
      entry.neighbour = neighbours[i];
      entry.relationship = relationships[i];
      take(entry);
    }
  };
  for (unsigned slot = lists.first(); slot < lists.end(); ++slot) {
    const auto [begin, end] = lists.List(slot);
    const HubEntry* hub = lists.Hub(slot);
    entry.node = chunk.chunk * kChunkSlots + slot;
    if (!chunk.Live(slot) && (begin < end || hub != nullptr))
      Problem(Name(chunk) + ": slot " + std::to_string(slot) + " has a list and no node");
    all(lists.neighbours(), lists.relationships(), begin, end);
    if (hub == nullptr) continue;
    const HubRoot& root = ReadHubRoot(context_, chunk, piece.part, *hub);
    std::optional<Entry> last;
    for (const HubFence& fence : root.fences) {
      RETURN_IF_ERROR(Tolerant([&] {
        const HubLeaf& leaf = ReadHubLeaf(context_, chunk, piece.part, fence);
        if (last && *last >= leaf.At(0)) Problem(Name(chunk) + ": the leaves of slot " + std::to_string(slot) + " overlap");
        last = leaf.At(leaf.count - 1);
        all(leaf.neighbours, leaf.relationships, 0, leaf.count);
        return Status::Ok();
      }));
    }
  }
  return Status::Ok();
}

Status Checker::NodeChunk(uint64_t number, const ExtentRef& ref) {
  const ChunkFrame& chunk = ChunkMap(&context_, OwnerSpace::kNodeChunk, {}).Read(number, ref);
  NodeChunkState& state = states_[number];
  std::copy_n(chunk.live, kBitmapWords, state.live.begin());
  nodes_ += chunk.live_count;
  std::map<uint32_t, uint32_t> labels;
  for (unsigned slot = 0; slot < chunk.slots; ++slot) {
    if (!chunk.Live(slot)) continue;
    for (const LabelId label : chunk.Labels(slot)->labels) ++labels[label.value];
  }
  for (const auto& [label, count] : labels) {
    TokenList& list = counted_[{TokenSpace::kLabel, label}];
    list.total += count;
    list.chunks.push_back({static_cast<uint32_t>(number), count});
  }
  RETURN_IF_ERROR(Values(chunk));
  for (const Piece& piece : chunk.pieces) {
    if (PartKind(piece.part) == ChunkPart::kColumn) continue;
    const Status walked = Tolerant([&] {
      const AdjacencyPiece& lists = ReadLists(context_, chunk, piece);
      for (const HubEntry& hub : lists.hubs()) {
        RETURN_IF_ERROR(Extent(hub.root, ExtentKind::kHubRoot, PieceOwner(chunk, HubRootPart(piece.part))));
        for (const HubFence& fence : ReadHubRoot(context_, chunk, piece.part, hub).fences) {
          RETURN_IF_ERROR(Extent(fence.leaf, ExtentKind::kHubLeaf, PieceOwner(chunk, HubLeafPart(piece.part))));
        }
      }
      return Lists(chunk, piece, [&](const ListEntry& entry) { state.listed[entry.incoming] += HashOf(entry); });
    });
    RETURN_IF_ERROR(walked);
  }
  return Status::Ok();
}

Status Checker::RelChunk(uint64_t number, const ExtentRef& ref) {
  const ChunkFrame& chunk = ChunkMap(&context_, OwnerSpace::kRelChunk, {}).Read(number, ref);
  relationships_ += chunk.live_count;
  TokenList& list = counted_[{TokenSpace::kType, chunk.type}];
  list.total += chunk.live_count;
  list.chunks.push_back({static_cast<uint32_t>(number), chunk.live_count});
  RETURN_IF_ERROR(Values(chunk));
  for (unsigned slot = 0; slot < chunk.slots; ++slot) {
    if (!chunk.Live(slot)) continue;
    const auto [start, end] = ReadEnds(context_, chunk, slot);
    const uint64_t id = number * kChunkSlots + slot;
    for (const bool incoming : {false, true}) {
      const uint64_t node = incoming ? end : start, other = incoming ? start : end;
      const auto state = states_.find(node / kChunkSlots);
      if (state == states_.end() || !TestBit(state->second.live.data(), node % kChunkSlots)) {
        Problem("relationship " + std::to_string(id) + (incoming ? " ends" : " starts") + " at node " + std::to_string(node) +
                ", which isn't there");
      } else {
        state->second.wanted[incoming] += HashOf({chunk.type, incoming, node, other, id});
      }
    }
  }
  return Status::Ok();
}

Status Checker::TokenListsExtents() {
  if (roots_.token_lists.none()) return Status::Ok();
  RETURN_IF_ERROR(Extent(roots_.token_lists, ExtentKind::kTokenLists, TokenListsOwner(0)));
  return Tolerant([&] {
    const TokenLists& lists = ReadTokenLists(context_, roots_.token_lists);
    uint32_t part = 0;
    for (const ExtentRef& ref : lists.extents) RETURN_IF_ERROR(Extent(ref, ExtentKind::kTokenLists, TokenListsOwner(++part)));
    return Status::Ok();
  });
}

void Checker::Counts() {
  if (nodes_ != roots_.nodes) Problem("the base has " + std::to_string(nodes_) + " nodes, expected " + std::to_string(roots_.nodes));
  if (relationships_ != roots_.relationships)
    Problem("the base has " + std::to_string(relationships_) + " relationships, expected " + std::to_string(roots_.relationships));
  static const std::map<TokenKey, TokenList> kNone;
  const auto& stored = roots_.token_lists.none() ? kNone : ReadTokenLists(context_, roots_.token_lists).lists;
  auto same = [](const TokenList& a, const TokenList& b) {
    return std::equal(a.chunks.begin(), a.chunks.end(), b.chunks.begin(), b.chunks.end(),
                      [](const TokenChunk& x, const TokenChunk& y) { return x.chunk == y.chunk && x.count == y.count; });
  };
  auto name = [](const TokenKey& key) { return (key.first == TokenSpace::kLabel ? "label " : "type ") + std::to_string(key.second); };
  for (const auto& [key, list] : counted_) {
    const auto it = stored.find(key);
    if (it == stored.end() || !same(it->second, list)) {
      Problem("the list of " + name(key) + " says " + std::to_string(it == stored.end() ? 0 : it->second.total) +
              " elements, or other chunks, counted " + std::to_string(list.total));
    }
  }
  for (const auto& [key, list] : stored) {
    if (!counted_.contains(key)) Problem("the list of " + name(key) + " says " + std::to_string(list.total) + " elements, counted none");
  }
}

Status Checker::NameDifferences(const Chunks& nodes, const Chunks& relationships) {
  std::map<uint64_t, std::array<std::vector<ListEntry>, 2>> found;   // by node chunk: listed, wanted
  size_t differ = 0;
  for (const auto& [number, ref] : nodes) {
    const auto state = states_.find(number);
    if (state == states_.end() || state->second.listed == state->second.wanted) continue;
    if (++differ > kNamedChunksMax) continue;
    const Status walked = Tolerant([&, chunk_number = number, place = ref] {
      auto& lists = found[chunk_number][0];
      const ChunkFrame& chunk = ChunkMap(&context_, OwnerSpace::kNodeChunk, {}).Read(chunk_number, place);
      for (const Piece& piece : chunk.pieces) {
        if (PartKind(piece.part) == ChunkPart::kColumn) continue;
        RETURN_IF_ERROR(Lists(chunk, piece, [&](const ListEntry& entry) { lists.push_back(entry); }));
      }
      return Status::Ok();
    });
    RETURN_IF_ERROR(walked);
  }
  if (differ == 0) return Status::Ok();
  for (const auto& [number, ref] : relationships) {
    RETURN_IF_ERROR(Tolerant([&, chunk_number = number, place = ref] {
      const ChunkFrame& chunk = ChunkMap(&context_, OwnerSpace::kRelChunk, {}).Read(chunk_number, place);
      for (unsigned slot = 0; slot < chunk.slots; ++slot) {
        if (!chunk.Live(slot)) continue;
        const auto [start, end] = ReadEnds(context_, chunk, slot);
        const uint64_t id = chunk_number * kChunkSlots + slot;
        if (const auto it = found.find(start / kChunkSlots); it != found.end())
          it->second[1].push_back({chunk.type, false, start, end, id});
        if (const auto it = found.find(end / kChunkSlots); it != found.end()) it->second[1].push_back({chunk.type, true, end, start, id});
      }
      return Status::Ok();
    }));
  }
  auto tell = [this](const ListEntry& entry, bool listed) {
    Problem("relationship " + std::to_string(entry.relationship) + " of type " + std::to_string(entry.type) + " with node " +
            std::to_string(entry.neighbour) + (listed ? " is listed " : " isn't listed ") + (entry.incoming ? "incoming" : "outgoing") +
            " at node " + std::to_string(entry.node) + (listed ? ", which it doesn't say itself" : ", as it says itself"));
  };
  for (auto& [number, lists] : found) {
    for (auto& side : lists) std::sort(side.begin(), side.end());
    std::vector<ListEntry> extra, missing;
    std::set_difference(lists[0].begin(), lists[0].end(), lists[1].begin(), lists[1].end(), std::back_inserter(extra));
    std::set_difference(lists[1].begin(), lists[1].end(), lists[0].begin(), lists[0].end(), std::back_inserter(missing));
    for (size_t i = 0; i < std::min(extra.size(), kNamedEntriesMax); ++i) tell(extra[i], true);
    for (size_t i = 0; i < std::min(missing.size(), kNamedEntriesMax); ++i) tell(missing[i], false);
    if (extra.size() + missing.size() > 2 * kNamedEntriesMax) {
      Problem("node chunk " + std::to_string(number) + ": " + std::to_string(extra.size()) + " entries too many and " +
              std::to_string(missing.size()) + " too few in its lists");
    }
  }
  if (differ > kNamedChunksMax) Problem("the lists of " + std::to_string(differ) + " node chunks disagree with the relationships");
  return Status::Ok();
}

Status Checker::Run() {
  Chunks nodes, relationships;
  RETURN_IF_ERROR(Directory(OwnerSpace::kNodeChunk, roots_.node_directory, &nodes));
  RETURN_IF_ERROR(Directory(OwnerSpace::kRelChunk, roots_.rel_directory, &relationships));
  RETURN_IF_ERROR(TokenListsExtents());
  all_ = nodes.size() + relationships.size();
  for (const auto& [number, ref] : nodes) {
    RETURN_IF_ERROR(Extent(ref, ExtentKind::kChunk, ExtentOwner(OwnerSpace::kNodeChunk, number, PartOf(ChunkPart::kMain))));
    RETURN_IF_ERROR(Tolerant([&, n = number, r = ref] { return NodeChunk(n, r); }));
    Advance();
  }
  for (const auto& [number, ref] : relationships) {
    RETURN_IF_ERROR(Extent(ref, ExtentKind::kChunk, ExtentOwner(OwnerSpace::kRelChunk, number, PartOf(ChunkPart::kMain))));
    RETURN_IF_ERROR(Tolerant([&, n = number, r = ref] { return RelChunk(n, r); }));
    Advance();
  }
  RETURN_IF_ERROR(Tolerant([&] {
    Counts();
    return Status::Ok();
  }));
  return NameDifferences(nodes, relationships);
}

}  // namespace

Status CheckBase(const BaseContext& context, const BaseRoots& roots, const BaseCheck& check) {
  return Checker(context, roots, check).Run();
}

}  // namespace fornix::storage
