// RangeIndex: what one delta generation says of a range index: ordered (key, element) entries with lifetimes; a skip list
// that one thread writes and any number read. Below it lie an older generation's and the base's tree (index/range_layers.h).
//
// An entry {key, id, begin, end} says: from commit `begin` until commit `end` the element had this key. Entries are never
// changed but for `end`; what a snapshot S sees is begin <= S < end. Keys are those of index/key.h.
// A tombstone has begin 0: the entry (key, id) of a layer below counts until commit `end`. It stays as long as its list.
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
    size_t memory_bytes() const { return sizeof(Entry) + levels * sizeof(std::atomic<Entry*>) + key_size + 16; }
    bool is_tombstone() const { return begin == 0; }
    bool LiveAt(Timestamp s) const { return begin <= s && begin != 0 && s < end.load(std::memory_order_acquire); }
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
  // Whether (key, id) has a live entry here. If so End ends it; if not, what is below gets a tombstone, made by Make.
  bool HasLive(std::string_view key, uint64_t id) const;
  void End(std::string_view key, uint64_t id, Timestamp ts);
  void EndBelow(EntryPtr tombstone, Timestamp ts);
  // Unlinks at most `max` entries that ended at or below the floor; returns their bytes. May allocate.
  size_t Sweep(Timestamp floor, RetireList* retired, size_t max);
  // Every entry, tombstones and ended ones included, ascending by (key, id).
  template <typename Visitor>
  void VisitAll(Visitor&& visit) const {
    for (const Entry* e = head_[0].load(std::memory_order_acquire); e != nullptr; e = e->next()[0].load(std::memory_order_acquire)) visit(*e);
  }
  // Visits the live entries with exactly this key until visit(entry) returns false.
  template <typename Visitor>
  void VisitLive(std::string_view key, Visitor&& visit) const {
    for (const Entry* e = Seek(key, 0); e != nullptr && e->key() == key; e = Next(e)) {
      if (e->LiveAt(kNever - 1) && !visit(*e)) return;
    }
  }

  // Visits what is visible at S here with (key, id) >= (lower, from_id) and key < upper (empty: no end), ascending by (key, id),
  // until visit returns false.
  template <typename Visitor>
  void Visit(std::string_view lower, uint64_t from_id, std::string_view upper, Timestamp s, Visitor&& visit) const {
    for (const Entry* e = Seek(lower, from_id); e != nullptr; e = Next(e)) {
      if (!upper.empty() && e->key() >= upper) return;
      if (e->LiveAt(s) && !visit(*e)) return;
    }
  }

  // The first entry at or after (key, id), and the last one before it (`key` empty: of all); null if there is none.
  // Entries of one (key, id) stand side by side, in no order that matters.
  const Entry* Seek(std::string_view key, uint64_t id) const;
  const Entry* LastBefore(std::string_view key, uint64_t id) const;
  static const Entry* Next(const Entry* e) { return e->next()[0].load(std::memory_order_acquire); }

  // What this list says of the (key, id) of `*e`, a first one of its kind, at S; moves *e behind them.
  enum class Said : uint8_t { kNothing, kLive, kGone };
  static Said Judge(const Entry** e, Timestamp s);
  // The same for any (key, id).
  Said SaidOf(std::string_view key, uint64_t id, Timestamp s) const;

  // Visits what the layers below lack or have too much, as of `s`: visit(key, id, remove), ascending; for the checkpoint.
  template <typename Visitor>
  void VisitChanges(Timestamp s, Visitor&& visit) const {
    for (const Entry* e = Seek({}, 0); e != nullptr;) {
      const Entry* first = e;
      const Said said = Judge(&e, s);
      bool below = false;                      // a layer below has it
      for (const Entry* same = first; same != e; same = Next(same)) below = below || same->is_tombstone();
      if (said == Said::kLive && !below) visit(first->key(), first->id, false);
      if (said == Said::kGone && below) visit(first->key(), first->id, true);
    }
  }

  // Entries without an end less tombstones, and different keys among all entries: for estimates, any thread.
  int64_t live() const { return live_.load(std::memory_order_relaxed); }
  uint64_t distinct() const { return distinct_.load(std::memory_order_relaxed); }
  // Of all entries, by a walk: for a list that was filled at once.
  size_t EntryBytes() const;

 private:
  static bool Before(const Entry& e, std::string_view key, uint64_t id);
  // Per level the last entry before (key, id); null: the head.
  void Predecessors(std::string_view key, uint64_t id, Entry* (&out)[kLevels]) const;
  std::atomic<Entry*>& NextOf(Entry* e, int level) { return e == nullptr ? head_[level] : e->next()[level]; }
  const std::atomic<Entry*>& NextOf(const Entry* e, int level) const {
    return e == nullptr ? head_[level] : e->next()[level];
  }
  void Link(Entry* entry);
  void Unlink(Entry* entry);
  bool HasNeighbourWithKey(const Entry* previous, const Entry* next, std::string_view key) const;

  std::atomic<Entry*> head_[kLevels];
  Entry* dead_first_ = nullptr;                // ended entries, in the order of their ends
  Entry* dead_last_ = nullptr;
  std::atomic<int64_t> live_{0};
  std::atomic<uint64_t> distinct_{0};
};

}  // namespace fornix::storage
