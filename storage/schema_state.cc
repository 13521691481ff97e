#include "storage/schema_state.h"

#include <algorithm>

#include "storage/index/vector_index.h"

namespace fornix::storage {

const TokenRules* SchemaState::RulesOf(EntityKind entity, uint32_t token) const {
  const auto& rules = entity == EntityKind::kNode ? node_rules : relationship_rules;
  if (rules.empty()) return nullptr;
  auto it = rules.find(token);
  return it == rules.end() ? nullptr : &it->second;
}

namespace {
template <typename Bindings>
auto* FindBinding(Bindings& bindings, IndexId id) {
  auto it = std::find_if(bindings.begin(), bindings.end(), [id](const auto& b) { return b.definition->id == id; });
  return it == bindings.end() ? nullptr : &*it;
}
}  // namespace

const RangeBinding* SchemaState::FindRange(IndexId id) const { return FindBinding(ranges, id); }
const VectorBinding* SchemaState::FindVector(IndexId id) const { return FindBinding(vectors, id); }

std::shared_ptr<SchemaState> SchemaState::Bind(std::shared_ptr<const SchemaVersion> version, const SchemaState* before,
                                               const Replacements& replaced) {
  auto state = std::make_shared<SchemaState>();
  state->version = std::move(version);
  for (const IndexDefinition& definition : state->version->indexes) {
    if (definition.kind == IndexKind::kRange) {
      const ConstraintDefinition* unique = nullptr;
      for (const ConstraintDefinition& c : state->version->constraints) {
        if (c.id == definition.owner) unique = &c;
      }
      state->ranges.push_back({&definition, unique});
    } else if (definition.kind == IndexKind::kVector) {
      const VectorBinding* old = before == nullptr ? nullptr : before->FindVector(definition.id);
      std::shared_ptr<VectorIndex> index = old != nullptr && old->index->Fits(definition.vector) ? old->index : nullptr;
      for (const auto& [id, replacement] : replaced) {
        if (id == definition.id) index = replacement;
      }
      if (index == nullptr) index = std::make_shared<VectorIndex>(definition.vector);
      state->vectors.push_back({&definition, std::move(index)});
    }
  }
  auto rules = [&](EntityKind entity, uint32_t token) -> TokenRules& {
    return (entity == EntityKind::kNode ? state->node_rules : state->relationship_rules)[token];
  };
  for (const RangeBinding& b : state->ranges) rules(b.definition->entity, b.definition->tokens[0]).ranges.push_back(&b);
  for (const VectorBinding& b : state->vectors) {
    for (uint32_t token : b.definition->tokens) rules(b.definition->entity, token).vectors.push_back(&b);
  }
  for (const ConstraintDefinition& c : state->version->constraints) rules(c.entity, c.token).constraints.push_back(&c);
  return state;
}

SchemaHistory::SchemaHistory() { Clear(); }

void SchemaHistory::Clear() { states_.assign(1, {0, SchemaState::Bind(std::make_shared<SchemaVersion>(), nullptr)}); }

std::shared_ptr<const SchemaState> SchemaHistory::At(Timestamp snapshot) const {
  for (auto it = states_.rbegin(); it != states_.rend(); ++it) {
    if (it->begin <= snapshot) return it->state;
  }
  return states_.front().state;
}

void SchemaHistory::Trim(Timestamp floor) {
  while (states_.size() > 1 && states_[1].begin <= floor) states_.erase(states_.begin());
}

}  // namespace fornix::storage
