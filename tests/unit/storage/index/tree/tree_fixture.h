// A tree in a file in memory, beside a plain set of the same entries.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "storage/index/tree/index_tree.h"
#include "tests/unit/storage/page/extent_fixture.h"

namespace fornix::storage {

using TreeModel = std::set<std::pair<std::string, uint64_t>>;

struct TreeFixture : ExtentFixture {
  static constexpr IndexId kIndex{7};

  explicit TreeFixture(uint64_t budget_bytes = uint64_t{64} << 20) : budget(budget_bytes), cache(&budget) {}
  IndexTree tree() { return IndexTree(file.get(), &cache, kIndex, root); }

  // The changes are applied to the model too.
  Status Apply(const TreeModel& add, const TreeModel& remove) {
    std::vector<TreeChange> changes;
    for (const auto& [key, id] : add) changes.push_back({key, id, false});
    for (const auto& [key, id] : remove) changes.push_back({key, id, true});
    std::sort(changes.begin(), changes.end(), [](const TreeChange& a, const TreeChange& b) { return std::tie(a.key, a.id) < std::tie(b.key, b.id); });
    const auto next = IndexTree::Update(file.get(), &cache, kIndex, root, changes);
    if (!next.ok()) return next.status();
    root = *next;
    for (const auto& entry : remove) model.erase(entry);
    model.insert(add.begin(), add.end());
    return Status::Ok();
  }
  void Build() {
    auto at = model.begin();
    const auto next = IndexTree::Build(file.get(), kIndex, [&]() -> Result<std::optional<TreeEntry>> {
      if (at == model.end()) return std::optional<TreeEntry>();
      const TreeEntry entry{at->first, at->second};
      ++at;
      return std::optional<TreeEntry>(entry);
    });
    INFO(next.status().ToString());
    REQUIRE(next.ok());
    root = *next;
  }
  uint64_t Distinct() const {
    uint64_t n = 0;
    for (auto it = model.begin(); it != model.end(); ++it) n += it == model.begin() || std::prev(it)->first != it->first;
    return n;
  }
  // Everything that can be said about a tree after its checkpoint: it has the model's entries, its pages are in order, and every
  // page of the file is its own, the free map's or free.
  void Verify() {
    REQUIRE(root.entries == model.size());
    REQUIRE(root.distinct == Distinct());
    std::vector<std::pair<uint32_t, uint32_t>> pages = file->FreeRanges().value();
    const std::vector<ExtentRef> map_extents = file->FreeMapExtents().value();
    for (const auto& ref : map_extents) pages.emplace_back(ref.page, ref.pages);
    const Status status = tree().Check([&](const ExtentRef& ref) {
      pages.emplace_back(ref.page, ref.pages);
      return Status::Ok();
    });
    INFO(status.ToString());
    REQUIRE(status.ok());
    std::sort(pages.begin(), pages.end());
    uint64_t next = kFirstExtentPage;
    bool exact = true;
    for (const auto& [first, n] : pages) {
      if (first != next) UNSCOPED_INFO("expected page " << next << ", found " << n << " at " << first);
      exact &= first == next;
      next = uint64_t{first} + n;
    }
    REQUIRE(exact);
    REQUIRE(next == file_pages);
    REQUIRE(All(tree()) == std::vector(model.begin(), model.end()));
  }
  static std::vector<std::pair<std::string, uint64_t>> All(const IndexTree& tree) {
    std::vector<std::pair<std::string, uint64_t>> all;
    tree.Visit("", 0, "", [&](const TreeEntry& entry) { return all.emplace_back(entry.key, entry.id), true; });
    return all;
  }

  MemoryBudget budget;
  FrameCache cache;
  TreeRoot root;
  TreeModel model;
};

}  // namespace fornix::storage
