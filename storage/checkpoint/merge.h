// Merge: a frozen generation of the delta over the base it stands on, as edits of the next base.
//
//   elements   ascending by chunk; only what differs is handed on: new and dropped labels sets, whole property lists, relationships
//              that came or went, at both ends' lists
//   indexes    per range index the net effect of its entries: what came and stayed, what went
// The frozen delta is immutable and holds nothing newer than the checkpoint's timestamp, so its newest versions are the
// state. Nothing is decided here about bytes: that is the BaseWriter's and the IndexTree's.
// Threads: the checkpoint's.
#pragma once

#include "storage/base/base_writer.h"
#include "storage/graph/layers.h"

namespace fornix::storage {

Status MergeRelationships(const Delta& frozen, const Base& base, BaseWriter* writer, std::vector<NodeChunkEdit>* adjacency);
// `adjacency`: of MergeRelationships, ascending by chunk; emptied.
Status MergeNodes(const Delta& frozen, const Base& base, std::vector<NodeChunkEdit>* adjacency, BaseWriter* writer);
// What the generation changes in a range index, ascending by (key, id). Keys lie in the delta.
std::vector<TreeChange> NetChanges(const Delta& frozen, IndexId index);

}  // namespace fornix::storage
