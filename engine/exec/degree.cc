// Degree: how many relationships an Expand would find from each row's node, as a number beside the row. Nothing reads what is found, so
// a count above needs no row for each.
//
// Without a predicate on what is found the store knows the number. With one, lists are walked once a node: the numbers of nodes that came
// before are kept, kKeptMax of them. Relationships of the same MATCH that the row holds already are taken off.
#include <algorithm>
#include <unordered_map>

#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"
#include "engine/exec/traversal.h"

namespace fornix::engine {
namespace {

constexpr size_t kKeptMax = 1 << 16;          // about 4 MB
constexpr size_t kKeptBytes = 56;             // of an entry, with what the map adds

class DegreeOperator : public Operator {
 public:
  DegreeOperator(Builder& builder, const PhysicalOperator& plan)
      : Operator(builder, plan),
        child_(builder.Build(*plan.children[0])),
        predicate_(builder.CompileOptional(plan.predicate)),
        types_(plan.types),
        direction_(StorageDirection(plan.direction)) {}

 protected:
  Status DoOpen() override {
    ReleaseAll();
    kept_.clear();
    kept_ends_.clear();
    return child_->Open();
  }

  Status DoNext(Batch* out) override {
    while (true) {
      RETURN_IF_ERROR(child_->Next(out));
      if (out->empty()) return Status::Ok();
      types_.Resolve(context_.tokens());
      RETURN_IF_ERROR(Weigh(*out));
      if (keep_.empty()) continue;
      Column& to = out->column(plan_.slot);
      to.Start(ColumnKind::kInt, out->rows());
      for (size_t row = 0; row < out->rows(); row++) to.SetInt(row, counts_[row]);
      out->Keep(keep_);
      return Status::Ok();
    }
  }

 private:
  Status Weigh(const Batch& in) {
    counts_.assign(in.rows(), 0);
    keep_.clear();
    for (size_t row = 0; row < in.rows(); row++) {
      ASSIGN_OR_RETURN(const std::optional<NodeId> node, NodeAt(context_, in, plan_.from, row));
      int64_t count = 0;
      if (node && types_.CanMatch()) {
        ASSIGN_OR_RETURN(count, CountOf(*node));
        if (count > 0 && !plan_.distinct_from.empty()) RETURN_IF_ERROR(TakeOff(in, row, *node, &count));
      }
      if (plan_.optional_subquery) count = std::max<int64_t>(count, 1);
      counts_[row] = count;
      if (count > 0) keep_.push_back(static_cast<uint32_t>(row));
    }
    return Status::Ok();
  }

  Result<int64_t> CountOf(NodeId node) {
    if (predicate_ == nullptr) {
      CountHits(1);
      return static_cast<int64_t>(context_.view().Degree(node, types_.ids(), direction_));
    }
    if (const auto it = kept_.find(node.value); it != kept_.end()) return it->second;
    int64_t count = 0;
    storage::ScanPosition position;
    for (bool end = false; !end;) {
      RETURN_IF_ERROR(context_.CheckInterrupt());
      found_.clear();
      end = context_.view().Expand(node, types_.ids(), direction_, &position, kBatchRowsMax, &found_);
      CountHits(found_.size());
      ASSIGN_OR_RETURN(const size_t passed, Passed());
      count += static_cast<int64_t>(passed);
    }
    RETURN_IF_ERROR(Room(&kept_));
    kept_[node.value] = count;
    return count;
  }

  template <typename Kept>
  Status Room(Kept* kept) {
    if (kept->size() >= kKeptMax) {
      Release(kept->size() * kKeptBytes);
      kept->clear();
    }
    return Charge(kKeptBytes);
  }

  // How many of found_ fit the predicate.
  Result<size_t> Passed() {
    Prepare(context_, &ends_);
    for (const storage::Neighbour& n : found_) {
      if (plan_.to != kNoSlot) ends_.column(plan_.to).AppendNode(n.node);
      if (plan_.relationship != kNoSlot) ends_.column(plan_.relationship).AppendRelationship(n.relationship);
    }
    ends_.set_rows(found_.size());
    passed_.clear();
    if (!found_.empty()) RETURN_IF_ERROR(SelectTrue(*predicate_, ends_, AllRows(ends_), &passed_));
    return passed_.size();
  }

  Status TakeOff(const Batch& in, size_t row, NodeId node, int64_t* count) {
    taken_.clear();
    for (Slot slot : plan_.distinct_from) {
      const Column& column = in.column(slot);
      if (!column.filled() || column.IsNull(row)) continue;
      const Value v = column.ValueAt(row);
      if (v.type() == Type::kRelationshipRef) taken_.push_back(v.AsRelationshipRef());
      if (v.type() != Type::kList) continue;
      for (const Value& item : v.AsList()) {
        if (item.type() == Type::kRelationshipRef) taken_.push_back(item.AsRelationshipRef());
      }
    }
    std::sort(taken_.begin(), taken_.end());
    taken_.erase(std::unique(taken_.begin(), taken_.end()), taken_.end());
    for (const uint64_t id : taken_) {
      ASSIGN_OR_RETURN(const bool counted, IsCounted(node, RelId(id)));
      *count -= counted;
    }
    return Status::Ok();
  }

  // Whether the relationship was counted for this node.
  Result<bool> IsCounted(NodeId node, RelId id) {
    if (context_.view().StateOf(id) != storage::ElementState::kVisible) return false;
    const storage::RelationshipEnds ends = context_.view().Ends(id);
    CountHits(1);
    const auto types = types_.ids();
    if (!types.empty() && std::find(types.begin(), types.end(), ends.type) == types.end()) return false;
    const bool along = direction_ != storage::Direction::kIncoming && ends.start == node;
    const bool against = direction_ != storage::Direction::kOutgoing && ends.end == node;
    if (!along && !against) return false;
    if (predicate_ == nullptr) return true;
    const NodeId other = along ? ends.end : ends.start;
    if (const auto it = kept_ends_.find(id.value); it != kept_ends_.end() && it->second.first == other.value) return it->second.second;
    found_.assign(1, {other, id});
    ASSIGN_OR_RETURN(const size_t passed, Passed());
    RETURN_IF_ERROR(Room(&kept_ends_));
    kept_ends_[id.value] = {other.value, passed == 1};
    return passed == 1;
  }

  OperatorPtr child_;
  EvaluatorPtr predicate_;
  TypeNames types_;
  const storage::Direction direction_;
  std::vector<int64_t> counts_;
  std::vector<uint32_t> keep_, passed_;
  std::vector<storage::Neighbour> found_;
  std::vector<uint64_t> taken_;
  Batch ends_;
  std::unordered_map<uint64_t, int64_t> kept_;                        // by node
  std::unordered_map<uint64_t, std::pair<uint64_t, bool>> kept_ends_; // by relationship: the end it was asked for, and whether it fits
};

}  // namespace

OperatorPtr MakeDegree(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<DegreeOperator>(builder, plan); }

}  // namespace fornix::engine
