// The base's part of the table of contents. docs/format.md, "Base".
#include <string>

#include "base/limits.h"
#include "storage/base/directory.h"
#include "storage/base/paged_base.h"

namespace fornix::storage {

void EncodeBaseRoots(const BaseRoots& roots, ByteWriter* out) {
  out->U64(roots.timestamp);
  EncodeExtentRef(roots.node_directory, out);
  EncodeExtentRef(roots.rel_directory, out);
  EncodeExtentRef(roots.token_lists, out);
  out->U64(roots.nodes);
  out->U64(roots.relationships);
  out->Varint(roots.trees.size());
  for (const auto& [index, tree] : roots.trees) {
    out->Varint(index);
    EncodeTreeRoot(tree, out);
  }
  if (roots.vectors.empty()) return;           // as versions write it that know of none
  out->Varint(roots.vectors.size());
  for (const auto& [index, directory] : roots.vectors) {
    out->Varint(index);
    EncodeExtentRef(directory, out);
  }
}

Result<BaseRoots> DecodeBaseRoots(ByteReader* in, uint64_t file_pages) {
  BaseRoots roots;
  ASSIGN_OR_RETURN(roots.timestamp, in->ReadU64());
  ASSIGN_OR_RETURN(roots.node_directory, DecodeExtentRef(in, file_pages));
  ASSIGN_OR_RETURN(roots.rel_directory, DecodeExtentRef(in, file_pages));
  ASSIGN_OR_RETURN(roots.token_lists, DecodeExtentRef(in, file_pages));
  ASSIGN_OR_RETURN(roots.nodes, in->ReadU64());
  ASSIGN_OR_RETURN(roots.relationships, in->ReadU64());
  constexpr uint64_t kIdsMax = kChunksMax * 4096;
  if (roots.nodes > kIdsMax || roots.relationships > kIdsMax || (roots.nodes != 0) != !roots.node_directory.none() ||
      (roots.relationships != 0) != !roots.rel_directory.none()) {
    return in->Damaged("a base of " + std::to_string(roots.nodes) + " nodes and " + std::to_string(roots.relationships) +
                       " relationships that its directories don't have");
  }
  ASSIGN_OR_RETURN(const uint32_t trees, in->ReadCount(2));
  for (uint32_t i = 0; i < trees; ++i) {
    ASSIGN_OR_RETURN(const uint32_t index, in->ReadVarint32());
    if (!roots.trees.empty() && roots.trees.rbegin()->first >= index) return in->Damaged("indexes out of order");
    ASSIGN_OR_RETURN(roots.trees[index], DecodeTreeRoot(in, file_pages));
  }
  if (in->empty()) return roots;
  ASSIGN_OR_RETURN(const uint32_t vectors, in->ReadCount(1 + kExtentRefBytes));
  for (uint32_t i = 0; i < vectors; ++i) {
    ASSIGN_OR_RETURN(const uint32_t index, in->ReadVarint32());
    if (!roots.vectors.empty() && roots.vectors.rbegin()->first >= index) return in->Damaged("vector indexes out of order");
    ASSIGN_OR_RETURN(roots.vectors[index], DecodeExtentRef(in, file_pages));
    if (roots.vectors[index].none()) return in->Damaged("a vector index without a directory");
  }
  if (vectors == 0) return in->Damaged("an empty list of vector indexes");
  return roots;
}

}  // namespace fornix::storage
