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
constexpr int kHopsCounted = 4;          // beyond it the estimate says only "many"

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
    case BoundKind::kComparison: return predicate.ops[0] == BoundOp::kEq ? kEqualShare : kRangeShare;
    case BoundKind::kIn: return kPrefixShare;
    case BoundKind::kStartsWith: return kPrefixShare;
    case BoundKind::kAnd: {
      double share = 1;
      for (const auto& arg : predicate.args) share *= Selectivity(*arg);
      return share;
    }
    default: return kOtherShare;
  }
}

}  // namespace fornix::planner
