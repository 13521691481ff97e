// Nodes by chunk; see node_spool.h.
#include "storage/bulk/node_spool.h"

#include <algorithm>

#include "base/limits.h"
#include "storage/graph/directory.h"

namespace fornix::storage {
namespace {

constexpr uint64_t kChunksMax = kIdsMax / kChunkElements;
constexpr size_t kPieceBytesMin = size_t{4} << 10, kPieceBytesMax = size_t{256} << 10;   // rows of a chunk in one write
constexpr size_t kHeldBytes = size_t{16} << 20;      // by all open chunks; each label set may have one

}  // namespace

Result<std::unique_ptr<NodeSpool>> NodeSpool::Create(TempFiles* temp) {
  ASSIGN_OR_RETURN(auto file, temp->NewFile("nodes"));
  return std::unique_ptr<NodeSpool>(new NodeSpool(std::move(file)));
}

Result<uint64_t> NodeSpool::NewId(NodeSet* set) {
  uint64_t* next = &set->next;
  uint64_t* end = &set->end;
  if (set->count < kOwnChunkNodes && *next == *end) {
    next = &shared_next_;
    end = &shared_end_;
  }
  if (*next == *end) {
    if (chunks_.size() == kChunksMax) return Status(Code::kLimitExceeded, "a database holds at most 2^40 nodes");
    *next = chunks_.size() * kChunkElements;
    *end = *next + kChunkElements;
    chunks_.emplace_back();
  }
  ++set->count;
  return (*next)++;
}

uint64_t NodeSpool::PeekId(const LabelSet* labels) const {
  static const NodeSet none;
  const NodeSet& set = labels->number < sets_.size() ? sets_[labels->number] : none;
  if (set.next != set.end) return set.next;
  if (set.count < kOwnChunkNodes && shared_next_ != shared_end_) return shared_next_;
  return chunks_.size() * kChunkElements;
}

Result<uint64_t> NodeSpool::Add(const LabelSet* labels, std::span<const std::byte> row) {
  if (labels->number >= sets_.size()) {
    sets_.resize(labels->number + 1);
    label_sets_.resize(labels->number + 1);
  }
  NodeSet* set = &sets_[labels->number];
  if (set->labels == nullptr) set->labels = label_sets_[labels->number] = labels;
  ASSIGN_OR_RETURN(const uint64_t id, NewId(set));
  Chunk* chunk = &chunks_[id / kChunkElements];
  std::byte head[3 * kVarintBytesMax];
  size_t n = StoreVarint(head, id % kChunkElements);
  n += StoreVarint(head + n, labels->number);
  n += StoreVarint(head + n, row.size());
  chunk->rows.insert(chunk->rows.end(), head, head + n);
  chunk->rows.insert(chunk->rows.end(), row.begin(), row.end());
  ++nodes_;
  if (chunk->rows.size() >= std::clamp(kHeldBytes / sets_.size(), kPieceBytesMin, kPieceBytesMax)) RETURN_IF_ERROR(Spill(chunk));
  if (id % kChunkElements == kChunkElements - 1) {
    RETURN_IF_ERROR(Spill(chunk));
    std::vector<std::byte>().swap(chunk->rows);   // an assignment of {} would keep the room
  }
  return id;
}

Status NodeSpool::Spill(Chunk* chunk) {
  if (chunk->rows.empty()) return Status::Ok();
  ASSIGN_OR_RETURN(const uint64_t at, file_->Append(chunk->rows));
  chunk->pieces.emplace_back(at, static_cast<uint32_t>(chunk->rows.size()));
  chunk->rows.clear();
  return Status::Ok();
}

Status NodeSpool::Flush() {
  for (Chunk& chunk : chunks_) {
    RETURN_IF_ERROR(Spill(&chunk));
    std::vector<std::byte>().swap(chunk.rows);
  }
  return Status::Ok();
}

Status NodeSpool::Read(uint64_t chunk, std::vector<std::byte>* bytes, std::vector<StoredNode>* nodes) const {
  nodes->clear();
  size_t size = 0;
  for (const auto& [at, n] : chunks_[chunk].pieces) size += n;
  bytes->resize(size);
  size = 0;
  for (const auto& [at, n] : chunks_[chunk].pieces) {
    RETURN_IF_ERROR(file_->Read(at, std::span(*bytes).subspan(size, n)));
    size += n;
  }
  ByteReader in(*bytes, "rows of a bulk load");
  while (!in.empty()) {
    StoredNode node;
    ASSIGN_OR_RETURN(node.slot, in.ReadVarint32());
    ASSIGN_OR_RETURN(const uint32_t number, in.ReadVarint32());
    if (node.slot >= kChunkElements || number >= label_sets_.size()) return in.Damaged("a slot or a label set that can't be");
    node.labels = label_sets_[number];
    ASSIGN_OR_RETURN(const uint32_t row, in.ReadCount(1));
    ASSIGN_OR_RETURN(node.row, in.ReadBytes(row));
    nodes->push_back(node);
  }
  return Status::Ok();
}

void NodeSpool::Save(IdAllocator::Snapshot* ids) const {
  ids->node_chunks = chunks_.size();
  ids->shared_next = shared_next_;
  ids->shared_end = shared_end_;
  for (const NodeSet& set : sets_) {
    if (set.labels != nullptr) ids->node_sets.push_back({set.labels->labels, set.count, set.next, set.end});
  }
}

}  // namespace fornix::storage
