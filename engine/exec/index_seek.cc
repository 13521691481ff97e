// IndexSeek: elements by their key in a range index, ascending by (key, id) or descending.
//
// The key comes from expressions over the argument row. A null anywhere in it finds nothing, as `=` and `<` with null
// would. IN is one exact seek for each different value. Hits come a batch at a time, and the seek goes on where it stood, so
// a LIMIT behind it reads no more of the index than it needs.
#include <algorithm>

#include "base/value_compare.h"
#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"
#include "engine/exec/traversal.h"

namespace fornix::engine {
namespace {

constexpr size_t kKeyBytes = 2 * (sizeof(Value) + 24);   // the lists that a KeyRange holds, and what malloc adds

class IndexSeekOperator : public LeafOperator {
 public:
  IndexSeekOperator(Builder& builder, const PhysicalOperator& plan) : LeafOperator(builder, plan) {
    for (const auto& e : plan.seek.equal) equal_.push_back(builder.Compile(*e));
    in_list_ = builder.CompileOptional(plan.seek.in_list);
    prefix_ = builder.CompileOptional(plan.seek.string_prefix);
    if (plan.seek.lower) {
      for (const auto& e : plan.seek.lower->values) lower_.push_back(builder.Compile(*e));
    }
    if (plan.seek.upper) {
      for (const auto& e : plan.seek.upper->values) upper_.push_back(builder.Compile(*e));
    }
  }

 protected:
  Status DoOpen() override {
    started_ = false;
    return LeafOperator::DoOpen();
  }

  // Takes in as many argument rows as it needs to fill a batch: a seek for each row of an UNWIND makes no batch of one.
  Status DoNext(Batch* out) override {
    out->Clear();
    const size_t want = sizer_.Next();
    rows_.clear();
    while (!at_end() && rows_.size() < want) {
      if (!started_) RETURN_IF_ERROR(Start());
      if (next_ == hits_.size()) RETURN_IF_ERROR(Refill(want - rows_.size()));
      while (next_ < hits_.size() && rows_.size() < want) rows_.insert(rows_.end(), Emit(hits_[next_++], out), argument_row());
      if (next_ < hits_.size() || range_at_ < ranges_.size()) continue;
      NextRow();
      started_ = false;
    }
    for (Slot slot : live_) {
      Column& to = out->column(slot);
      if (!to.filled() && argument_batch().column(slot).filled()) to.AppendRows(argument_batch().column(slot), rows_);
    }
    out->set_rows(rows_.size());
    return Status::Ok();
  }

 private:
  size_t Emit(uint64_t hit, Batch* out) {
    if (plan_.relationship == kNoSlot) {
      out->column(plan_.node).AppendNode(NodeId(hit));
      return 1;
    }
    const RelId id(hit);
    if (HoldsAny(argument_batch(), plan_.distinct_from, argument_row(), id)) return 0;
    if (plan_.node == kNoSlot && plan_.to == kNoSlot) {
      out->column(plan_.relationship).AppendRelationship(id);
      return 1;
    }
    const storage::RelationshipEnds ends = context_.view().Ends(id);
    const bool loop = ends.start == ends.end;
    if (plan_.to == plan_.node && !loop) return 0;
    size_t rows = 0;
    auto add = [&](NodeId node, NodeId to) {
      out->column(plan_.relationship).AppendRelationship(id);
      if (plan_.node != kNoSlot) out->column(plan_.node).AppendNode(node);
      if (plan_.to != kNoSlot && plan_.to != plan_.node) out->column(plan_.to).AppendNode(to);
      rows++;
    };
    if (plan_.direction != planner::Direction::kIncoming) add(ends.start, ends.end);
    if (plan_.direction == planner::Direction::kIncoming || (plan_.direction == planner::Direction::kBoth && !loop)) add(ends.end, ends.start);
    return rows;
  }

  // Evaluates to `values`; false when one is null.
  Result<bool> Evaluate(const std::vector<EvaluatorPtr>& exprs, List* values) {
    for (const auto& e : exprs) {
      ASSIGN_OR_RETURN(Value v, e->EvaluateRow(argument_batch(), argument_row()));
      if (v.is_null()) return false;
      values->push_back(std::move(v));
    }
    return true;
  }

  Status Start() {
    started_ = true;
    ReleaseAll();
    hits_.clear();
    ranges_.clear();
    next_ = range_at_ = 0;
    position_ = {};
    List equal;
    ASSIGN_OR_RETURN(const bool possible, Evaluate(equal_, &equal));
    if (!possible) return Status::Ok();
    if (in_list_ != nullptr) return SeekEach(equal);
    storage::KeyRange range;
    if (prefix_ != nullptr) {
      ASSIGN_OR_RETURN(const Value prefix, prefix_->EvaluateRow(argument_batch(), argument_row()));
      if (prefix.type() != Type::kString) return Status::Ok();
      range.string_prefix = prefix.AsString();
      range.lower = storage::KeyBound{equal, true};
    } else if (lower_.empty() && upper_.empty()) {
      range = equal.empty() ? storage::KeyRange{} : storage::ExactKey(equal);
    } else {
      // A bound that isn't given is the equal prefix itself, which stands for all keys that start with it.
      if (!lower_.empty() || !equal.empty()) {
        List values = equal;
        ASSIGN_OR_RETURN(const bool ok, Evaluate(lower_, &values));
        if (!ok) return Status::Ok();
        range.lower = storage::KeyBound{std::move(values), lower_.empty() || plan_.seek.lower->inclusive};
      }
      if (!upper_.empty() || !equal.empty()) {
        List values = equal;
        ASSIGN_OR_RETURN(const bool ok, Evaluate(upper_, &values));
        if (!ok) return Status::Ok();
        range.upper = storage::KeyBound{std::move(values), upper_.empty() || plan_.seek.upper->inclusive};
      }
    }
    ranges_.push_back(std::move(range));
    return Status::Ok();
  }

  Status SeekEach(const List& equal) {
    ASSIGN_OR_RETURN(const Value list, in_list_->EvaluateRow(argument_batch(), argument_row()));
    if (list.is_null()) return Status::Ok();
    if (list.type() != Type::kList) {
      return Status(Code::kTypeError, "Type mismatch: IN needs a list on its right, but was " + Shown(list)).Detail("InvalidArgumentType");
    }
    List values = list.AsList();
    std::sort(values.begin(), values.end(), [](const Value& a, const Value& b) {
      CountWork(1);
      return Order(a, b) < 0;
    });
    values.erase(std::unique(values.begin(), values.end(), [](const Value& a, const Value& b) { return Equivalent(a, b); }), values.end());
    if (plan_.seek.descending) std::reverse(values.begin(), values.end());
    RETURN_IF_ERROR(Charge(values.size() * (sizeof(storage::KeyRange) + kKeyBytes)));
    for (const Value& v : values) {
      CountWork(16);
      if (v.is_null()) continue;
      List key = equal;
      key.push_back(v);
      ranges_.push_back(storage::ExactKey(std::move(key)));
    }
    return Status::Ok();
  }

  // The next hits of this row: at least one, unless there are no more.
  Status Refill(size_t want) {
    hits_.clear();
    next_ = 0;
    for (size_t seeks = 1; hits_.size() < want && range_at_ < ranges_.size(); ++seeks) {
      if (seeks % kBatchRowsMax == 0) RETURN_IF_ERROR(context_.CheckInterrupt());
      const size_t before = hits_.size();
      RETURN_IF_ERROR(context_.view().SeekIndex(plan_.seek.index, ranges_[range_at_], plan_.seek.descending, &position_, want - before, &hits_));
      CountHits(hits_.size() - before + position_.done);
      if (!position_.done) break;
      ++range_at_;
      position_ = {};
    }
    return Status::Ok();
  }

  std::vector<EvaluatorPtr> equal_, lower_, upper_;
  EvaluatorPtr in_list_, prefix_;
  std::vector<storage::KeyRange> ranges_;     // of the argument row
  size_t range_at_ = 0;
  storage::SeekPosition position_;            // in the current range
  std::vector<uint64_t> hits_;
  std::vector<uint32_t> rows_;                // the argument row of each row of the batch
  size_t next_ = 0;
  bool started_ = false;
};

}  // namespace

OperatorPtr MakeIndexSeek(Builder& builder, const PhysicalOperator& plan) {
  return std::make_unique<IndexSeekOperator>(builder, plan);
}

}  // namespace fornix::engine
