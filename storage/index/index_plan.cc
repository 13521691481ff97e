#include "storage/index/index_plan.h"

#include <algorithm>
#include <tuple>

namespace fornix::storage {

void IndexPlan::Add(const SchemaState& schema, EntityKind entity, uint64_t id, const ElementImage& before,
                    const ElementImage& after) {
  std::vector<const RangeBinding*> seen;
  auto look = [&](uint32_t token) {
    const TokenRules* rules = schema.RulesOf(entity, token);
    if (rules == nullptr) return;
    for (const RangeBinding* binding : rules->ranges) {
      if (std::find(seen.begin(), seen.end(), binding) == seen.end()) seen.push_back(binding);
    }
  };
  for (uint32_t token : before.tokens) look(token);
  for (uint32_t token : after.tokens) look(token);
  for (const RangeBinding* binding : seen) {
    std::optional<IndexKey> old_key = KeyOf(*binding->definition, before);
    std::optional<IndexKey> new_key = KeyOf(*binding->definition, after);
    if (old_key && new_key && old_key->bytes == new_key->bytes) continue;
    if (!old_key && !new_key) continue;
    RangeChange change{binding, id, std::nullopt, nullptr, false};
    if (old_key) change.removed = std::move(old_key->bytes);
    if (new_key) {
      change.added = RangeIndex::Make(new_key->bytes, id);
      change.nan = new_key->nan;
    }
    ranges_.push_back(std::move(change));
  }
}

std::optional<UniqueClash> IndexPlan::FindOwnDuplicate() const {
  std::vector<const RangeChange*> keyed;
  for (const RangeChange& change : ranges_) {
    if (change.binding->unique != nullptr && change.added != nullptr && !change.nan) keyed.push_back(&change);
  }
  auto order = [](const RangeChange* c) { return std::tuple(c->binding, c->added->key(), c->id); };
  std::sort(keyed.begin(), keyed.end(), [&](const auto* a, const auto* b) { return order(a) < order(b); });
  for (size_t i = 1; i < keyed.size(); ++i) {
    const RangeChange &a = *keyed[i - 1], &b = *keyed[i];
    if (a.binding == b.binding && a.added->key() == b.added->key()) {
      return UniqueClash{a.binding, a.id, b.id, 0};
    }
  }
  return std::nullopt;
}

bool IndexPlan::Removes(const RangeBinding* binding, std::string_view key, uint64_t id) const {
  // Rarely asked: only when a new key is taken already.
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const RangeChange& change) {
    return change.id == id && change.binding == binding && change.removed && *change.removed == key;
  });
}

std::optional<UniqueClash> IndexPlan::FindClash() const {
  std::optional<UniqueClash> clash;
  for (const RangeChange& change : ranges_) {
    if (change.binding->unique == nullptr || change.added == nullptr || change.nan) continue;
    change.binding->index->VisitLive(change.added->key(), [&](const RangeIndex::Entry& holder) {
      if (holder.id == change.id || Removes(change.binding, holder.key(), holder.id)) return true;
      clash = UniqueClash{change.binding, holder.id, change.id, holder.begin};
      return false;
    });
    if (clash) break;
  }
  return clash;
}

void IndexPlan::Reserve(Timestamp floor, RetireList* retired) {
  // Twice what a commit can end, so that the backlog of a long-lived snapshot shrinks once it is gone.
  for (const RangeChange& change : ranges_) change.binding->index->Sweep(floor, retired, 2);
}

void IndexPlan::Apply(Timestamp ts) {
  for (RangeChange& change : ranges_) {
    if (change.removed) change.binding->index->End(*change.removed, change.id, ts);
    if (change.added != nullptr) change.binding->index->Insert(std::move(change.added), ts);
  }
}

}  // namespace fornix::storage
