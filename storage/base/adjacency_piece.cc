#include "storage/base/adjacency_piece.h"

#include <algorithm>
#include <string>

namespace fornix::storage {
namespace {

// More than a writer ever makes, so that the bound may be raised without a new format; 1.5 MB decoded.
constexpr uint32_t kPieceEntriesBelieved = 65'536;

Status CheckOrder(const ByteReader& in, const IdArray& neighbours, const IdArray& relationships, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin + 1; i < end; ++i) {
    const uint64_t a = neighbours[i - 1], b = neighbours[i];
    if (a < b || (a == b && relationships[i - 1] < relationships[i])) continue;
    return in.Damaged("a list out of order at entry " + std::to_string(i));
  }
  return Status::Ok();
}

template <typename Get>
void WriteIds(std::span<const Entry> entries, Get get, ByteWriter* out) {
  uint64_t least = entries.empty() ? 0 : ~uint64_t{0}, largest = 0;
  for (const Entry& entry : entries) {
    least = std::min(least, get(entry));
    largest = std::max(largest, get(entry));
  }
  WritePackedNumbers(entries.size(), least, largest, out, [&](size_t i) { return get(entries[i]); });
}
void WriteEntries(std::span<const Entry> entries, ByteWriter* out) {
  WriteIds(entries, [](const Entry& e) { return e.neighbour; }, out);
  WriteIds(entries, [](const Entry& e) { return e.relationship; }, out);
}

// A hub's leaf is 18 KiB of ids, seldom in the processor's cache: a binary search would wait for memory a dozen times. The ids of a list
// are about evenly spread, so a line through its ends says where one stands, give or take a few of them; binary search does the rest.
template <typename T>
uint32_t Search(const T* ids, uint32_t begin, uint32_t end, T id) {
  constexpr uint32_t kNear = 64;
  for (int round = 0; round < 3 && end - begin > 2 * kNear; ++round) {
    const T first = ids[begin], last = ids[end - 1];
    if (id <= first) return begin;
    if (id > last) return end;
    const double share = static_cast<double>(id - first) / static_cast<double>(last - first);
    const uint32_t guess = begin + static_cast<uint32_t>(share * (end - 1 - begin));
    if (ids[guess] < id) {
      const uint32_t near = std::min(guess + kNear, end - 1);
      begin = guess + 1;
      if (ids[near] >= id) end = near + 1; else begin = near + 1;
    } else {
      const uint32_t near = guess - begin > kNear ? guess - kNear : begin;
      end = guess + 1;
      if (ids[near] < id) begin = near + 1; else end = near + 1;
    }
  }
  return static_cast<uint32_t>(std::lower_bound(ids + begin, ids + end, id) - ids);
}

}  // namespace

uint32_t IdArray::LowerBound(uint32_t begin, uint32_t end, uint64_t id) const {
  if (begin == end) return end;
  if (!wide_.empty()) return Search(wide_.data(), begin, end, id);
  if (id <= base_) return begin;
  return id - base_ > ~uint32_t{0} ? end : Search(narrow_.data(), begin, end, static_cast<uint32_t>(id - base_));
}

Result<IdArray> IdArray::Decode(ByteReader* in, size_t n) {
  IdArray ids;
  ASSIGN_OR_RETURN(const PackedNumbers numbers, ReadPackedNumbers(in, n));
  uint64_t largest = 0;
  if (numbers.packed.width <= 32) {
    ids.base_ = numbers.base;
    ids.narrow_.resize(n);
    for (size_t i = 0; i < n; ++i) {
      ids.narrow_[i] = static_cast<uint32_t>(numbers.packed[i]);
      largest = std::max<uint64_t>(largest, ids.narrow_[i]);
    }
    if (ids.base_ > kElementIdMax || largest > kElementIdMax - ids.base_) return in->Damaged("an id of more than 40 bits");
    return ids;
  }
  ids.wide_.resize(n);
  for (size_t i = 0; i < n; ++i) {
    ids.wide_[i] = numbers[i];
    largest = std::max(largest, ids.wide_[i]);
  }
  return largest > kElementIdMax ? in->Damaged("an id of more than 40 bits") : Result<IdArray>(std::move(ids));
}

Result<AdjacencyPiece> AdjacencyPiece::Decode(ByteReader* in, uint64_t file_pages) {
  AdjacencyPiece piece;
  ASSIGN_OR_RETURN(piece.first_, in->ReadVarint32());
  ASSIGN_OR_RETURN(piece.slots_, in->ReadVarint32());
  if (piece.first_ >= kChunkSlots || piece.slots_ == 0 || piece.slots_ > kChunkSlots - piece.first_) {
    return in->Damaged("lists of " + std::to_string(piece.slots_) + " slots from " + std::to_string(piece.first_));
  }
  ASSIGN_OR_RETURN(piece.entries_, in->ReadVarint32());
  if (piece.entries_ > kPieceEntriesBelieved) return in->Damaged("lists of " + std::to_string(piece.entries_) + " entries");
  ASSIGN_OR_RETURN(const uint8_t form, in->ReadU8());
  if (form > 1) return in->Damaged("lists of the unknown form " + std::to_string(form));
  piece.sparse_ = form == 1;
  size_t lists = piece.slots_;
  if (piece.sparse_) {
    ASSIGN_OR_RETURN(piece.lists_, ReadBitmap(in, piece.slots_));
    lists = piece.lists_.count();
  }
  ASSIGN_OR_RETURN(const Packed offsets, ReadPacked(in, lists + 1));
  piece.offsets_.resize(lists + 1);
  uint64_t last = 0;
  for (size_t i = 0; i <= lists; ++i) {
    const uint64_t offset = offsets[i];
    if (offset < last || offset > piece.entries_) return in->Damaged("a list that ends before its start, or beyond the piece");
    piece.offsets_[i] = static_cast<uint32_t>(last = offset);
  }
  if (piece.offsets_.front() != 0 || last != piece.entries_) return in->Damaged("lists that don't fill their piece");
  ASSIGN_OR_RETURN(piece.neighbours_, IdArray::Decode(in, piece.entries_));
  ASSIGN_OR_RETURN(piece.relationships_, IdArray::Decode(in, piece.entries_));
  for (size_t i = 0; i < lists; ++i) {
    RETURN_IF_ERROR(CheckOrder(*in, piece.neighbours_, piece.relationships_, piece.offsets_[i], piece.offsets_[i + 1]));
  }
  ASSIGN_OR_RETURN(const uint32_t hubs, in->ReadCount(kExtentRefBytes + 2));
  if (hubs > piece.slots_) return in->Damaged("more long lists than slots");
  piece.hubs_.resize(hubs);
  uint64_t slot = piece.first_;
  for (HubEntry& hub : piece.hubs_) {
    ASSIGN_OR_RETURN(const uint64_t step, in->ReadVarint());
    if (step >= piece.end() - slot) return in->Damaged("a long list beyond its piece");
    slot += step;
    hub.slot = static_cast<uint32_t>(slot++);
    const auto [begin, end] = piece.List(hub.slot);
    ASSIGN_OR_RETURN(hub.degree, in->ReadVarint());
    ASSIGN_OR_RETURN(hub.root, DecodeExtentRef(in, file_pages));
    if (begin != end || hub.degree == 0 || hub.degree > kElementIdMax || hub.root.none())
      return in->Damaged("a long list that can't be one");
  }
  RETURN_IF_ERROR(in->ExpectEnd());
  return piece;
}

const HubEntry* AdjacencyPiece::Hub(unsigned slot) const {
  if (hubs_.empty()) return nullptr;
  const auto it = std::lower_bound(hubs_.begin(), hubs_.end(), slot, [](const HubEntry& hub, unsigned s) { return hub.slot < s; });
  return it == hubs_.end() || it->slot != slot ? nullptr : &*it;
}

size_t AdjacencyPiece::MemoryBytes() const {
  return lists_.MemoryBytes() + offsets_.capacity() * sizeof(uint32_t) + neighbours_.MemoryBytes() + relationships_.MemoryBytes() +
         hubs_.capacity() * sizeof(HubEntry);
}

void EncodeAdjacency(unsigned first, std::span<const Entry> entries, std::span<const uint32_t> ends, std::span<const HubEntry> hubs,
                     ByteWriter* out) {
  uint64_t has_list[kBitmapWords] = {};
  size_t lists = 0;
  for (size_t i = 0; i < ends.size(); ++i) {
    if (ends[i] == (i == 0 ? 0 : ends[i - 1])) continue;
    SetBit(has_list, i);
    ++lists;
  }
  const bool sparse = lists * 8 < ends.size();
  out->Varint(first);
  out->Varint(ends.size());
  out->Varint(entries.size());
  out->U8(sparse ? 1 : 0);
  if (sparse) {
    WriteBitmap(has_list, ends.size(), out);
    std::vector<uint32_t> offsets = {0};
    for (size_t i = 0; i < ends.size(); ++i) {
      if (TestBit(has_list, i)) offsets.push_back(ends[i]);
    }
    WritePacked(offsets.size(), entries.size(), out, [&](size_t i) { return offsets[i]; });
  } else {
    WritePacked(ends.size() + 1, entries.size(), out, [&](size_t i) { return i == 0 ? 0 : ends[i - 1]; });
  }
  WriteEntries(entries, out);
  out->Varint(hubs.size());
  uint32_t next = first;
  for (const HubEntry& hub : hubs) {
    out->Varint(hub.slot - next);
    next = hub.slot + 1;
    out->Varint(hub.degree);
    EncodeExtentRef(hub.root, out);
  }
}

Result<HubLeaf> HubLeaf::Decode(ByteReader* in) {
  HubLeaf leaf;
  ASSIGN_OR_RETURN(leaf.count, in->ReadVarint32());
  if (leaf.count == 0 || leaf.count > kPieceEntriesBelieved) return in->Damaged("a leaf of " + std::to_string(leaf.count) + " entries");
  ASSIGN_OR_RETURN(leaf.neighbours, IdArray::Decode(in, leaf.count));
  ASSIGN_OR_RETURN(leaf.relationships, IdArray::Decode(in, leaf.count));
  RETURN_IF_ERROR(CheckOrder(*in, leaf.neighbours, leaf.relationships, 0, leaf.count));
  RETURN_IF_ERROR(in->ExpectEnd());
  return leaf;
}

void EncodeHubLeaf(std::span<const Entry> entries, ByteWriter* out) {
  out->Varint(entries.size());
  WriteEntries(entries, out);
}

Result<HubRoot> HubRoot::Decode(ByteReader* in, uint64_t file_pages) {
  HubRoot root;
  ASSIGN_OR_RETURN(root.slot, in->ReadVarint32());
  if (root.slot >= kChunkSlots) return in->Damaged("a long list of slot " + std::to_string(root.slot));
  ASSIGN_OR_RETURN(const uint32_t leaves, in->ReadCount(kExtentRefBytes + 3));
  if (leaves == 0) return in->Damaged("a long list without leaves");
  root.fences.resize(leaves);
  root.neighbours.reserve(leaves);
  const Entry* last = nullptr;
  for (HubFence& fence : root.fences) {
    ASSIGN_OR_RETURN(fence.first.neighbour, in->ReadVarint());
    ASSIGN_OR_RETURN(fence.first.relationship, in->ReadVarint());
    ASSIGN_OR_RETURN(fence.count, in->ReadVarint32());
    ASSIGN_OR_RETURN(fence.leaf, DecodeExtentRef(in, file_pages));
    if (fence.first.neighbour > kElementIdMax || fence.first.relationship > kElementIdMax || fence.count == 0 || fence.leaf.none() ||
        (last != nullptr && *last >= fence.first)) {
      return in->Damaged("a leaf that can't be one, or out of order");
    }
    last = &fence.first;
    root.neighbours.push_back(fence.first.neighbour);
    fence.before = root.degree;
    root.degree += fence.count;
  }
  RETURN_IF_ERROR(in->ExpectEnd());
  return root;
}

void EncodeHubRoot(const HubRoot& root, ByteWriter* out) {
  out->Varint(root.slot);
  out->Varint(root.fences.size());
  for (const HubFence& fence : root.fences) {
    out->Varint(fence.first.neighbour);
    out->Varint(fence.first.relationship);
    out->Varint(fence.count);
    EncodeExtentRef(fence.leaf, out);
  }
}

}  // namespace fornix::storage
