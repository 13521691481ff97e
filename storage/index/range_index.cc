#include "storage/index/range_index.h"

#include <bit>
#include <cstring>
#include <functional>
#include <new>

#include "base/check.h"
#include "storage/txn/retire.h"

namespace fornix::storage {

RangeIndex::RangeIndex() {
  for (auto& head : head_) head.store(nullptr, std::memory_order_relaxed);
}

RangeIndex::~RangeIndex() {
  for (Entry* e = head_[0].load(std::memory_order_relaxed); e != nullptr;) {
    Entry* next = e->next()[0].load(std::memory_order_relaxed);
    delete e;
    e = next;
  }
}

RangeIndex::EntryPtr RangeIndex::Make(std::string_view key, uint64_t id) {
  // A quarter of the entries of a level stand on the next one too. Drawn from what is stored, so that the same history
  // gives the same list.
  uint64_t bits = std::hash<std::string_view>{}(key) ^ (id * 0x9e3779b97f4a7c15ull);
  bits *= 0xd6e8feb86659fd93ull;
  bits ^= bits >> 32;
  const int levels = std::min(kLevels, 1 + std::countr_zero(bits | (uint64_t{1} << 62)) / 2);
  const size_t bytes = sizeof(Entry) + static_cast<size_t>(levels) * sizeof(std::atomic<Entry*>) + key.size();
  EntryPtr entry(new (::operator new(bytes)) Entry);
  entry->id = id;
  entry->key_size = static_cast<uint32_t>(key.size());
  entry->levels = static_cast<uint8_t>(levels);
  for (int level = 0; level < levels; ++level) new (entry->next() + level) std::atomic<Entry*>(nullptr);
  std::memcpy(const_cast<char*>(entry->key().data()), key.data(), key.size());
  return entry;
}

bool RangeIndex::Before(const Entry& e, std::string_view key, uint64_t id) {
  const int order = e.key().compare(key);
  return order < 0 || (order == 0 && e.id < id);
}

const RangeIndex::Entry* RangeIndex::Seek(std::string_view key, uint64_t id) const {
  const Entry* at = nullptr;
  const Entry* next = nullptr;
  for (int level = kLevels - 1; level >= 0; --level) {
    while ((next = NextOf(at, level).load(std::memory_order_acquire)) != nullptr && Before(*next, key, id)) at = next;
  }
  return next;
}

const RangeIndex::Entry* RangeIndex::LastBefore(std::string_view key, uint64_t id) const {
  const Entry* at = nullptr;
  const Entry* next;
  for (int level = kLevels - 1; level >= 0; --level) {
    while ((next = NextOf(at, level).load(std::memory_order_acquire)) != nullptr && (key.empty() || Before(*next, key, id))) at = next;
  }
  return at;
}

RangeIndex::Said RangeIndex::Judge(const Entry** e, Timestamp s) {
  const Entry* first = *e;
  Said said = Said::kNothing;
  do {
    if ((*e)->LiveAt(s)) {
      said = Said::kLive;
    } else if (said == Said::kNothing && (*e)->end.load(std::memory_order_acquire) <= s) {
      said = Said::kGone;
    }
    *e = Next(*e);
  } while (*e != nullptr && (*e)->id == first->id && (*e)->key() == first->key());
  return said;
}

RangeIndex::Said RangeIndex::SaidOf(std::string_view key, uint64_t id, Timestamp s) const {
  const Entry* e = Seek(key, id);
  return e == nullptr || e->id != id || e->key() != key ? Said::kNothing : Judge(&e, s);
}

void RangeIndex::Predecessors(std::string_view key, uint64_t id, Entry* (&out)[kLevels]) const {
  Entry* at = nullptr;
  for (int level = kLevels - 1; level >= 0; --level) {
    Entry* next;
    while ((next = NextOf(at, level).load(std::memory_order_relaxed)) != nullptr && Before(*next, key, id)) at = next;
    out[level] = at;
  }
}

bool RangeIndex::HasNeighbourWithKey(const Entry* previous, const Entry* next, std::string_view key) const {
  return (previous != nullptr && previous->key() == key) || (next != nullptr && next->key() == key);
}

void RangeIndex::Link(Entry* entry) {
  Entry* before[kLevels];
  Predecessors(entry->key(), entry->id, before);
  if (!HasNeighbourWithKey(before[0], NextOf(before[0], 0).load(std::memory_order_relaxed), entry->key())) {
    distinct_.fetch_add(1, std::memory_order_relaxed);
  }
  for (int level = 0; level < entry->levels; ++level) {
    std::atomic<Entry*>& link = NextOf(before[level], level);
    entry->next()[level].store(link.load(std::memory_order_relaxed), std::memory_order_relaxed);
    link.store(entry, std::memory_order_release);
  }
}

void RangeIndex::Insert(EntryPtr owned, Timestamp ts) {
  owned->begin = ts;
  live_.fetch_add(1, std::memory_order_relaxed);
  Link(owned.release());
}

void RangeIndex::EndBelow(EntryPtr owned, Timestamp ts) {
  owned->begin = 0;
  owned->end.store(ts, std::memory_order_relaxed);
  live_.fetch_sub(1, std::memory_order_relaxed);
  Link(owned.release());
}

bool RangeIndex::HasLive(std::string_view key, uint64_t id) const {
  for (const Entry* e = Seek(key, id); e != nullptr && e->id == id && e->key() == key; e = Next(e)) {
    if (e->end.load(std::memory_order_relaxed) == kNever) return true;
  }
  return false;
}

void RangeIndex::End(std::string_view key, uint64_t id, Timestamp ts) {
  Entry* before[kLevels];
  Predecessors(key, id, before);
  Entry* e = NextOf(before[0], 0).load(std::memory_order_relaxed);
  // Entries of one (key, id) with different lifetimes stand side by side; one of them is live.
  while (e != nullptr && e->id == id && e->key() == key && e->end.load(std::memory_order_relaxed) != kNever) {
    e = e->next()[0].load(std::memory_order_relaxed);
  }
  CHECK(e != nullptr && e->id == id && e->key() == key);
  e->end.store(ts, std::memory_order_release);
  live_.fetch_sub(1, std::memory_order_relaxed);
  (dead_last_ == nullptr ? dead_first_ : dead_last_->next_dead) = e;
  dead_last_ = e;
}

void RangeIndex::Unlink(Entry* entry) {
  Entry* before[kLevels];
  Predecessors(entry->key(), entry->id, before);
  for (int level = entry->levels - 1; level >= 0; --level) {
    Entry* at = before[level];
    Entry* next;
    while ((next = NextOf(at, level).load(std::memory_order_relaxed)) != entry) {
      CHECK(next != nullptr);
      at = next;
    }
    NextOf(at, level).store(entry->next()[level].load(std::memory_order_relaxed), std::memory_order_release);
    if (level == 0 && !HasNeighbourWithKey(at, entry->next()[0].load(std::memory_order_relaxed), entry->key())) {
      distinct_.fetch_sub(1, std::memory_order_relaxed);
    }
  }
}

size_t RangeIndex::EntryBytes() const {
  size_t bytes = 0;
  for (const Entry* e = Seek({}, 0); e != nullptr; e = Next(e)) bytes += e->memory_bytes();
  return bytes;
}

size_t RangeIndex::Sweep(Timestamp floor, RetireList* retired, size_t max) {
  size_t freed = 0;
  for (; max > 0 && dead_first_ != nullptr && dead_first_->end.load(std::memory_order_relaxed) <= floor; --max) {
    retired->ReserveOne();
    Entry* entry = dead_first_;
    dead_first_ = entry->next_dead;
    if (dead_first_ == nullptr) dead_last_ = nullptr;
    Unlink(entry);
    freed += entry->memory_bytes();
    retired->Add(entry);
  }
  return freed;
}

}  // namespace fornix::storage
