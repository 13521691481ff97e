// NodeSpool: the nodes of a bulk load on their way to their chunks: gives out ids, and keeps the rows by chunk until the
// relationships are known, because a chunk is written once.
//
// Ids are given out as the store does it: label sets share chunks until they have kOwnChunkNodes nodes, then have chunks of their
// own. Rows go to one temporary file in pieces of some ten KiB, each of one chunk.
// Threads: Add and Flush by one; Read after Flush.
#pragma once

#include <map>
#include <vector>

#include "storage/bulk/row_codec.h"
#include "storage/bulk/temp_files.h"
#include "storage/graph/label_set.h"
#include "storage/txn/id_allocator.h"

namespace fornix::storage {

class NodeSpool {
 public:
  static Result<std::unique_ptr<NodeSpool>> Create(TempFiles* temp);

  // The id that the next Add with these labels will give.
  uint64_t PeekId(const LabelSet* labels) const;
  Result<uint64_t> Add(const LabelSet* labels, std::span<const std::byte> row);
  Status Flush();

  uint64_t nodes() const { return nodes_; }
  uint64_t chunks() const { return chunks_.size(); }
  struct StoredNode {
    uint32_t slot = 0;
    const LabelSet* labels = nullptr;
    std::span<const std::byte> row;            // in the bytes handed to Read
  };
  // The nodes of a chunk, ascending by slot.
  Status Read(uint64_t chunk, std::vector<std::byte>* bytes, std::vector<StoredNode>* nodes) const;
  // For the catalog.
  void Save(IdAllocator::Snapshot* ids) const;

 private:
  struct Chunk {
    std::vector<std::pair<uint64_t, uint32_t>> pieces;   // place and size in the file
    std::vector<std::byte> rows;                         // not there yet
  };
  struct NodeSet {
    const LabelSet* labels = nullptr;
    uint64_t count = 0;
    uint64_t next = 0, end = 0;
  };
  explicit NodeSpool(std::unique_ptr<TempFile> file) : file_(std::move(file)) {}
  Result<uint64_t> NewId(NodeSet* set);
  Status Spill(Chunk* chunk);

  std::unique_ptr<TempFile> file_;
  std::vector<Chunk> chunks_;
  std::vector<NodeSet> sets_;                  // by LabelSet::number
  std::vector<const LabelSet*> label_sets_;    // the same, for reading
  uint64_t shared_next_ = 0, shared_end_ = 0;
  uint64_t nodes_ = 0;
};

}  // namespace fornix::storage
