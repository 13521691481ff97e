// Sort: all rows by the total order of values, ties in the order they came. With a limit only the first n are kept while
// rows come in: whenever twice as many have gathered, they are sorted and the rest is dropped.
//
// Rows that memory doesn't hold are sorted and written as a run; at the end the runs are merged. Runs follow each other in the order
// in which their rows came, and of equal rows the one of the earlier run goes first, so ties keep their order here too.
#include <algorithm>
#include <numeric>
#include <optional>

#include "engine/exec/count_expression.h"
#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"
#include "engine/exec/spill/merge.h"

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
      const auto place = std::find(kept_slots_.begin(), kept_slots_.end(), key.slot);
      run_keys_.push_back({static_cast<size_t>(place - kept_slots_.begin()), key.descending});
    }
  }

 protected:
  Status DoOpen() override {
    ReleaseAll();
    merger_.reset();
    runs_.clear();
    sizer_.Reset();
    done_ = false;
    next_ = 0;
    keep_ = SIZE_MAX;
    Prepare(context_, &rows_);
    return child_->Open();
  }

  Status DoNext(Batch* out) override {
    if (!done_) RETURN_IF_ERROR(Consume(out));
    out->Clear();
    if (merger_) return NextMerged(out);
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
    if (limit_ != nullptr) {
      ASSIGN_OR_RETURN(const int64_t n, EvaluateCount(context_, *limit_, "LIMIT"));
      keep_ = static_cast<size_t>(n);
    }
    while (true) {
      RETURN_IF_ERROR(child_->Next(in));
      if (in->empty()) break;
      RETURN_IF_ERROR(MakeRoom(HeldBytes(*in, kept_slots_) + in->rows() * 2 * sizeof(uint32_t)));
      rows_.AppendRows(*in, kept_slots_, 0, in->rows());
      if (keep_ <= rows_.rows() / 2 && rows_.rows() - keep_ > kBatchRowsMax) RETURN_IF_ERROR(Cut());
    }
    if (!runs_.empty()) return StartMerge();
    RETURN_IF_ERROR(SortRows());
    if (order_.size() > keep_) order_.resize(keep_);
    return Status::Ok();
  }

  Status MakeRoom(size_t bytes) {
    ASSIGN_OR_RETURN(Room room, Hold(bytes));
    if (room == Room::kSpill && rows_.rows() > keep_) {
      RETURN_IF_ERROR(Cut());
      ASSIGN_OR_RETURN(room, Hold(bytes));
    }
    if (room == Room::kHeld) return Status::Ok();
    RETURN_IF_ERROR(WriteRun());
    ASSIGN_OR_RETURN(room, Hold(bytes));
    if (room == Room::kHeld) return Status::Ok();
    context_.memory().Force(bytes);   // the batch is in memory in any case; it makes the next run
    charged_ += bytes;
    return Status::Ok();
  }

  Status WriteRun() {
    if (rows_.empty()) return Status::Ok();
    RETURN_IF_ERROR(SortRows());
    if (order_.size() > keep_) order_.resize(keep_);
    ASSIGN_OR_RETURN(SpillFile * file, context_.spill());
    RunWriter writer(file, &spilled_);
    std::vector<const Column*> columns;
    for (Slot slot : kept_slots_) columns.push_back(&rows_.column(slot));
    for (size_t i = 0; i < order_.size(); i++) {
      if (i % kBatchRowsMax == 0) RETURN_IF_ERROR(context_.CheckInterrupt());
      RETURN_IF_ERROR(writer.Add(columns, order_[i]));
    }
    ASSIGN_OR_RETURN(Run run, writer.Finish());
    runs_.push_back(std::move(run));
    rows_ = Batch(context_.slot_count());
    std::vector<uint32_t>().swap(order_);
    ReleaseAll();
    return Status::Ok();
  }

  Status StartMerge() {
    RETURN_IF_ERROR(WriteRun());
    ASSIGN_OR_RETURN(SpillFile * file, context_.spill());
    RETURN_IF_ERROR(MergeDown(file, &spilled_, kept_slots_.size(), run_keys_, [this] { return context_.CheckInterrupt(); }, &runs_));
    merger_.emplace(runs_, kept_slots_.size(), run_keys_);
    return merger_->Start();
  }

  Status NextMerged(Batch* out) {
    const size_t want = std::min(sizer_.Next(), keep_ - next_);
    size_t rows = 0;
    for (; rows < want && !merger_->done(); rows++) {
      // The live slots stand first among those that are kept.
      for (size_t i = 0; i < live_.size(); i++) out->column(live_[i]).AppendFrom(merger_->columns()[i], merger_->row());
      RETURN_IF_ERROR(merger_->Advance());
    }
    next_ += rows;
    out->set_rows(rows);
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

  Status Cut() {
    RETURN_IF_ERROR(SortRows());
    order_.resize(keep_);
    Batch best(rows_.slots());
    for (Slot slot : kept_slots_) {
      if (rows_.column(slot).filled()) best.column(slot).AppendRows(rows_.column(slot), order_);
    }
    best.set_rows(keep_);
    rows_ = std::move(best);
    const size_t bytes = HeldBytes(rows_, kept_slots_) + keep_ * 2 * sizeof(uint32_t);
    if (bytes < charged_) Release(charged_ - bytes);
    return Status::Ok();
  }

  OperatorPtr child_;
  EvaluatorPtr limit_;
  BatchSizer sizer_;
  std::vector<Slot> kept_slots_;               // the live ones, then keys that nobody above needs
  std::vector<RunKey> run_keys_;
  size_t keep_ = SIZE_MAX;
  std::vector<Run> runs_;
  std::optional<RunMerger> merger_;
  Batch rows_;
  std::vector<uint32_t> order_;
  size_t next_ = 0;
  bool done_ = false;
};

}  // namespace

OperatorPtr MakeSort(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<SortOperator>(builder, plan); }

}  // namespace fornix::engine
