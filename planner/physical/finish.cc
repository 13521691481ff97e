// The last step on a physical tree: which columns each operator must hand on, what EXPLAIN says of it, its number.
//
// Slots flow two ways: up goes what a row can have (`available`), down what is still needed; `live` is what both say. The
// slots of the outer row stay readable throughout a right side, also above an Aggregate: they are the same in all its rows.
#include <map>

#include "planner/bind/expr_util.h"
#include "planner/physical/describe.h"
#include "planner/physical/lower.h"
#include "planner/physical/op_util.h"

namespace fornix::planner {
namespace {

class SlotSet {
 public:
  void Add(Slot s) {
    if (s / 64 >= words_.size()) words_.resize(s / 64 + 1);
    words_[s / 64] |= uint64_t{1} << (s % 64);
  }
  void Add(const std::set<Slot>& slots) {
    for (Slot s : slots) Add(s);
  }
  void Add(const SlotSet& other) {
    if (other.words_.size() > words_.size()) words_.resize(other.words_.size());
    for (size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
  }
  bool Has(Slot s) const { return s / 64 < words_.size() && (words_[s / 64] >> (s % 64) & 1); }
  SlotSet And(const SlotSet& other) const {
    SlotSet both;
    both.words_.resize(std::min(words_.size(), other.words_.size()));
    for (size_t i = 0; i < both.words_.size(); ++i) both.words_[i] = words_[i] & other.words_[i];
    return both;
  }
  std::vector<Slot> List() const {
    std::vector<Slot> slots;
    for (size_t i = 0; i < words_.size(); ++i) {
      for (uint64_t w = words_[i]; w; w &= w - 1) slots.push_back(static_cast<Slot>(i * 64 + __builtin_ctzll(w)));
    }
    return slots;
  }

 private:
  std::vector<uint64_t> words_;
};

bool HasRightSide(OpKind kind) {
  switch (kind) {
    case OpKind::kApply:
    case OpKind::kOptional:
    case OpKind::kSemiApply:
    case OpKind::kAntiApply:
    case OpKind::kMerge:
    case OpKind::kSubquery:
    case OpKind::kRepeat:
    case OpKind::kForeach: return true;
    default: return false;
  }
}

// Computing it can't fail, so leaving it out can't be seen.
bool MayVanish(const BoundExpr& expr) {
  return expr.kind == BoundKind::kPath || expr.kind == BoundKind::kSlot || expr.kind == BoundKind::kLiteral;
}

class Finisher {
 public:
  Finisher(const std::vector<std::string>& names, bool optimize) : names_(names), optimize_(optimize) {}

  uint32_t Run(PhysicalOperator& root) {
    Available(root, SlotSet());
    Live(root, SlotSet());
    Number(root);
    return next_id_;
  }

 private:
  const SlotSet& Available(const PhysicalOperator& op, const SlotSet& outer) {
    SlotSet set;
    if (op.children.empty()) set = outer;
    for (size_t i = 0; i < op.children.size(); ++i) {
      const bool right = i == 1 && HasRightSide(op.kind);
      SlotSet inside = right ? available_[op.children[0].get()] : outer;
      if (right && op.kind == OpKind::kForeach) inside.Add(op.slot);
      if (right && op.kind == OpKind::kRepeat) inside.Add(op.step_node);
      const SlotSet& child = Available(*op.children[i], inside);
      const bool stays_inside = i == 1 && (op.kind == OpKind::kForeach || op.kind == OpKind::kRepeat || op.kind == OpKind::kSemiApply ||
                                           op.kind == OpKind::kAntiApply);
      if (op.kind != OpKind::kAggregate && op.kind != OpKind::kUnion && !stays_inside) set.Add(child);
    }
    if (op.kind == OpKind::kAggregate || op.kind == OpKind::kUnion) set = outer;
    std::set<Slot> makes;
    AddMakes(op, &makes);
    set.Add(makes);
    SlotSet readable = op.children.empty() ? outer : available_[op.children[0].get()];
    readable.Add(makes);
    if (op.children.size() > 1 && HasRightSide(op.kind)) readable.Add(available_[op.children[1].get()]);
    EachSubplan(op, [&](const BoundExpr& e) {
      SlotSet around = readable;
      for (Slot s : e.outer_slots) around.Add(s);   // also the variables of comprehensions around it
      Available(*e.plan, around);
    });
    return available_[&op] = std::move(set);
  }

  template <typename Visit>
  void EachSubplan(const PhysicalOperator& op, const Visit& visit) {
    ForEachExpr(op, [&](const BoundExpr& e) {
      ForEachSubplanExpr(const_cast<BoundExpr&>(e), [&](BoundExpr& sub) {
        if (sub.plan) visit(sub);
      });
    });
  }

  // Everything that the tree reads, at any depth.
  void AddUsed(const PhysicalOperator& op, std::set<Slot>* out) {
    AddReads(op, out);
    for (const auto& child : op.children) AddUsed(*child, out);
  }

  void Live(PhysicalOperator& op, const SlotSet& needed) {
    if (op.kind == OpKind::kProject && optimize_) {
      std::erase_if(op.projections, [&](const ProjectionTo& p) { return !needed.Has(p.slot) && MayVanish(*p.expr); });
    }
    op.live = needed.And(available_[&op]).List();
    std::set<Slot> reads;
    AddReads(op, &reads);
    SlotSet below = needed;
    below.Add(reads);
    if (HasRightSide(op.kind)) {
      const bool only_asked = op.kind == OpKind::kForeach || op.kind == OpKind::kRepeat || op.kind == OpKind::kSemiApply ||
                              op.kind == OpKind::kAntiApply;
      SlotSet right = only_asked ? SlotSet() : below;
      if (op.kind == OpKind::kRepeat) {
        right.Add(op.node);
        for (Slot s : op.slots) right.Add(s);
        for (const auto& [inner, outer] : op.groups) right.Add(inner);
      }
      if (op.kind == OpKind::kMerge) {
        for (const auto& c : op.creates) right.Add(c.slot);
      }
      Live(*op.children[1], right);
      std::set<Slot> used;
      AddUsed(*op.children[1], &used);
      below.Add(used);
      Live(*op.children[0], below);
    } else if (op.kind == OpKind::kUnion) {
      for (size_t i = 0; i < op.children.size(); ++i) {
        SlotSet wanted = needed;   // of the outer row
        for (Slot s : op.union_slots[i]) wanted.Add(s);
        Live(*op.children[i], wanted);
      }
    } else {
      if (op.kind == OpKind::kVectorSeed) below.Add(op.node != kNoSlot ? op.node : op.relationship);   // all that it takes from them
      for (auto& child : op.children) Live(*child, below);
    }
    EachSubplan(op, [&](const BoundExpr& e) {
      SlotSet wanted;
      if (e.kind == BoundKind::kCollectPlan) wanted.Add(FreeSlots(*e.args[0]));
      Live(*e.plan, wanted);
    });
    for (auto& child : op.children) {
      while (child->kind == OpKind::kProject && child->projections.empty()) child = child->children[0];
    }
  }

  void Number(PhysicalOperator& op) {
    if (numbered_.count(&op)) return;   // a subplan that two expressions share
    numbered_[&op] = true;
    op.id = next_id_++;
    op.details = Describe(op, names_);
    for (auto& child : op.children) Number(*child);
    EachSubplan(op, [&](const BoundExpr& e) { Number(*e.plan); });
  }

  const std::vector<std::string>& names_;
  bool optimize_;
  std::map<const PhysicalOperator*, SlotSet> available_;
  std::map<const PhysicalOperator*, bool> numbered_;
  uint32_t next_id_ = 0;
};

}  // namespace

uint32_t Finish(PhysicalOperator& root, const std::vector<std::string>& slot_names, bool optimize) {
  return Finisher(slot_names, optimize).Run(root);
}

}  // namespace fornix::planner
