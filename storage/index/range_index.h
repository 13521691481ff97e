// RangeIndex: ordered (key, element) entries with lifetimes; a skip list that one thread writes and any number read.
//
// An entry {key, id, begin, end} says: from commit `begin` until commit `end` the element had this key. Entries are never
// changed but for `end`; what a snapshot S sees is begin <= S < end. Keys are those of index/key.h.
// An entry whose end is at or below the floor is unlinked by Sweep and freed when no snapshot of that time lives
// (txn/retire.h); so a reader may stand on any entry it has reached as long as its snapshot lives, and so may views of keys.
// Threads: one writer, under the sequencer's mutex (Insert, End, Sweep, FindLive); Make from anywhere; readers without locks.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/ids.h"

namespace fornix::storage {

class RetireList;

class RangeIndex {
 public:
  static constexpr int kLevels = 12;           // 4^12 = 16M entries before a level gets crowded
  struct Entry {
    Timestamp begin = kNever;
    std::atomic<Timestamp> end{kNever};
    uint64_t id = 0;
    Entry* next_dead = nullptr;
    uint32_t key_size = 0;
    uint8_t levels = 0;
    // Behind it lie `levels` atomic pointers and the key's bytes.
    std::atomic<Entry*>* next() { return reinterpret_cast<std::atomic<Entry*>*>(this + 1); }
    const std::atomic<Entry*>* next() const { return reinterpret_cast<const std::atomic<Entry*>*>(this + 1); }
    std::string_view key() const { return {reinterpret_cast<const char*>(next() + levels), key_size}; }
    bool LiveAt(Timestamp s) const { return begin <= s && s < end.load(std::memory_order_acquire); }
    static void operator delete(void* memory) { ::operator delete(memory); }
  };
  using EntryPtr = std::unique_ptr<Entry>;

  RangeIndex();
  ~RangeIndex();
  RangeIndex(const RangeIndex&) = delete;
  RangeIndex& operator=(const RangeIndex&) = delete;

  // An entry for a later Insert: all its memory.
  static EntryPtr Make(std::string_view key, uint64_t id);

  void Insert(EntryPtr entry, Timestamp ts);
  // Ends the live entry of (key, id). REQUIRES: there is one.
  void End(std::string_view key, uint64_t id, Timestamp ts);
  // Unlinks at most `max` entries that ended at or below the floor. May allocate.
  void Sweep(Timestamp floor, RetireList* retired, size_t max);
  // Visits the live entries with exactly this key until visit(entry) returns false.
  template <typename Visitor>
  void VisitLive(std::string_view key, Visitor&& visit) const {
    for (const Entry* e = Seek(key); e != nullptr && e->key() == key; e = e->next()[0].load(std::memory_order_relaxed)) {
      if (e->end.load(std::memory_order_relaxed) == kNever && !visit(*e)) return;
    }
  }

  // Visits what is visible at S with lower <= key < upper (empty: no end), ascending by (key, id), until visit returns false.
  template <typename Visitor>
  void Visit(std::string_view lower, std::string_view upper, Timestamp s, Visitor&& visit) const {
    for (const Entry* e = Seek(lower); e != nullptr; e = e->next()[0].load(std::memory_order_acquire)) {
      if (!upper.empty() && e->key() >= upper) return;
      if (e->LiveAt(s) && !visit(*e)) return;
    }
  }

  // Entries without an end, and different keys among all entries: for estimates, any thread.
  uint64_t live() const { return live_.load(std::memory_order_relaxed); }
  uint64_t distinct() const { return distinct_.load(std::memory_order_relaxed); }

 private:
  static bool Before(const Entry& e, std::string_view key, uint64_t id);
  // The first entry with key >= `key`.
  const Entry* Seek(std::string_view key) const;
  // Per level the last entry before (key, id); null: the head.
  void Predecessors(std::string_view key, uint64_t id, Entry* (&out)[kLevels]) const;
  std::atomic<Entry*>& NextOf(Entry* e, int level) { return e == nullptr ? head_[level] : e->next()[level]; }
  const std::atomic<Entry*>& NextOf(const Entry* e, int level) const {
    return e == nullptr ? head_[level] : e->next()[level];
  }
  void Unlink(Entry* entry);
  bool HasNeighbourWithKey(const Entry* previous, const Entry* next, std::string_view key) const;

  std::atomic<Entry*> head_[kLevels];
  Entry* dead_first_ = nullptr;                // ended entries, in the order of their ends
  Entry* dead_last_ = nullptr;
  std::atomic<uint64_t> live_{0}, distinct_{0};
};

}  // namespace fornix::storage
