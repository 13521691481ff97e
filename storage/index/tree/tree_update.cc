// The checkpoint's side of the tree: one sorted batch of changes makes a new tree that shares all untouched pages with the old one.
//
// The rewriting goes down only where there are changes. A page that changes gives its new entries to the PageMaker of its level,
// which lies with the parent: so entries of neighbours that both change flow together, and what has shrunk below a quarter of
// a page takes in the neighbour beside it. Old pages are freed, which leaves them readable through the old root.
#include <algorithm>
#include <memory>
#include <optional>

#include "base/check.h"
#include "base/errors.h"
#include "base/limits.h"
#include "storage/index/tree/index_tree.h"
#include "storage/index/tree/page_maker.h"

namespace fornix::storage {
namespace {

using Changes = std::span<const TreeChange>;

// Below that a page takes in a neighbour.
constexpr size_t kUnderfull = kTreePageBytes / 4;

class Rewriter {
 public:
  Rewriter(ExtentFile* file, FrameCache* cache, IndexId index) : file_(file), cache_(cache), index_(index) {}

  TreeRoot Run(const TreeRoot& root, Changes changes) {
    std::vector<TreeChild> made;
    uint32_t level = root.height == 0 ? 0 : root.height - 1;
    PageMaker maker(file_, index_, level, [&](TreeChild child) { made.push_back(std::move(child)); });
    maker.Start("", 0);
    if (root.height == 0) {
      MergeLeaf({}, changes, &maker);
    } else {
      Rewrite(level, root.root, {}, changes, &maker);
    }
    TreeRoot next = root;
    if (level > 0 && !maker.made_pages() && maker.entries() == 1) {
      next.root = maker.content().children[maker.first()];
      next.height = level;
      return Lowest(next);
    }
    maker.Flush();
    return Top(next, level, std::move(made));
  }

  // `made` are all pages of `level`: puts as many levels above them as they need.
  TreeRoot Top(TreeRoot root, uint32_t level, std::vector<TreeChild> made) {
    while (made.size() > 1) {
      std::vector<TreeChild> above;
      PageMaker maker(file_, index_, ++level, [&](TreeChild child) { above.push_back(std::move(child)); });
      maker.Start("", 0);
      for (const TreeChild& child : made) maker.Add(child.key, child.id, child.ref);
      maker.Flush();
      made = std::move(above);
    }
    root.root = made.empty() ? ExtentRef{} : made.front().ref;
    root.height = made.empty() ? 0 : level + 1;
    return root;
  }

  void Free(const ExtentRef& ref) {
    file_->Free(ref);
    if (cache_ != nullptr) cache_->Drop(ref.page);
  }

  void FreeBelow(uint32_t level, const ExtentRef& ref) {
    if (level > 0) {
      const TreeContent page = CopyTreePage(*file_, cache_, index_, level, ref);
      for (const ExtentRef& child : page.children) FreeBelow(level - 1, child);
    }
    Free(ref);
  }

 private:
  // A root with one child isn't needed.
  TreeRoot Lowest(TreeRoot root) {
    while (root.height > 1) {
      const TreeContent page = CopyTreePage(*file_, cache_, index_, root.height - 1, root.root);
      if (page.size() > 1) break;
      Free(root.root);
      root.root = page.children.front();
      --root.height;
    }
    return root;
  }

  // The content of a page, its first bound filled in; the page itself is free then.
  TreeContent Take(uint32_t level, const TreeChild& child) {
    TreeContent page = CopyTreePage(*file_, cache_, index_, level, child.ref);
    if (level > 0) {
      page.keys.insert(0, child.key);
      for (size_t i = 1; i < page.offsets.size(); ++i) page.offsets[i] += static_cast<uint32_t>(child.key.size());
      page.ids[0] = child.id;
    }
    Free(child.ref);
    return page;
  }

  void Rewrite(uint32_t level, const ExtentRef& ref, const TreeChild& bound, Changes changes, PageMaker* into) {
    const TreeContent page = Take(level, {bound.key, bound.id, ref});
    if (level == 0) {
      MergeLeaf(page, changes, into);
    } else {
      RewriteChildren(page, changes, into);
    }
  }

  void MergeLeaf(const TreeContent& page, Changes changes, PageMaker* into) {
    size_t at = 0;
    for (const TreeChange& change : changes) {
      int order = 1;
      while (at < page.size() && (order = CompareEntry(page.key(at), page.ids[at], change.key, change.id)) < 0) {
        into->Add(page.key(at), page.ids[at]);
        ++at;
      }
      const bool here = at < page.size() && order == 0;
      if (here != change.remove) {
        throw ReadFailure(Corruption(file_->path() + ": index " + std::to_string(index_.value) + ": the entry of element " +
                                     std::to_string(change.id) + (here ? " is added, but the base has it" : " is removed, but the base doesn't have it") +
                                     " (its key has " + std::to_string(change.key.size()) + " bytes)"));
      }
      if (change.remove) ++at;
      else into->Add(change.key, change.id);
    }
    for (; at < page.size(); ++at) into->Add(page.key(at), page.ids[at]);
  }

  void RewriteChildren(const TreeContent& page, Changes changes, PageMaker* into) {
    const uint32_t below_level = page.level - 1;
    // The child made or kept last is held back: what comes after it may be too small to stand alone.
    std::optional<TreeChild> previous;
    const auto keep = [&](TreeChild child) {
      if (previous) into->Add(previous->key, previous->id, previous->ref);
      previous = std::move(child);
    };
    PageMaker below(file_, index_, below_level, keep);
    for (size_t i = 0; i < page.size(); ++i) {
      const TreeChild child{std::string(page.key(i)), page.ids[i], page.children[i]};
      const auto end = i + 1 == page.size() ? changes.end() : std::partition_point(changes.begin(), changes.end(), [&](const TreeChange& c) {
        return CompareEntry(c.key, c.id, page.key(i + 1), page.ids[i + 1]) < 0;
      });
      const Changes here(changes.begin(), end);
      changes = Changes(end, changes.end());
      if (!here.empty()) {
        if (below.empty()) below.Start(child.key, child.id);
        Rewrite(below_level, child.ref, child, here, &below);
      } else if (!below.empty() && below.bytes() < kUnderfull) {
        below.AddAll(Take(below_level, child));
      } else {
        below.Flush();
        keep(child);
      }
    }
    if (!below.empty() && below.bytes() < kUnderfull && !below.made_pages() && previous) {
      PageMaker joined(file_, index_, below_level, [&](TreeChild child) {
        into->Add(child.key, child.id, child.ref);
      });
      joined.Start(previous->key, previous->id);
      joined.AddAll(Take(below_level, *previous));
      below.MoveTo(&joined);
      joined.Flush();
      return;
    }
    below.Flush();
    if (previous) into->Add(previous->key, previous->id, previous->ref);
  }

  ExtentFile* const file_;
  FrameCache* const cache_;
  const IndexId index_;
};

// How the number of different keys changes: a key counts if the tree before, and if the tree after, has an entry of it.
int64_t DistinctChange(const IndexTree& tree, Changes changes) {
  int64_t change = 0;
  for (size_t begin = 0, end = 0; begin < changes.size(); begin = end) {
    const std::string_view key = changes[begin].key;
    bool adds = false;
    for (end = begin; end < changes.size() && changes[end].key == key; ++end) adds |= !changes[end].remove;
    bool before = false, stays = false;
    size_t at = begin;
    tree.Visit(key, 0, std::string(key) + '\0', [&](const TreeEntry& entry) {
      before = true;
      while (at < end && (changes[at].id < entry.id || !changes[at].remove)) ++at;
      stays = at == end || changes[at].id != entry.id;
      return !stays && !adds;                            // goes on while all entries seen are removed
    });
    change += static_cast<int64_t>(stays || adds) - static_cast<int64_t>(before);
  }
  return change;
}

Status KeyTooLong(IndexId index, size_t bytes) {
  return Status(Code::kLimitExceeded, "index " + std::to_string(index.value) + ": a key of " + std::to_string(bytes) +
                                          " bytes; at most " + std::to_string(kIndexKeyBytesMax) + " are possible");
}

}  // namespace

Result<TreeRoot> IndexTree::Update(ExtentFile* file, FrameCache* cache, IndexId index, const TreeRoot& root,
                                   const std::vector<TreeChange>& changes) {
  if (changes.empty()) return root;
  int64_t added = 0;
  for (size_t i = 0; i < changes.size(); ++i) {
    CHECK(i == 0 || CompareEntry(changes[i - 1].key, changes[i - 1].id, changes[i].key, changes[i].id) < 0);
    if (changes[i].key.size() > kIndexKeyBytesMax) return KeyTooLong(index, changes[i].key.size());
    added += changes[i].remove ? -1 : 1;
  }
  try {
    const int64_t distinct = DistinctChange(IndexTree(file, cache, index, root), changes);
    TreeRoot next = Rewriter(file, cache, index).Run(root, changes);
    next.entries = root.entries + static_cast<uint64_t>(added);
    next.distinct = root.distinct + static_cast<uint64_t>(distinct);
    if (next.root.none() != (next.entries == 0) || next.distinct > next.entries) {
      return Corruption(file->path() + ": index " + std::to_string(index.value) + ": its root counts " + std::to_string(root.entries) +
                        " entries and " + std::to_string(root.distinct) + " different keys, which its pages contradict");
    }
    return next;
  } catch (const ReadFailure& failure) {
    return failure.status();
  }
}

Result<TreeRoot> IndexTree::Build(ExtentFile* file, IndexId index, const std::function<Result<std::optional<TreeEntry>>()>& next) {
  // A maker a level, each made when the one below has made its first page. The lists of what they made can't be long: they are
  // the makers' own buffers.
  std::vector<std::unique_ptr<PageMaker>> makers;
  const std::function<void(uint32_t)> add_level = [&](uint32_t level) {
    makers.push_back(std::make_unique<PageMaker>(file, index, level, [&, level](TreeChild child) {
      if (makers.size() == level + 1) add_level(level + 1);
      makers[level + 1]->Add(child.key, child.id, child.ref);
    }));
    makers.back()->Start("", 0);
  };
  try {
    add_level(0);
    TreeRoot root;
    std::string last_key;
    uint64_t last_id = 0;
    for (;;) {
      ASSIGN_OR_RETURN(const std::optional<TreeEntry> entry, next());
      if (!entry) break;
      if (entry->key.size() > kIndexKeyBytesMax) return KeyTooLong(index, entry->key.size());
      if (root.entries > 0 && CompareEntry(last_key, last_id, entry->key, entry->id) >= 0) {
        return Corruption(file->path() + ": index " + std::to_string(index.value) + ": the entry of element " + std::to_string(entry->id) +
                          " comes after that of element " + std::to_string(last_id) + ", whose key is not before its own");
      }
      root.distinct += root.entries == 0 || last_key != entry->key;
      ++root.entries;
      makers[0]->Add(entry->key, entry->id);
      last_key = entry->key;
      last_id = entry->id;
    }
    if (root.entries == 0) return root;
    for (uint32_t level = 0;; ++level) {
      if (level > 0 && !makers[level]->made_pages() && makers[level]->entries() == 1) {
        root.root = makers[level]->content().children[makers[level]->first()];
        root.height = level;
        return root;
      }
      makers[level]->Flush();
    }
  } catch (const ReadFailure& failure) {
    return failure.status();
  }
}

Status IndexTree::FreeAll(ExtentFile* file, FrameCache* cache, IndexId index, const TreeRoot& root) {
  if (root.height == 0) return Status::Ok();
  try {
    Rewriter(file, cache, index).FreeBelow(root.height - 1, root.root);
  } catch (const ReadFailure& failure) {
    return failure.status();
  }
  return Status::Ok();
}

}  // namespace fornix::storage
