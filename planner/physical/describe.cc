// See describe.h. Elements without a name are (), so that the text depends on the plan alone and not on slot numbers.
#include "planner/physical/describe.h"

#include "base/value_format.h"
#include "planner/physical/expr_text.h"

namespace fornix::planner {
namespace {

constexpr size_t kDetailsMax = 120;   // a line of a terminal; the rest of a long expression helps nobody

class Describer {
 public:
  explicit Describer(const std::vector<std::string>& names) : names_(names) {}

  std::string Text(const PhysicalOperator& op) const {
    switch (op.kind) {
      case OpKind::kAllNodesScan: return Node(op.node);
      case OpKind::kLabelScan: return "(" + Name(op.node) + ":" + QuoteName(op.label) + ")";
      case OpKind::kNodeById: return Node(op.node) + " id " + Expr(op.exprs[0]);
      case OpKind::kIndexSeek: {
        const bool node = op.node != kNoSlot;
        return (node ? "(" : "[") + Name(node ? op.node : op.relationship) + ":" + QuoteName(op.label) + (node ? ") " : "] ") + op.index_name +
               " " + Seek(op.seek);
      }
      case OpKind::kVectorSeed: {
        std::string text = (op.node != kNoSlot ? Node(op.node) : "[" + Name(op.relationship) + "]") + " " + op.index_name + (op.index_kind.empty() ? "" : "(" + op.index_kind + ")") + " LIMIT " +
                           Expr(op.exprs[1]) + " FOR " + Expr(op.exprs[0]);
        if (op.scan_else && op.exprs[2]) text += " SKIP " + Expr(op.exprs[2]);
        if (!op.scan_else && op.exprs.size() > 3 && op.exprs[3]) text += " WITH " + Expr(op.exprs[3]);
        const BoundExprPtr* listed = !op.scan_else && op.exprs[2] ? &op.exprs[2] : nullptr;
        if (op.predicate || listed) text += " WHERE ";
        if (listed) text += Expr(*listed) + (op.predicate ? " AND " : "");
        if (op.predicate) text += Expr(op.predicate);
        if (!Name(op.score).empty()) text += " SCORE " + Name(op.score);
        if (op.scan_else) return text + ", else all of";
        if (!op.children.empty()) text += " IDS FROM";
        for (const auto& child : op.children) text += std::string(&child == &op.children[0] ? " " : ", ") + SourceOfIds(*child);
        return text;
      }
      case OpKind::kAllRelationshipsScan: return Step(op, op.node);
      case OpKind::kExpand:
      case OpKind::kVarExpand:
      case OpKind::kShortestPath: {
        std::string text = Step(op, op.from);
        if (op.expand_into) text += " into";
        if (op.predicate) text += " WHERE " + Expr(op.predicate);
        return text;
      }
      case OpKind::kRepeat: {
        std::string times = "{" + std::to_string(op.hops_min) + ",";
        if (op.hops_max != kHopsUnbounded) times += std::to_string(op.hops_max);
        return Node(op.from) + " (" + Node(op.step_node) + " ... " + Node(op.node) + ")" + times + "} " + Node(op.to) + (op.expand_into ? " into" : "");
      }
      case OpKind::kIntersect: return Step(op.branches[0], op.to) + ", " + Step(op.branches[1], op.to);
      case OpKind::kDegree: {
        std::string text = Step(op, op.from);
        if (op.optional_subquery) text += " optional";
        if (op.predicate) text += " WHERE " + Expr(op.predicate);
        return text;
      }
      case OpKind::kFilter: return Expr(op.predicate);
      case OpKind::kProject: return Projections(op);
      case OpKind::kAggregate: return Aggregates(op);
      case OpKind::kHashJoin:
      case OpKind::kDistinct: return Slots(op.slots);
      case OpKind::kSort: {
        std::string text;
        for (const auto& key : op.sort_keys) text += (text.empty() ? "" : ", ") + Name(key.slot) + (key.descending ? " DESC" : "");
        if (!op.exprs.empty() && op.exprs[0]) text += " LIMIT " + Expr(op.exprs[0]);
        return text;
      }
      case OpKind::kSkip:
      case OpKind::kLimit: return Expr(op.exprs[0]);
      case OpKind::kUnwind:
      case OpKind::kForeach: return Expr(op.exprs[0]) + " AS " + Name(op.slot);
      case OpKind::kCreate:
      case OpKind::kMerge: return Creates(op);
      case OpKind::kSet: return Sets(op.sets);
      case OpKind::kDelete: {
        std::string text = op.detach ? "DETACH " : "";
        for (size_t i = 0; i < op.exprs.size(); ++i) text += (i ? ", " : "") + Expr(op.exprs[i]);
        return text;
      }
      case OpKind::kCallProcedure: {
        std::string text = op.procedure->name + "(";
        for (size_t i = 0; i < op.exprs.size(); ++i) text += (i ? ", " : "") + Expr(op.exprs[i]);
        return text + ")";
      }
      case OpKind::kKeepShortest:
        return (op.all_shortest ? "all of the " : "") + std::to_string(op.paths_max) + (op.all_shortest ? " shortest lengths from " : " shortest from ") +
               Node(op.from) + " to " + Node(op.to);
      case OpKind::kSubquery: return op.in_transactions ? "in transactions" : op.optional_subquery ? "optional" : "";
      case OpKind::kProduceResults: {
        std::string text;
        for (const auto& [name, slot] : op.columns) text += (text.empty() ? "" : ", ") + name;
        return text;
      }
      default: return "";
    }
  }

 private:
  std::string Name(Slot slot) const { return slot < names_.size() ? names_[slot] : ""; }
  std::string Node(Slot slot) const { return "(" + Name(slot) + ")"; }
  std::string Expr(const BoundExprPtr& e) const { return e ? ExprText(*e, names_) : ""; }

  std::string Slots(const std::vector<Slot>& slots) const {
    std::string text;
    for (Slot s : slots) text += (text.empty() ? "" : ", ") + Name(s);
    return text;
  }

  std::string Step(const PhysicalOperator& op, Slot from) const {
    std::string inside = Name(op.relationship);
    for (size_t i = 0; i < op.types.size(); ++i) inside += (i ? "|" : ":") + QuoteName(op.types[i]);
    if (op.kind == OpKind::kVarExpand || op.kind == OpKind::kShortestPath) {
      inside += "*" + std::to_string(op.hops_min);
      if (op.hops_max == kHopsUnbounded) {
        inside += "..";
      } else if (op.hops_max != op.hops_min) {
        inside += ".." + std::to_string(op.hops_max);
      }
    }
    const std::string middle = inside.empty() ? "--" : "-[" + inside + "]-";
    const bool incoming = op.direction == Direction::kIncoming, outgoing = op.direction == Direction::kOutgoing;
    return Node(from) + (incoming ? "<" : "") + middle + (outgoing ? ">" : "") + Node(op.to);
  }

  std::string Step(const IntersectBranch& branch, Slot to) const {
    std::string inside = Name(branch.relationship);
    for (size_t i = 0; i < branch.types.size(); ++i) inside += (i ? "|" : ":") + QuoteName(branch.types[i]);
    const std::string middle = inside.empty() ? "--" : "-[" + inside + "]-";
    return Node(branch.from) + (branch.direction == Direction::kIncoming ? "<" : "") + middle + (branch.direction == Direction::kOutgoing ? ">" : "") +
           Node(to);
  }

  static std::string SourceOfIds(const PhysicalOperator& source) {
    switch (source.kind) {
      case OpKind::kIndexSeek: return "index " + source.index_name;
      case OpKind::kLabelScan: return "label " + source.label;
      case OpKind::kNodeById: return "id";
      default: return "pattern";
    }
  }

  std::string Seek(const IndexSeekSpec& seek) const {
    std::string text;
    auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    for (const auto& e : seek.equal) add("= " + Expr(e));
    if (seek.in_list) add("IN " + Expr(seek.in_list));
    if (seek.string_prefix) add("STARTS WITH " + Expr(seek.string_prefix));
    if (seek.lower) add(std::string(seek.lower->inclusive ? ">= " : "> ") + Expr(seek.lower->values[0]));
    if (seek.upper) add(std::string(seek.upper->inclusive ? "<= " : "< ") + Expr(seek.upper->values[0]));
    return text;
  }

  std::string Projections(const PhysicalOperator& op) const {
    std::string text;
    for (const auto& p : op.projections) {
      const std::string value = Expr(p.expr), name = Name(p.slot);
      text += (text.empty() ? "" : ", ") + value + (name.empty() || name == value ? "" : " AS " + name);
    }
    return text;
  }

  std::string Aggregates(const PhysicalOperator& op) const {
    std::string text;
    for (const auto& a : op.aggregates) {
      std::string args;
      for (const auto& arg : a.args) args += (args.empty() ? "" : ", ") + Expr(arg);
      text += (text.empty() ? "" : ", ") + (a.function ? a.function->name : "count") + "(" + (a.distinct ? "DISTINCT " : "") +
              (a.function ? args : "*") + ")";
    }
    const std::string keys = Projections(op);
    return keys.empty() ? text : text + " BY " + keys;
  }

  std::string Creates(const PhysicalOperator& op) const {
    std::string text;
    for (const auto& c : op.creates) {
      std::string labels;
      for (const auto& l : c.labels) labels += ":" + QuoteName(l);
      text += (text.empty() ? "" : ", ");
      text += c.relationship ? Node(c.start) + "-[" + Name(c.slot) + labels + "]->" + Node(c.end) : "(" + Name(c.slot) + labels + ")";
    }
    return text;
  }

  std::string Sets(const std::vector<SetAction>& sets) const {
    std::string text;
    for (const auto& s : sets) {
      std::string labels;
      for (const auto& l : s.labels) labels += ":" + QuoteName(l);
      const std::string target = Expr(s.target);
      text += text.empty() ? "" : ", ";
      switch (s.kind) {
        case SetAction::Kind::kProperty: text += target + "." + s.key + " = " + Expr(s.value); break;
        case SetAction::Kind::kDynamicProperty: text += target + "[" + Expr(s.key_expr) + "] = " + Expr(s.value); break;
        case SetAction::Kind::kReplace: text += target + " = " + Expr(s.value); break;
        case SetAction::Kind::kMergeInto: text += target + " += " + Expr(s.value); break;
        case SetAction::Kind::kAddLabels: text += target + labels; break;
        case SetAction::Kind::kRemoveLabels: text += "REMOVE " + target + labels; break;
        case SetAction::Kind::kRemoveProperty: text += "REMOVE " + target + "." + s.key; break;
        case SetAction::Kind::kRemoveDynamicProperty: text += "REMOVE " + target + "[" + Expr(s.key_expr) + "]"; break;
      }
    }
    return text;
  }

  const std::vector<std::string>& names_;
};

}  // namespace

std::string Describe(const PhysicalOperator& op, const std::vector<std::string>& slot_names) {
  std::string text = Describer(slot_names).Text(op);
  for (char& c : text) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  if (text.size() > kDetailsMax) {
    size_t cut = kDetailsMax;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;   // not inside a character
    text = text.substr(0, cut) + "...";
  }
  return text;
}

}  // namespace fornix::planner
