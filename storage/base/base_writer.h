// BaseWriter: makes the next base out of the last one and what changed, chunk by chunk; the checkpoint's and the bulk loader's.
//
//   BaseWriter writer(context, file, old roots);
//   for each touched chunk, ascending, nodes and relationships in any order of the two:  writer.Apply(edit)
//   writer.Finish(timestamp) -> the new roots (trees as they were; the caller puts the new ones in)
// A chunk that isn't touched keeps its extents. Of a touched one only the main extent and the pieces that change are written: a
// few changed values go into the main extent as patches until an eighth of the piece has changed; a hub's list rewrites the
// leaves that change. What is replaced is freed (ExtentFile::Free), so nothing of it is overwritten before the new root counts.
// After an error the writer is dead and the caller abandons the checkpoint.
// Threads: one.
#pragma once

#include "storage/base/paged_base.h"
#include "storage/graph/stored_properties.h"

namespace fornix::storage {

struct NodeEdit {
  uint32_t slot = 0;
  bool deleted = false;
  const LabelSet* labels = nullptr;                // null: as before
  const StoredProperties* properties = nullptr;    // null: as before; else all of them, empty lists included
};
struct AdjacencyEdit {
  uint32_t type = 0;
  bool incoming = false;
  bool removed = false;
  uint32_t slot = 0;
  uint64_t neighbour = 0, relationship = 0;
  friend auto operator<=>(const AdjacencyEdit& a, const AdjacencyEdit& b) {
    return std::tuple(a.type, a.incoming, a.slot, a.neighbour, a.relationship) <=>
           std::tuple(b.type, b.incoming, b.slot, b.neighbour, b.relationship);
  }
};
struct NodeChunkEdit {
  uint64_t chunk = 0;
  std::vector<NodeEdit> nodes;                     // ascending by slot, each slot once
  std::vector<AdjacencyEdit> adjacency;            // ascending; each names a relationship that is new here, or was here
};
struct RelEdit {
  uint32_t slot = 0;
  bool created = false, deleted = false;
  uint64_t start = 0, end = 0;                     // of a created one
  const StoredProperties* properties = nullptr;    // null: as before (a created one: none)
};
struct RelChunkEdit {
  uint64_t chunk = 0;
  uint32_t type = 0;                               // the chunk's only one
  std::vector<RelEdit> relationships;              // ascending by slot, each slot once
};

class BaseWriter {
 public:
  BaseWriter(const BaseContext& context, ExtentFile* file, const BaseRoots& old);
  ~BaseWriter();
  Status Apply(const NodeChunkEdit& edit);
  Status Apply(const RelChunkEdit& edit);
  Result<BaseRoots> Finish(Timestamp timestamp);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// For the integrity check: walks everything that the roots reach. Calls extent(ref, kind, owner) once for each extent, and
// problem(text) for whatever contradicts itself: a list out of order, a relationship that one of its ends doesn't list (both
// ways), a count that isn't what was counted, a live bit without a row. Trees are checked by IndexTree::Check.
// `progress(done, all)` in chunks.
struct BaseCheck {
  std::function<Status(const ExtentRef&, ExtentKind, uint64_t owner)> extent;
  std::function<void(std::string)> problem;
  std::function<void(uint64_t done, uint64_t all)> progress;
};
Status CheckBase(const BaseContext& context, const BaseRoots& roots, const BaseCheck& check);

}  // namespace fornix::storage
