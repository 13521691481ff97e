#include "storage/index/range_layers.h"

#include <algorithm>

#include "storage/index/tree/index_tree.h"

namespace fornix::storage {
namespace {

using Entry = RangeIndex::Entry;
using Said = RangeIndex::Said;

// A place in one list; stands on the first entry of a (key, id), or at the end.
class ListCursor {
 public:
  ListCursor(const RangeIndex* list, bool down, std::string_view lower, std::string_view upper, uint64_t id)
      : list_(list), down_(down), bound_(down ? lower : upper) {
    if (list == nullptr) return;
    if (down) {
      Above(list->LastBefore(upper, id));
    } else {
      at_ = list->Seek(lower, id);
      Test();
    }
  }
  const Entry* at() const { return at_; }
  Said Take(Timestamp s) {
    const Entry* first = at_;
    const Said said = RangeIndex::Judge(&at_, s);
    if (down_) {
      Above(list_->LastBefore(first->key(), first->id));
    } else {
      Test();
    }
    return said;
  }

 private:
  void Above(const Entry* last) {              // the first entry of last's (key, id)
    at_ = last == nullptr ? nullptr : list_->Seek(last->key(), last->id);
    Test();
  }
  void Test() {
    if (at_ != nullptr && (down_ ? at_->key() < bound_ : !bound_.empty() && at_->key() >= bound_)) at_ = nullptr;
  }

  const RangeIndex* const list_;
  const bool down_;
  const std::string_view bound_;
  const Entry* at_ = nullptr;
};

// Entries of the tree, some at a time: few first, since most seeks are for one key.
class TreeCursor {
 public:
  TreeCursor(const IndexTree* tree, bool down, std::string_view lower, std::string_view upper, uint64_t id)
      : tree_(tree), down_(down), lower_(lower), upper_(upper), id_(id), ended_(tree == nullptr) {
    Refill();
  }
  struct Item {
    std::string key;
    uint64_t id;
  };
  const Item* at() const { return next_ < count_ ? &items_[next_] : nullptr; }
  void Take() {
    if (++next_ == count_) Refill();
  }

 private:
  static constexpr size_t kFirst = 8, kMost = 512;
  void Refill() {
    if (count_ > 0) {                          // on from the last one
      from_ = items_[count_ - 1].key;
      id_ = items_[count_ - 1].id + !down_;
      (down_ ? upper_ : lower_) = from_;
    }
    next_ = count_ = 0;
    if (ended_) return;
    const size_t wanted = room_;
    room_ = std::min(kMost, room_ * 4);
    auto take = [&](const TreeEntry& entry) {
      if (count_ == items_.size()) items_.emplace_back();
      items_[count_].key.assign(entry.key);
      items_[count_++].id = entry.id;
      return count_ < wanted;
    };
    if (down_) {
      tree_->VisitDown(lower_, upper_, id_, take);
    } else {
      tree_->Visit(lower_, id_, upper_, take);
    }
    ended_ = count_ < wanted;
  }

  const IndexTree* const tree_;
  const bool down_;
  std::string_view lower_, upper_;
  uint64_t id_;
  std::string from_;
  std::vector<Item> items_;
  size_t next_ = 0, count_ = 0, room_ = kFirst;
  bool ended_;
};

}  // namespace

RangeLayers::RangeLayers(IndexId index, const Overlay& overlay)
    : active_(overlay.active().RangeOf(index)),
      frozen_(overlay.frozen() == nullptr ? nullptr : overlay.frozen()->RangeOf(index)),
      tree_(overlay.base().empty() ? nullptr : overlay.base().Tree(index)),
      snapshot_(overlay.snapshot()) {}

void RangeLayers::Visit(std::string_view lower, uint64_t from_id, std::string_view upper, const Visitor& visit) const {
  if (frozen_ != nullptr || tree_ != nullptr) return VisitMerged(false, lower, upper, from_id, visit);
  if (active_ == nullptr) return;
  active_->Visit(lower, from_id, upper, snapshot_, [&](const Entry& e) { return visit(e.key(), e.id); });
}

void RangeLayers::VisitDown(std::string_view lower, std::string_view upper, uint64_t before_id, const Visitor& visit) const {
  VisitMerged(true, lower, upper, before_id, visit);
}

void RangeLayers::VisitMerged(bool down, std::string_view lower, std::string_view upper, uint64_t id, const Visitor& visit) const {
  ListCursor active(active_, down, lower, upper, id), frozen(frozen_, down, lower, upper, id);
  TreeCursor tree(tree_, down, lower, upper, id);
  using Place = std::pair<std::string_view, uint64_t>;
  for (;;) {
    // The next (key, id) of all.
    std::optional<Place> next;
    auto look = [&](std::string_view key, uint64_t element) {
      const Place place(key, element);
      if (!next || (down ? *next < place : place < *next)) next = place;
    };
    if (active.at() != nullptr) look(active.at()->key(), active.at()->id);
    if (frozen.at() != nullptr) look(frozen.at()->key(), frozen.at()->id);
    if (tree.at() != nullptr) look(tree.at()->key, tree.at()->id);
    if (!next) return;
    auto is_next = [&](const auto* at) { return at != nullptr && at->id == next->second; };
    Said said = Said::kNothing;
    // Keys of entries outlive the cursors' steps; the tree's doesn't, so it goes last.
    const bool in_frozen = is_next(frozen.at()) && frozen.at()->key() == next->first;
    const bool in_tree = is_next(tree.at()) && tree.at()->key == next->first;
    if (is_next(active.at()) && active.at()->key() == next->first) said = active.Take(snapshot_);
    if (in_frozen) {
      const Said below = frozen.Take(snapshot_);
      if (said == Said::kNothing) said = below;
    }
    const bool there = said == Said::kLive || (said == Said::kNothing && in_tree);
    if (there && !visit(next->first, next->second)) return;
    if (in_tree) tree.Take();
  }
}

}  // namespace fornix::storage
