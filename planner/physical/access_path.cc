// See access_path.h. A seek means Cypher's own `=`, IN, `<` and STARTS WITH, so the predicate it answers needs no filter.
// Lookups by id keep theirs: id(n) = 1.5 is no id.
#include "planner/physical/access_path.h"

#include <algorithm>

#include "planner/bind/expr_util.h"

namespace fornix::planner {
namespace {

constexpr double kSeekCost = 1.2;        // an entry of an index against one of a label's list
constexpr double kListItems = 5;         // guessed length of an IN list

struct PropertyTest {
  enum class Kind { kEqual, kIn, kLower, kUpper, kPrefix } kind;
  std::string property;
  const BoundExpr* value;
  bool inclusive = false;
  size_t predicate;
};

bool ReadsUnknown(const BoundExpr& expr, const std::set<Slot>& unknown) {
  const auto slots = FreeSlots(expr);
  return std::any_of(slots.begin(), slots.end(), [&](Slot s) { return unknown.count(s) > 0; });
}

// node.property, else null.
const BoundExpr* PropertyOf(const BoundExpr& expr, Slot node) {
  const bool is = expr.kind == BoundKind::kProperty && expr.args[0]->kind == BoundKind::kSlot && expr.args[0]->slot == node;
  return is ? &expr : nullptr;
}

bool IsIdOf(const BoundExpr& expr, Slot node) {
  return expr.kind == BoundKind::kFunction && (expr.function->name == "id" || expr.function->name == "elementId") &&
         expr.args[0]->kind == BoundKind::kSlot && expr.args[0]->slot == node;
}

BoundOp Mirror(BoundOp op) {
  switch (op) {
    case BoundOp::kLt: return BoundOp::kGt;
    case BoundOp::kLe: return BoundOp::kGe;
    case BoundOp::kGt: return BoundOp::kLt;
    case BoundOp::kGe: return BoundOp::kLe;
    default: return op;
  }
}

void AddTest(Slot node, const BoundExpr& predicate, size_t index, const std::set<Slot>& unknown, std::vector<PropertyTest>* out) {
  using Kind = PropertyTest::Kind;
  if (predicate.kind == BoundKind::kComparison && predicate.ops.size() == 1) {
    for (int side = 0; side < 2; ++side) {
      const BoundExpr* property = PropertyOf(*predicate.args[side], node);
      const BoundExpr& value = *predicate.args[1 - side];
      if (!property || ReadsUnknown(value, unknown) || HasSubplan(value) || !IsDeterministic(value)) continue;
      const BoundOp op = side == 0 ? predicate.ops[0] : Mirror(predicate.ops[0]);
      Kind kind = Kind::kEqual;
      if (op == BoundOp::kGt || op == BoundOp::kGe) kind = Kind::kLower;
      if (op == BoundOp::kLt || op == BoundOp::kLe) kind = Kind::kUpper;
      if (op == BoundOp::kNe) continue;
      out->push_back({kind, property->name, &value, op == BoundOp::kGe || op == BoundOp::kLe, index});
      return;
    }
  }
  if (predicate.kind == BoundKind::kIn || predicate.kind == BoundKind::kStartsWith) {
    const BoundExpr* property = PropertyOf(*predicate.args[0], node);
    const BoundExpr& value = *predicate.args[1];
    if (!property || ReadsUnknown(value, unknown) || HasSubplan(value) || !IsDeterministic(value)) return;
    out->push_back({predicate.kind == BoundKind::kIn ? Kind::kIn : Kind::kPrefix, property->name, &value, true, index});
  }
}

const PropertyTest* FindTest(const std::vector<PropertyTest>& tests, const std::string& property, PropertyTest::Kind kind) {
  for (const auto& test : tests) {
    if (test.property == property && test.kind == kind) return &test;
  }
  return nullptr;
}

// The seek of one index, or no operator when the tests don't reach its first property.
AccessPath Seek(Slot node, const storage::IndexDefinition& index, const std::vector<PropertyTest>& tests, double label_rows,
                const PlannerInput& input) {
  using Kind = PropertyTest::Kind;
  AccessPath path;
  if (!input.use_indexes) return path;
  // An index on several properties holds only elements that have them all: every one must be asked for, for only then
  // is an element without one of them no answer.
  for (const auto property : index.properties) {
    const std::string& name = input.tokens->properties.Name(property);
    if (std::none_of(tests.begin(), tests.end(), [&](const PropertyTest& test) { return test.property == name; })) return path;
  }
  auto op = std::make_shared<PhysicalOperator>(OpKind::kIndexSeek);
  op->node = node;
  op->seek.index = index.id;
  op->seek.index_name = index.name;
  op->index_name = index.name;
  double rows = label_rows;
  size_t next = 0;
  for (; next < index.properties.size(); ++next) {
    const PropertyTest* test = FindTest(tests, input.tokens->properties.Name(index.properties[next]), Kind::kEqual);
    if (!test) break;
    op->seek.equal.push_back(Clone(*test->value));
    path.consumed.push_back(test->predicate);
  }
  const double keys = std::max<double>(1, static_cast<double>(input.statistics->DistinctKeys(index.id)));
  if (next == index.properties.size()) {
    rows = label_rows / keys;
  } else {
    const std::string& property = input.tokens->properties.Name(index.properties[next]);
    for (size_t i = 0; i < next; ++i) rows *= 0.1;
    const PropertyTest* in = index.properties.size() == 1 ? FindTest(tests, property, Kind::kIn) : nullptr;
    const PropertyTest* prefix = FindTest(tests, property, Kind::kPrefix);
    const PropertyTest* lower = FindTest(tests, property, Kind::kLower);
    const PropertyTest* upper = FindTest(tests, property, Kind::kUpper);
    if (in) {
      op->seek.in_list = Clone(*in->value);
      path.consumed.push_back(in->predicate);
      const double items = in->value->kind == BoundKind::kList ? static_cast<double>(in->value->args.size()) : kListItems;
      rows = std::min(rows, label_rows / keys * items);
    } else if (prefix) {
      op->seek.string_prefix = Clone(*prefix->value);
      path.consumed.push_back(prefix->predicate);
      rows *= 0.1;
    } else if (lower || upper) {
      for (const auto* bound : {lower, upper}) {
        if (!bound) continue;
        SeekBound made;
        made.values.push_back(Clone(*bound->value));
        made.inclusive = bound->inclusive;
        (bound == lower ? op->seek.lower : op->seek.upper) = std::move(made);
        path.consumed.push_back(bound->predicate);
        rows *= 0.3;
      }
    } else if (next == 0) {
      return path;
    }
  }
  op->estimated_rows = rows;
  path.op = std::move(op);
  return path;
}

}  // namespace

AccessPath ChooseAccessPath(Slot node, const std::vector<BoundExprPtr>& predicates, const std::set<Slot>& unknown,
                            const PlannerInput& input) {
  const Estimator estimate(input);
  AccessPath best;
  best.op = std::make_shared<PhysicalOperator>(OpKind::kAllNodesScan);
  best.op->node = node;
  best.op->estimated_rows = estimate.Nodes();
  if (!input.optimize) return best;

  double best_cost = estimate.Nodes() * 1.5;   // a label's list is never worse than looking at every node
  std::vector<PropertyTest> tests;
  std::vector<std::pair<size_t, std::string>> labels;
  for (size_t i = 0; i < predicates.size(); ++i) {
    if (!predicates[i]) continue;
    const BoundExpr& p = *predicates[i];
    AddTest(node, p, i, unknown, &tests);
    if (p.kind == BoundKind::kHasLabels && p.args[0]->kind == BoundKind::kSlot && p.args[0]->slot == node &&
        p.labels.kind == LabelPredicate::Kind::kName) {
      labels.emplace_back(i, p.labels.name);
    }
    const bool by_id = IsEquality(p) || p.kind == BoundKind::kIn;
    for (int side = 0; by_id && side < 2; ++side) {
      if (p.kind == BoundKind::kIn && side == 1) continue;
      const BoundExpr& value = *p.args[1 - side];
      if (!IsIdOf(*p.args[side], node) || ReadsUnknown(value, unknown) || HasSubplan(value) || !IsDeterministic(value)) continue;
      AccessPath path;
      path.op = std::make_shared<PhysicalOperator>(OpKind::kNodeById);
      path.op->node = node;
      path.op->exprs.push_back(Clone(value));
      path.op->estimated_rows = p.kind == BoundKind::kIn ? kListItems : 1;
      if (path.op->estimated_rows < best_cost) {
        best_cost = path.op->estimated_rows;
        best = std::move(path);
      }
    }
  }
  for (const auto& [predicate, label] : labels) {
    const double rows = estimate.NodesWithLabel(label);
    if (rows < best_cost) {
      AccessPath path;
      path.op = std::make_shared<PhysicalOperator>(OpKind::kLabelScan);
      path.op->node = node;
      path.op->label = label;
      path.op->estimated_rows = rows;
      path.consumed.push_back(predicate);
      best_cost = rows;
      best = std::move(path);
    }
    const auto id = input.tokens->labels.Find(label);
    if (!id) continue;
    for (const auto* index : input.schema->RangeIndexes(storage::EntityKind::kNode, id->value)) {
      AccessPath path = Seek(node, *index, tests, rows, input);
      if (!path.op) continue;
      // On a tie the index wins: statistics may not know yet what this transaction writes.
      const double cost = std::min(path.op->estimated_rows * kSeekCost, rows);
      const bool better = cost < best_cost || (cost == best_cost && best.op->kind != OpKind::kIndexSeek && best.op->kind != OpKind::kNodeById);
      if (!better) continue;
      path.op->label = label;
      path.consumed.push_back(predicate);
      best_cost = cost;
      best = std::move(path);
    }
  }
  best.rows_after = best.op->estimated_rows;
  return best;
}

AccessPath SeekRelationshipIndex(Slot relationship, const std::string& type, const std::vector<BoundExprPtr>& predicates,
                                 const std::set<Slot>& unknown, const PlannerInput& input) {
  const auto id = input.tokens->types.Find(type);
  AccessPath best;
  if (!id) return best;
  const auto indexes = input.schema->RangeIndexes(storage::EntityKind::kRelationship, id->value);
  if (indexes.empty()) return best;
  std::vector<PropertyTest> tests;
  for (size_t i = 0; i < predicates.size(); ++i) {
    if (predicates[i]) AddTest(relationship, *predicates[i], i, unknown, &tests);
  }
  const double rows = static_cast<double>(input.statistics->TypeCount(*id));
  for (const auto* index : indexes) {
    AccessPath path = Seek(relationship, *index, tests, rows, input);
    if (!path.op || (best.op && best.op->estimated_rows <= path.op->estimated_rows)) continue;
    std::swap(path.op->node, path.op->relationship);
    path.op->label = type;
    best = std::move(path);
  }
  return best;
}

}  // namespace fornix::planner
