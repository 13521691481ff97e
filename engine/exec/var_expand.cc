// VarExpand: paths of hops_min to hops_max relationships from each row's node, no relationship twice in a path.
//
// A depth-first walk with a stack of its own (no recursion, so any length), resumable between two paths. Each frame holds
// one piece of a node's neighbours, already thinned by the step predicate, which runs over the whole piece at once. A path comes
// out before the longer ones that begin with it, neighbours in the order (type, relationship).
#include <algorithm>
#include <unordered_set>

#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"
#include "engine/exec/pass_rows.h"
#include "engine/exec/traversal.h"

namespace fornix::engine {
namespace {

constexpr size_t kHopBytes = 96;                       // of a hop in path_ and used_
constexpr size_t kListBytesMax = size_t{1} << 20;      // of lists in a batch: long paths make short batches

class VarExpandOperator : public Operator {
 public:
  VarExpandOperator(Builder& builder, const PhysicalOperator& plan)
      : Operator(builder, plan),
        child_(builder.Build(*plan.children[0])),
        predicate_(builder.CompileOptional(plan.predicate)),
        types_(plan.types),
        direction_(StorageDirection(plan.direction)),
        sizer_(builder.context().fixed_batch_rows()) {}

 protected:
  Status DoOpen() override {
    sizer_.Reset();
    Prepare(context_, &in_);
    Prepare(context_, &step_);
    row_ = 0;
    walking_ = false;
    depth_ = 0;
    used_.clear();
    path_.clear();
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
          // Rows of the batch at hand refer to in_, so they leave before the next one comes.
          if (!out_rows_.empty()) break;
          RETURN_IF_ERROR(child_->Next(&in_));
          row_ = 0;
          if (in_.empty()) return Status::Ok();
          types_.Resolve(context_.tokens());
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
  struct Frame {
    NodeId node;
    storage::ScanPosition position;
    bool exhausted = false;
    std::vector<storage::Neighbour> piece;
    size_t next = 0;
    size_t charged = 0;
  };

  Status Begin(Batch* out) {
    ASSIGN_OR_RETURN(const std::optional<NodeId> from, NodeAt(context_, in_, plan_.from, row_));
    ASSIGN_OR_RETURN(const std::optional<NodeId> to, plan_.expand_into ? NodeAt(context_, in_, plan_.to, row_) : Result<std::optional<NodeId>>(std::optional<NodeId>()));
    // A relationship list bound before must be the path itself.
    const bool bound = plan_.relationship != kNoSlot && in_.column(plan_.relationship).filled();
    given_ = bound ? in_.column(plan_.relationship).ValueAt(row_) : Value();
    has_given_ = bound;
    if (!from || (plan_.expand_into && !to) || (bound && given_.type() != Type::kList)) {
      row_++;
      return Status::Ok();
    }
    to_ = to;
    walking_ = true;
    depth_ = 0;
    if (plan_.hops_min == 0) Emit(*from, out);
    if (plan_.hops_max > 0 && types_.CanMatch()) {
      Push(*from);
    } else {
      EndRow();
    }
    return Status::Ok();
  }

  void EndRow() {
    walking_ = false;
    row_++;
  }

  void Push(NodeId node) {
    if (depth_ == frames_.size()) frames_.emplace_back();
    Frame& frame = frames_[depth_++];
    frame.node = node;
    frame.position = {};
    frame.exhausted = false;
    frame.piece.clear();
    frame.next = 0;
  }

  // One move of the walk: take the next neighbour, or fetch a piece, or go back.
  Status Step(Batch* out) {
    if (++steps_ % kBatchRowsMax == 0) RETURN_IF_ERROR(context_.CheckInterrupt());
    Frame& frame = frames_[depth_ - 1];
    if (frame.next >= frame.piece.size()) {
      if (!frame.exhausted) return FetchPiece(&frame);
      depth_--;
      if (depth_ == 0) {
        EndRow();
      } else {
        used_.erase(path_.back().value);
        path_.pop_back();
      }
      return Status::Ok();
    }
    const storage::Neighbour n = frame.piece[frame.next++];
    if (IsUsed(n.relationship) || !MatchesGiven(n.relationship)) return Status::Ok();
    path_.push_back(n.relationship);
    used_.insert(n.relationship.value);
    if (path_.size() >= plan_.hops_min) Emit(n.node, out);
    if (path_.size() < plan_.hops_max) {
      Push(n.node);
    } else {
      used_.erase(path_.back().value);
      path_.pop_back();
    }
    return Status::Ok();
  }

  bool IsUsed(RelId id) const {
    if (path_.size() > 16) return used_.count(id.value) != 0;
    for (RelId r : path_) {
      if (r == id) return true;
    }
    return false;
  }

  bool MatchesGiven(RelId id) const {
    if (!has_given_) return true;
    const List& list = given_.AsList();
    if (path_.size() >= list.size()) return false;
    const Value& step = list[plan_.reverse_list ? list.size() - 1 - path_.size() : path_.size()];
    return step.type() == Type::kRelationshipRef && step.AsRelationshipRef() == id.value;
  }

  Status FetchPiece(Frame* frame) {
    frame->piece.clear();
    frame->next = 0;
    frame->exhausted = context_.view().Expand(frame->node, types_.ids(), direction_, &frame->position, kBatchRowsMax, &frame->piece);
    CountHits(frame->piece.size());
    // Frames keep their buffers for the next walk, so they stay charged.
    const size_t bytes = sizeof(Frame) + kHopBytes + frame->piece.capacity() * sizeof(storage::Neighbour);
    if (bytes > frame->charged) {
      RETURN_IF_ERROR(Charge(bytes - frame->charged));
      frame->charged = bytes;
    }
    if (!plan_.distinct_from.empty()) {
      std::erase_if(frame->piece, [&](const storage::Neighbour& n) { return HoldsAny(in_, plan_.distinct_from, row_, n.relationship); });
    }
    if (predicate_ == nullptr || frame->piece.empty()) return Status::Ok();
    step_.Clear();
    if (plan_.step_relationship != kNoSlot) {
      for (const auto& n : frame->piece) step_.column(plan_.step_relationship).AppendRelationship(n.relationship);
    }
    if (plan_.step_node != kNoSlot) {
      for (const auto& n : frame->piece) step_.column(plan_.step_node).AppendNode(n.node);
    }
    for (Slot slot = 0; slot < in_.slots(); slot++) {
      if (!step_.column(slot).filled() && in_.column(slot).filled()) step_.column(slot).AppendRepeated(in_.column(slot), row_, frame->piece.size());
    }
    step_.set_rows(frame->piece.size());
    keep_.clear();
    RETURN_IF_ERROR(SelectTrue(*predicate_, step_, AllRows(step_), &keep_));
    for (size_t i = 0; i < keep_.size(); i++) frame->piece[i] = frame->piece[keep_[i]];
    frame->piece.resize(keep_.size());
    return Status::Ok();
  }

  void Emit(NodeId end, Batch* out) {
    if (to_ && *to_ != end) return;
    if (has_given_ && path_.size() != given_.AsList().size()) return;
    out_rows_.push_back(static_cast<uint32_t>(row_));
    if (plan_.to != kNoSlot && !plan_.expand_into) out->column(plan_.to).AppendNode(end);
    if (plan_.relationship != kNoSlot && !has_given_ && wants_list_) {
      List list;
      list.reserve(path_.size());
      emitted_bytes_ += path_.size() * sizeof(Value);
      for (RelId r : path_) list.push_back(Value::RelationshipRef(r.value));
      if (plan_.reverse_list) std::reverse(list.begin(), list.end());
      out->column(plan_.relationship).Append(Value(std::move(list)));
    }
  }

  OperatorPtr child_;
  EvaluatorPtr predicate_;
  TypeNames types_;
  const storage::Direction direction_;
  BatchSizer sizer_;
  Batch in_, step_;
  size_t row_ = 0;
  bool walking_ = false;
  std::optional<NodeId> to_;
  Value given_;
  bool has_given_ = false;
  // The list of relationships is only made where somebody reads it.
  const bool wants_list_ = std::find(live_.begin(), live_.end(), plan_.relationship) != live_.end();
  std::vector<Frame> frames_;                 // depth_ of them are in use; the rest keep their buffers
  size_t depth_ = 0;
  std::vector<RelId> path_;
  std::unordered_set<uint64_t> used_;
  std::vector<uint32_t> out_rows_, keep_;
  uint64_t steps_ = 0;
  size_t emitted_bytes_ = 0;                  // of lists in the batch at hand
};

}  // namespace

OperatorPtr MakeVarExpand(Builder& builder, const PhysicalOperator& plan) {
  return std::make_unique<VarExpandOperator>(builder, plan);
}

}  // namespace fornix::engine
