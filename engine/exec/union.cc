// Union: the rows of each child in turn, its columns put into common slots.
#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"

namespace fornix::engine {
namespace {

class UnionOperator : public Operator {
 public:
  UnionOperator(Builder& builder, const PhysicalOperator& plan) : Operator(builder, plan) {
    for (const auto& child : plan.children) children_.push_back(builder.Build(*child));
  }

 protected:
  Status DoOpen() override {
    current_ = 0;
    Prepare(context_, &in_);
    return children_.empty() ? Status::Ok() : children_[0]->Open();
  }

  Status DoNext(Batch* out) override {
    out->Clear();
    while (current_ < children_.size()) {
      RETURN_IF_ERROR(children_[current_]->Next(&in_));
      if (in_.empty()) {
        // A later part starts after the earlier one has ended, so it sees what that one wrote.
        if (++current_ < children_.size()) RETURN_IF_ERROR(children_[current_]->Open());
        continue;
      }
      for (size_t i = 0; i < plan_.slots.size(); i++) {
        out->column(plan_.slots[i]).AppendRange(in_.column(plan_.union_slots[current_][i]), 0, in_.rows());
      }
      for (Slot slot : live_) {
        Column& to = out->column(slot);
        if (!to.filled() && in_.column(slot).filled()) to.AppendRange(in_.column(slot), 0, in_.rows());
      }
      out->set_rows(in_.rows());
      return Status::Ok();
    }
    return Status::Ok();
  }

 private:
  std::vector<OperatorPtr> children_;
  size_t current_ = 0;
  Batch in_;
};

}  // namespace

OperatorPtr MakeUnion(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<UnionOperator>(builder, plan); }

}  // namespace fornix::engine
