// ChunkedRows<T>: an array of rows of equal size that only grows and never moves, so readers need no lock.
//
//   directory_ -> [chunk 0][chunk 1][chunk 2] ...      a chunk holds a power of two of rows, about 256 KiB
//
// A full directory is replaced by one of twice the size; the old one is kept, because a reader may be in it.
// All old ones together are smaller than the new one.
//
// Threads: Grow by one at a time. Row(i) by anyone who learned of row i through an acquire of something the
// grower released later; that orders the chunk pointer too. What the rows hold is the caller's to order.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace fornix::vector {

template <typename T>
class ChunkedRows {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  // Enough that malloc maps it, so that untouched pages cost no memory.
  static constexpr size_t kChunkBytes = size_t{256} << 10;
  static constexpr size_t kAlignment = 64;  // a cache line, and a register of AVX-512

  // Rows of `row_size` values of T; all zero at first if `zeroed`, else unset.
  ChunkedRows(size_t row_size, bool zeroed)
      : row_size_(row_size),
        zeroed_(zeroed),
        shift_(static_cast<unsigned>(
            std::bit_width(std::max<size_t>(1, kChunkBytes / (row_size * sizeof(T)))) - 1)) {}
  ChunkedRows(const ChunkedRows&) = delete;
  ChunkedRows& operator=(const ChunkedRows&) = delete;

  // Makes rows [0, rows) exist. On bad_alloc nothing is lost and it may be called again.
  void Grow(size_t rows) {
    const size_t chunks = (rows + (size_t{1} << shift_) - 1) >> shift_;
    while (chunks_.size() < chunks) {
      if (chunks_.size() == capacity_) GrowDirectory();
      chunks_.reserve(chunks_.size() + 1);
      chunks_.emplace_back(NewChunk());
      // Not yet known to any reader, so a plain store; see "Threads".
      directory_.load(std::memory_order_relaxed)[chunks_.size() - 1] = chunks_.back().get();
      bytes_.fetch_add(row_size_ * sizeof(T) << shift_, std::memory_order_relaxed);
    }
  }

  T* Row(size_t i) const {
    T* chunk = directory_.load(std::memory_order_acquire)[i >> shift_];
    return chunk + (i & ((size_t{1} << shift_) - 1)) * row_size_;
  }

  size_t row_size() const { return row_size_; }
  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  using Chunk = std::unique_ptr<T[], Free>;

  Chunk NewChunk() const {
    const size_t bytes = row_size_ * sizeof(T) << shift_;
    const size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    // calloc, because it knows that fresh pages are zero already.
    void* p = zeroed_ ? std::calloc(1, rounded) : std::aligned_alloc(kAlignment, rounded);
    if (p == nullptr) throw std::bad_alloc();
    return Chunk(static_cast<T*>(p));
  }

  void GrowDirectory() {
    const size_t capacity = capacity_ == 0 ? 8 : capacity_ * 2;
    directories_.reserve(directories_.size() + 1);
    auto directory = std::make_unique<T*[]>(capacity);
    for (size_t i = 0; i < chunks_.size(); ++i) directory[i] = chunks_[i].get();
    directories_.push_back(std::move(directory));
    directory_.store(directories_.back().get(), std::memory_order_release);
    capacity_ = capacity;
    bytes_.fetch_add(capacity * sizeof(T*), std::memory_order_relaxed);
  }

  const size_t row_size_;
  const bool zeroed_;
  const unsigned shift_;  // log2 of the rows of a chunk
  std::atomic<T**> directory_{nullptr};
  std::atomic<size_t> bytes_{0};
  // The grower's.
  size_t capacity_ = 0;
  std::vector<Chunk> chunks_;
  std::vector<std::unique_ptr<T*[]>> directories_;
};

}  // namespace fornix::vector
