// Repeat: ((a)-[r]->(b)-[s]->(c) WHERE ...){m,n}, the inner plan once more from where it ended before.
//
// A depth-first walk like VarExpand's, with a stack of its own; each frame holds what the inner plan found from its node, without what
// would use a relationship twice. The inner plan is run to its end for a frame before anything else happens, so one instance serves
// all depths. A path comes out before the longer ones that begin with it. Every variable of the inner pattern becomes a list of what
// it was each time.
#include <algorithm>

#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"
#include "engine/exec/pass_rows.h"
#include "engine/exec/traversal.h"

namespace fornix::engine {
namespace {

constexpr size_t kListBytesMax = size_t{1} << 20;      // of lists in a batch: long paths make short batches

class RepeatOperator : public Operator {
 public:
  RepeatOperator(Builder& builder, const PhysicalOperator& plan)
      : Operator(builder, plan),
        child_(builder.Build(*plan.children[0])),
        inner_(builder.BuildInner(*plan.children[1], &source_)),
        sizer_(builder.context().fixed_batch_rows()) {}

 protected:
  Status DoOpen() override {
    sizer_.Reset();
    Prepare(context_, &in_);
    Prepare(context_, &start_);
    Prepare(context_, &found_);
    row_ = 0;
    walking_ = false;
    frames_.clear();
    ReleaseAll();
    return child_->Open();
  }

  Status DoNext(Batch* out) override {
    out->Clear();
    const size_t want = sizer_.Next();
    out_rows_.clear();
    emitted_bytes_ = 0;
    while (out_rows_.size() < want && emitted_bytes_ < kListBytesMax) {
      if (!walking_) {
        if (row_ >= in_.rows()) {
          if (!out_rows_.empty()) break;   // they refer to in_
          RETURN_IF_ERROR(child_->Next(&in_));
          row_ = 0;
          if (in_.empty()) return Status::Ok();
        }
        RETURN_IF_ERROR(Begin(out));
        continue;
      }
      RETURN_IF_ERROR(Step(out));
    }
    PassRows(live_, in_, out_rows_, out);
    return Status::Ok();
  }

 private:
  // One time of the pattern.
  struct Found {
    NodeId end;
    std::vector<RelId> relationships;   // as written
    std::vector<Value> groups;          // by plan_.groups
  };
  struct Frame {
    std::vector<Found> found;
    size_t next = 0;                    // found[next - 1] is the step of the path at hand
    size_t charged = 0;
  };

  Status Begin(Batch* out) {
    ASSIGN_OR_RETURN(const std::optional<NodeId> from, NodeAt(context_, in_, plan_.from, row_));
    ASSIGN_OR_RETURN(const std::optional<NodeId> to,
                     plan_.expand_into ? NodeAt(context_, in_, plan_.to, row_) : Result<std::optional<NodeId>>(std::optional<NodeId>()));
    if (!from || (plan_.expand_into && !to)) {
      row_++;
      return Status::Ok();
    }
    to_ = to;
    walking_ = true;
    if (plan_.hops_min == 0) Emit(*from, out);
    return Push(*from);
  }

  // Runs the inner plan from `node` and keeps what it finds.
  Status Push(NodeId node) {
    Prepare(context_, &start_);
    for (Slot slot = 0; slot < in_.slots(); slot++) {
      if (in_.column(slot).filled()) start_.column(slot).AppendFrom(in_.column(slot), row_);
    }
    start_.column(plan_.step_node).AppendNode(node);
    start_.set_rows(1);
    source_ = {&start_, 0, 1};
    Frame frame;
    RETURN_IF_ERROR(inner_->Open());
    while (true) {
      RETURN_IF_ERROR(inner_->Next(&found_));
      if (found_.empty()) break;
      CountHits(found_.rows());
      const size_t before = frame.charged;
      for (size_t row = 0; row < found_.rows(); row++) RETURN_IF_ERROR(Keep(row, &frame));
      RETURN_IF_ERROR(Charge(frame.charged - before));
    }
    frames_.push_back(std::move(frame));
    return Status::Ok();
  }

  Status Keep(size_t row, Frame* frame) {
    Found one;
    for (Slot slot : plan_.slots) {
      const Column& column = found_.column(slot);
      if (!column.filled() || column.IsNull(row)) return Status(Code::kInternal, "a repeated pattern without its relationship");
      const RelId id(column.kind() == ColumnKind::kRelationship ? column.word(row) : column.ValueAt(row).AsRelationshipRef());
      if (IsUsed(id)) return Status::Ok();
      one.relationships.push_back(id);
    }
    ASSIGN_OR_RETURN(const std::optional<NodeId> end, NodeAt(context_, found_, plan_.node, row));
    if (!end) return Status::Ok();
    one.end = *end;
    frame->charged += sizeof(Found) + one.relationships.size() * sizeof(RelId);
    for (const auto& [inner, outer] : plan_.groups) {
      one.groups.push_back(found_.column(inner).ValueAt(row));
      frame->charged += one.groups.back().MemoryBytes() + sizeof(Value);
    }
    frame->found.push_back(std::move(one));
    return Status::Ok();
  }

  bool IsUsed(RelId id) const {
    for (const Frame& frame : frames_) {
      const std::vector<RelId>& used = frame.found[frame.next - 1].relationships;
      if (std::find(used.begin(), used.end(), id) != used.end()) return true;
    }
    return HoldsAny(in_, plan_.distinct_from, row_, id);
  }

  // One move of the walk: a step further, or back.
  Status Step(Batch* out) {
    if (++steps_ % kBatchRowsMax == 0) RETURN_IF_ERROR(context_.CheckInterrupt());
    Frame& frame = frames_.back();
    if (frame.next == frame.found.size()) {
      Release(frame.charged);
      frames_.pop_back();
      if (frames_.empty()) {
        walking_ = false;
        row_++;
      }
      return Status::Ok();
    }
    const NodeId end = frame.found[frame.next++].end;
    if (frames_.size() >= plan_.hops_min) Emit(end, out);
    return frames_.size() < plan_.hops_max ? Push(end) : Status::Ok();
  }

  // The path of the frames, each at its step of the moment.
  void Emit(NodeId end, Batch* out) {
    if (to_ && *to_ != end) return;
    out_rows_.push_back(static_cast<uint32_t>(row_));
    if (plan_.to != kNoSlot && !plan_.expand_into) out->column(plan_.to).AppendNode(end);
    const size_t times = frames_.size();
    const auto step = [&](size_t i) -> const Found& {
      const Frame& frame = frames_[plan_.reverse_list ? times - 1 - i : i];
      return frame.found[frame.next - 1];
    };
    if (IsLive(plan_.relationship)) {
      List all;
      for (size_t i = 0; i < times; i++) {
        for (RelId id : step(i).relationships) all.push_back(Value::RelationshipRef(id.value));
      }
      emitted_bytes_ += all.size() * sizeof(Value);
      out->column(plan_.relationship).Append(Value(std::move(all)));
    }
    for (size_t g = 0; g < plan_.groups.size(); g++) {
      if (!IsLive(plan_.groups[g].second)) continue;
      List group;
      group.reserve(times);
      for (size_t i = 0; i < times; i++) group.push_back(step(i).groups[g]);
      emitted_bytes_ += times * sizeof(Value);
      out->column(plan_.groups[g].second).Append(Value(std::move(group)));
    }
  }
  bool IsLive(Slot slot) const { return std::find(live_.begin(), live_.end(), slot) != live_.end(); }

  OperatorPtr child_;
  ArgumentSource source_;
  OperatorPtr inner_;
  BatchSizer sizer_;
  Batch in_, start_, found_;
  size_t row_ = 0;
  bool walking_ = false;
  std::optional<NodeId> to_;
  std::vector<Frame> frames_;
  std::vector<uint32_t> out_rows_;
  uint64_t steps_ = 0;
  size_t emitted_bytes_ = 0;                  // of lists in the batch at hand
};

}  // namespace

OperatorPtr MakeRepeat(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<RepeatOperator>(builder, plan); }

}  // namespace fornix::engine
