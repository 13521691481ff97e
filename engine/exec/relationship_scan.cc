// AllRelationshipsScan: relationships by type and id, with both ends; without a direction each comes once from either end.
#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"
#include "engine/exec/traversal.h"

namespace fornix::engine {
namespace {

class RelationshipScanOperator : public LeafOperator {
 public:
  RelationshipScanOperator(Builder& builder, const PhysicalOperator& plan) : LeafOperator(builder, plan), types_(plan.types) {}

 protected:
  Status DoOpen() override {
    Rewind();
    return LeafOperator::DoOpen();
  }

  Status DoNext(Batch* out) override {
    out->Clear();
    types_.Resolve(context_.tokens());
    if (!types_.CanMatch()) return Status::Ok();
    const size_t want = sizer_.Next();
    for (; !at_end(); NextRow(), Rewind()) {
      while (true) {
        ids_.resize(want);
        const bool all = plan_.types.empty();
        if (type_ >= (all ? 1 : types_.ids().size())) break;
        const size_t n = context_.view().ScanRelationships(all ? std::nullopt : std::optional<TypeId>(types_.ids()[type_]), &position_,
                                                           ids_.data(), want);
        if (n == 0) {
          type_++;
          position_ = {};
          continue;
        }
        CountHits(n);
        ids_.resize(n);
        const size_t rows = Emit(out);
        if (rows == 0) continue;
        FillFromArgument(out, rows);
        return Status::Ok();
      }
    }
    out->Clear();
    return Status::Ok();
  }

 private:
  void Rewind() {
    position_ = {};
    type_ = 0;
  }

  size_t Emit(Batch* out) {
    size_t rows = 0;
    auto add = [&](RelId id, NodeId node, NodeId to) {
      out->column(plan_.relationship).AppendRelationship(id);
      if (plan_.node != kNoSlot) out->column(plan_.node).AppendNode(node);
      if (plan_.to != kNoSlot && plan_.to != plan_.node) out->column(plan_.to).AppendNode(to);
      rows++;
    };
    for (RelId id : ids_) {
      const storage::RelationshipEnds ends = context_.view().Ends(id);
      if (HoldsAny(argument_batch(), plan_.distinct_from, argument_row(), id)) continue;
      const bool loop = ends.start == ends.end;
      if (plan_.to == plan_.node && plan_.to != kNoSlot && !loop) continue;   // (a)-->(a)
      if (plan_.direction != planner::Direction::kIncoming) add(id, ends.start, ends.end);
      if (plan_.direction == planner::Direction::kIncoming || (plan_.direction == planner::Direction::kBoth && !loop)) {
        add(id, ends.end, ends.start);
      }
    }
    return rows;
  }

  TypeNames types_;
  storage::ScanPosition position_;
  size_t type_ = 0;
  std::vector<RelId> ids_;
};

}  // namespace

OperatorPtr MakeRelationshipScan(Builder& builder, const PhysicalOperator& plan) {
  return std::make_unique<RelationshipScanOperator>(builder, plan);
}

}  // namespace fornix::engine
