// ListAt: one adjacency list of the base, in its piece or in the leaves of a hub. A view under the caller's EpochGuard.
#pragma once

#include "storage/base/chunk_access.h"

namespace fornix::storage {

class ListAt {
 public:
  ListAt(const BaseContext* context, const ChunkFrame* chunk, uint32_t part, unsigned slot)   // chunk may be null: an empty list
      : context_(context), chunk_(chunk), part_(part) {
    const Piece* piece = chunk == nullptr ? nullptr : chunk->Find(part, slot);
    if (piece == nullptr) return;
    piece_ = &ReadLists(*context, *chunk, *piece);
    std::tie(begin_, end_) = piece_->List(slot);
    if (begin_ == end_) hub_ = piece_->Hub(slot);
  }
  uint64_t degree() const { return hub_ != nullptr ? hub_->degree : end_ - begin_; }
  void Append(uint64_t at, size_t max, std::vector<Neighbour>* out) const;
  void Between(uint64_t neighbour, std::vector<RelId>* out) const;
  uint64_t CountBetween(uint64_t neighbour) const;

 private:
  void AppendHub(uint64_t at, size_t max, std::vector<Neighbour>* out) const;
  // Calls take(relationships, begin, end) for each run of entries of the neighbour.
  template <typename F>
  void Runs(uint64_t neighbour, F take) const;

  const BaseContext* context_;
  const ChunkFrame* chunk_;
  uint32_t part_;
  const AdjacencyPiece* piece_ = nullptr;
  const HubEntry* hub_ = nullptr;
  uint32_t begin_ = 0, end_ = 0;
};

}  // namespace fornix::storage
