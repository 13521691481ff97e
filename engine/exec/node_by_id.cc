// NodeById: nodes by their ids, given as numbers, as element id strings, or as a list of these.
#include <algorithm>
#include <charconv>

#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"

namespace fornix::engine {
namespace {

// An id from a number or from an element id, whose last part after ':' is the number. Anything else names no node.
std::optional<uint64_t> IdFrom(const Value& v) {
  if (v.type() == Type::kInteger && v.AsInteger() >= 0) return static_cast<uint64_t>(v.AsInteger());
  if (v.type() == Type::kFloat && v.AsFloat() >= 0 && v.AsFloat() < 0x1p53 && v.AsFloat() == static_cast<double>(static_cast<uint64_t>(v.AsFloat()))) {
    return static_cast<uint64_t>(v.AsFloat());   // id(n) = 1.0 is id(n) = 1
  }
  if (v.type() != Type::kString) return std::nullopt;
  std::string_view text = v.AsString();
  if (const size_t colon = text.rfind(':'); colon != std::string_view::npos) text.remove_prefix(colon + 1);
  uint64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return id;
}

class NodeByIdOperator : public LeafOperator {
 public:
  NodeByIdOperator(Builder& builder, const PhysicalOperator& plan) : LeafOperator(builder, plan), ids_expr_(builder.Compile(*plan.exprs[0])) {}

 protected:
  Status DoOpen() override {
    started_ = false;
    return LeafOperator::DoOpen();
  }

  Status DoNext(Batch* out) override {
    out->Clear();
    const size_t want = sizer_.Next();
    for (; !at_end(); NextRow(), started_ = false) {
      if (!started_) RETURN_IF_ERROR(Start());
      const size_t n = std::min(want, ids_.size() - next_);
      if (n == 0) continue;
      for (size_t i = 0; i < n; i++) out->column(plan_.node).AppendNode(ids_[next_ + i]);
      next_ += n;
      CountHits(n);
      FillFromArgument(out, n);
      return Status::Ok();
    }
    return Status::Ok();
  }

 private:
  Status Start() {
    ASSIGN_OR_RETURN(const Value v, ids_expr_->EvaluateRow(argument_batch(), argument_row()));
    ids_.clear();
    next_ = 0;
    started_ = true;
    auto add = [&](const Value& one) {
      CountWork(16);
      const std::optional<uint64_t> id = IdFrom(one);
      if (id && context_.view().StateOf(NodeId(*id)) == storage::ElementState::kVisible) ids_.push_back(NodeId(*id));
    };
    if (v.type() == Type::kList) {
      for (const Value& item : v.AsList()) add(item);
    } else {
      add(v);
    }
    std::sort(ids_.begin(), ids_.end());
    ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
    return Status::Ok();
  }

  EvaluatorPtr ids_expr_;
  std::vector<NodeId> ids_;
  size_t next_ = 0;
  bool started_ = false;
};

}  // namespace

OperatorPtr MakeNodeById(Builder& builder, const PhysicalOperator& plan) {
  return std::make_unique<NodeByIdOperator>(builder, plan);
}

}  // namespace fornix::engine
