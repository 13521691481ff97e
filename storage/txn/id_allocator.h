// IdAllocator: ids of nodes and relationships, dense where they belong together, never handed out twice.
//
// Nodes of one label set share chunks of 4,096 ids once the set has kOwnChunkNodes nodes; before that all sets fill one
// shared chunk, so that a schema of a hundred labels doesn't open a hundred chunks. Relationship chunks hold one type.
// An id of a transaction that rolls back is a hole.
// Threads: any; one mutex, nothing is called under it.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "base/ids.h"
#include "base/limits.h"
#include "fornix/status.h"

namespace fornix::storage {

class IdAllocator {
 public:
  // `labels` sorted.
  Result<NodeId> NewNode(const std::vector<LabelId>& labels);
  Result<RelId> NewRelationship(TypeId type);

  // Recovery: the id was used, by a node with these labels when it was created. Then Finish once.
  void ObserveNode(NodeId id, const std::vector<LabelId>& labels);
  void ObserveRelationship(RelId id, TypeId type);

  // All that must outlive a compaction of the log, in which deleted elements leave no trace.
  struct Snapshot {
    struct NodeSet {
      std::vector<LabelId> labels;
      uint64_t count = 0;            // handed out so far
      uint64_t next = 0, end = 0;    // its own open chunk; empty if none
    };
    uint64_t node_chunks = 0, relationship_chunks = 0;   // chunks opened so far
    uint64_t shared_next = 0, shared_end = 0;
    std::vector<NodeSet> node_sets;
    struct TypeRange { TypeId type; uint64_t next = 0, end = 0; };
    std::vector<TypeRange> types;
  };
  Snapshot Save() const;
  void Restore(const Snapshot& snapshot);

 private:
  struct Range {
    uint64_t next = 0, end = 0;
  };
  struct NodeSet {
    uint64_t count = 0;
    Range own;
  };
  Result<uint64_t> Take(Range* range, uint64_t* chunks, const char* what);
  static void Observe(Range* range, uint64_t id);

  mutable std::mutex mutex_;
  uint64_t node_chunks_ = 0, relationship_chunks_ = 0;
  Range shared_;
  std::map<std::vector<LabelId>, NodeSet> node_sets_;
  std::map<TypeId, Range> types_;
};

}  // namespace fornix::storage
