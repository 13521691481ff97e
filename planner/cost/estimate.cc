// See estimate.h. Constants are guesses for what no count tells; their order matters, not their value.
#include "planner/cost/estimate.h"

#include <algorithm>
#include <cmath>

namespace fornix::planner {
namespace {

constexpr double kEqualShare = 0.05;     // property = value, without an index that knows its keys
constexpr double kRangeShare = 0.3;
constexpr double kPrefixShare = 0.1;
constexpr double kOtherShare = 0.5;
constexpr double kUnequalShare = 0.9;
constexpr double kUnseenShare = 0.5;     // of one relationship in a sample: what it doesn't hold may still exist
constexpr int kHopsCounted = 4;          // beyond it the estimate says only "many"
constexpr size_t kTypesLookedAt = 32;    // of a pattern that names none

// Whether a node with these labels passes; what only a run knows passes.
bool Has(const std::vector<LabelId>& labels, const LabelPredicate& test, const storage::Tokens& tokens) {
  using Kind = LabelPredicate::Kind;
  auto has = [&](const LabelPredicate& child) { return Has(labels, child, tokens); };
  switch (test.kind) {
    case Kind::kName: {
      const auto id = tokens.labels.Find(test.name);
      return id && std::find(labels.begin(), labels.end(), *id) != labels.end();
    }
    case Kind::kAnd: return std::all_of(test.children.begin(), test.children.end(), has);
    case Kind::kOr: return std::any_of(test.children.begin(), test.children.end(), has);
    case Kind::kNot: return !has(test.children[0]);
    case Kind::kAny: return !labels.empty();
    case Kind::kDynamic: break;
  }
  return true;
}
bool HasAll(const std::vector<LabelId>& labels, const LabelTests& tests, const storage::Tokens& tokens) {
  return std::all_of(tests.begin(), tests.end(), [&](const LabelPredicate* t) { return Has(labels, *t, tokens); });
}

}  // namespace

double Estimator::Nodes() const { return std::max<double>(1, static_cast<double>(input_.statistics->NodeCount())); }

double Estimator::NodesWithLabel(const std::string& label) const {
  const auto id = input_.tokens->labels.Find(label);
  return id ? static_cast<double>(input_.statistics->LabelCount(*id)) : 0;
}

double Estimator::Relationships(const std::vector<std::string>& types) const {
  if (types.empty()) return static_cast<double>(input_.statistics->RelationshipCount());
  double count = 0;
  for (const auto& type : types) {
    const auto id = input_.tokens->types.Find(type);
    if (id) count += static_cast<double>(input_.statistics->TypeCount(*id));
  }
  return count;
}

double Estimator::FanOut(const std::vector<std::string>& types, Direction direction) const {
  return Relationships(types) / Nodes() * (direction == Direction::kBoth ? 2 : 1);
}

double Estimator::FanOut(const std::vector<std::string>& types, Direction direction, uint32_t hops_min, uint32_t hops_max) const {
  const double one = FanOut(types, direction);
  double all = hops_min == 0 ? 1 : 0, now = 1;
  for (uint32_t hop = 1; hop <= std::min<uint32_t>(hops_max, kHopsCounted); ++hop) {
    now *= one;
    if (hop >= hops_min) all += now;
  }
  return all;
}

double Estimator::LabelShare(const LabelPredicate& labels) const {
  switch (labels.kind) {
    case LabelPredicate::Kind::kName: return std::min(1.0, NodesWithLabel(labels.name) / Nodes());
    case LabelPredicate::Kind::kAnd: {
      double share = 1;
      for (const auto& child : labels.children) share = std::min(share, LabelShare(child));
      return share;
    }
    case LabelPredicate::Kind::kOr: {
      double share = 0;
      for (const auto& child : labels.children) share += LabelShare(child);
      return std::min(1.0, share);
    }
    case LabelPredicate::Kind::kNot: return 1 - LabelShare(labels.children[0]);
    case LabelPredicate::Kind::kAny: return 1;
    case LabelPredicate::Kind::kDynamic: return kPrefixShare;
  }
  return 1;
}

double Estimator::Selectivity(const BoundExpr& predicate) const {
  switch (predicate.kind) {
    case BoundKind::kHasLabels: return LabelShare(predicate.labels);
    case BoundKind::kComparison:
      if (predicate.ops[0] == BoundOp::kNe) return kUnequalShare;
      return predicate.ops[0] == BoundOp::kEq ? kEqualShare : kRangeShare;
    case BoundKind::kIn: return kPrefixShare;
    case BoundKind::kStartsWith: return kPrefixShare;
    case BoundKind::kAnd: {
      double share = 1;
      for (const auto& arg : predicate.args) share *= Selectivity(*arg);
      return share;
    }
    case BoundKind::kOr: {
      double share = 0;
      for (const auto& arg : predicate.args) share += Selectivity(*arg);
      return std::min(1.0, share);
    }
    case BoundKind::kNot: return std::max(kEqualShare, 1 - Selectivity(*predicate.args[0]));
    default: return kOtherShare;
  }
}

double Estimator::NodesWith(const LabelTests& labels) const {
  double share = 1;
  for (const LabelPredicate* test : labels) share = std::min(share, LabelShare(*test));
  return Nodes() * share;
}

double Estimator::PairsOfType(TypeId type, Direction direction, const LabelTests& left, const LabelTests& right) const {
  const double count = static_cast<double>(input_.statistics->TypeCount(type));
  double ways = 0;
  const auto sample = count > 0 ? input_.statistics->Sample(type) : nullptr;
  if (!sample || sample->seen == 0) {
    ways = NodesWith(left) / Nodes() * (NodesWith(right) / Nodes()) * (direction == Direction::kBoth ? 2 : 1);
    return count * ways;
  }
  for (const auto& kind : sample->kinds) {
    const bool along = HasAll(kind.start, left, *input_.tokens) && HasAll(kind.end, right, *input_.tokens);
    const bool against = HasAll(kind.end, left, *input_.tokens) && HasAll(kind.start, right, *input_.tokens);
    const int fits = (direction != Direction::kIncoming && along ? 1 : 0) + (direction != Direction::kOutgoing && against ? 1 : 0);
    ways += fits * static_cast<double>(kind.seen);
  }
  return count * std::max(ways, kUnseenShare) / static_cast<double>(sample->seen);
}

double Estimator::Pairs(const std::vector<std::string>& types, Direction direction, const LabelTests& left, const LabelTests& right) const {
  double pairs = 0;
  if (types.empty()) {
    const size_t count = input_.tokens->types.size();
    if (count > kTypesLookedAt) {
      return Relationships(types) * NodesWith(left) / Nodes() * (NodesWith(right) / Nodes()) * (direction == Direction::kBoth ? 2 : 1);
    }
    for (uint32_t i = 0; i < count; ++i) pairs += PairsOfType(TypeId(i), direction, left, right);
    return pairs;
  }
  for (const auto& type : types) {
    if (const auto id = input_.tokens->types.Find(type)) pairs += PairsOfType(*id, direction, left, right);
  }
  return pairs;
}

}  // namespace fornix::planner
