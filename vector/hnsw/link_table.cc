// The protocol of link_table.h.
#include "vector/hnsw/link_table.h"

#include <algorithm>
#include <thread>

#include "base/check.h"

namespace fornix::vector {
namespace {

using Word = std::atomic_ref<uint32_t>;

void Pause(int attempt) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
  if (attempt % 64 == 63) std::this_thread::yield();
}

}  // namespace

uint32_t LinkTable::Read(size_t row, uint32_t* out, bool* marked) const {
  uint32_t* words = rows_.Row(row);
  for (int attempt = 0;; ++attempt) {
    const uint32_t before = Word(words[0]).load(std::memory_order_acquire);
    const uint32_t count = before & kCountMask;
    for (uint32_t i = 0; i < count; ++i) out[i] = Word(words[1 + i]).load(std::memory_order_acquire);
    const uint32_t after = Word(words[0]).load(std::memory_order_relaxed);
    const bool whole = (before & kWriting) == 0 && ((before ^ after) & ~kOwned) == 0;
    if (whole || attempt == kReadAttemptsMax) {
      *marked = (before & kMarked) != 0;
      return count;
    }
    Pause(0);
  }
}

LinkTable::Owner::Owner(LinkTable* table, size_t row)
    : words_(table->rows_.Row(row)), dirty_(table->dirty_.Row(row / kDirtyRows)), degree_max_(table->degree_max_) {
  for (int attempt = 0;; ++attempt) {
    uint32_t header = Word(words_[0]).load(std::memory_order_relaxed);
    if ((header & kOwned) == 0 &&
        Word(words_[0]).compare_exchange_weak(header, header | kOwned, std::memory_order_acquire,
                                              std::memory_order_relaxed)) {
      return;
    }
    Pause(attempt);
  }
}

LinkTable::Owner::~Owner() { Word(words_[0]).fetch_and(~kOwned, std::memory_order_release); }

uint32_t LinkTable::Owner::count() const {
  return Word(words_[0]).load(std::memory_order_relaxed) & kCountMask;
}

uint32_t LinkTable::Owner::at(uint32_t i) const {
  return Word(words_[1 + i]).load(std::memory_order_relaxed);
}

void LinkTable::Owner::Mark() {
  Word(words_[0]).fetch_or(kMarked, std::memory_order_release);
  SetDirty();
}

void LinkTable::Owner::Append(uint32_t slot) {
  const uint32_t header = Word(words_[0]).load(std::memory_order_relaxed);
  const uint32_t n = header & kCountMask;
  CHECK(n < degree_max_);
  // No `writing`: the words that a reader of the old header copies don't change.
  Word(words_[1 + n]).store(slot, std::memory_order_release);
  Word(words_[0]).store(header + 1, std::memory_order_release);
  SetDirty();
}

void LinkTable::Owner::Replace(std::span<const uint32_t> slots) {
  CHECK(slots.size() <= degree_max_);
  const uint32_t header = Word(words_[0]).load(std::memory_order_relaxed);
  Word(words_[0]).store(header | kWriting, std::memory_order_relaxed);
  for (size_t i = 0; i < slots.size(); ++i) Word(words_[1 + i]).store(slots[i], std::memory_order_release);
  const uint32_t version = (header & ~(kCountMask | kOwned)) + kVersionOne;
  Word(words_[0]).store(version | kOwned | static_cast<uint32_t>(slots.size()), std::memory_order_release);
  SetDirty();
}

void LinkTable::CopyRow(size_t row, uint32_t* out) const {
  bool marked = false;
  const uint32_t count = Read(row, out + 1, &marked);
  out[0] = count | (marked ? kMarked : 0);
  std::fill(out + 1 + count, out + words(), 0u);
}

bool LinkTable::LoadRow(size_t row, const uint32_t* words) {
  const uint32_t count = words[0] & kCountMask;
  if ((words[0] & ~(kCountMask | kMarked)) != 0 || count > degree_max_) return false;
  std::copy_n(words, size_t{count} + 1, rows_.Row(row));
  return true;
}

}  // namespace fornix::vector
