// PagedBase: the base in the data file: chunks of 4,096 elements with typed column pieces and typed sorted adjacency.
//
//   BaseRoots -> chunk directories (nodes, relationships) -> per chunk a main extent: live bitmap, label sets, small pieces,
//   patches, references to larger pieces -> column pieces, adjacency pieces, hub lists, blobs, float lists
//   BaseRoots -> token lists: per label and per type its chunks and counts
// All is read through the FrameCache when it is needed; opening reads nothing. Layout: docs/format.md, "Base".
// Threads: as Base.
#pragma once

#include <map>
#include <memory>

#include "storage/cache/frame_cache.h"
#include "storage/graph/base.h"
#include "storage/index/tree/index_tree.h"

namespace fornix::storage {

struct BaseRoots {
  Timestamp timestamp = 0;
  ExtentRef node_directory, rel_directory, token_lists;
  uint64_t nodes = 0, relationships = 0;
  std::map<uint32_t, TreeRoot> trees;          // by IndexId
  std::map<uint32_t, ExtentRef> vectors;       // images of vector indexes, by IndexId; none of one that has none
};
void EncodeBaseRoots(const BaseRoots& roots, ByteWriter* out);
Result<BaseRoots> DecodeBaseRoots(ByteReader* in, uint64_t file_pages);

// What the base needs from the store that it lives in; outlives it.
struct BaseContext {
  const ExtentFile* file = nullptr;
  FrameCache* cache = nullptr;
  LabelSets* label_sets = nullptr;
};

std::shared_ptr<const Base> OpenBase(const BaseContext& context, const BaseRoots& roots);

}  // namespace fornix::storage
