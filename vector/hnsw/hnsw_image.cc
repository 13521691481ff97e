// The index as rows of bytes; see "an image" in hnsw.h for the order of calls. A row of
//   kCodes, kFineCodes      a code of quantize/quantizer.h
//   kBaseLinks, kUpperLinks words of link_table.h; base row = slot, a slot's upper rows follow its upper_row
//   kSlots                  u32 upper_row, next_equal, 0, state (hnsw.h); little-endian
// Loading believes nothing: every link must lead to a slot that has the layer, every chain must end. What can be
// counted again (in-degrees, ends of chains) is. Codes can hold anything (quantizer.h).
#include <algorithm>
#include <cstring>
#include <string>

#include "base/check.h"
#include "vector/hnsw/hnsw.h"

namespace fornix::vector {
namespace {

constexpr size_t kSlotWords = 4;

Status Damaged(const std::string& what) { return Status(Code::kCorruption, "vector index: " + what); }
std::string Text(uint64_t n) { return std::to_string(n); }

}  // namespace

size_t Hnsw::row_bytes(Array array) const {
  switch (array) {
    case Array::kCodes: return codes_.quantizer().code_bytes();
    case Array::kFineCodes: return fine_ != nullptr ? fine_->quantizer().code_bytes() : 0;
    case Array::kBaseLinks: return base_.words() * sizeof(uint32_t);
    case Array::kUpperLinks: return upper_.words() * sizeof(uint32_t);
    case Array::kSlots: return kSlotWords * sizeof(uint32_t);
  }
  return 0;
}

Hnsw::ImageHead Hnsw::BeginImage() const {
  ImageHead head;
  head.linked = linked_watermark();
  Entry entry;
  if (head.linked > 0 && LoadEntry(&entry)) {
    head.entry_slot = entry.slot;
    head.entry_level = entry.level;
  }
  return head;
}

void Hnsw::EndImage(ImageHead* head) const {
  head->slots = size();
  // The next rows of the slots up to there; those of a slot that is just being stored may be beyond.
  head->upper_rows = head->slots == 0 ? 0 : meta_.Row(head->slots - 1)->upper_row + LevelOf(head->slots - 1);
}

void Hnsw::CopyRows(Array array, size_t first, size_t count, uint8_t* out) const {
  const size_t bytes = row_bytes(array);
  std::vector<uint32_t> words(bytes / sizeof(uint32_t));
  for (size_t row = first; row < first + count; ++row, out += bytes) {
    switch (array) {
      case Array::kCodes: std::memcpy(out, codes_.Row(static_cast<uint32_t>(row)), bytes); continue;
      case Array::kFineCodes: std::memcpy(out, fine_->Row(static_cast<uint32_t>(row)), bytes); continue;
      case Array::kBaseLinks: base_.CopyRow(row, words.data()); break;
      case Array::kUpperLinks: upper_.CopyRow(row, words.data()); break;
      case Array::kSlots: {
        const auto slot = static_cast<uint32_t>(row);
        const uint32_t state = StateOf(slot);
        const SlotMeta* meta = meta_.Row(row);
        // One that was cut out of a chain still shows its next to searchers that stand on it. Where a chain ends is found
        // again by loading it.
        const uint32_t next = state == kFreed ? 0 : NextEqual(slot).load(std::memory_order_acquire);
        words = {meta->upper_row, next, 0, state == kSwept ? uint32_t{kRetired} : state};
        break;
      }
    }
    std::memcpy(out, words.data(), bytes);
  }
}

Status Hnsw::BeginLoad(const ImageHead& head) {
  CHECK(size() == 0);
  if (head.linked > head.slots) return Damaged(Text(head.linked) + " of " + Text(head.slots) + " slots are linked");
  const bool entered = head.entry_slot != ~uint32_t{0};
  if (entered && (head.entry_slot >= head.slots || head.entry_level > LevelOf(head.entry_slot))) {
    return Damaged("the entry point is slot " + Text(head.entry_slot) + " of " + Text(head.slots) + " on layer " + Text(head.entry_level));
  }
  loading_ = std::make_unique<Loading>();
  loading_->head = head;
  return Status::Ok();
}

Status Hnsw::LoadRows(Array array, size_t first, std::span<const uint8_t> bytes) {
  CHECK(loading_ != nullptr);
  const size_t row_size = row_bytes(array);
  size_t& loaded = loading_->rows[static_cast<size_t>(array)];
  const size_t rows_max = array == Array::kUpperLinks ? loading_->head.upper_rows : loading_->head.slots;
  if (row_size == 0 || bytes.size() % row_size != 0 || first != loaded || bytes.size() / row_size > rows_max - loaded) {
    return Damaged("rows " + Text(first) + " on, " + Text(bytes.size()) + " bytes of array " + Text(static_cast<uint64_t>(array)) +
                   ", expected rows " + Text(loaded) + " to " + Text(rows_max) + " of " + Text(row_size) + " bytes");
  }
  std::vector<uint32_t> words(row_size / sizeof(uint32_t));
  const size_t last = first + bytes.size() / row_size;
  if (array == Array::kBaseLinks) base_.Grow(last);
  if (array == Array::kUpperLinks) upper_.Grow(last);
  if (array == Array::kSlots) meta_.Grow(last);
  for (; loaded < last; ++loaded, bytes = bytes.subspan(row_size)) {
    std::memcpy(words.data(), bytes.data(), row_size);
    switch (array) {
      case Array::kCodes: codes_.AppendCode(bytes.data()); break;
      case Array::kFineCodes: fine_->AppendCode(bytes.data()); break;
      case Array::kBaseLinks:
      case Array::kUpperLinks:
        if (!(array == Array::kBaseLinks ? base_ : upper_).LoadRow(loaded, words.data())) {
          return Damaged("row " + Text(loaded) + " of links begins with " + Text(words[0]) + ", which is no count");
        }
        break;
      case Array::kSlots: {
        if (words[3] > kFreed || words[3] == kSwept) return Damaged("slot " + Text(loaded) + " has state " + Text(words[3]));
        SlotMeta* meta = meta_.Row(loaded);
        *meta = {words[0], 0, words[3] << 1, words[1], 0};
        break;
      }
    }
  }
  return Status::Ok();
}

Status Hnsw::FinishLoad() {
  CHECK(loading_ != nullptr);
  const ImageHead head = loading_->head;
  for (Array array : {Array::kCodes, Array::kFineCodes, Array::kBaseLinks, Array::kUpperLinks, Array::kSlots}) {
    const size_t expected = array == Array::kUpperLinks ? head.upper_rows : row_bytes(array) == 0 ? 0 : head.slots;
    const size_t found = loading_->rows[static_cast<size_t>(array)];
    if (found != expected) {
      return Damaged(Text(found) + " rows of array " + Text(static_cast<uint64_t>(array)) + ", expected " + Text(expected));
    }
  }
  std::vector<bool> in_chain(head.slots, false);
  RETURN_IF_ERROR(LoadChains(head, &in_chain));
  if (head.entry_slot != ~uint32_t{0} && in_chain[head.entry_slot]) return Damaged("the entry point hangs on a chain of equal vectors");
  std::vector<uint32_t> links(std::max(base_.degree_max(), upper_.degree_max()));
  for (uint32_t slot = 0; slot < head.slots; ++slot) {
    const uint32_t level = LevelOf(slot);
    if (uint64_t{meta_.Row(slot)->upper_row} + level > head.upper_rows) {
      return Damaged("slot " + Text(slot) + " has its upper rows from " + Text(meta_.Row(slot)->upper_row) + " of " + Text(head.upper_rows));
    }
    for (uint32_t layer = 0; layer <= level; ++layer) {
      bool marked = false;
      const uint32_t count = TableOf(layer).Read(RowOf(slot, layer), links.data(), &marked);
      for (uint32_t i = 0; i < count; ++i) {
        if (links[i] >= head.slots || links[i] == slot || LevelOf(links[i]) < layer || in_chain[links[i]]) {
          return Damaged("slot " + Text(slot) + " has a link to slot " + Text(links[i]) + " of " + Text(head.slots) + " on layer " + Text(layer));
        }
        if (layer == 0 && StateOf(slot) <= kRetired) ++meta_.Row(links[i])->in_degree;
      }
    }
  }

  for (uint32_t slot = 0; slot < head.linked; ++slot) meta_.Row(slot)->linked |= 1;
  upper_rows_ = head.upper_rows;
  next_to_link_ = head.linked;
  linked_watermark_.store(head.linked, std::memory_order_release);
  if (head.entry_slot != ~uint32_t{0}) StoreEntry({head.entry_slot, head.entry_level});
  loading_.reset();
  return Status::Ok();
}

// Each chain from its head, without the members that will be linked again. A slot that two chains lead to, or one that
// no head leads to, is damage. (*in_chain)[slot]: it hangs on another, so no list may hold it.
Status Hnsw::LoadChains(const ImageHead& head, std::vector<bool>* in_chain) {
  std::vector<bool> led_to(head.slots, false);
  uint32_t members = 0, walked = 0;
  for (uint32_t slot = 0; slot < head.slots; ++slot) {
    const uint32_t next = meta_.Row(slot)->next_equal;
    if (next == 0) continue;
    if (next > head.slots || led_to[next - 1]) return Damaged("slot " + Text(slot) + " has slot " + Text(next - 1) + " as the next of its chain");
    led_to[next - 1] = true;
    ++members;
  }
  for (uint32_t slot = 0; slot < head.slots; ++slot) {
    if (led_to[slot] || meta_.Row(slot)->next_equal == 0) continue;
    uint32_t last = slot;
    for (uint32_t next = meta_.Row(slot)->next_equal; next != 0;) {
      ++walked;
      const uint32_t member = next - 1;
      next = meta_.Row(member)->next_equal;
      meta_.Row(member)->next_equal = 0;
      meta_.Row(last)->next_equal = member < head.linked ? member + 1 : 0;
      if (member >= head.linked) continue;
      last = member;
      (*in_chain)[member] = true;
    }
    if (last == slot) continue;
    meta_.Row(slot)->last_equal = last + 1;
    LinkTable::Owner(&base_, slot).Mark();
  }
  // Every one that is led to is walked over from a head, unless chains make a ring.
  if (walked != members) return Damaged("a chain of equal vectors is a ring");
  return Status::Ok();
}

}  // namespace fornix::vector
