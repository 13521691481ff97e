// Reading the tree. A scan copies some entries of one leaf under a guard, ends the guard, and shows them; then it seeks again, so a
// slow visitor keeps nothing in memory that the cache wants back. The next place is always after (downwards: before) the last
// one, whatever the pages say: a scan ends even in a damaged tree.
#include "storage/index/tree/index_tree.h"

#include <algorithm>

#include "base/errors.h"
#include "storage/index/tree/tree_page.h"
#include "storage/page/extent_header.h"

namespace fornix::storage {
namespace {

constexpr uint32_t kHeightMax = 40;              // of pages with two children each, 2^39 leaves: more is damage
constexpr size_t kFirstBatch = 16, kLastBatch = 1024;   // entries copied at a time: few for those who want the first, many for scans

// Some entries of one leaf, and where to go on.
struct Batch {
  std::string keys;
  std::vector<uint32_t> offsets;
  std::vector<uint64_t> ids;
  void Clear() {
    keys.clear();
    offsets.assign(1, 0);
    ids.clear();
  }
  void Add(std::string_view key, uint64_t id) {
    keys.append(key);
    offsets.push_back(static_cast<uint32_t>(keys.size()));
    ids.push_back(id);
  }
  TreeEntry entry(size_t i) const { return {std::string_view(keys).substr(offsets[i], offsets[i + 1] - offsets[i]), ids[i]}; }
};

}  // namespace

void EncodeTreeRoot(const TreeRoot& root, ByteWriter* out) {
  EncodeExtentRef(root.root, out);
  out->U32(root.height);
  out->U64(root.entries);
  out->U64(root.distinct);
}

Result<TreeRoot> DecodeTreeRoot(ByteReader* in, uint64_t file_pages) {
  TreeRoot root;
  ASSIGN_OR_RETURN(root.root, DecodeExtentRef(in, file_pages));
  ASSIGN_OR_RETURN(root.height, in->ReadU32());
  ASSIGN_OR_RETURN(root.entries, in->ReadU64());
  ASSIGN_OR_RETURN(root.distinct, in->ReadU64());
  const bool empty = root.root.none();
  if (root.height > kHeightMax || empty != (root.height == 0) || empty != (root.entries == 0) || empty != (root.distinct == 0) ||
      root.distinct > root.entries) {
    return in->Damaged("a tree of height " + std::to_string(root.height) + " with " + std::to_string(root.entries) + " entries, " +
                       std::to_string(root.distinct) + " different keys");
  }
  return root;
}

void IndexTree::Visit(std::string_view lower, uint64_t from_id, std::string_view upper,
                      const std::function<bool(const TreeEntry&)>& visit) const {
  if (root_.height == 0) return;
  Batch batch;
  std::string next_key;                          // what `key` points to after the first round
  std::string_view key = lower;
  uint64_t id = from_id;
  for (size_t most = kFirstBatch;; most = std::min(most * 4, kLastBatch)) {
    batch.Clear();
    bool ended = false;
    {
      const EpochGuard guard;
      ExtentRef ref = root_.root;
      const TreeContent* fenced = nullptr;       // the nearest bound above the leaf is the lowest one on the way down
      size_t fence = 0;
      for (uint32_t level = root_.height - 1; level > 0; --level) {
        const TreeContent& page = GetTreePage(*file_, *cache_, index_, level, ref);
        const size_t at = ChildFor(page, key, id, /*before=*/false);
        ref = page.children[at];
        if (at + 1 < page.size()) {
          fenced = &page;
          fence = at + 1;
        }
      }
      const TreeContent& leaf = GetTreePage(*file_, *cache_, index_, 0, ref);
      const size_t first = LowerBound(leaf, key, id);
      const size_t end = upper.empty() ? leaf.size() : LowerBound(leaf, upper, 0);
      const size_t stop = std::min(std::max(first, end), first + most);
      for (size_t i = first; i < stop; ++i) batch.Add(leaf.key(i), leaf.ids[i]);
      if (stop < leaf.size()) {
        ended = stop >= end;
        if (!ended) {
          next_key = leaf.key(stop - 1);
          id = leaf.ids[stop - 1] + 1;
          if (id == 0) next_key.push_back('\0');  // the first place after (key, ~0)
        }
      } else {
        ended = fenced == nullptr || (!upper.empty() && fenced->key(fence) >= upper);
        if (!ended) {
          next_key = fenced->key(fence);
          id = fenced->ids[fence];
        }
      }
    }
    for (size_t i = 0; i < batch.ids.size(); ++i) {
      if (!visit(batch.entry(i))) return;
    }
    if (ended) return;
    key = next_key;
  }
}

void IndexTree::VisitDown(std::string_view lower, std::string_view upper, uint64_t before_id,
                          const std::function<bool(const TreeEntry&)>& visit) const {
  if (root_.height == 0) return;
  Batch batch;
  std::string next_key;
  std::string_view key = upper;
  uint64_t id = before_id;
  bool from_end = upper.empty();
  for (size_t most = kFirstBatch;; most = std::min(most * 4, kLastBatch)) {
    batch.Clear();
    bool ended = false;
    {
      const EpochGuard guard;
      ExtentRef ref = root_.root;
      const TreeContent* fenced = nullptr;       // here the leaf's own bound
      size_t fence = 0;
      for (uint32_t level = root_.height - 1; level > 0; --level) {
        const TreeContent& page = GetTreePage(*file_, *cache_, index_, level, ref);
        const size_t at = from_end ? page.size() - 1 : ChildFor(page, key, id, /*before=*/true);
        ref = page.children[at];
        if (at > 0) {
          fenced = &page;
          fence = at;
        }
      }
      const TreeContent& leaf = GetTreePage(*file_, *cache_, index_, 0, ref);
      const size_t end = from_end ? leaf.size() : LowerBound(leaf, key, id);
      const size_t begin = std::min(end, LowerBound(leaf, lower, 0));
      const size_t stop = end - std::min(end - begin, most);
      for (size_t i = end; i-- > stop;) batch.Add(leaf.key(i), leaf.ids[i]);
      if (stop > 0) {
        ended = stop == begin;
        if (!ended) {
          next_key = leaf.key(stop);
          id = leaf.ids[stop];
        }
      } else {
        ended = fenced == nullptr || fenced->key(fence) < lower;
        if (!ended) {
          next_key = fenced->key(fence);
          id = fenced->ids[fence];
        }
      }
    }
    for (size_t i = 0; i < batch.ids.size(); ++i) {
      if (!visit(batch.entry(i))) return;
    }
    if (ended) return;
    key = next_key;
    from_end = false;
  }
}

}  // namespace fornix::storage
