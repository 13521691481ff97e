// See seed_ids.h. The list is one of several ways to answer, chosen by estimates here and given up at run time when it grows too long; so
// the parts of the predicate that it answers stay with the seed, apart from the others. No subplan comes to stand in two places: each
// expression's is rewritten on its own.
#include "planner/physical/seed_ids.h"

#include <algorithm>

#include "planner/bind/expr_util.h"
#include "planner/physical/access_path.h"
#include "planner/physical/plan_graph.h"
#include "storage/catalog/quantization_name.h"

namespace fornix::planner {
namespace {

constexpr double kShareMax = 0.5;       // of the index: beyond that the search finds passing ones everywhere
constexpr double kAlwaysListed = 1000;  // a list so short costs less than to think about it

struct Sources {
  std::vector<std::shared_ptr<PhysicalOperator>> all;
  std::vector<size_t> answered;         // parts of the predicate that need not be asked again, ascending
  double rows = 0;
};

BoundExprPtr HasLabel(Slot node, const std::string& label) {
  auto made = std::make_unique<BoundExpr>(BoundKind::kHasLabels);
  made->type = kBooleanType;
  made->args.push_back(MakeSlot(node, kNodeType));
  made->labels.name = label;
  return made;
}

std::vector<size_t> Both(const std::vector<size_t>& a, const std::vector<size_t>& b) {
  std::vector<size_t> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

// One access path for each label or type of the index; none if there is no better way than all of their elements.
Sources ByProperties(const storage::IndexDefinition& index, Slot element, const std::vector<BoundExprPtr>& parts, const PlannerInput& input) {
  Sources sources;
  bool all = true;                      // of the index: no list
  for (size_t t = 0; t < index.tokens.size(); ++t) {
    AccessPath path;
    if (index.entity == storage::EntityKind::kNode) {
      std::vector<BoundExprPtr> known;
      for (const auto& part : parts) known.push_back(Clone(*part));
      const std::string& label = input.tokens->labels.Name(LabelId(index.tokens[t]));
      known.push_back(HasLabel(element, label));
      path = ChooseAccessPath(element, known, {element}, input);
      if (path.op->kind == OpKind::kAllNodesScan) return {};
      all = all && path.op->kind == OpKind::kLabelScan && path.op->label == label;
    } else {
      path = SeekRelationshipIndex(element, input.tokens->types.Name(TypeId(index.tokens[t])), parts, {element}, input);
      if (!path.op) return {};
      all = false;
    }
    std::sort(path.consumed.begin(), path.consumed.end());
    sources.answered = t == 0 ? path.consumed : Both(sources.answered, path.consumed);
    sources.rows += path.op->estimated_rows;
    sources.all.push_back(std::move(path.op));
  }
  if (all) return {};
  std::erase_if(sources.answered, [&](size_t i) { return i >= parts.size(); });
  return sources;
}

double MostRows(const PhysicalOperator& op) {
  double rows = op.estimated_rows;
  for (const auto& child : op.children) rows = std::max(rows, MostRows(*child));
  return rows;
}

QueryGraph CopyOf(const QueryGraph& graph) {
  QueryGraph copy;
  copy.nodes = graph.nodes;
  for (const auto& r : graph.relationships) {
    PatternRelationship& made = copy.relationships.emplace_back();
    made.slot = r.slot;
    made.left = r.left;
    made.right = r.right;
    made.direction = r.direction;
    made.types = r.types;
    made.var_length = r.var_length;
    made.hops_min = r.hops_min;
    made.hops_max = r.hops_max;
    made.step_relationship = r.step_relationship;
    made.step_node = r.step_node;
    if (r.step_predicate) made.step_predicate = Clone(*r.step_predicate);
    made.distinct_from = r.distinct_from;
  }
  for (const auto& p : graph.predicates) copy.predicates.push_back(Clone(*p));
  copy.arguments = graph.arguments;
  return copy;
}

// EXISTS { (element)-...-(other) } asked the other way round: all elements of which it is true.
std::shared_ptr<PhysicalOperator> ByPattern(Slot element, const BoundExpr& exists, const PlannerInput& input, std::vector<std::string>* slot_names) {
  const LogicalOperator* match = exists.logical.get();
  while (match && Is(*match, OpKind::kProject)) match = match->inputs[0].get();   // RETURN of EXISTS { MATCH ... RETURN ... }
  if (!match || match->kind != LogicalKind::kMatch || match->optional || match->inputs[0]->kind != LogicalKind::kArgument) return nullptr;
  const QueryGraph& graph = *match->graph;
  const bool plain = graph.seeds.empty() && graph.paths.empty() &&
                     std::none_of(graph.relationships.begin(), graph.relationships.end(),
                                  [](const auto& r) { return r.repeat || r.shortest || (r.step_predicate && HasSubplan(*r.step_predicate)); }) &&
                     std::none_of(graph.predicates.begin(), graph.predicates.end(), [](const auto& p) { return HasSubplan(*p); });
  if (!plain || graph.relationships.empty() || std::find(graph.nodes.begin(), graph.nodes.end(), element) == graph.nodes.end()) return nullptr;
  QueryGraph turned = CopyOf(graph);
  std::erase(turned.arguments, element);
  return PlanGraph(std::move(turned), nullptr, input, slot_names);
}

}  // namespace

double IndexedElements(const storage::IndexDefinition& index, const PlannerInput& input) {
  double rows = 0;
  for (const uint32_t token : index.tokens) {
    rows += static_cast<double>(index.entity == storage::EntityKind::kNode ? input.statistics->LabelCount(LabelId(token))
                                                                          : input.statistics->TypeCount(TypeId(token)));
  }
  return rows;
}

std::string KindOf(const storage::IndexDefinition& index) {
  return index.vector.quantization == vector::Quantization::kNone ? "" : storage::QuantizationName(index.vector.quantization);
}

void AddIdSources(const storage::IndexDefinition& index, const PlannerInput& input, std::vector<std::string>* slot_names, PhysicalOperator* seed) {
  if (!seed->predicate) return;
  const Slot element = seed->node != kNoSlot ? seed->node : seed->relationship;
  std::vector<BoundExprPtr> parts;
  SplitAnd(std::move(seed->predicate), &parts);
  const double most = std::max(kAlwaysListed, IndexedElements(index, input) * kShareMax);
  Sources best = ByProperties(index, element, parts, input);
  if (best.rows > most) best = {};
  for (size_t i = 0; i < parts.size() && seed->node != kNoSlot; ++i) {
    if (parts[i]->kind != BoundKind::kExistsPlan) continue;
    std::shared_ptr<PhysicalOperator> plan = ByPattern(element, *parts[i], input, slot_names);
    if (!plan || MostRows(*plan) > most || (!best.all.empty() && best.rows <= plan->estimated_rows)) continue;
    best.rows = plan->estimated_rows;
    best.all = {std::move(plan)};
    best.answered = {i};
  }
  seed->children = std::move(best.all);
  std::vector<BoundExprPtr> answered;
  for (const size_t i : best.answered) answered.push_back(std::move(parts[i]));
  std::erase_if(parts, [](const BoundExprPtr& p) { return !p; });
  seed->exprs[2] = MakeAnd(std::move(answered));
  seed->predicate = MakeAnd(std::move(parts));
}

}  // namespace fornix::planner
