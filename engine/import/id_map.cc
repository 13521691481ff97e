// Tables of ids; see id_map.h.
#include "engine/import/id_map.h"

#include <algorithm>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace fornix::engine {
namespace {

constexpr uint64_t kNodeMask = (uint64_t{1} << 40) - 1;
constexpr uint64_t kDenseNumbersMin = 1 << 16;  // below this an array costs nothing whatever it leaves empty
constexpr uint64_t kDenseSpread = 4;            // an array of 4 B a number beats the table's 16 B at 70 % as long as a quarter of it is used
constexpr size_t kBatch = 256;                  // lookups in flight; a processor has some dozens of misses open

// "0" to "999999999999999999", as a number would be printed.
std::optional<uint64_t> PlainNumber(std::string_view id) {
  if (id.empty() || id.size() > 18 || (id[0] == '0' && id.size() > 1)) return std::nullopt;
  uint64_t number = 0;
  for (char c : id) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + static_cast<uint64_t>(c - '0');
  }
  return number;
}

uint64_t HashNumber(uint64_t number) {
  number *= 0x9E3779B97F4A7C15ull;
  return number ^ (number >> 32);
}
uint64_t HashText(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

}  // namespace

uint64_t IdMap::bytes() const {
  return dense_.capacity() * sizeof(uint32_t) + hashed_.capacity() * sizeof(NumberSlot) + slots_.capacity() * sizeof(TextSlot) +
         arena_.capacity();
}

Result<bool> IdMap::Insert(std::string_view id, uint64_t node) {
  if (const auto number = PlainNumber(id)) return InsertNumber(*number, node);
  return InsertText(id, node);
}

Result<bool> IdMap::InsertNumber(uint64_t number, uint64_t node) {
  if (is_dense_) {
    const bool fits = node < 0xFFFFFFFFull && (number < kDenseNumbersMin || number / kDenseSpread < numbers_ + 1);
    if (!fits) {
      RETURN_IF_ERROR(LeaveDense());
      return InsertHashed(number, node);
    }
    if (number >= dense_.size()) {
      if (number >= dense_.capacity()) {
        const uint64_t capacity = std::max<uint64_t>(number + 1, dense_.capacity() * 2);
        RETURN_IF_ERROR(Room(capacity * sizeof(uint32_t)));
        dense_.reserve(capacity);
      }
      dense_.resize(number + 1, 0);
    }
    if (dense_[number] != 0) return false;
    dense_[number] = static_cast<uint32_t>(node + 1);
    ++numbers_;
    return true;
  }
  return InsertHashed(number, node);
}

// The numbers turned out to be sparse: everything moves into the table, once.
Status IdMap::LeaveDense() {
  is_dense_ = false;
  std::vector<uint32_t> dense = std::move(dense_);
  dense_ = {};
  numbers_ = 0;
  for (uint64_t number = 0; number < dense.size(); ++number) {
    if (dense[number] == 0) continue;
    ASSIGN_OR_RETURN(const bool inserted, InsertHashed(number, dense[number] - 1));
    (void)inserted;
  }
  return Status::Ok();
}

Result<bool> IdMap::InsertHashed(uint64_t number, uint64_t node) {
  if ((numbers_ + 1) * 10 > hashed_.size() * 7) {
    const size_t capacity = std::max<size_t>(hashed_.size() * 2, 1 << 12);
    RETURN_IF_ERROR(Room(capacity * sizeof(NumberSlot)));
    std::vector<NumberSlot> old = std::move(hashed_);
    hashed_.assign(capacity, NumberSlot{});
    for (const NumberSlot& slot : old) {
      if (slot.node == kNone) continue;
      size_t at = HashNumber(slot.number) & (capacity - 1);
      while (hashed_[at].node != kNone) at = (at + 1) & (capacity - 1);
      hashed_[at] = slot;
    }
  }
  const size_t mask = hashed_.size() - 1;
  size_t at = HashNumber(number) & mask;
  for (; hashed_[at].node != kNone; at = (at + 1) & mask) {
    if (hashed_[at].number == number) return false;
  }
  hashed_[at] = {number, node};
  ++numbers_;
  return true;
}

std::string_view IdMap::TextAt(uint64_t place) const {
  uint32_t size;
  std::memcpy(&size, arena_.data() + place, sizeof size);
  return {arena_.data() + place + sizeof size, size};
}

Result<bool> IdMap::InsertText(std::string_view id, uint64_t node) {
  const uint64_t hash = HashText(id);
  if (slots_.empty() || FindText(id, hash) == kNone) {
    if ((texts_ + 1) * 10 > slots_.size() * 7) {
      const size_t capacity = std::max<size_t>(slots_.size() * 2, 1 << 12);
      RETURN_IF_ERROR(Room(capacity * sizeof(TextSlot)));
      std::vector<TextSlot> old = std::move(slots_);
      slots_.assign(capacity, TextSlot{});
      for (const TextSlot& slot : old) {
        if (slot.place_and_hash == 0) continue;
        size_t at = HashText(TextAt((slot.place_and_hash & kNodeMask) - 1)) & (capacity - 1);
        while (slots_[at].place_and_hash != 0) at = (at + 1) & (capacity - 1);
        slots_[at] = slot;
      }
    }
    const uint32_t size = static_cast<uint32_t>(id.size());
    if (arena_.size() + sizeof size + size > arena_.capacity()) {
      const size_t capacity = std::max<size_t>(arena_.capacity() + arena_.capacity() / 2, arena_.size() + size + (1 << 16));
      RETURN_IF_ERROR(Room(capacity));
      arena_.reserve(capacity);
    }
    const uint64_t place = arena_.size();
    arena_.resize(place + sizeof size + size);
    std::memcpy(arena_.data() + place, &size, sizeof size);
    std::memcpy(arena_.data() + place + sizeof size, id.data(), size);
    const size_t mask = slots_.size() - 1;
    size_t at = hash & mask;
    while (slots_[at].place_and_hash != 0) at = (at + 1) & mask;
    slots_[at] = {node | (hash >> 40) << 40, (place + 1) | (hash >> 16) << 40};
    ++texts_;
    return true;
  }
  return false;
}

uint64_t IdMap::FindText(std::string_view id, uint64_t hash) const {
  const size_t mask = slots_.size() - 1;
  for (size_t at = hash & mask;; at = (at + 1) & mask) {
    const TextSlot& slot = slots_[at];
    if (slot.place_and_hash == 0) return kNone;
    if ((slot.node_and_hash ^ (hash >> 40) << 40) >> 40 == 0 && (slot.place_and_hash ^ (hash >> 16) << 40) >> 40 == 0 &&
        TextAt((slot.place_and_hash & kNodeMask) - 1) == id) {
      return slot.node_and_hash & kNodeMask;
    }
  }
}

uint64_t IdMap::FindHashed(uint64_t number, uint64_t hash) const {
  const size_t mask = hashed_.size() - 1;
  for (size_t at = hash & mask;; at = (at + 1) & mask) {
    const NumberSlot& slot = hashed_[at];
    if (slot.node == kNone || slot.number == number) return slot.node;
  }
}

void IdMap::Find(std::span<const std::string_view> ids, uint64_t* nodes) const {
  uint64_t keys[kBatch];                       // the number, or the text's hash
  bool plain[kBatch];
  for (size_t begin = 0; begin < ids.size(); begin += kBatch) {
    const size_t n = std::min(kBatch, ids.size() - begin);
    for (size_t i = 0; i < n; ++i) {
      const std::string_view id = ids[begin + i];
      const auto number = PlainNumber(id);
      plain[i] = number.has_value();
      keys[i] = number ? *number : HashText(id);
      if (!plain[i]) {
        if (!slots_.empty()) __builtin_prefetch(&slots_[keys[i] & (slots_.size() - 1)]);
      } else if (is_dense_) {
        if (keys[i] < dense_.size()) __builtin_prefetch(&dense_[keys[i]]);
      } else {
        __builtin_prefetch(&hashed_[HashNumber(keys[i]) & (hashed_.size() - 1)]);
      }
    }
    if (texts_ > 0) {                          // the second miss of a text: its bytes
      for (size_t i = 0; i < n; ++i) {
        if (plain[i]) continue;
        const uint64_t place = slots_[keys[i] & (slots_.size() - 1)].place_and_hash & kNodeMask;
        if (place != 0) __builtin_prefetch(arena_.data() + place - 1);
      }
    }
    for (size_t i = 0; i < n; ++i) {
      uint64_t* node = &nodes[begin + i];
      if (!plain[i]) {
        *node = slots_.empty() ? kNone : FindText(ids[begin + i], keys[i]);
      } else if (is_dense_) {
        *node = keys[i] < dense_.size() && dense_[keys[i]] != 0 ? dense_[keys[i]] - 1 : kNone;
      } else {
        *node = FindHashed(keys[i], HashNumber(keys[i]));
      }
    }
  }
}

}  // namespace fornix::engine
