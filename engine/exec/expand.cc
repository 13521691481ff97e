// Expand: from each row's node along its relationships to its neighbours.
//
// Nodes with few neighbours are expanded together (GraphView::ExpandBatch, which prefetches); one with many is expanded
// alone and resumably, so that no batch grows with a hub. With expand_into both ends are bound and what is between them is
// looked up (GraphView::Between). Neighbours stay in the order of the rows, then of GraphView::Expand.
#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"
#include "engine/exec/pass_rows.h"
#include "engine/exec/traversal.h"

namespace fornix::engine {
namespace {

constexpr uint64_t kHubDegree = kBatchRowsMax;   // from here on a node alone fills a batch

class ExpandOperator : public Operator {
 public:
  ExpandOperator(Builder& builder, const PhysicalOperator& plan)
      : Operator(builder, plan),
        child_(builder.Build(*plan.children[0])),
        types_(plan.types),
        direction_(StorageDirection(plan.direction)),
        sizer_(builder.context().fixed_batch_rows()) {}

 protected:
  Status DoOpen() override {
    sizer_.Reset();
    Prepare(context_, &in_);
    next_row_ = 0;
    hub_active_ = false;
    neighbours_.clear();
    parents_.clear();
    next_neighbour_ = 0;
    return child_->Open();
  }

  Status DoNext(Batch* out) override {
    out->Clear();
    const size_t want = sizer_.Next();
    while (true) {
      while (next_neighbour_ >= neighbours_.size()) {
        if (!hub_active_ && next_row_ >= in_.rows()) {
          RETURN_IF_ERROR(child_->Next(&in_));
          next_row_ = 0;
          if (in_.empty()) return Status::Ok();
          types_.Resolve(context_.tokens());
        }
        RETURN_IF_ERROR(context_.CheckInterrupt());
        RETURN_IF_ERROR(Fetch(want));
      }
      if (Emit(want, out)) return Status::Ok();
    }
  }

 private:
  // Refills neighbours_ from the next rows; may find nothing.
  Status Fetch(size_t want) {
    neighbours_.clear();
    parents_.clear();
    next_neighbour_ = 0;
    if (!hub_active_) {
      if (!types_.CanMatch()) {
        next_row_ = in_.rows();
        return Status::Ok();
      }
      if (plan_.expand_into) return FetchBetween(want);
      ids_.clear();
      rows_.clear();
      uint64_t sum = 0;
      while (next_row_ < in_.rows() && sum < want) {
        ASSIGN_OR_RETURN(const std::optional<NodeId> node, NodeAt(context_, in_, plan_.from, next_row_));
        const bool last = next_row_ + 1 == in_.rows();
        if (!node) {
          next_row_++;
          continue;
        }
        // The last row alone needs no degree: it can be walked piece by piece in any case.
        const uint64_t degree = last && ids_.empty() ? kHubDegree + 1 : context_.view().Degree(*node, types_.ids(), direction_);
        if (degree > kHubDegree) {
          if (!ids_.empty()) break;
          hub_ = *node;
          hub_row_ = static_cast<uint32_t>(next_row_++);
          hub_position_ = {};
          hub_active_ = true;
          break;
        }
        next_row_++;
        sum += degree;
        if (degree == 0) continue;
        ids_.push_back(*node);
        rows_.push_back(static_cast<uint32_t>(next_row_ - 1));
      }
      if (!hub_active_) {
        if (ids_.empty()) return Status::Ok();
        context_.view().ExpandBatch(ids_, types_.ids(), direction_, &parents_, &neighbours_);
        for (uint32_t& parent : parents_) parent = rows_[parent];
        CountHits(neighbours_.size());
        return Status::Ok();
      }
    }
    const bool end =
        context_.view().Expand(hub_, types_.ids(), direction_, &hub_position_, want < 64 ? want : kBatchRowsMax, &neighbours_);
    parents_.assign(neighbours_.size(), hub_row_);
    CountHits(neighbours_.size());
    if (end) hub_active_ = false;
    return Status::Ok();
  }

  Status FetchBetween(size_t want) {
    for (; next_row_ < in_.rows() && neighbours_.size() < want; next_row_++) {
      ASSIGN_OR_RETURN(const std::optional<NodeId> from, NodeAt(context_, in_, plan_.from, next_row_));
      const Result<std::optional<NodeId>> to = NodeAt(context_, in_, plan_.to, next_row_);
      if (!from || !to.ok() || !to->has_value()) continue;   // what isn't a node has no relationships
      between_.clear();
      context_.view().Between(*from, types_.ids(), direction_, **to, &between_);
      for (const RelId relationship : between_) neighbours_.push_back({**to, relationship});
      parents_.resize(neighbours_.size(), static_cast<uint32_t>(next_row_));
      CountHits(between_.size() + 1);
    }
    return Status::Ok();
  }

  bool Emit(size_t want, Batch* out) {
    const Column* bound_relationship =
        plan_.relationship != kNoSlot && in_.column(plan_.relationship).filled() ? &in_.column(plan_.relationship) : nullptr;
    const bool plain = bound_relationship == nullptr && plan_.distinct_from.empty();
    out_rows_.clear();
    Column* nodes = plan_.to != kNoSlot && !plan_.expand_into ? &out->column(plan_.to) : nullptr;
    Column* relationships = plan_.relationship != kNoSlot && bound_relationship == nullptr ? &out->column(plan_.relationship) : nullptr;
    while (next_neighbour_ < neighbours_.size() && out_rows_.size() < want) {
      const storage::Neighbour& n = neighbours_[next_neighbour_];
      const uint32_t row = parents_[next_neighbour_];
      next_neighbour_++;
      if (!plain) {
        if (bound_relationship != nullptr && !Holds(*bound_relationship, row, n.relationship)) continue;
        if (HoldsAny(in_, plan_.distinct_from, row, n.relationship)) continue;
      }
      out_rows_.push_back(row);
      if (nodes != nullptr) nodes->AppendNode(n.node);
      if (relationships != nullptr) relationships->AppendRelationship(n.relationship);
    }
    if (out_rows_.empty()) {
      out->Clear();
      return false;
    }
    PassRows(live_, in_, out_rows_, out);
    return true;
  }

  OperatorPtr child_;
  TypeNames types_;
  const storage::Direction direction_;
  BatchSizer sizer_;
  Batch in_;
  size_t next_row_ = 0;
  std::vector<NodeId> ids_;
  std::vector<uint32_t> rows_, parents_, out_rows_;
  std::vector<storage::Neighbour> neighbours_;
  size_t next_neighbour_ = 0;
  std::vector<RelId> between_;
  bool hub_active_ = false;
  NodeId hub_;
  uint32_t hub_row_ = 0;
  storage::ScanPosition hub_position_;
};

}  // namespace

OperatorPtr MakeExpand(Builder& builder, const PhysicalOperator& plan) {
  return std::make_unique<ExpandOperator>(builder, plan);
}

}  // namespace fornix::engine
