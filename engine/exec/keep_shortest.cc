// KeepShortest: of the paths between the same two nodes the shortest few, or all of the least few lengths: SHORTEST k, SHORTEST k GROUPS,
// ANY k before a pattern that no search of its own finds.
//
// It stands above the match, inside an Apply, so each row that comes in has a run of its own. All matches are looked at; kept are those
// that no other has pushed out yet. They come out by pairs of ends as these were met, the shortest first, ties as they were met.
#include <algorithm>
#include <map>
#include <set>

#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"
#include "engine/exec/traversal.h"

namespace fornix::engine {
namespace {

class KeepShortestOperator : public Operator {
 public:
  KeepShortestOperator(Builder& builder, const PhysicalOperator& plan)
      : Operator(builder, plan), child_(builder.Build(*plan.children[0])), sizer_(builder.context().fixed_batch_rows()) {}

 protected:
  Status DoOpen() override {
    ReleaseAll();
    sizer_.Reset();
    Prepare(context_, &rows_);
    pairs_.clear();
    kept_.clear();
    done_ = false;
    next_ = 0;
    return child_->Open();
  }

  Status DoNext(Batch* out) override {
    if (!done_) RETURN_IF_ERROR(Consume(out));
    out->Clear();
    const size_t n = std::min(sizer_.Next(), kept_.size() - next_);
    for (Slot slot : live_) {
      if (n > 0 && rows_.column(slot).filled()) out->column(slot).AppendRows(rows_.column(slot), {kept_.data() + next_, n});
    }
    next_ += n;
    out->set_rows(n);
    return Status::Ok();
  }

 private:
  struct Pair {
    std::vector<std::pair<size_t, uint32_t>> paths;   // length, place in rows_
    std::multiset<size_t> lengths;                    // the least, paths_max of them; of groups each once
  };

  Status Consume(Batch* in) {
    done_ = true;
    std::map<std::pair<uint64_t, uint64_t>, size_t> places;
    std::vector<uint32_t> taken;
    while (true) {
      RETURN_IF_ERROR(child_->Next(in));
      if (in->empty()) break;
      taken.clear();
      for (uint32_t row = 0; row < in->rows(); row++) {
        ASSIGN_OR_RETURN(const std::optional<NodeId> from, NodeAt(context_, *in, plan_.from, row));
        ASSIGN_OR_RETURN(const std::optional<NodeId> to, NodeAt(context_, *in, plan_.to, row));
        if (!from || !to) continue;
        const auto [it, is_new] = places.try_emplace({from->value, to->value}, pairs_.size());
        if (is_new) {
          RETURN_IF_ERROR(Charge(sizeof(Pair) + 128));
          pairs_.emplace_back();
        }
        Pair& pair = pairs_[it->second];
        const size_t length = LengthOf(*in, row);
        if (!Admits(&pair, length)) continue;
        pair.paths.emplace_back(length, static_cast<uint32_t>(rows_.rows() + taken.size()));
        taken.push_back(row);
      }
      if (taken.empty()) continue;
      if (rows_.rows() + taken.size() > UINT32_MAX) return Status(Code::kResourceExhausted, "too many paths for SHORTEST to keep; bound their length");
      RETURN_IF_ERROR(Charge(HeldBytes(*in, live_) / in->rows() * taken.size() + taken.size() * 64));
      for (Slot slot : live_) {
        if (in->column(slot).filled()) rows_.column(slot).AppendRows(in->column(slot), taken);
      }
      rows_.set_rows(rows_.rows() + taken.size());
    }
    for (Pair& pair : pairs_) {
      std::stable_sort(pair.paths.begin(), pair.paths.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      size_t count = 0;
      for (const auto& [length, place] : pair.paths) {
        if (plan_.all_shortest ? length > *pair.lengths.rbegin() : count++ == plan_.paths_max) break;
        kept_.push_back(place);
      }
    }
    return Status::Ok();
  }

  // Whether a path of this length is among the shortest so far, of which it then is one.
  bool Admits(Pair* pair, size_t length) {
    std::multiset<size_t>& lengths = pair->lengths;
    if (plan_.all_shortest && lengths.count(length) > 0) return true;
    if (lengths.size() >= plan_.paths_max) {
      const auto last = std::prev(lengths.end());
      if (*last <= length) return false;
      lengths.erase(last);
    }
    lengths.insert(length);
    return true;
  }

  size_t LengthOf(const Batch& rows, uint32_t row) const {
    size_t length = 0;
    for (Slot slot : plan_.slots) {
      const Column& column = rows.column(slot);
      const bool list = column.kind() == ColumnKind::kBoxed && column.boxed_at(row).type() == Type::kList;
      length += list ? column.boxed_at(row).AsList().size() : 1;
    }
    return length;
  }

  OperatorPtr child_;
  BatchSizer sizer_;
  Batch rows_;
  std::vector<Pair> pairs_;
  std::vector<uint32_t> kept_;   // places in rows_, in the order of coming out
  size_t next_ = 0;
  bool done_ = false;
};

}  // namespace

OperatorPtr MakeKeepShortest(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<KeepShortestOperator>(builder, plan); }

}  // namespace fornix::engine
