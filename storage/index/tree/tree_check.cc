// The integrity check's walk over a whole tree: every page once, every entry in order and between its bounds.
#include <optional>

#include "base/errors.h"
#include "storage/index/tree/index_tree.h"
#include "storage/index/tree/tree_page.h"
#include "storage/page/extent_header.h"

namespace fornix::storage {
namespace {

class Walk {
 public:
  Walk(const ExtentFile& file, const FrameCache* cache, IndexId index, const std::function<Status(const ExtentRef&)>& extent)
      : file_(file), cache_(cache), index_(index), extent_(extent) {}

  // All entries lie at `low` or after it, and before `high`.
  Status Page(uint32_t level, const ExtentRef& ref, const TreeChild& low, const std::optional<TreeChild>& high) {
    RETURN_IF_ERROR(extent_(ref));
    const TreeContent page = CopyTreePage(file_, cache_, index_, level, ref);
    const auto within = [&](size_t i) {
      return CompareEntry(page.key(i), page.ids[i], low.key, low.id) >= 0 &&
             (!high || CompareEntry(page.key(i), page.ids[i], high->key, high->id) < 0);
    };
    if (level == 0) {
      for (size_t i = 0; i < page.size(); ++i) {
        if (!within(i)) return ExtentDamage(file_.path(), ref, "entry " + std::to_string(i) + " isn't between the bounds of its leaf");
        if (entries_++ == 0 || page.key(i) != last_key_) ++distinct_;
        last_key_ = page.key(i);
      }
      return Status::Ok();
    }
    for (size_t i = 0; i < page.size(); ++i) {
      if (i > 0 && !within(i)) return ExtentDamage(file_.path(), ref, "bound " + std::to_string(i) + " isn't between the bounds of its page");
      std::optional<TreeChild> end = high;
      if (i + 1 < page.size()) end = TreeChild{std::string(page.key(i + 1)), page.ids[i + 1], {}};
      RETURN_IF_ERROR(Page(level - 1, page.children[i], i == 0 ? low : TreeChild{std::string(page.key(i)), page.ids[i], {}}, end));
    }
    return Status::Ok();
  }
  uint64_t entries() const { return entries_; }
  uint64_t distinct() const { return distinct_; }

 private:
  const ExtentFile& file_;
  const FrameCache* const cache_;
  const IndexId index_;
  const std::function<Status(const ExtentRef&)>& extent_;
  uint64_t entries_ = 0, distinct_ = 0;
  std::string last_key_;
};

}  // namespace

Status IndexTree::Check(const std::function<Status(const ExtentRef&)>& extent) const {
  if (root_.height == 0) return Status::Ok();
  try {
    Walk walk(*file_, cache_, index_, extent);
    RETURN_IF_ERROR(walk.Page(root_.height - 1, root_.root, {}, std::nullopt));
    if (walk.entries() != root_.entries || walk.distinct() != root_.distinct) {
      return ExtentDamage(file_->path(), root_.root,
                          "the tree of index " + std::to_string(index_.value) + " has " + std::to_string(walk.entries()) + " entries and " +
                              std::to_string(walk.distinct()) + " different keys, its root says " + std::to_string(root_.entries) +
                              " and " + std::to_string(root_.distinct));
    }
  } catch (const ReadFailure& failure) {
    return failure.status();
  }
  return Status::Ok();
}

}  // namespace fornix::storage
