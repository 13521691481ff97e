// ListWriter: the lists of one type and direction of a chunk, from what they were and what was added and removed.
//
// A piece with a change is written anew, and split by slots where it has too many entries. A list that grows beyond
// kListEntriesMax leaves its piece for leaves of its own, of which later changes rewrite those that they fall into; it comes back
// when it is shorter than kHubEntriesMin. Adding what is there and removing what isn't are Corruption: base and delta disagree.
// Threads: one.
#pragma once

#include "storage/base/base_writer.h"
#include "storage/base/chunk_builder.h"

namespace fornix::storage {

inline constexpr unsigned kListSpanLog2Min = 2;              // four lists that stay in a piece have 8,192 entries at most
inline constexpr uint32_t kLeafEntriesMin = 1024;            // a smaller leaf takes its neighbour in

class ListWriter {
 public:
  ListWriter(ChunkBuilder* builder, uint32_t part) : builder_(builder), part_(part) {}
  // Puts the lists into the builder. `edits` are those of the part.
  Status Write(std::span<const AdjacencyEdit> edits);

 private:
  using Edits = std::span<const AdjacencyEdit>;
  Status WriteSpan(unsigned first, unsigned span_log2, const Piece* old, Edits edits);
  Status WriteList(unsigned slot, const AdjacencyPiece* old, Edits edits);   // appends to entries_ or hubs_
  Status WriteHub(unsigned slot, const HubEntry& old, Edits edits);
  Status MakeHub(unsigned slot, std::span<const Entry> entries);
  Status WriteLeaves(std::span<const Entry> entries, HubRoot* root);
  Status PutHub(unsigned slot, HubRoot root);
  Status Merge(const IdArray& neighbours, const IdArray& relationships, uint32_t begin, uint32_t end, Edits edits, std::vector<Entry>* out);
  void PutLists(unsigned first, unsigned span_log2, std::span<const Entry> entries, std::span<const uint32_t> ends,
                std::span<const HubEntry> hubs);
  Status Disagreement(const AdjacencyEdit& edit) const;

  ChunkBuilder* builder_;
  uint32_t part_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> ends_;
  std::vector<HubEntry> hubs_;
};

}  // namespace fornix::storage
