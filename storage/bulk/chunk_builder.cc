// Chunks of a bulk load; see chunk_builder.h.
#include "storage/bulk/chunk_builder.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/check.h"
#include "base/errors.h"
#include "storage/bulk/handoff.h"
#include "storage/graph/directory.h"

namespace fornix::storage {
namespace {

constexpr uint64_t kIdMask = kIdsMax - 1;
constexpr size_t kOutgoingBufferBytes = size_t{1} << 20;
constexpr char kOutgoingName[] = "outgoing";

struct PreparedRelationships {
  RelChunkEdit edit;
  std::vector<StoredProperties> properties = std::vector<StoredProperties>(kChunkElements);
};
struct PreparedNodes {
  NodeChunkEdit edit;
  std::vector<StoredProperties> properties = std::vector<StoredProperties>(kChunkElements);
};

// The ends of the relationships in the order of their ids, a part of one file for each type: varint start minus the one before,
// varint end. The id isn't stored: it counts up.
struct OutgoingPart {
  TypeId type;
  uint64_t begin = 0, end = 0;                 // in the file
  uint64_t first_id = 0;
};

class OutgoingWriter {
 public:
  explicit OutgoingWriter(TempFile* file) : file_(file) {}
  void BeginType(TypeId type, uint64_t first_id) {
    parts_.push_back({type, file_->size() + buffer_.size(), 0, first_id});
    last_start_ = 0;
  }
  Status Add(uint64_t start, uint64_t end) {
    std::byte bytes[2 * kVarintBytesMax];
    size_t n = StoreVarint(bytes, start - last_start_);
    n += StoreVarint(bytes + n, end);
    last_start_ = start;
    buffer_.insert(buffer_.end(), bytes, bytes + n);
    return buffer_.size() >= kOutgoingBufferBytes ? Flush() : Status::Ok();
  }
  void EndType() { parts_.back().end = file_->size() + buffer_.size(); }
  Status Flush() {
    RETURN_IF_ERROR(file_->Append(buffer_).status());
    buffer_.clear();
    return Status::Ok();
  }
  const std::vector<OutgoingPart>& parts() const { return parts_; }

 private:
  TempFile* file_;
  std::vector<std::byte> buffer_;
  std::vector<OutgoingPart> parts_;
  uint64_t last_start_ = 0;
};

class OutgoingReader {
 public:
  OutgoingReader(TempFile* file, const OutgoingPart& part, size_t buffer_bytes)
      : type_(part.type.value), id_(part.first_id), reader_(file, part.begin, part.end, buffer_bytes) {}
  Status Start() { return Load(); }
  // Appends what starts in the chunk.
  Status Take(uint64_t chunk, std::vector<AdjacencyEdit>* out) {
    while (!done_ && ChunkOf(start_) == chunk) {
      out->push_back({type_, false, false, static_cast<uint32_t>(SlotOf(start_)), end_, id_++});
      RETURN_IF_ERROR(Load());
    }
    return Status::Ok();
  }
  uint32_t type() const { return type_; }

 private:
  Status Load() {
    ASSIGN_OR_RETURN(const auto bytes, reader_.Peek(2 * kVarintBytesMax));
    if (bytes.empty()) {
      done_ = true;
      return Status::Ok();
    }
    uint64_t step = 0;
    const size_t n = LoadVarint(bytes.data(), bytes.size(), &step);
    const size_t m = n == 0 ? 0 : LoadVarint(bytes.data() + n, bytes.size() - n, &end_);
    if (m == 0) return Corruption("the bulk load's temporary file of outgoing relationships is damaged");
    start_ += step;
    reader_.Skip(n + m);
    return Status::Ok();
  }
  const uint32_t type_;
  uint64_t id_;
  SequentialReader reader_;
  uint64_t start_ = 0, end_ = 0;
  bool done_ = false;
};

// Step 1.
class RelationshipPass {
 public:
  RelationshipPass(RunSorter* sorted, OutgoingWriter* outgoing, RunSorter* incoming, ChunkSink* sink, const BuildProgress& progress,
                   IdAllocator::Snapshot* ids)
      : sorted_(sorted), outgoing_(outgoing), incoming_(incoming), progress_(progress), ids_(ids),
        handoff_([sink](const PreparedRelationships& piece) { return sink->Apply(piece.edit); }) {}

  Status Run() {
    ASSIGN_OR_RETURN(auto merger, sorted_->Merge());
    RunSorter::Writer incoming(incoming_);
    const uint64_t all = sorted_->records();
    for (uint64_t done = 0;; ++done) {
      ASSIGN_OR_RETURN(const bool more, merger->Next());
      if (!more) break;
      const TypeId type(static_cast<uint32_t>(merger->key().a >> 40));
      const uint64_t start = merger->key().a & kIdMask, end = merger->key().b;
      if (done == 0 || type != type_) RETURN_IF_ERROR(BeginType(type));
      if (next_ == end_) RETURN_IF_ERROR(BeginChunk());
      const uint64_t id = next_++;
      StoredProperties* properties = &piece_->properties[piece_->edit.relationships.size()];
      RETURN_IF_ERROR(DecodeRow(merger->bytes(), properties));
      piece_->edit.relationships.push_back({static_cast<uint32_t>(SlotOf(id)), true, false, start, end, properties});
      RETURN_IF_ERROR(outgoing_->Add(start, end));
      const uint64_t place = ChunkOf(end) << 28 | uint64_t{type.value} << 12 | SlotOf(end);
      RETURN_IF_ERROR(incoming.Add({place, start, id}, {}));
      if (done % kChunkElements == 0) progress_.report(BuildProgress::Stage::kRelationships, done, all);
    }
    RETURN_IF_ERROR(EndType());
    RETURN_IF_ERROR(incoming.Close());
    RETURN_IF_ERROR(outgoing_->Flush());
    RETURN_IF_ERROR(handoff_.End());
    progress_.report(BuildProgress::Stage::kRelationships, all, all);
    ids_->relationship_chunks = chunks_;
    return Status::Ok();
  }

 private:
  Status BeginType(TypeId type) {
    RETURN_IF_ERROR(EndType());
    type_ = type;
    next_ = end_ = chunks_ * kChunkElements;
    outgoing_->BeginType(type, next_);
    in_type_ = true;
    return Status::Ok();
  }
  Status EndType() {
    if (!in_type_) return Status::Ok();
    GiveChunk();
    outgoing_->EndType();
    ids_->types.push_back({type_, next_, end_});
    in_type_ = false;
    return Status::Ok();
  }
  void GiveChunk() {
    if (piece_ != nullptr) handoff_.Give(piece_);
    piece_ = nullptr;
  }
  Status BeginChunk() {
    GiveChunk();
    if (chunks_ == kIdsMax / kChunkElements) return Status(Code::kLimitExceeded, "a database holds at most 2^40 relationships");
    ASSIGN_OR_RETURN(piece_, handoff_.Take());
    piece_->edit.chunk = chunks_++;
    piece_->edit.type = type_.value;
    piece_->edit.relationships.clear();
    next_ = piece_->edit.chunk * kChunkElements;
    end_ = next_ + kChunkElements;
    return Status::Ok();
  }

  RunSorter* sorted_;
  OutgoingWriter* outgoing_;
  RunSorter* incoming_;
  const BuildProgress& progress_;
  IdAllocator::Snapshot* ids_;
  Handoff<PreparedRelationships> handoff_;
  PreparedRelationships* piece_ = nullptr;
  TypeId type_;
  bool in_type_ = false;
  uint64_t next_ = 0, end_ = 0, chunks_ = 0;
};

// Step 2.
class NodePass {
 public:
  NodePass(const NodeSpool& nodes, RunSorter* incoming, ChunkSink* sink, const BuildProgress& progress)
      : nodes_(nodes), incoming_(incoming), progress_(progress),
        handoff_([sink](const PreparedNodes& piece) { return sink->Apply(piece.edit); }) {}

  Status Run(TempFile* outgoing, const std::vector<OutgoingPart>& parts, uint64_t memory_bytes) {
    const size_t buffer = static_cast<size_t>(std::clamp<uint64_t>(memory_bytes / 8 / std::max<size_t>(parts.size(), 1), 4096, kOutgoingBufferBytes));
    for (const OutgoingPart& part : parts) {
      outgoing_.push_back(std::make_unique<OutgoingReader>(outgoing, part, buffer));
      RETURN_IF_ERROR(outgoing_.back()->Start());
    }
    ASSIGN_OR_RETURN(merger_, incoming_->Merge());
    ASSIGN_OR_RETURN(more_incoming_, merger_->Next());
    for (uint64_t chunk = 0; chunk < nodes_.chunks(); ++chunk) {
      ASSIGN_OR_RETURN(PreparedNodes * piece, handoff_.Take());
      piece->edit.chunk = chunk;
      RETURN_IF_ERROR(Nodes(chunk, piece));
      RETURN_IF_ERROR(Adjacency(chunk, &piece->edit.adjacency));
      handoff_.Give(piece);
      progress_.report(BuildProgress::Stage::kNodes, chunk + 1, nodes_.chunks());
    }
    if (more_incoming_) return Status(Code::kInternal, "a relationship of the bulk load ends at a node that isn't there");
    return handoff_.End();
  }

 private:
  Status Nodes(uint64_t chunk, PreparedNodes* piece) {
    RETURN_IF_ERROR(nodes_.Read(chunk, &bytes_, &stored_));
    piece->edit.nodes.clear();
    for (const NodeSpool::StoredNode& node : stored_) {
      StoredProperties* properties = &piece->properties[node.slot];
      RETURN_IF_ERROR(DecodeRow(node.row, properties));
      piece->edit.nodes.push_back({node.slot, false, node.labels, properties});
    }
    return Status::Ok();
  }

  // By type, outgoing before incoming: each is sorted already.
  Status Adjacency(uint64_t chunk, std::vector<AdjacencyEdit>* out) {
    out->clear();
    if (out->capacity() > 64 * kChunkElements) std::vector<AdjacencyEdit>().swap(*out);   // a hub's chunk isn't remembered
    for (auto& reader : outgoing_) {
      RETURN_IF_ERROR(IncomingBelow(chunk, reader->type(), out));
      RETURN_IF_ERROR(reader->Take(chunk, out));
    }
    return IncomingBelow(chunk, ~uint32_t{0}, out);
  }
  // What ends in the chunk and has a type below `type`.
  Status IncomingBelow(uint64_t chunk, uint32_t type, std::vector<AdjacencyEdit>* out) {
    while (more_incoming_) {
      const SortKey& key = merger_->key();
      const uint32_t its_type = static_cast<uint32_t>(key.a >> 12) & 0xFFFF;
      if (key.a >> 28 != chunk || its_type >= type) return Status::Ok();
      out->push_back({its_type, true, false, static_cast<uint32_t>(SlotOf(key.a)), key.b, key.c});
      ASSIGN_OR_RETURN(more_incoming_, merger_->Next());
    }
    return Status::Ok();
  }

  const NodeSpool& nodes_;
  RunSorter* incoming_;
  const BuildProgress& progress_;
  std::vector<std::unique_ptr<OutgoingReader>> outgoing_;   // ascending by type
  std::unique_ptr<RunSorter::Merger> merger_;
  bool more_incoming_ = false;
  std::vector<std::byte> bytes_;
  std::vector<NodeSpool::StoredNode> stored_;
  Handoff<PreparedNodes> handoff_;
};

}  // namespace

Status BuildChunks(const NodeSpool& nodes, std::unique_ptr<RunSorter> relationships, TempFiles* temp, uint64_t memory_bytes, ChunkSink* sink,
                   const BuildProgress& progress, IdAllocator::Snapshot* ids) {
  RunSorter incoming(temp, "incoming", memory_bytes / 4);
  ASSIGN_OR_RETURN(auto file, temp->NewFile(kOutgoingName));
  OutgoingWriter outgoing(file.get());
  RETURN_IF_ERROR(RelationshipPass(relationships.get(), &outgoing, &incoming, sink, progress, ids).Run());
  relationships.reset();                       // its runs are needed no more
  RETURN_IF_ERROR(NodePass(nodes, &incoming, sink, progress).Run(file.get(), outgoing.parts(), memory_bytes));
  return temp->Remove(std::move(file), kOutgoingName);
}

}  // namespace fornix::storage
