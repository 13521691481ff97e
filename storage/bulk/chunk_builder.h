// ChunkBuilder: from spooled nodes and sorted relationships to whole chunks, each made once, in ascending order.
//
//   1  relationships, sorted by (type, start, end): get their ids in this order, so that what hangs on one node lies together;
//      chunk by chunk to the sink; their ends go to a file in the same order, and to a second sorter by the end's chunk
//   2  node chunks: rows from the spool, outgoing lists from the file (a reader a type), incoming lists from the second sorter
// One thread prepares the chunks, one writes them. Of one chunk all is held at once, lists included; a hub of 5 million
// relationships costs 200 MB for as long as its chunk is written.
#pragma once

#include <functional>

#include "storage/base/base_writer.h"
#include "storage/bulk/node_spool.h"
#include "storage/bulk/run_sorter.h"

namespace fornix::storage {

class ChunkSink {
 public:
  virtual ~ChunkSink() = default;
  virtual Status Apply(const NodeChunkEdit& edit) = 0;
  virtual Status Apply(const RelChunkEdit& edit) = 0;
};

// The key of a relationship: type and start, end, then where it came from, so that equal ones keep their order.
inline SortKey RelationshipKey(TypeId type, uint64_t start, uint64_t end, uint64_t ordinal) {
  return {uint64_t{type.value} << 40 | start, end, ordinal};
}

struct BuildProgress {
  enum class Stage : uint8_t { kRelationships, kNodes };
  // In relationships, then in chunks of nodes.
  std::function<void(Stage stage, uint64_t done, uint64_t all)> report = [](Stage, uint64_t, uint64_t) {};
};

// Fills in the types and chunks of relationships of *ids.
Status BuildChunks(const NodeSpool& nodes, std::unique_ptr<RunSorter> relationships, TempFiles* temp, uint64_t memory_bytes, ChunkSink* sink,
                   const BuildProgress& progress, IdAllocator::Snapshot* ids);

}  // namespace fornix::storage
