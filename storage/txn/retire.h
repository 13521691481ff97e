// RetireList: things of one generation of the delta that were unlinked but that a reader may still stand on. They are freed once every
// snapshot that was alive at the unlinking has ended, for one that begins later can't reach them; or with their generation.
// Threads: under the sequencer's mutex.
#pragma once

#include <cstdint>
#include <deque>

namespace fornix::storage {

class RetireList {
 public:
  RetireList() = default;
  RetireList(const RetireList&) = delete;
  RetireList& operator=(const RetireList&) = delete;
  ~RetireList() { FreeBefore(~uint64_t{0}); }

  // The number that the next snapshot to begin will get.
  void set_next_snapshot(uint64_t serial) { next_snapshot_ = serial; }
  // Makes sure that the next Add doesn't allocate: puts an empty item in.
  void ReserveOne() { items_.push_back({nullptr, nullptr, next_snapshot_}); }
  // REQUIRES: ReserveOne before. Takes ownership.
  template <typename T>
  void Add(T* thing) {
    items_.back() = {thing, [](void* p) { delete static_cast<T*>(p); }, next_snapshot_};
  }
  // For callers that may allocate.
  template <typename T>
  void Push(T* thing) {
    ReserveOne();
    Add(thing);
  }
  // Frees what was retired before the oldest live snapshot began.
  void FreeBefore(uint64_t oldest_snapshot) {
    while (!items_.empty() && items_.front().next_snapshot <= oldest_snapshot) {
      if (items_.front().free != nullptr) items_.front().free(items_.front().thing);
      items_.pop_front();
    }
  }
  size_t size() const { return items_.size(); }

 private:
  struct Item {
    void* thing;
    void (*free)(void*);
    uint64_t next_snapshot;
  };
  std::deque<Item> items_;
  uint64_t next_snapshot_ = 0;
};

}  // namespace fornix::storage
