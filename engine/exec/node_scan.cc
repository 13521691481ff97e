// AllNodesScan and LabelScan: nodes in ascending order of id.
#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"

namespace fornix::engine {
namespace {

class NodeScanOperator : public LeafOperator {
 public:
  using LeafOperator::LeafOperator;

 protected:
  Status DoOpen() override {
    position_ = {};
    return LeafOperator::DoOpen();
  }

  Status DoNext(Batch* out) override {
    out->Clear();
    const bool by_label = plan_.kind == planner::OpKind::kLabelScan;
    if (by_label && !label_) label_ = context_.tokens().labels.Find(plan_.label);
    if (by_label && !label_) return Status::Ok();
    const size_t want = sizer_.Next();
    for (; !at_end(); NextRow(), position_ = {}) {
      Column& nodes = out->column(plan_.node);
      nodes.Start(ColumnKind::kNode, want);
      const size_t n = by_label ? context_.view().ScanLabel(*label_, &position_, nodes.mutable_nodes(), want)
                                : context_.view().ScanNodes(&position_, nodes.mutable_nodes(), want);
      nodes.Truncate(n);
      if (n == 0) continue;
      CountHits(n);
      FillFromArgument(out, n);
      return Status::Ok();
    }
    out->Clear();
    return Status::Ok();
  }

 private:
  storage::ScanPosition position_;
  std::optional<LabelId> label_;
};

}  // namespace

OperatorPtr MakeNodeScan(Builder& builder, const PhysicalOperator& plan) {
  return std::make_unique<NodeScanOperator>(builder, plan);
}

}  // namespace fornix::engine
