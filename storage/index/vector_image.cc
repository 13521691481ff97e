// Writing: what has changed, in the order that lets others link meanwhile. Reading is in vector_image_read.cc.
//
//   BeginImage      the watermark L and the entry point
//   base links      of groups below L
//   EndImage        the number of slots N: every link copied so far leads to one of them
//   open rows       those from L on that have a list by now
//   other links     without those to slots from L on that have no open row
//   codes, tables   up to N
#include "storage/index/vector_image.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "base/check.h"

namespace fornix::storage {
namespace {

using vector::Hnsw;

constexpr size_t kCodeGroupBytes = size_t{256} << 10;  // one run of the writer
constexpr size_t kLinkGroupBytes = size_t{64} << 10;   // a new slot changes some thirty rows all over: smaller would write less, and read slower
constexpr size_t kTableRows = 4096;
// Links are worth writing when opening would have to link so many slots again: about a second's work.
constexpr uint32_t kLinksLagMin = 4096;
constexpr uint32_t kLinksLagPart = 20;                 // or a twentieth: then nearly every group of them has changed

constexpr uint32_t kCountMask = 0xFFF;                 // of a row's first word (vector/hnsw/link_table.h)

Hnsw::Array ArrayOf(VectorArray array) { return static_cast<Hnsw::Array>(array); }

}  // namespace

ExtentKind KindOf(VectorArray array) {
  return static_cast<ExtentKind>(static_cast<uint8_t>(ExtentKind::kVectorCodes) + static_cast<uint8_t>(array));
}

size_t RowsInGroup(VectorArray array, size_t row_bytes) {
  switch (array) {
    case VectorArray::kCodes:
    case VectorArray::kFineCodes: return std::max<size_t>(1, kCodeGroupBytes / std::max<size_t>(1, row_bytes));
    case VectorArray::kBaseLinks:
    case VectorArray::kUpperLinks: {
      constexpr size_t kStep = vector::LinkTable::kDirtyRows;
      return std::max(kStep, kLinkGroupBytes / std::max<size_t>(1, row_bytes) / kStep * kStep);
    }
    case VectorArray::kSlots:
    case VectorArray::kElements: return kTableRows;
  }
  return kTableRows;
}

// One Write of an image; its result is image->next_.
class VectorImage::Writing {
 public:
  Writing(VectorImage* image, ExtentFile* file, const Source& source)
      : image_(*image), next_(image->next_), directory_(image->next_.directory), file_(file), source_(source), graph_(source.graph) {}

  Status Run() {
    directory_.timestamp = source_.timestamp;
    directory_.complete = source_.complete;
    if (graph_ != next_.graph && !directory_.groups[0].empty()) DropRows();
    next_.graph = graph_;
    if (graph_ != nullptr) {
      directory_.options = graph_->options();
      RETURN_IF_ERROR(Rows());
    }
    if (Unchanged()) {
      next_ = image_.durable_;
      return Status::Ok();
    }
    for (const ExtentRef& link : next_.links) file_->Free(link);
    return WriteDirectory();
  }

 private:
  // Another graph than the one that the image is of.
  void DropRows() {
    for (std::vector<ExtentRef>& groups : directory_.groups) {
      for (const ExtentRef& ref : groups) file_->Free(ref);
      groups.clear();
    }
    for (auto& hashes : next_.hashes) hashes.clear();
    directory_.head = {};
    directory_.link_rows[0] = directory_.link_rows[1] = 0;
  }

  Status Rows() {
    const Hnsw::ImageHead before = directory_.head;
    Hnsw::ImageHead head = graph_->BeginImage();
    const bool links = image_.LinksDue(source_, head.linked);
    next_.repairs = links ? source_.repairs : next_.repairs;
    size_t base_group = 0;
    linked_ = head.linked;
    const size_t base_rows = RowsOf(VectorArray::kBaseLinks);
    if (links) {
      for (; (base_group + 1) * base_rows <= head.linked; ++base_group) RETURN_IF_ERROR(Links(VectorArray::kBaseLinks, base_group, base_rows));
    }
    graph_->EndImage(&head);
    if (links) {
      FindOpenRows(head.slots);
      RETURN_IF_ERROR(RestOfLinks(VectorArray::kBaseLinks, base_group, head.slots));
      RETURN_IF_ERROR(RestOfLinks(VectorArray::kUpperLinks, 0, head.upper_rows));
      directory_.link_rows[0] = head.slots;
      directory_.link_rows[1] = head.upper_rows;
    } else {
      head.linked = before.linked;
      head.entry_slot = before.entry_slot;
      head.entry_level = before.entry_level;
    }
    image_.wrote_links_ = links;
    for (const VectorArray array : {VectorArray::kCodes, VectorArray::kFineCodes}) RETURN_IF_ERROR(Codes(array, before.slots, head.slots));
    RETURN_IF_ERROR(Table(VectorArray::kSlots, before.slots, head.slots));
    RETURN_IF_ERROR(Table(VectorArray::kElements, before.slots, head.slots));
    if (lost_) directory_.complete = false;
    directory_.head = head;
    return Status::Ok();
  }

  size_t RowBytes(VectorArray array) const { return graph_->row_bytes(ArrayOf(array)); }
  size_t RowsOf(VectorArray array) const { return RowsInGroup(array, array == VectorArray::kElements ? 0 : RowBytes(array)); }
  std::vector<ExtentRef>& Groups(VectorArray array) { return directory_.groups[static_cast<size_t>(array)]; }

  Status Put(VectorArray array, size_t group, std::span<const uint8_t> bytes) {
    std::vector<ExtentRef>& groups = Groups(array);
    CHECK(group <= groups.size());
    if (group < groups.size()) file_->Free(groups[group]);
    ASSIGN_OR_RETURN(const ExtentRef ref, file_->Write(KindOf(array), ExtentOwner(OwnerSpace::kIndex, image_.index_.value, static_cast<uint32_t>(group)),
                                                       std::as_bytes(bytes), Compress::kIfSmaller));
    if (group == groups.size()) groups.push_back(ref);
    else groups[group] = ref;
    ++image_.extents_written_;
    return Status::Ok();
  }

  // Rows of a group among the first `rows` of the array.
  static size_t InGroup(size_t group, size_t per_group, size_t rows) { return std::min(per_group, rows - std::min(rows, group * per_group)); }

  Status Codes(VectorArray array, size_t before, size_t rows) {
    const size_t bytes = RowBytes(array), per_group = RowsOf(array);
    if (bytes == 0) return Status::Ok();
    for (size_t group = before / per_group; group * per_group < rows; ++group) {
      const size_t count = InGroup(group, per_group, rows);
      if (group < Groups(array).size() && count == InGroup(group, per_group, before)) continue;
      buffer_.resize(count * bytes);
      graph_->CopyRows(ArrayOf(array), group * per_group, count, buffer_.data());
      RETURN_IF_ERROR(Put(array, group, buffer_));
    }
    return Status::Ok();
  }

  // --- Links ---

  // The flags of a group's rows, before they are copied. Whether it must be written.
  bool TakeDirty(VectorArray array, size_t group, size_t count) {
    std::vector<bool>& dirty = image_.dirty_[array == VectorArray::kUpperLinks];
    if (dirty.size() <= group) dirty.resize(group + 1);
    constexpr size_t kStep = vector::LinkTable::kDirtyRows;
    const size_t first = group * RowsOf(array);
    for (size_t row = first; row < first + count; row += kStep) {
      if (graph_->TakeDirty(ArrayOf(array), row / kStep)) dirty[group] = true;
    }
    const size_t before = directory_.link_rows[array == VectorArray::kUpperLinks];
    return dirty[group] || group >= Groups(array).size() || count != InGroup(group, RowsOf(array), before);
  }
  void StaysDirty(VectorArray array, size_t group) {
    std::vector<bool>& stays = image_.stays_dirty_[array == VectorArray::kUpperLinks];
    if (stays.size() <= group) stays.resize(group + 1);
    stays[group] = true;
  }

  Status Links(VectorArray array, size_t group, size_t count) {
    if (!TakeDirty(array, group, count)) return Status::Ok();
    buffer_.resize(count * RowBytes(array));
    graph_->CopyRows(ArrayOf(array), group * RowsOf(array), count, buffer_.data());
    return Put(array, group, buffer_);
  }

  // Slots from the watermark on that have a list by now. A list is published before others lead to its slot, so what was copied before leads
  // to no other.
  void FindOpenRows(uint32_t slots) {
    std::vector<uint32_t> row(RowBytes(VectorArray::kBaseLinks) / sizeof(uint32_t));
    for (uint32_t slot = linked_; slot < slots; ++slot) {
      graph_->CopyRows(Hnsw::Array::kBaseLinks, slot, 1, reinterpret_cast<uint8_t*>(row.data()));
      if ((row[0] & kCountMask) != 0) open_.emplace(slot, row);
    }
    for (auto& [slot, links] : open_) Filter(links.data());
  }
  // Takes the links to slots out that aren't in the image as linked. True if there was one.
  bool Filter(uint32_t* row) const {
    const uint32_t count = row[0] & kCountMask;
    uint32_t* const end = row + 1 + count;
    uint32_t* const kept = std::remove_if(row + 1, end, [&](uint32_t slot) { return slot >= linked_ && !open_.contains(slot); });
    if (kept == end) return false;
    std::fill(kept, end, 0u);
    row[0] -= static_cast<uint32_t>(end - kept);
    return true;
  }

  Status RestOfLinks(VectorArray array, size_t group, size_t rows) {
    const size_t bytes = RowBytes(array), per_group = RowsOf(array);
    const bool base = array == VectorArray::kBaseLinks;
    std::vector<uint32_t> row(bytes / sizeof(uint32_t));
    for (; group * per_group < rows; ++group) {
      const size_t first = group * per_group, count = InGroup(group, per_group, rows);
      if (!TakeDirty(array, group, count)) continue;
      buffer_.assign(count * bytes, 0);
      bool stays = false;
      for (size_t i = 0; i < count; ++i) {
        uint8_t* const to = buffer_.data() + i * bytes;
        if (base && first + i >= linked_) {    // what is published from now on comes the next time
          stays = true;
          if (const auto open = open_.find(static_cast<uint32_t>(first + i)); open != open_.end()) std::memcpy(to, open->second.data(), bytes);
          continue;
        }
        graph_->CopyRows(ArrayOf(array), first + i, 1, reinterpret_cast<uint8_t*>(row.data()));
        stays |= Filter(row.data());
        std::memcpy(to, row.data(), bytes);
      }
      if (stays) StaysDirty(array, group);
      RETURN_IF_ERROR(Put(array, group, buffer_));
    }
    return Status::Ok();
  }

  // --- Tables ---

  Status Table(VectorArray array, size_t before, size_t rows) {
    auto& hashes = next_.hashes[static_cast<size_t>(array)];
    for (size_t group = 0; group * kTableRows < rows; ++group) {
      const size_t count = InGroup(group, kTableRows, rows);
      if (array == VectorArray::kSlots) SlotRows(group * kTableRows, count, rows);
      else ElementRows(group * kTableRows, count);
      const uint64_t hash = XXH3_64bits(buffer_.data(), buffer_.size());
      if (group < hashes.size() && hashes[group] == hash && count == InGroup(group, kTableRows, before)) continue;
      if (hashes.size() <= group) hashes.resize(group + 1);
      hashes[group] = hash;
      RETURN_IF_ERROR(Put(array, group, buffer_));
    }
    return Status::Ok();
  }
  // Chains may have grown beyond the image's slots.
  void SlotRows(size_t first, size_t count, size_t slots) {
    const size_t bytes = RowBytes(VectorArray::kSlots);
    buffer_.resize(count * bytes);
    graph_->CopyRows(Hnsw::Array::kSlots, first, count, buffer_.data());
    for (size_t i = 0; i < count; ++i) {
      uint8_t* const next = buffer_.data() + i * bytes + sizeof(uint32_t);
      uint32_t slot_and_one;
      std::memcpy(&slot_and_one, next, sizeof(slot_and_one));
      if (slot_and_one > slots) std::memset(next, 0, sizeof(slot_and_one));
    }
  }
  // A bitmap of the live ones, then five bytes of each one's element. A slot that the graph has given up meanwhile isn't live: the filling
  // brings its vector again.
  void ElementRows(size_t first, size_t count) {
    SlotRows(first, count, first + count);
    std::vector<uint8_t> given_up(count);
    for (size_t i = 0; i < count; ++i) {
      uint32_t state;
      std::memcpy(&state, buffer_.data() + (i + 1) * RowBytes(VectorArray::kSlots) - sizeof(state), sizeof(state));
      given_up[i] = state != 0;
    }
    const size_t bitmap = (count + 7) / 8;
    buffer_.assign(bitmap + count * kElementBytes, 0);
    for (size_t i = 0; i < count; ++i) {
      uint64_t id = 0;
      const size_t slot = first + i;
      if (slot >= source_.rows || !source_.live(static_cast<uint32_t>(slot), &id)) continue;
      lost_ |= given_up[i] != 0;
      if (given_up[i] != 0) continue;
      buffer_[i / 8] |= static_cast<uint8_t>(1u << (i % 8));
      std::memcpy(buffer_.data() + bitmap + i * kElementBytes, &id, kElementBytes);
    }
  }

  // --- The directory ---

  bool Unchanged() const {
    const VectorDirectory &a = image_.durable_.directory, &b = directory_;
    const auto same = [](const Hnsw::ImageHead& x, const Hnsw::ImageHead& y) {
      return x.slots == y.slots && x.linked == y.linked && x.upper_rows == y.upper_rows && x.entry_slot == y.entry_slot && x.entry_level == y.entry_level;
    };
    return !image_.durable_.first.none() && image_.durable_.graph == next_.graph && a.complete == b.complete && same(a.head, b.head) &&
           a.link_rows[0] == b.link_rows[0] && a.link_rows[1] == b.link_rows[1] && a.groups == b.groups;
  }

  Status WriteDirectory() {
    ByteWriter out;
    out.U64(directory_.timestamp);
    out.U8(directory_.complete ? 1 : 0);
    const Hnsw::ImageHead& head = directory_.head;
    for (const uint32_t number : {head.slots, head.linked, head.upper_rows, head.entry_slot, head.entry_level, directory_.link_rows[0],
                                  directory_.link_rows[1]}) {
      out.U32(number);
    }
    const vector::HnswOptions& options = directory_.options;
    out.U32(options.dimensions);
    out.U8(static_cast<uint8_t>(options.metric));
    out.U8(static_cast<uint8_t>(options.quantization));
    out.U32(options.m);
    out.U32(options.ef_construction);
    out.U64(options.seed);
    out.U8(options.centre.empty() ? 0 : 1);
    for (const float x : options.centre) out.F32(x);
    for (const auto& groups : directory_.groups) {
      out.Varint(groups.size());
      for (const ExtentRef& ref : groups) EncodeExtentRef(ref, &out);
    }
    // The last link first, so that each one can name the next.
    constexpr size_t kLinkBytesMax = kExtentPayloadMax - kExtentRefBytes;
    const std::span<const std::byte> bytes = out.bytes();
    next_.links.clear();
    next_.first = {};
    for (size_t link = (bytes.size() + kLinkBytesMax - 1) / kLinkBytesMax; link-- > 0;) {
      ByteWriter payload;
      EncodeExtentRef(next_.first, &payload);
      payload.Bytes(bytes.subspan(link * kLinkBytesMax, std::min(kLinkBytesMax, bytes.size() - link * kLinkBytesMax)));
      ASSIGN_OR_RETURN(next_.first, file_->Write(ExtentKind::kVectorDirectory,
                                                 ExtentOwner(OwnerSpace::kIndex, image_.index_.value, static_cast<uint32_t>(link)), payload.bytes(),
                                                 Compress::kIfSmaller));
      next_.links.push_back(next_.first);
      ++image_.extents_written_;
    }
    return Status::Ok();
  }

  VectorImage& image_;
  State& next_;
  VectorDirectory& directory_;                 // next_'s
  ExtentFile* const file_;
  const Source& source_;
  Hnsw* const graph_;
  uint32_t linked_ = 0;
  bool lost_ = false;
  std::unordered_map<uint32_t, std::vector<uint32_t>> open_;   // base rows
  std::vector<uint8_t> buffer_;
};

VectorImage::VectorImage(IndexId index, const ExtentRef& first, std::vector<ExtentRef> links, VectorDirectory directory, const LoadedVectors& loaded)
    : index_(index) {
  durable_ = {first, std::move(links), std::move(directory), loaded.hashes, loaded.graph.get(), 0};
}

bool VectorImage::LinksDue(const Source& source, uint32_t linked) const {
  if (linked == 0) return false;
  if (source.closing || next_.directory.link_rows[0] == 0 || source.repairs != durable_.repairs) return true;
  return LinksLag(linked, durable_.directory.head.linked);
}

bool VectorImage::LinksLag(uint32_t linked, uint32_t before) {
  return linked > before && linked - before >= std::max(kLinksLagMin, linked / kLinksLagPart);
}

Result<ExtentRef> VectorImage::Write(ExtentFile* file, const Source& source) {
  CHECK(!writing_);
  writing_ = true;
  next_ = durable_;
  extents_written_ = 0;
  wrote_links_ = false;
  for (auto& stays : stays_dirty_) stays.clear();
  RETURN_IF_ERROR(Writing(this, file, source).Run());
  return next_.first;
}

void VectorImage::Committed() {
  if (!std::exchange(writing_, false)) return;
  if (wrote_links_) dirty_ = std::move(stays_dirty_);
  durable_ = std::move(next_);
  next_ = {};
}

void VectorImage::Abandoned() {
  writing_ = false;
  next_ = {};
}

}  // namespace fornix::storage
