// IndexTree: the base of a range index: a copy-on-write B+tree of (key, element id), ordered bytewise and then by id.
//
// Pages of 16 KiB (extents of kTreeInner and kTreeLeaf, prefix compressed), keys of index/key.h up to kIndexKeyBytesMax. A
// checkpoint applies one sorted batch: it rewrites the leaves that change and the path above them, and gives a new root; the old
// tree stays readable through the old root. A tree never changes, so it may be read by any number of threads; a cursor is a
// (key, id), never a place in a page.
// Threads: reading from any, under the cache's rules; Update and Build by the checkpoint's.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "storage/cache/frame_cache.h"

namespace fornix::storage {

struct TreeRoot {
  ExtentRef root;                              // none(): empty
  uint32_t height = 0;                         // 0: empty, 1: the root is a leaf
  uint64_t entries = 0;
  uint64_t distinct = 0;                       // different keys, exact after Build, kept by Update
};
void EncodeTreeRoot(const TreeRoot& root, ByteWriter* out);
Result<TreeRoot> DecodeTreeRoot(ByteReader* in, uint64_t file_pages);

struct TreeEntry {
  std::string_view key;
  uint64_t id = 0;
};
struct TreeChange {
  std::string_view key;
  uint64_t id = 0;
  bool remove = false;
};

class IndexTree {
 public:
  IndexTree(const ExtentFile* file, FrameCache* cache, IndexId index, const TreeRoot& root)
      : file_(file), cache_(cache), index_(index), root_(root) {}
  virtual ~IndexTree() = default;              // virtual, as its reads are, for a tree in memory that tests read through
  const TreeRoot& root() const { return root_; }

  // Visits entries with (key, id) >= (lower, from_id) and key < upper (empty: no end), ascending, until visit returns
  // false. Keys are valid during the call of visit alone. Throws ReadFailure.
  virtual void Visit(std::string_view lower, uint64_t from_id, std::string_view upper,
                     const std::function<bool(const TreeEntry&)>& visit) const;
  // The same downwards: entries with key >= lower and (key, id) < (upper, before_id); upper empty: from the end.
  virtual void VisitDown(std::string_view lower, std::string_view upper, uint64_t before_id,
                         const std::function<bool(const TreeEntry&)>& visit) const;

  // The tree with the changes, which ascend by (key, id). Removing what isn't there, or adding what is, is Corruption: base
  // and delta disagree. Frees the pages it replaces.
  static Result<TreeRoot> Update(ExtentFile* file, FrameCache* cache, IndexId index, const TreeRoot& root,
                                 const std::vector<TreeChange>& changes);
  // A new tree from ascending entries: next() gives one after the other, nullopt at the end. Leaves are filled to nine tenths.
  static Result<TreeRoot> Build(ExtentFile* file, IndexId index, const std::function<Result<std::optional<TreeEntry>>()>& next);
  // Frees every page of a tree.
  static Status FreeAll(ExtentFile* file, FrameCache* cache, IndexId index, const TreeRoot& root);
  // Calls extent(ref) for every page, and checks order, prefixes, counts and links on the way; for the integrity check.
  Status Check(const std::function<Status(const ExtentRef&)>& extent) const;

 private:
  const ExtentFile* file_;
  FrameCache* cache_;
  IndexId index_;
  TreeRoot root_;
};

}  // namespace fornix::storage
