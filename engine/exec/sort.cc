// Sort: all rows by the total order of values, ties in the order they came. With a limit only the first n are kept while
// rows come in: whenever twice as many have gathered, they are sorted and the rest is dropped.
#include <algorithm>
#include <numeric>

#include "engine/exec/count_expression.h"
#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"

namespace fornix::engine {
namespace {

class SortOperator : public Operator {
 public:
  SortOperator(Builder& builder, const PhysicalOperator& plan)
      : Operator(builder, plan),
        child_(builder.Build(*plan.children[0])),
        limit_(plan.exprs.empty() ? nullptr : builder.CompileOptional(plan.exprs[0])),
        sizer_(builder.context().fixed_batch_rows()) {
    kept_slots_ = live_;
    for (const auto& key : plan.sort_keys) {
      if (std::find(kept_slots_.begin(), kept_slots_.end(), key.slot) == kept_slots_.end()) kept_slots_.push_back(key.slot);
    }
  }

 protected:
  Status DoOpen() override {
    ReleaseAll();
    sizer_.Reset();
    done_ = false;
    next_ = 0;
    Prepare(context_, &rows_);
    return child_->Open();
  }

  Status DoNext(Batch* out) override {
    if (!done_) RETURN_IF_ERROR(Consume(out));
    out->Clear();
    const size_t n = std::min(sizer_.Next(), order_.size() - next_);
    if (n == 0) {
      rows_.Clear();
      ReleaseAll();
      return Status::Ok();
    }
    for (Slot slot : live_) {
      if (rows_.column(slot).filled()) out->column(slot).AppendRows(rows_.column(slot), {order_.data() + next_, n});
    }
    next_ += n;
    out->set_rows(n);
    return Status::Ok();
  }

 private:
  Status Consume(Batch* in) {
    done_ = true;
    size_t keep = SIZE_MAX;
    if (limit_ != nullptr) {
      ASSIGN_OR_RETURN(const int64_t n, EvaluateCount(context_, *limit_, "LIMIT"));
      keep = static_cast<size_t>(n);
    }
    while (true) {
      RETURN_IF_ERROR(child_->Next(in));
      if (in->empty()) break;
      const size_t before = rows_.rows();
      rows_.AppendRows(*in, kept_slots_, 0, in->rows());
      size_t bytes = 0;
      for (Slot slot : kept_slots_) {
        const Column& c = rows_.column(slot);
        for (size_t i = before; i < rows_.rows(); i++) bytes += c.kind() == ColumnKind::kBoxed ? c.boxed_at(i).MemoryBytes() : sizeof(uint64_t);
      }
      RETURN_IF_ERROR(Charge(bytes));
      if (keep <= rows_.rows() / 2 && rows_.rows() - keep > kBatchRowsMax) RETURN_IF_ERROR(Cut(keep));
    }
    RETURN_IF_ERROR(SortRows());
    if (order_.size() > keep) order_.resize(keep);
    return Status::Ok();
  }

  bool Less(uint32_t a, uint32_t b) const {
    for (const auto& key : plan_.sort_keys) {
      const Column& c = rows_.column(key.slot);
      const int o = OrderAt(c, a, c, b);
      if (o != 0) return key.descending ? o > 0 : o < 0;
    }
    return false;
  }

  // Stable: blocks are sorted alone, then merged by pairs, with a look at cancel and deadline every few thousand rows.
  Status SortRows() {
    constexpr size_t kBlock = 4096;
    const size_t n = rows_.rows();
    order_.resize(n);
    std::iota(order_.begin(), order_.end(), 0);
    for (size_t first = 0; first < n; first += kBlock) {
      RETURN_IF_ERROR(context_.CheckInterrupt());
      std::stable_sort(order_.begin() + static_cast<ptrdiff_t>(first), order_.begin() + static_cast<ptrdiff_t>(std::min(n, first + kBlock)),
                       [this](uint32_t a, uint32_t b) { return Less(a, b); });
    }
    std::vector<uint32_t> merged(n > kBlock ? n : 0);
    for (size_t width = kBlock; width < n; width *= 2) {
      for (size_t first = 0; first < n; first += 2 * width) {
        const size_t middle = std::min(n, first + width), end = std::min(n, first + 2 * width);
        size_t left = first, right = middle;
        for (size_t to = first; to < end; to++) {
          if (to % kBlock == 0) RETURN_IF_ERROR(context_.CheckInterrupt());
          const bool take_right = left == middle || (right < end && Less(order_[right], order_[left]));
          merged[to] = take_right ? order_[right++] : order_[left++];
        }
      }
      order_.swap(merged);
    }
    return Status::Ok();
  }

  Status Cut(size_t keep) {
    RETURN_IF_ERROR(SortRows());
    order_.resize(keep);
    Batch best(rows_.slots());
    for (Slot slot : kept_slots_) {
      if (rows_.column(slot).filled()) best.column(slot).AppendRows(rows_.column(slot), order_);
    }
    best.set_rows(keep);
    rows_ = std::move(best);
    ReleaseAll();
    return Charge(rows_.MemoryBytes());
  }

  OperatorPtr child_;
  EvaluatorPtr limit_;
  BatchSizer sizer_;
  std::vector<Slot> kept_slots_;
  Batch rows_;
  std::vector<uint32_t> order_;
  size_t next_ = 0;
  bool done_ = false;
};

}  // namespace

OperatorPtr MakeSort(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<SortOperator>(builder, plan); }

}  // namespace fornix::engine
