// Aggregate: one row for each combination of grouping keys; without keys exactly one row, also for no input.
//
// Plain counts are kept as numbers; every other function has an Aggregator for each group. DISTINCT keeps the values a group has seen,
// by Equivalent. As long as memory lasts, groups come out in the order in which they first came in.
//
// When it doesn't:
//   open    new groups are made as their keys come
//   full    no room for another group: rows of groups that are here go on being added, rows of other keys go to disk,
//           divided by the hash of the key. At the end the groups here are given out, then each part is aggregated by itself, the same way.
//   closed  a group here grows (collect, percentiles, DISTINCT) and has no room for that: all groups go to disk with what they have
//           gathered, and so do all rows after them. In each part the groups come first, then their rows.
// So a group's rows are always added in the order in which they came, by one aggregator: results are the same to the bit. A single
// group that doesn't fit by itself is the named error. Every pass over a part deals with a group at least, so it ends.
#include <optional>
#include <unordered_set>

#include "base/value_compare.h"
#include "engine/exec/group_table.h"
#include "engine/exec/operators.h"
#include "engine/exec/spill/partitions.h"

namespace fornix::engine {
namespace {

struct ValueHash {
  size_t operator()(const Value& v) const { return Hash(v); }
};
struct ValueEquivalent {
  bool operator()(const Value& a, const Value& b) const { return Equivalent(a, b); }
};
using ValueSet = std::unordered_set<Value, ValueHash, ValueEquivalent>;

constexpr uint32_t kOnDisk = ~0u;             // in place of a row's group
constexpr size_t kAggregatorBytes = 144;      // the largest of them, what malloc adds, and its place in a list that doubles
constexpr size_t kSeenBytes = 64;             // an entry of a ValueSet beside the value

class AggregateOperator : public Operator {
 public:
  AggregateOperator(Builder& builder, const PhysicalOperator& plan)
      : Operator(builder, plan),
        child_(builder.Build(*plan.children[0])),
        argument_(builder.argument()),
        sizer_(builder.context().fixed_batch_rows()) {
    for (const auto& p : plan.projections) key_exprs_.push_back(builder.Compile(*p.expr));
    key_columns_.resize(key_exprs_.size());
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
        one.keeps_all = a.function->name == "collect" || a.function->name.rfind("percentile", 0) == 0;
        one.keeps_one = a.function->name == "min" || a.function->name == "max";
        one.grows = one.keeps_all || one.keeps_one || (a.distinct && !a.args.empty());
      }
      aggregates_.push_back(std::move(one));
    }
    // Keys and arguments side by side: a row as it lies on disk.
    for (Column& c : key_columns_) row_columns_.push_back(&c);
    for (One& a : aggregates_) {
      for (Column& c : a.columns) row_columns_.push_back(&c);
    }
    if (!plan.weights.empty()) row_columns_.push_back(&weight_);
    for (Column& c : key_columns_) keys_.push_back(&c);
  }

 protected:
  Status DoOpen() override {
    sizer_.Reset();
    done_ = false;
    level_ = 0;
    parts_.clear();
    StartGroups();
    return child_->Open();
  }

  Status DoNext(Batch* out) override {
    if (!done_) RETURN_IF_ERROR(ConsumeChild(out));
    while (next_ == group_count_ && !parts_.empty()) RETURN_IF_ERROR(ConsumePart());
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
          const Result<Value> v = a.instances[g]->Finish();
          if (!v.ok()) return a.args.empty() ? v.status() : Status(v.status()).At(a.args[0]->expr().position);
          to.Append(*v);
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
    std::vector<Column> columns;                           // the arguments of the rows at hand
    AggregateFunction make = nullptr;
    bool counts_only = false;
    bool keeps_all = false, keeps_one = false, grows = false;
    std::vector<int64_t> counts;                           // by group
    std::vector<std::unique_ptr<Aggregator>> instances;    // by group
    std::vector<ValueSet> seen;                            // by group, for DISTINCT
  };
  struct Part {
    Run groups, rows;
    unsigned level;
  };
  enum class Mode : uint8_t { kOpen, kFull, kClosed };

  void StartGroups() {
    ReleaseAll();
    groups_.Start(key_exprs_.size());
    for (One& a : aggregates_) {
      a.counts.clear();
      a.instances.clear();
      a.seen.clear();
    }
    group_count_ = next_ = 0;
    mode_ = Mode::kOpen;
    groups_out_.Clear();
    rows_out_.Clear();
  }

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
  size_t GroupBytes(size_t group) const { return groups_.KeyBytes(group) + aggregates_.size() * kAggregatorBytes; }

  Status ConsumeChild(Batch* in) {
    done_ = true;
    if (key_exprs_.empty()) AddGroup();
    while (true) {
      RETURN_IF_ERROR(child_->Next(in));
      if (in->empty()) break;
      for (size_t k = 0; k < key_exprs_.size(); k++) RETURN_IF_ERROR(key_exprs_[k]->EvaluateInto(*in, AllRows(*in), &key_columns_[k]));
      for (One& a : aggregates_) {
        for (size_t k = 0; k < a.args.size(); k++) RETURN_IF_ERROR(a.args[k]->EvaluateInto(*in, AllRows(*in), &a.columns[k]));
      }
      if (!plan_.weights.empty()) RETURN_IF_ERROR(Weigh(*in));
      RETURN_IF_ERROR(AddRows(in->rows()));
    }
    return EndPass();
  }

  // How many rows each row stands for.
  Status Weigh(const Batch& in) {
    weight_.Start(ColumnKind::kInt, in.rows());
    for (size_t row = 0; row < in.rows(); row++) {
      int64_t product = 1;
      for (Slot slot : plan_.weights) {
        if (__builtin_mul_overflow(product, in.column(slot).ValueAt(row).AsInteger(), &product)) return CountOverflow();
      }
      weight_.SetInt(row, product);
    }
    return Status::Ok();
  }
  static Status CountOverflow() { return {Code::kArithmeticError, "there are more rows than an INTEGER counts"}; }

  // Aggregates the part that was written last.
  Status ConsumePart() {
    const Part part = std::move(parts_.back());
    parts_.pop_back();
    StartGroups();
    level_ = part.level;
    RETURN_IF_ERROR(RestoreGroups(part.groups));
    RunReader reader(&part.rows);
    while (true) {
      RETURN_IF_ERROR(context_.CheckInterrupt());
      for (Column* c : row_columns_) c->Clear();
      ASSIGN_OR_RETURN(const size_t rows, reader.Read(row_columns_, kBatchRowsMax));
      if (rows == 0) break;
      RETURN_IF_ERROR(AddRows(rows));
    }
    return EndPass();
  }

  Status EndPass() {
    if (mode_ == Mode::kOpen) return Status::Ok();
    std::vector<Run> groups(kSpillPartitions);
    if (groups_out_.started()) {
      ASSIGN_OR_RETURN(groups, groups_out_.Finish());
    }
    ASSIGN_OR_RETURN(std::vector<Run> rows, rows_out_.Finish());
    for (size_t i = 0; i < kSpillPartitions; i++) {
      if (!groups[i].empty() || !rows[i].empty()) parts_.push_back({std::move(groups[i]), std::move(rows[i]), level_ + 1});
    }
    return Status::Ok();
  }

  Status ToDisk(Mode mode) {
    mode_ = mode;
    ASSIGN_OR_RETURN(SpillFile * file, context_.spill());
    if (!rows_out_.started()) rows_out_.Start(file, &spilled_, level_);
    if (!groups_out_.started()) groups_out_.Start(file, &spilled_, level_);
    return Status::Ok();
  }
  Status WriteRow(size_t row, uint64_t hash) { return rows_out_.Of(hash).Add({row_columns_.data(), row_columns_.size()}, row); }

  // The rows at hand lie in key_columns_ and the columns of the arguments.
  Status AddRows(size_t rows) {
    if (mode_ == Mode::kClosed) {
      for (size_t row = 0; row < rows; row++) RETURN_IF_ERROR(WriteRow(row, GroupTable::HashRow(keys_, row)));
      return Status::Ok();
    }
    if (!key_exprs_.empty()) RETURN_IF_ERROR(AssignGroups(rows));
    size_t bound = 0;
    for (const One& a : aggregates_) bound += a.grows ? GrowthBound(a, rows) : 0;
    if (bound > 0) {
      ASSIGN_OR_RETURN(const bool here, RoomToGrow(bound));
      if (!here) {
        for (size_t row = 0; row < rows; row++) {
          if (of_row_[row] != kOnDisk) RETURN_IF_ERROR(WriteRow(row, groups_.hash(of_row_[row])));
        }
        groups_.Start(key_exprs_.size());
        return Status::Ok();
      }
    }
    size_t grown = 0;
    for (One& a : aggregates_) RETURN_IF_ERROR(Add(rows, &a, &grown));
    if (grown < bound) Release(bound - grown);
    return Status::Ok();
  }

  Status AssignGroups(size_t rows) {
    of_row_.resize(rows);
    for (size_t row = 0; row < rows; row++) {
      const uint64_t hash = GroupTable::HashRow(keys_, row);
      if (mode_ == Mode::kFull) {
        const size_t group = groups_.FindHashed(keys_, row, hash);
        of_row_[row] = group == groups_.size() ? kOnDisk : static_cast<uint32_t>(group);
        if (group == groups_.size()) RETURN_IF_ERROR(WriteRow(row, hash));
        continue;
      }
      bool added = false;
      const size_t group = groups_.FindOrAdd(keys_, row, hash, &added);
      of_row_[row] = static_cast<uint32_t>(group);
      if (added) {
        AddGroup();
        RETURN_IF_ERROR(HoldGroup(GroupBytes(group)));
      }
    }
    return Status::Ok();
  }

  // The group is here already: it is the last one where there is no room.
  Status HoldGroup(size_t bytes) {
    ASSIGN_OR_RETURN(const Room room, Hold(bytes));
    if (room == Room::kHeld) return Status::Ok();
    context_.memory().Force(bytes);
    charged_ += bytes;
    return ToDisk(Mode::kFull);
  }

  // What the groups here may grow by with these rows.
  size_t GrowthBound(const One& a, size_t rows) const {
    const Column& c = a.columns[0];
    const size_t entry = (a.plan->distinct ? kSeenBytes : 0) + (a.keeps_all ? sizeof(Value) : 0);
    if (a.keeps_one && !a.plan->distinct && c.kind() != ColumnKind::kBoxed) return 0;
    size_t bytes = 0;
    for (size_t row = 0; row < rows; row++) {
      if (GroupOf(row) == kOnDisk || c.IsNull(row)) continue;
      bytes += entry + (c.kind() == ColumnKind::kBoxed ? c.boxed_at(row).MemoryBytes() : sizeof(Value));
    }
    return bytes;
  }

  // False: all groups are on disk now.
  Result<bool> RoomToGrow(size_t bytes) {
    // A group alone, or those that no hash can tell apart, can't be helped by dividing.
    if (group_count_ <= 1 || level_ >= Partitions::kLevelsMax || !context_.can_spill()) {
      RETURN_IF_ERROR(context_.memory().Charge(bytes, GrowingName()));
      charged_ += bytes;
      return true;
    }
    ASSIGN_OR_RETURN(const Room room, Hold(bytes));
    if (room == Room::kHeld) return true;
    RETURN_IF_ERROR(ToDisk(Mode::kClosed));
    RETURN_IF_ERROR(SaveGroups());
    return false;
  }
  std::string GrowingName() const {
    for (const One& a : aggregates_) {
      if (a.grows) return std::string(name()) + ": " + a.plan->function->name + (a.plan->distinct ? "(DISTINCT ...)" : "()") + " of one group";
    }
    return std::string(name());
  }

  // A group on disk: its keys, then for each aggregate a count, or what the aggregator saved and what DISTINCT has seen.
  Status SaveGroups() {
    List row;
    for (size_t g = 0; g < group_count_; g++) {
      if (g % kBatchRowsMax == 0) RETURN_IF_ERROR(context_.CheckInterrupt());
      row.clear();
      for (size_t k = 0; k < key_exprs_.size(); k++) row.push_back(groups_.key(k).ValueAt(g));
      for (One& a : aggregates_) {
        if (a.counts_only) {
          row.push_back(Value(a.counts[g]));
          continue;
        }
        List state;
        a.instances[g]->Save(&state);
        a.instances[g].reset();
        row.push_back(Value(std::move(state)));
        if (!a.plan->distinct) continue;
        row.push_back(Value(List(a.seen[g].begin(), a.seen[g].end())));
        ValueSet().swap(a.seen[g]);
      }
      RETURN_IF_ERROR(groups_out_.Of(groups_.hash(g)).AddValues(row));
    }
    for (One& a : aggregates_) {
      a.counts.clear();
      a.instances.clear();
      a.seen.clear();
    }
    group_count_ = 0;
    ReleaseAll();
    return Status::Ok();
  }

  Status RestoreGroups(const Run& run) {
    size_t width = key_exprs_.size();
    for (const One& a : aggregates_) width += a.plan->distinct && !a.counts_only ? 2 : 1;
    RunReader reader(&run);
    List row;
    while (true) {
      ASSIGN_OR_RETURN(const bool more, reader.ReadValues(width, &row));
      if (!more) return Status::Ok();
      for (size_t k = 0; k < key_exprs_.size(); k++) {
        key_columns_[k].Clear();
        key_columns_[k].Append(row[k]);
      }
      const uint64_t hash = GroupTable::HashRow(keys_, 0);
      size_t bytes = aggregates_.size() * kAggregatorBytes;
      for (const Value& v : row) bytes += v.MemoryBytes() + (v.type() == Type::kList ? v.AsList().size() * kSeenBytes : 0);
      if (mode_ == Mode::kOpen && group_count_ > 0 && level_ < Partitions::kLevelsMax) {
        ASSIGN_OR_RETURN(const Room room, Hold(bytes));
        if (room == Room::kSpill) RETURN_IF_ERROR(ToDisk(Mode::kFull));
      } else if (mode_ == Mode::kOpen) {
        RETURN_IF_ERROR(context_.memory().Charge(bytes, GrowingName()));
        charged_ += bytes;
      }
      if (mode_ == Mode::kFull) {
        RETURN_IF_ERROR(groups_out_.Of(hash).AddValues(row));
        continue;
      }
      bool added = false;
      groups_.FindOrAdd(keys_, 0, hash, &added);
      AddGroup();
      size_t place = key_exprs_.size();
      for (One& a : aggregates_) {
        if (a.counts_only) {
          a.counts.back() = row[place++].AsInteger();
          continue;
        }
        a.instances.back()->Restore(row[place++].AsList());
        if (!a.plan->distinct) continue;
        for (const Value& v : row[place++].AsList()) a.seen.back().insert(v);
      }
    }
  }

  size_t GroupOf(size_t row) const { return key_exprs_.empty() ? 0 : of_row_[row]; }

  Status Add(size_t rows, One* a, size_t* grown) {
    if (a->counts_only) {
      if (!plan_.weights.empty()) {
        for (size_t row = 0; row < rows; row++) {
          const size_t group = GroupOf(row);
          if (group == kOnDisk || (!a->args.empty() && a->columns[0].IsNull(row))) continue;
          if (__builtin_add_overflow(a->counts[group], weight_.ValueAt(row).AsInteger(), &a->counts[group])) return CountOverflow();
        }
        return Status::Ok();
      }
      if (a->args.empty() && key_exprs_.empty()) {
        a->counts[0] += static_cast<int64_t>(rows);
        return Status::Ok();
      }
      for (size_t row = 0; row < rows; row++) {
        const size_t group = GroupOf(row);
        if (group != kOnDisk) a->counts[group] += a->args.empty() || !a->columns[0].IsNull(row);
      }
      return Status::Ok();
    }
    const bool measured = a->keeps_one && a->columns[0].kind() == ColumnKind::kBoxed;
    values_.resize(a->args.size());
    for (size_t row = 0; row < rows; row++) {
      const size_t group = GroupOf(row);
      if (group == kOnDisk) continue;
      for (size_t k = 0; k < a->args.size(); k++) values_[k] = a->columns[k].ValueAt(row);
      if (a->plan->distinct && !values_.empty()) {
        if (!a->seen[group].insert(values_[0]).second) continue;
        *grown += values_[0].MemoryBytes() + kSeenBytes;
      }
      if (a->keeps_all && !values_[0].is_null()) *grown += sizeof(Value) + (a->plan->distinct ? 0 : values_[0].MemoryBytes());
      Aggregator& instance = *a->instances[group];
      const size_t before = measured ? instance.MemoryBytes() : 0;
      if (Status status = instance.Add(values_); !status.ok()) {
        return status.position().line == 0 && !a->args.empty() ? std::move(status).At(a->args[0]->expr().position) : status;
      }
      if (measured) *grown += std::max(before, instance.MemoryBytes()) - before;
    }
    return Status::Ok();
  }

  OperatorPtr child_;
  const ArgumentSource* argument_;
  BatchSizer sizer_;
  std::vector<EvaluatorPtr> key_exprs_;
  std::vector<Column> key_columns_;
  std::vector<One> aggregates_;
  Column weight_;                             // of the rows at hand, with plan_.weights
  std::vector<Column*> row_columns_;
  std::vector<const Column*> keys_;           // the same as key_columns_
  GroupTable groups_;
  size_t group_count_ = 0, next_ = 0;
  bool done_ = false;
  Mode mode_ = Mode::kOpen;
  unsigned level_ = 0;                        // how often the rows at hand were divided before
  Partitions groups_out_, rows_out_;          // of this pass
  std::vector<Part> parts_;                   // still to be aggregated; the last one is next
  std::vector<uint32_t> of_row_;
  std::vector<Value> values_;
};

}  // namespace

OperatorPtr MakeAggregate(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<AggregateOperator>(builder, plan); }

}  // namespace fornix::engine
