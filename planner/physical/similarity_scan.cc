// See similarity_scan.h.
#include "planner/physical/similarity_scan.h"

#include <algorithm>
#include <map>

#include "base/value_format.h"
#include "planner/bind/expr_util.h"
#include "planner/physical/op_util.h"
#include "planner/physical/relationship_ends.h"
#include "planner/physical/seed_ids.h"

namespace fornix::planner {
namespace {

using OpPtr = std::shared_ptr<PhysicalOperator>;
using storage::EntityKind;

bool Meet(const std::set<Slot>& a, const std::set<Slot>& b) {
  return std::any_of(a.begin(), a.end(), [&](Slot s) { return b.count(s) > 0; });
}

bool IsSimilarity(const std::string& function) {
  return function == "vector.similarity.cosine" || function == "vector.similarity.euclidean" || function == "gds.similarity.cosine";
}

bool IsSlot(const BoundExpr& expr, Slot slot) { return expr.kind == BoundKind::kSlot && expr.slot == slot; }

BoundExprPtr PropertyOf(Slot element, TypeSet type, const std::string& name) {
  auto made = std::make_unique<BoundExpr>(BoundKind::kProperty);
  made->name = name;
  made->args.push_back(MakeSlot(element, type));
  return made;
}

BoundExprPtr HasAnyLabel(Slot element, TypeSet type, const std::vector<std::string>& names) {
  auto made = std::make_unique<BoundExpr>(BoundKind::kHasLabels);
  made->type = kBooleanType;
  made->args.push_back(MakeSlot(element, type));
  if (names.size() == 1) {
    made->labels.name = names[0];
  } else {
    made->labels.kind = LabelPredicate::Kind::kOr;
    for (const std::string& name : names) made->labels.children.emplace_back().name = name;
  }
  return made;
}

// One sort by similarity with its limit, and what lies between it and the source of its rows.
class Scan {
 public:
  Scan(PhysicalOperator* sort, const BoundExpr& limit, const BoundExpr* skip, const PlannerInput& input)
      : sort_(*sort), limit_(limit), skip_(skip), input_(input) {
    link_ = &sort->children[0];
    while ((*link_)->kind == OpKind::kProject || (*link_)->kind == OpKind::kFilter) {
      for (const auto& p : (*link_)->projections) defined_[p.slot] = p.expr.get();
      if ((*link_)->predicate) filters_.push_back((*link_)->predicate.get());
      link_ = &(*link_)->children[0];
    }
  }

  // Whether it is such a scan at all.
  bool Read() {
    const PhysicalOperator& source = **link_;
    if (!source.children.empty() || !source.distinct_from.empty()) return false;
    switch (source.kind) {
      case OpKind::kLabelScan: names_ = {source.label}; break;
      case OpKind::kIndexSeek: names_ = {source.label}; break;
      case OpKind::kAllRelationshipsScan: names_ = source.types; break;
      default: return false;
    }
    relationship_ = source.kind == OpKind::kAllRelationshipsScan || source.node == kNoSlot;
    element_ = relationship_ ? source.relationship : source.node;
    if (names_.empty() || (source.kind == OpKind::kIndexSeek && relationship_ && (source.node != kNoSlot || source.to != kNoSlot))) return false;
    if (source.node != kNoSlot && source.node == source.to) return false;
    for (Slot s : {source.node, source.to, source.relationship}) {
      if (s != kNoSlot) made_.insert(s);
    }
    for (const auto& [slot, expr] : defined_) made_.insert(slot);
    return ReadKey();
  }

  // Which rows pass is told by the element alone, and rows without a score don't.
  bool ReadFilters() {
    const std::string key = KeyOf(*score_), property = KeyOf(*property_expr_);
    if (key.empty()) return false;
    std::set<Slot> others = made_;
    others.erase(element_);
    bool scored = HasProperty();
    for (const BoundExpr* filter : filters_) {
      std::vector<BoundExprPtr> parts;
      SplitAnd(Clone(*filter), &parts);
      for (auto& part : parts) {
        Resolve(&part);
        if (HasSubplan(*part) || !IsDeterministic(*part)) return false;
        if (IsThreshold(*part, key)) {
          scored = true;   // it cuts the end off, so the first rows stay the first
          continue;
        }
        if (part->kind == BoundKind::kIsNotNull && (KeyOf(*part->args[0]) == property || KeyOf(*part->args[0]) == key)) {
          scored = true;   // as all that the index has
          continue;
        }
        if (Meet(FreeSlots(*part), others)) return false;
        scored = scored || NeedsVector(*part, key, property);
        passes_.push_back(std::move(part));
      }
    }
    return scored;
  }

  const storage::IndexDefinition* FindIndex() const {
    const auto property = input_.tokens->properties.Find(property_);
    std::vector<uint32_t> tokens;
    for (const std::string& name : names_) {
      const auto label = input_.tokens->labels.Find(name);
      const auto type = input_.tokens->types.Find(name);
      if (relationship_ ? !type.has_value() : !label.has_value()) return nullptr;
      tokens.push_back(relationship_ ? type->value : label->value);
    }
    if (!property) return nullptr;
    std::sort(tokens.begin(), tokens.end());
    const storage::IndexDefinition* best = nullptr;
    for (const auto& index : input_.schema->indexes) {
      const bool fits = index.kind == storage::IndexKind::kVector && index.online && (index.entity == EntityKind::kRelationship) == relationship_ &&
                        index.properties[0] == *property && index.vector.metric == metric_ &&
                        std::includes(index.tokens.begin(), index.tokens.end(), tokens.begin(), tokens.end());
      if (fits && (!best || index.tokens.size() < best->tokens.size())) best = &index;
    }
    return best;
  }

  double rows() const { return (*link_)->estimated_rows; }

  void UseIndex(const storage::IndexDefinition& index, std::vector<std::string>* slot_names) {
    OpPtr source = *link_;
    AddOfSource(*source, index.tokens.size());
    auto seed = std::make_shared<PhysicalOperator>(OpKind::kVectorSeed);
    (relationship_ ? seed->relationship : seed->node) = element_;
    seed->scan_else = true;
    seed->index_name = index.name;
    seed->index_kind = KindOf(index);
    seed->exprs.push_back(Clone(*query_));
    seed->exprs.push_back(Clone(limit_));
    seed->exprs.push_back(skip_ ? Clone(*skip_) : nullptr);
    seed->predicate = MakeAnd(std::move(passes_));
    seed->estimated_rows = std::min(source->estimated_rows, limit_.kind == BoundKind::kLiteral && limit_.value.type() == Type::kInteger
                                                               ? static_cast<double>(limit_.value.AsInteger())
                                                               : 10.0);
    if (source->kind != OpKind::kAllRelationshipsScan) {
      seed->children.push_back(std::move(source));
      *link_ = std::move(seed);
      return;
    }
    // Each relationship once; its ends, and both ways round where there is no direction, come above.
    PatternRelationship pattern;
    pattern.slot = element_;
    pattern.left = source->node;
    pattern.right = source->to;
    pattern.direction = source->direction;
    pattern.types = source->types;
    source->node = source->to = kNoSlot;
    source->direction = Direction::kOutgoing;
    seed->children.push_back(std::move(source));
    *link_ = RelationshipEnds(std::move(seed), pattern, false, false, *input_.functions, slot_names);
  }

  Notification NoIndex() const {
    std::string joined;
    for (const std::string& name : names_) joined += (joined.empty() ? "" : "|") + QuoteName(name);
    const std::string variable = relationship_ ? "r" : "n";
    const std::string element = relationship_ ? "()-[r:" + joined + "]-()" : "(n:" + joined + ")";
    return {"Neo.ClientNotification.Statement.VectorScan", "Every row is compared with the vector.",
            "About " + std::to_string(static_cast<uint64_t>(rows())) + " rows are compared one by one. CREATE VECTOR INDEX FOR " + element + " ON (" + variable + "." +
                QuoteName(property_) + ") OPTIONS {indexConfig: {`vector.similarity_function`: '" +
                (metric_ == storage::Metric::kEuclidean ? "euclidean" : "cosine") + "'}} finds the nearest without.",
            "INFORMATION", score_->position};
  }
  Notification NotScored(const storage::IndexDefinition& index) const {
    return {"Neo.ClientNotification.Statement.VectorScan", "Every row is compared with the vector.",
            "About " + std::to_string(static_cast<uint64_t>(rows())) + " rows are compared one by one, though there is the vector index `" + index.name +
                "`: rows without a vector come first in descending order. With WHERE ... `" + property_ + "` IS NOT NULL the index answers.",
            "INFORMATION", score_->position};
  }

 private:
  TypeSet type() const { return relationship_ ? kRelationshipType : kNodeType; }

  // Slots of projections in between, by what they stand for.
  void Resolve(BoundExprPtr* expr) const {
    for (int depth = 0; (*expr)->kind == BoundKind::kSlot && depth < 64; ++depth) {
      const auto it = defined_.find((*expr)->slot);
      if (it == defined_.end()) return;
      *expr = Clone(*it->second);
    }
    for (auto& arg : (*expr)->args) {
      if (arg) Resolve(&arg);
    }
  }

  bool ReadKey() {
    score_ = MakeSlot(sort_.sort_keys[0].slot, kAnyType);
    Resolve(&score_);
    if (score_->kind != BoundKind::kFunction || score_->args.size() != 2) return false;
    const std::string& name = score_->function->name;
    if (!IsSimilarity(name)) return false;
    if (name == "vector.similarity.euclidean") metric_ = storage::Metric::kEuclidean;
    for (int side = 0; side < 2; ++side) {
      const BoundExpr& mine = *score_->args[side];
      const BoundExpr& other = *score_->args[1 - side];
      if (mine.kind != BoundKind::kProperty || !IsSlot(*mine.args[0], element_)) continue;
      if (Meet(FreeSlots(other), made_) || !IsDeterministic(other) || HasSubplan(other)) continue;
      property_ = mine.name;
      property_expr_ = &mine;
      query_ = &other;
      return true;
    }
    return false;
  }

  // score > x, score >= x, either way round.
  bool IsThreshold(const BoundExpr& e, const std::string& key) const {
    if (e.kind != BoundKind::kComparison || e.ops.size() != 1) return false;
    for (int side = 0; side < 2; ++side) {
      const BoundOp op = e.ops[0];
      const bool greater = side == 0 ? op == BoundOp::kGt || op == BoundOp::kGe : op == BoundOp::kLt || op == BoundOp::kLe;
      if (greater && KeyOf(*e.args[side]) == key && !Meet(FreeSlots(*e.args[1 - side]), made_)) return true;
    }
    return false;
  }

  // Never true of an element without the property.
  bool NeedsVector(const BoundExpr& e, const std::string& key, const std::string& property) const {
    const auto is = [&](const BoundExpr& arg) {
      const std::string of = KeyOf(arg);
      if (of == key || of == property) return true;
      const bool similar = arg.kind == BoundKind::kFunction && arg.args.size() == 2 && IsSimilarity(arg.function->name);
      if (similar && (KeyOf(*arg.args[0]) == property || KeyOf(*arg.args[1]) == property)) return true;
      return arg.kind == BoundKind::kFunction && arg.function->name == "size" && KeyOf(*arg.args[0]) == property;
    };
    return e.kind == BoundKind::kComparison && std::any_of(e.args.begin(), e.args.end(), [&](const BoundExprPtr& arg) { return is(*arg); });
  }

  // By a constraint on one of the labels or types that all rows have.
  bool HasProperty() const {
    if (names_.size() != 1) return false;
    for (const auto& c : input_.schema->constraints) {
      if (c.kind != storage::ConstraintKind::kExistence && c.kind != storage::ConstraintKind::kKey) continue;
      if ((c.entity == EntityKind::kRelationship) != relationship_) continue;
      const std::string& on = relationship_ ? input_.tokens->types.Name(TypeId(c.token)) : input_.tokens->labels.Name(LabelId(c.token));
      const bool has = std::any_of(c.properties.begin(), c.properties.end(), [&](PropertyId p) { return input_.tokens->properties.Name(p) == property_; });
      if (on == names_[0] && has) return true;
    }
    return false;
  }

  // What the source itself makes sure of.
  void AddOfSource(const PhysicalOperator& source, size_t index_tokens) {
    if (index_tokens > names_.size()) passes_.push_back(HasAnyLabel(element_, type(), names_));
    if (source.kind != OpKind::kIndexSeek) return;
    const storage::IndexDefinition* index = input_.schema->FindIndex(source.seek.index);
    const auto property = [&](size_t i) { return PropertyOf(element_, type(), input_.tokens->properties.Name(index->properties[i])); };
    const auto in = [&](BoundKind kind, size_t i, const BoundExpr& value) {
      auto made = std::make_unique<BoundExpr>(kind);
      made->type = kBooleanType;
      made->args.push_back(property(i));
      made->args.push_back(Clone(value));
      passes_.push_back(std::move(made));
    };
    const IndexSeekSpec& seek = source.seek;
    size_t i = 0;
    for (; i < seek.equal.size(); ++i) passes_.push_back(MakeCompare(property(i), BoundOp::kEq, Clone(*seek.equal[i])));
    if (seek.in_list) in(BoundKind::kIn, i, *seek.in_list);
    if (seek.string_prefix) in(BoundKind::kStartsWith, i, *seek.string_prefix);
    if (seek.lower) passes_.push_back(MakeCompare(property(i), seek.lower->inclusive ? BoundOp::kGe : BoundOp::kGt, Clone(*seek.lower->values[0])));
    if (seek.upper) passes_.push_back(MakeCompare(property(i), seek.upper->inclusive ? BoundOp::kLe : BoundOp::kLt, Clone(*seek.upper->values[0])));
  }

  const PhysicalOperator& sort_;
  const BoundExpr& limit_;
  const BoundExpr* skip_;
  const PlannerInput& input_;
  OpPtr* link_;                                // to the source
  std::map<Slot, const BoundExpr*> defined_;
  std::vector<const BoundExpr*> filters_;
  std::set<Slot> made_;                        // by the source and above it
  std::vector<std::string> names_;             // labels or types, any of which the elements have
  bool relationship_ = false;
  Slot element_ = kNoSlot;
  BoundExprPtr score_;
  std::string property_;
  const BoundExpr* property_expr_ = nullptr;   // both inside of score_
  const BoundExpr* query_ = nullptr;
  storage::Metric metric_ = storage::Metric::kCosine;
  std::vector<BoundExprPtr> passes_;
};

}  // namespace

void UseVectorIndexes(PhysicalOperator* root, const PlannerInput& input, bool exact, std::vector<std::string>* slot_names,
                      std::vector<Notification>* notifications) {
  for (auto& child : root->children) UseVectorIndexes(child.get(), input, exact, slot_names, notifications);
  ForEachExpr(*root, [&](BoundExprPtr& e) {
    ForEachSubplanExpr(*e, [&](BoundExpr& sub) {
      if (sub.plan) UseVectorIndexes(sub.plan.get(), input, exact, slot_names, notifications);
    });
  });
  if (root->kind != OpKind::kLimit || exact) return;
  PhysicalOperator* sort = root->children[0].get();
  const BoundExpr* skip = nullptr;
  if (sort->kind == OpKind::kSkip) {
    skip = sort->exprs[0].get();
    sort = sort->children[0].get();
  }
  if (sort->kind != OpKind::kSort || sort->sort_keys.size() != 1 || !sort->sort_keys[0].descending) return;
  Scan scan(sort, *root->exprs[0], skip, input);
  if (!scan.Read() || scan.rows() <= static_cast<double>(kScannedElements)) return;
  const storage::IndexDefinition* index = input.use_indexes ? scan.FindIndex() : nullptr;
  const bool scored = scan.ReadFilters();
  if (index && scored && CanFindEnds(*input.functions)) {
    scan.UseIndex(*index, slot_names);
  } else if (scan.rows() > static_cast<double>(kScanToldOf)) {
    if (!index) notifications->push_back(scan.NoIndex());
    else if (!scored) notifications->push_back(scan.NotScored(*index));
  }
}

}  // namespace fornix::planner
