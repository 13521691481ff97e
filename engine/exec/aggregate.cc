// Aggregate: one row for each combination of grouping keys; without keys exactly one row, also for no input.
//
// Groups come out in the order in which they first came in. Plain counts are kept as numbers; every other function has an Aggregator
// for each group. DISTINCT keeps the values a group has seen, by Equivalent.
#include <unordered_set>

#include "base/value_compare.h"
#include "engine/exec/group_table.h"
#include "engine/exec/operators.h"

namespace fornix::engine {
namespace {

struct ValueHash {
  size_t operator()(const Value& v) const { return Hash(v); }
};
struct ValueEquivalent {
  bool operator()(const Value& a, const Value& b) const { return Equivalent(a, b); }
};
using ValueSet = std::unordered_set<Value, ValueHash, ValueEquivalent>;

class AggregateOperator : public Operator {
 public:
  AggregateOperator(Builder& builder, const PhysicalOperator& plan)
      : Operator(builder, plan),
        child_(builder.Build(*plan.children[0])),
        argument_(builder.argument()),
        sizer_(builder.context().fixed_batch_rows()) {
    for (const auto& p : plan.projections) {
      key_exprs_.push_back(builder.Compile(*p.expr));
      key_columns_.emplace_back();
    }
    for (const auto& a : plan.aggregates) {
      One one;
      one.plan = &a;
      for (const auto& arg : a.args) one.args.push_back(builder.Compile(*arg));
      one.columns.resize(a.args.size());
      one.counts_only = a.function == nullptr || (a.function->name == "count" && !a.distinct);
      if (!one.counts_only) {
        if (a.function->implementation == nullptr || !a.function->aggregate) {
          builder.Fail({Code::kNotAvailable, "aggregate function " + a.function->name + "() is not available yet"});
        } else {
          one.make = *static_cast<const AggregateFunction*>(a.function->implementation);
        }
        // These keep what they are given.
        one.keeps = a.function->name == "collect" || a.function->name.rfind("percentile", 0) == 0;
      }
      aggregates_.push_back(std::move(one));
    }
  }

 protected:
  Status DoOpen() override {
    ReleaseAll();
    groups_.Start(key_exprs_.size());
    for (One& a : aggregates_) {
      a.counts.clear();
      a.instances.clear();
      a.seen.clear();
    }
    sizer_.Reset();
    done_ = false;
    next_ = 0;
    group_count_ = 0;
    return child_->Open();
  }

  Status DoNext(Batch* out) override {
    if (!done_) RETURN_IF_ERROR(Consume(out));
    out->Clear();
    const size_t n = std::min(sizer_.Next(), group_count_ - next_);
    if (n == 0) return Status::Ok();
    for (size_t k = 0; k < key_exprs_.size(); k++) out->column(plan_.projections[k].slot).AppendRange(groups_.key(k), next_, n);
    for (One& a : aggregates_) {
      Column& to = out->column(a.plan->slot);
      for (size_t g = next_; g < next_ + n; g++) {
        if (a.counts_only) {
          to.AppendInt(a.counts[g]);
        } else {
          ASSIGN_OR_RETURN(const Value v, a.instances[g]->Finish());
          to.Append(v);
          a.instances[g].reset();
        }
      }
    }
    // Inside a subquery the row around it may be asked for again after the aggregation.
    for (Slot slot : live_) {
      Column& to = out->column(slot);
      if (!to.filled() && argument_->batch->column(slot).filled()) to.AppendRepeated(argument_->batch->column(slot), argument_->first, n);
    }
    next_ += n;
    out->set_rows(n);
    return Status::Ok();
  }

 private:
  struct One {
    const planner::AggregateTo* plan = nullptr;
    std::vector<EvaluatorPtr> args;
    std::vector<Column> columns;
    AggregateFunction make = nullptr;
    bool counts_only = false, keeps = false;
    std::vector<int64_t> counts;                           // by group
    std::vector<std::unique_ptr<Aggregator>> instances;    // by group
    std::vector<ValueSet> seen;                            // by group, for DISTINCT
  };

  void AddGroup() {
    group_count_++;
    for (One& a : aggregates_) {
      if (a.counts_only) {
        a.counts.push_back(0);
      } else {
        a.instances.push_back(a.make());
        if (a.plan->distinct) a.seen.emplace_back();
      }
    }
  }

  Status Consume(Batch* in) {
    done_ = true;
    if (key_exprs_.empty()) AddGroup();
    while (true) {
      RETURN_IF_ERROR(child_->Next(in));
      if (in->empty()) break;
      RETURN_IF_ERROR(AssignGroups(*in));
      for (One& a : aggregates_) RETURN_IF_ERROR(Add(*in, &a));
    }
    return Status::Ok();
  }

  Status AssignGroups(const Batch& in) {
    if (key_exprs_.empty()) return Status::Ok();
    keys_.clear();
    for (size_t k = 0; k < key_exprs_.size(); k++) {
      RETURN_IF_ERROR(key_exprs_[k]->EvaluateInto(in, AllRows(in), &key_columns_[k]));
      keys_.push_back(&key_columns_[k]);
    }
    of_row_.resize(in.rows());
    size_t bytes = 0;
    for (size_t row = 0; row < in.rows(); row++) {
      bool added = false;
      const size_t group = groups_.FindOrAdd(keys_, row, &added);
      if (added) {
        AddGroup();
        bytes += groups_.KeyBytes(group) + aggregates_.size() * 48;   // about what an aggregator takes
      }
      of_row_[row] = static_cast<uint32_t>(group);
    }
    return Charge(bytes);
  }

  size_t GroupOf(size_t row) const { return key_exprs_.empty() ? 0 : of_row_[row]; }

  Status Add(const Batch& in, One* a) {
    for (size_t k = 0; k < a->args.size(); k++) RETURN_IF_ERROR(a->args[k]->EvaluateInto(in, AllRows(in), &a->columns[k]));
    if (a->counts_only) {
      if (a->args.empty() && key_exprs_.empty()) {
        a->counts[0] += static_cast<int64_t>(in.rows());
        return Status::Ok();
      }
      for (size_t row = 0; row < in.rows(); row++) {
        a->counts[GroupOf(row)] += a->args.empty() || !a->columns[0].IsNull(row);
      }
      return Status::Ok();
    }
    size_t bytes = 0;
    values_.resize(a->args.size());
    for (size_t row = 0; row < in.rows(); row++) {
      const size_t group = GroupOf(row);
      for (size_t k = 0; k < a->args.size(); k++) values_[k] = a->columns[k].ValueAt(row);
      if (a->plan->distinct && !values_.empty()) {
        if (!a->seen[group].insert(values_[0]).second) continue;
        bytes += values_[0].MemoryBytes() + 32;
      }
      if (a->keeps && !values_[0].is_null()) bytes += values_[0].MemoryBytes();
      if (Status status = a->instances[group]->Add(values_); !status.ok()) {
        return status.position().line == 0 && !a->args.empty() ? std::move(status).At(a->args[0]->expr().position) : status;
      }
    }
    return Charge(bytes);
  }

  OperatorPtr child_;
  const ArgumentSource* argument_;
  BatchSizer sizer_;
  std::vector<EvaluatorPtr> key_exprs_;
  std::vector<Column> key_columns_;
  std::vector<One> aggregates_;
  GroupTable groups_;
  size_t group_count_ = 0, next_ = 0;
  bool done_ = false;
  std::vector<const Column*> keys_;
  std::vector<uint32_t> of_row_;
  std::vector<Value> values_;
};

}  // namespace

OperatorPtr MakeAggregate(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<AggregateOperator>(builder, plan); }

}  // namespace fornix::engine
