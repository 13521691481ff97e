#include "storage/base/list_writer.h"

#include <string>

#include "base/errors.h"

namespace fornix::storage {
namespace {

std::span<const AdjacencyEdit> Before(std::span<const AdjacencyEdit>* edits, unsigned slot_end) {
  size_t n = 0;
  while (n < edits->size() && (*edits)[n].slot < slot_end) ++n;
  const auto head = edits->first(n);
  *edits = edits->subspan(n);
  return head;
}
Entry EntryOf(const AdjacencyEdit& edit) { return {edit.neighbour, edit.relationship}; }

}  // namespace

Status ListWriter::Disagreement(const AdjacencyEdit& edit) const {
  const ChunkFrame* old = builder_->old();
  return Corruption(builder_->base().file->path() + ": relationship " + std::to_string(edit.relationship) +
                    (edit.removed ? " is removed from" : " is added to") + " the list of type " + std::to_string(edit.type) + " at slot " +
                    std::to_string(edit.slot) +
                    (old == nullptr ? std::string(" of a new chunk") : " of node chunk " + std::to_string(old->chunk)) +
                    (edit.removed ? ", which doesn't have it" : ", which has it"));
}

Status ListWriter::Write(Edits edits) {
  if (builder_->old() != nullptr) {
    for (const Piece& piece : builder_->old()->Of(part_)) {
      while (!edits.empty() && edits.front().slot < piece.first) {
        const unsigned log2 = builder_->FreeSpanLog2(part_, edits.front().slot), first = edits.front().slot >> log2 << log2;
        RETURN_IF_ERROR(WriteSpan(first, log2, nullptr, Before(&edits, first + (1u << log2))));
      }
      const Edits own = Before(&edits, piece.end);
      if (own.empty()) {
        builder_->Keep(piece);
      } else {
        RETURN_IF_ERROR(WriteSpan(piece.first, static_cast<unsigned>(std::countr_zero(unsigned{piece.end} - piece.first)), &piece, own));
      }
    }
  }
  while (!edits.empty()) {
    const unsigned log2 = builder_->FreeSpanLog2(part_, edits.front().slot), first = edits.front().slot >> log2 << log2;
    RETURN_IF_ERROR(WriteSpan(first, log2, nullptr, Before(&edits, first + (1u << log2))));
  }
  return Status::Ok();
}

Status ListWriter::WriteSpan(unsigned first, unsigned span_log2, const Piece* old, Edits edits) {
  entries_.clear();
  ends_.clear();
  hubs_.clear();
  const AdjacencyPiece* piece = old == nullptr ? nullptr : &ReadLists(builder_->base(), *builder_->old(), *old);
  const unsigned end = std::min(first + (1u << span_log2), builder_->image().slots);
  entries_.reserve((piece == nullptr ? 0 : piece->entries()) + edits.size());
  for (unsigned slot = first; slot < end; ++slot) {
    RETURN_IF_ERROR(WriteList(slot, piece, Before(&edits, slot + 1)));
    ends_.push_back(static_cast<uint32_t>(entries_.size()));
  }
  if (!edits.empty()) return Disagreement(edits.front());
  if (old != nullptr) builder_->Drop(*old);
  PutLists(first, span_log2, entries_, ends_, hubs_);
  return Status::Ok();
}

Status ListWriter::WriteList(unsigned slot, const AdjacencyPiece* old, Edits edits) {
  if (old != nullptr) {
    if (const HubEntry* hub = old->Hub(slot); hub != nullptr) {
      if (!edits.empty()) return WriteHub(slot, *hub, edits);
      hubs_.push_back(*hub);
      return Status::Ok();
    }
  }
  const size_t before = entries_.size();
  const auto [begin, end] = old == nullptr ? std::pair(0u, 0u) : old->List(slot);
  if (begin < end) {
    RETURN_IF_ERROR(Merge(old->neighbours(), old->relationships(), begin, end, edits, &entries_));
  } else {
    for (const AdjacencyEdit& edit : edits) {
      if (edit.removed) return Disagreement(edit);
      if (entries_.size() > before && entries_.back() >= EntryOf(edit)) return Disagreement(edit);
      entries_.push_back(EntryOf(edit));
    }
  }
  if (entries_.size() - before <= kListEntriesMax) return Status::Ok();
  RETURN_IF_ERROR(MakeHub(slot, std::span<const Entry>(entries_).subspan(before)));
  entries_.resize(before);
  return Status::Ok();
}

Status ListWriter::Merge(const IdArray& neighbours, const IdArray& relationships, uint32_t begin, uint32_t end, Edits edits,
                         std::vector<Entry>* out) {
  uint32_t at = begin;
  for (const AdjacencyEdit& edit : edits) {
    const Entry entry = EntryOf(edit);
    for (; at < end; ++at) {
      const Entry here{neighbours[at], relationships[at]};
      if (here >= entry) break;
      out->push_back(here);
    }
    const bool is_there = at < end && Entry{neighbours[at], relationships[at]} == entry;
    if (is_there != edit.removed) return Disagreement(edit);
    if (edit.removed) ++at; else out->push_back(entry);
  }
  for (; at < end; ++at) out->push_back({neighbours[at], relationships[at]});
  return Status::Ok();
}

Status ListWriter::WriteLeaves(std::span<const Entry> entries, HubRoot* root) {
  if (entries.empty()) return Status::Ok();
  // One leaf as long as it fits, else as many as give each about three quarters.
  const size_t leaves = entries.size() <= kLeafEntriesMax ? 1 : (entries.size() + kLeafEntriesFill - 1) / kLeafEntriesFill;
  for (size_t i = 0; i < leaves; ++i) {
    const size_t begin = entries.size() * i / leaves, end = entries.size() * (i + 1) / leaves;
    ByteWriter bytes;
    EncodeHubLeaf(entries.subspan(begin, end - begin), &bytes);
    bytes.Zeros(kPackedTail);
    HubFence fence;
    fence.first = entries[begin];
    fence.count = static_cast<uint32_t>(end - begin);
    ASSIGN_OR_RETURN(fence.leaf, builder_->writer().file->Write(ExtentKind::kHubLeaf, builder_->Owner(HubLeafPart(part_)), bytes.bytes(),
                                                                Compress::kNever));
    root->degree += fence.count;
    root->fences.push_back(fence);
  }
  return Status::Ok();
}

Status ListWriter::PutHub(unsigned slot, HubRoot root) {
  root.slot = slot;
  ByteWriter bytes;
  EncodeHubRoot(root, &bytes);
  HubEntry hub;
  hub.slot = slot;
  hub.degree = root.degree;
  ASSIGN_OR_RETURN(
      hub.root, builder_->writer().file->Write(ExtentKind::kHubRoot, builder_->Owner(HubRootPart(part_)), bytes.bytes(), Compress::kNever));
  hubs_.push_back(hub);
  return Status::Ok();
}

Status ListWriter::MakeHub(unsigned slot, std::span<const Entry> entries) {
  HubRoot root;
  RETURN_IF_ERROR(WriteLeaves(entries, &root));
  return PutHub(slot, std::move(root));
}

Status ListWriter::WriteHub(unsigned slot, const HubEntry& old, Edits edits) {
  const HubRoot& was = ReadHubRoot(builder_->base(), *builder_->old(), part_, old);
  ExtentFile* file = builder_->writer().file;
  HubRoot root;
  std::vector<Entry> pending;   // of leaves that change, not yet written
  for (size_t i = 0; i < was.fences.size(); ++i) {
    const HubFence& fence = was.fences[i];
    size_t n = 0;
    if (i + 1 == was.fences.size()) {
      n = edits.size();
    } else {
      while (n < edits.size() && EntryOf(edits[n]) < was.fences[i + 1].first) ++n;
    }
    // A small rest takes the next leaf in.
    if (n == 0 && (pending.empty() || pending.size() >= kLeafEntriesMin)) {
      RETURN_IF_ERROR(WriteLeaves(pending, &root));
      pending.clear();
      root.degree += fence.count;
      root.fences.push_back(fence);
      continue;
    }
    if (pending.size() >= kLeafEntriesMin) {
      RETURN_IF_ERROR(WriteLeaves(pending, &root));
      pending.clear();
    }
    const HubLeaf& leaf = ReadHubLeaf(builder_->base(), *builder_->old(), part_, fence);
    RETURN_IF_ERROR(Merge(leaf.neighbours, leaf.relationships, 0, leaf.count, edits.first(n), &pending));
    edits = edits.subspan(n);
    file->Free(fence.leaf);
  }
  file->Free(old.root);
  if (root.degree + pending.size() >= kHubEntriesMin) {
    RETURN_IF_ERROR(WriteLeaves(pending, &root));
    return PutHub(slot, std::move(root));
  }
  // Short again: back into the piece. The leaves that didn't change come first or not at all, for pending holds the last ones
  // that did; so all are gathered and put in order.
  const size_t before = entries_.size();
  for (const HubFence& fence : root.fences) {
    const HubLeaf* leaf = nullptr;
    for (const HubFence& kept : was.fences) {
      if (kept.leaf == fence.leaf) leaf = &ReadHubLeaf(builder_->base(), *builder_->old(), part_, kept);
    }
    if (leaf == nullptr) return Status(Code::kInternal, "a leaf was written for a list that went back into its piece");
    for (uint32_t k = 0; k < leaf->count; ++k) entries_.push_back(leaf->At(k));
    file->Free(fence.leaf);
  }
  entries_.insert(entries_.end(), pending.begin(), pending.end());
  std::sort(entries_.begin() + static_cast<ptrdiff_t>(before), entries_.end());
  return Status::Ok();
}

void ListWriter::PutLists(unsigned first, unsigned span_log2, std::span<const Entry> entries, std::span<const uint32_t> ends,
                          std::span<const HubEntry> hubs) {
  if (entries.empty() && hubs.empty()) return;
  if (entries.size() <= kPieceEntriesMax || span_log2 <= kListSpanLog2Min) {
    ByteWriter bytes;
    EncodeAdjacency(first, entries, ends, hubs, &bytes);
    builder_->Put(part_, first, span_log2, false, bytes.Take(), Compress::kNever);
    return;
  }
  const size_t half = std::min<size_t>(ends.size(), size_t{1} << (span_log2 - 1));
  const uint32_t cut = ends[half - 1];
  const unsigned middle = first + (1u << (span_log2 - 1));
  const size_t hubs_before = static_cast<size_t>(
      std::partition_point(hubs.begin(), hubs.end(), [&](const HubEntry& hub) { return hub.slot < middle; }) - hubs.begin());
  PutLists(first, span_log2 - 1, entries.first(cut), ends.first(half), hubs.first(hubs_before));
  std::vector<uint32_t> rest(ends.begin() + static_cast<ptrdiff_t>(half), ends.end());
  for (uint32_t& end : rest) end -= cut;
  if (!rest.empty()) PutLists(middle, span_log2 - 1, entries.subspan(cut), rest, hubs.subspan(hubs_before));
}

}  // namespace fornix::storage
