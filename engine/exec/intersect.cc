// Intersect: the nodes that two nodes of a row both reach, each by a list of its own; a row for every pair of relationships. This is what
// closes a cycle: an Expand and a look between would make a row for every neighbour of one side first.
//
// Both lists are sorted by neighbour and walked together. A list is kept as long as its node stays the same from row to row, which it does
// for the side that the rows come from. When one list is much shorter, its entries are looked for from the other node instead
// (GraphView::Between), so that a hub's list is never read. Rows come by the order of the rows before, then of the neighbours.
#include <algorithm>

#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"
#include "engine/exec/pass_rows.h"
#include "engine/exec/traversal.h"

namespace fornix::engine {
namespace {

constexpr uint64_t kLookFactor = 32;          // a look between two nodes costs about as much as so many entries of a list
constexpr uint64_t kSmallList = 64;

class IntersectOperator : public Operator {
 public:
  IntersectOperator(Builder& builder, const PhysicalOperator& plan)
      : Operator(builder, plan), child_(builder.Build(*plan.children[0])), sizer_(builder.context().fixed_batch_rows()) {
    for (const auto& branch : plan.branches) sides_.emplace_back(branch);
  }

 protected:
  Status DoOpen() override {
    ReleaseAll();
    sizer_.Reset();
    Prepare(context_, &in_);
    row_ = 0;
    pairs_.clear();
    next_pair_ = pairs_charged_ = 0;
    for (Side& side : sides_) side.Free();
    return child_->Open();
  }

  Status DoNext(Batch* out) override {
    out->Clear();
    const size_t want = sizer_.Next();
    out_rows_.clear();
    while (out_rows_.size() < want) {
      if (next_pair_ < pairs_.size()) {
        Emit(pairs_[next_pair_++], out);
        continue;
      }
      if (row_ >= in_.rows()) {
        if (!out_rows_.empty()) break;
        RETURN_IF_ERROR(child_->Next(&in_));
        row_ = 0;
        if (in_.empty()) return Status::Ok();
        for (Side& side : sides_) side.types.Resolve(context_.tokens());
      }
      RETURN_IF_ERROR(context_.CheckInterrupt());
      // Pairs of a row that is not used up stay where they are until then.
      if (!out_rows_.empty() && row_ >= in_.rows()) break;
      RETURN_IF_ERROR(Cut(row_++));
    }
    PassRows(live_, in_, out_rows_, out);
    return Status::Ok();
  }

 private:
  struct Side {
    explicit Side(const planner::IntersectBranch& b) : branch(&b), types(b.types), direction(StorageDirection(b.direction)) {}
    void Forget() {
      listed = NodeId();
      list.clear();
    }
    void Free() {
      Forget();
      list.shrink_to_fit();
      charged = 0;
    }
    const planner::IntersectBranch* branch;
    TypeNames types;
    storage::Direction direction;
    NodeId node;                              // of the row at hand
    NodeId listed;                            // whose list is at hand
    std::vector<storage::Neighbour> list;     // by (neighbour, relationship)
    size_t charged = 0;
  };
  struct Pair {
    uint32_t row;
    NodeId node;
    RelId relationship[2];
  };

  static bool ByNode(const storage::Neighbour& a, const storage::Neighbour& b) {
    return a.node != b.node ? a.node < b.node : a.relationship < b.relationship;
  }

  // The pairs of one row.
  Status Cut(size_t row) {
    pairs_.clear();
    next_pair_ = 0;
    for (Side& side : sides_) {
      ASSIGN_OR_RETURN(const std::optional<NodeId> node, NodeAt(context_, in_, side.branch->from, row));
      if (!node || !side.types.CanMatch()) return Status::Ok();
      side.node = *node;
    }
    uint64_t degree[2];
    for (int i = 0; i < 2; ++i) {
      const Side& side = sides_[static_cast<size_t>(i)];
      degree[i] = side.listed == side.node ? side.list.size() : context_.view().Degree(side.node, side.types.ids(), side.direction);
      if (degree[i] == 0) return Status::Ok();
    }
    const size_t small = degree[0] <= degree[1] ? 0 : 1;
    RETURN_IF_ERROR(List(&sides_[small]));
    const bool other_listed = sides_[1 - small].listed == sides_[1 - small].node;
    if (!other_listed && degree[1 - small] > kSmallList && degree[1 - small] > degree[small] * kLookFactor) return Look(row, small);
    RETURN_IF_ERROR(List(&sides_[1 - small]));
    return Walk(row);
  }

  static void SortByNode(std::vector<storage::Neighbour>* list) {
    std::sort(list->begin(), list->end(), [](const auto& a, const auto& b) {
      CountWork(1);
      return ByNode(a, b);
    });
  }

  Status List(Side* side) {
    if (side->listed == side->node) return Status::Ok();
    side->Forget();
    storage::ScanPosition position;
    for (bool end = false; !end;) {
      RETURN_IF_ERROR(context_.CheckInterrupt());
      end = context_.view().Expand(side->node, side->types.ids(), side->direction, &position, kBatchRowsMax, &side->list);
      if (const size_t bytes = side->list.size() * sizeof(storage::Neighbour); bytes > side->charged + 65536) {
        RETURN_IF_ERROR(Charge(bytes - side->charged));
        side->charged = bytes;
      }
    }
    CountHits(side->list.size());
    if (!std::is_sorted(side->list.begin(), side->list.end(), ByNode)) SortByNode(&side->list);
    side->listed = side->node;
    return Status::Ok();
  }

  Status Look(size_t row, size_t small) {
    const Side& from = sides_[small];
    const Side& other = sides_[1 - small];
    NodeId before;
    for (const storage::Neighbour& n : from.list) {
      if (n.node != before) {
        before = n.node;
        between_.clear();
        context_.view().Between(other.node, other.types.ids(), other.direction, n.node, &between_);
        std::sort(between_.begin(), between_.end());
        CountHits(between_.size() + 1);
      }
      for (const RelId relationship : between_) {
        Pair pair{static_cast<uint32_t>(row), n.node, {}};
        pair.relationship[small] = n.relationship;
        pair.relationship[1 - small] = relationship;
        RETURN_IF_ERROR(AddIfDistinct(pair));
      }
      CountWork(kLookFactor);
    }
    return Status::Ok();
  }

  Status Walk(size_t row) {
    const auto &a = sides_[0].list, &b = sides_[1].list;
    size_t i = 0, k = 0;
    while (i < a.size() && k < b.size()) {
      CountWork(2);
      if (a[i].node < b[k].node) {
        i = Skip(a, i, b[k].node);
        continue;
      }
      if (b[k].node < a[i].node) {
        k = Skip(b, k, a[i].node);
        continue;
      }
      const NodeId node = a[i].node;
      size_t k_end = k;
      while (k_end < b.size() && b[k_end].node == node) ++k_end;
      for (; i < a.size() && a[i].node == node; ++i) {
        for (size_t m = k; m < k_end; ++m) RETURN_IF_ERROR(AddIfDistinct({static_cast<uint32_t>(row), node, {a[i].relationship, b[m].relationship}}));
      }
      k = k_end;
    }
    return Status::Ok();
  }

  // The first place from `at` on whose node isn't below: by doubling steps, then by halving.
  static size_t Skip(const std::vector<storage::Neighbour>& list, size_t at, NodeId node) {
    size_t step = 1;
    while (at + step < list.size() && list[at + step].node < node) {
      at += step;
      step *= 2;
    }
    const auto end = list.begin() + static_cast<ptrdiff_t>(std::min(list.size(), at + step + 1));
    const auto found = std::partition_point(list.begin() + static_cast<ptrdiff_t>(at), end,
                                            [node](const storage::Neighbour& n) { return n.node < node; });
    return static_cast<size_t>(found - list.begin());
  }

  // Two lists of parallel relationships make as many pairs as both multiplied.
  Status Room() {
    RETURN_IF_ERROR(context_.CheckInterrupt());
    const size_t bytes = pairs_.size() * 2 * sizeof(Pair);   // while they move to a larger place
    if (bytes <= pairs_charged_) return Status::Ok();
    RETURN_IF_ERROR(Charge(bytes - pairs_charged_));
    pairs_charged_ = bytes;
    return Status::Ok();
  }

  Status AddIfDistinct(const Pair& pair) {
    for (size_t i = 0; i < 2; ++i) {
      for (Slot slot : sides_[i].branch->distinct_from) {
        if (slot == sides_[1 - i].branch->relationship) {
          if (pair.relationship[0] == pair.relationship[1]) return Status::Ok();
        } else if (Holds(in_.column(slot), pair.row, pair.relationship[i])) {
          return Status::Ok();
        }
      }
    }
    pairs_.push_back(pair);
    return pairs_.size() % kBatchRowsMax == 0 ? Room() : Status::Ok();
  }

  void Emit(const Pair& pair, Batch* out) {
    out_rows_.push_back(pair.row);
    if (plan_.to != kNoSlot) out->column(plan_.to).AppendNode(pair.node);
    for (size_t i = 0; i < 2; ++i) out->column(sides_[i].branch->relationship).AppendRelationship(pair.relationship[i]);
  }

  OperatorPtr child_;
  std::vector<Side> sides_;
  BatchSizer sizer_;
  Batch in_;
  size_t row_ = 0;
  std::vector<Pair> pairs_;                   // of the row before row_
  size_t next_pair_ = 0, pairs_charged_ = 0;
  std::vector<RelId> between_;
  std::vector<uint32_t> out_rows_;
};

}  // namespace

OperatorPtr MakeIntersect(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<IntersectOperator>(builder, plan); }

}  // namespace fornix::engine
