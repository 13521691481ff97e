// Version chains: newest first, each link immutable once published, found by walking to the first with begin <= S.
//
// Trimming: when a version is installed, everything older than the first version with begin <= floor goes at once,
// floor being the oldest snapshot that is alive or can still begin. A reader with S >= floor stops at or before that
// version and never loads its `older`, so no reader can stand on what is freed, and none loads the pointer that is cut.
// This needs snapshots to be registered under the sequencer's mutex, and they are (txn/sequencer.h).
#pragma once

#include <atomic>

#include "base/ids.h"

namespace fornix::storage {

inline constexpr size_t kAllocationBytes = 16;  // what an allocation costs beside its bytes, about

// V has `Timestamp begin`, `Timestamp trimmed_at`, `V* older` and `size_t memory_bytes()`.
template <typename V>
const V* VersionAt(const std::atomic<V*>& head, Timestamp snapshot) {
  const V* version = head.load(std::memory_order_acquire);
  while (version != nullptr && version->begin > snapshot) version = version->older;
  return version;
}

// Publishes `version` (begin set by the caller) and trims; returns the bytes that were freed. The sequencer's. Nothing here
// allocates.
template <typename V>
size_t InstallVersion(std::atomic<V*>* head, V* version, Timestamp floor) {
  V* previous = head->load(std::memory_order_relaxed);
  version->older = previous;
  version->trimmed_at = floor;
  head->store(version, std::memory_order_release);
  // With an unchanged floor the last trim left nothing to do; so a long-lived snapshot costs nothing here.
  if (previous == nullptr || previous->trimmed_at == floor) return 0;
  V* keep = previous;
  while (keep != nullptr && keep->begin > floor) keep = keep->older;
  if (keep == nullptr || keep->older == nullptr) return 0;
  V* dead = keep->older;
  keep->older = nullptr;
  size_t freed = 0;
  while (dead != nullptr) {
    V* next = dead->older;
    freed += dead->memory_bytes();
    delete dead;
    dead = next;
  }
  return freed;
}

template <typename V>
void FreeVersions(std::atomic<V*>* head) {
  V* version = head->exchange(nullptr, std::memory_order_relaxed);
  while (version != nullptr) {
    V* next = version->older;
    delete version;
    version = next;
  }
}

// A number with a history: counts as each snapshot sees them.
struct CountVersion {
  Timestamp begin = 0;
  Timestamp trimmed_at = 0;
  CountVersion* older = nullptr;
  int64_t value = 0;
  size_t memory_bytes() const { return sizeof(CountVersion) + kAllocationBytes; }
};
struct VersionedCount {
  std::atomic<CountVersion*> head{nullptr};
  VersionedCount() = default;
  VersionedCount(const VersionedCount&) = delete;
  VersionedCount& operator=(const VersionedCount&) = delete;
  ~VersionedCount() { FreeVersions(&head); }
};

}  // namespace fornix::storage
