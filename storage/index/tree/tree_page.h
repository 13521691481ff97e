// A page of the ordered index: its stored form, its form in memory, and the searches in it. docs/format.md, "Ordered index".
//
// A leaf (level 0) holds entries (key, id), ascending. An inner page holds children, each with the bound (key, id) from which on its
// entries are; the first child's bound is that of the page itself and isn't stored. Stored, a key shares a prefix with the one
// before it; in memory keys lie whole, one behind the other, for binary search. What is decoded from bytes that can't be trusted
// is in order, within the limits below, and has no offset out of place.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "storage/cache/frame_cache.h"

namespace fornix::storage {

// With its header a full page takes 16 KiB of the file. A key of 8 KiB fits; two of them don't, so a page may have one entry.
inline constexpr size_t kTreePageBytes = 4 * kPageBytes - kExtentHeaderBytes;
// Prefixes that many keys share are stored once and unpacked for each: a page is full by this, too.
inline constexpr size_t kTreePageKeyBytes = size_t{64} << 10;

// What a page holds, as plain values.
struct TreeContent {
  uint32_t level = 0;
  std::vector<uint32_t> offsets{0};     // of keys, one more than entries
  std::string keys;
  std::vector<uint64_t> ids;
  std::vector<ExtentRef> children;      // inner pages: one an entry

  size_t size() const { return ids.size(); }
  std::string_view key(size_t i) const { return std::string_view(keys).substr(offsets[i], offsets[i + 1] - offsets[i]); }
};

struct TreePage : Frame {
  TreeContent content;
};

// A page of the level below, and the bound from which on its entries are.
struct TreeChild {
  std::string key;
  uint64_t id = 0;
  ExtentRef ref;
};

// (key, id) order.
inline int CompareEntry(std::string_view a_key, uint64_t a_id, std::string_view b_key, uint64_t b_id) {
  const int order = a_key.compare(b_key);
  if (order != 0) return order;
  return a_id < b_id ? -1 : a_id > b_id;
}

// The first entry that isn't before (key, id); the size if there is none.
size_t LowerBound(const TreeContent& page, std::string_view key, uint64_t id);
// Inner pages: the child that (key, id) belongs to; with `before`, the child that the entry right before (key, id) belongs to.
size_t ChildFor(const TreeContent& page, std::string_view key, uint64_t id, bool before);

// `first` and `count` name the entries that the page shall hold.
std::vector<std::byte> EncodeTreePage(const TreeContent& content, size_t first, size_t count);
// Corruption (without file and place) if the bytes are no page of that level.
Status DecodeTreePage(std::span<const std::byte> bytes, uint32_t level, TreeContent* content);

inline ExtentKind TreeKind(uint32_t level) { return level == 0 ? ExtentKind::kTreeLeaf : ExtentKind::kTreeInner; }
inline uint64_t TreeOwner(IndexId index, uint32_t level) { return ExtentOwner(OwnerSpace::kIndex, index.value, level); }

// The page through the cache. REQUIRES: an EpochGuard. Throws ReadFailure.
const TreeContent& GetTreePage(const ExtentFile& file, FrameCache& cache, IndexId index, uint32_t level, const ExtentRef& ref);
// A copy of it, which doesn't make the cache load anything: for checkpoints.
TreeContent CopyTreePage(const ExtentFile& file, const FrameCache* cache, IndexId index, uint32_t level, const ExtentRef& ref);

}  // namespace fornix::storage
