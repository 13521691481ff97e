#include "storage/index/index_plan.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/limits.h"
#include "storage/constraint/describe.h"
#include "storage/index/own_vectors.h"
#include "storage/index/range_layers.h"
#include "storage/index/vector_index.h"

namespace fornix::storage {

namespace {
template <typename Binding>
void AddOnce(std::vector<const Binding*>* seen, const std::vector<const Binding*>& more) {
  for (const Binding* binding : more) {
    if (std::find(seen->begin(), seen->end(), binding) == seen->end()) seen->push_back(binding);
  }
}
}  // namespace

void IndexPlan::Add(const SchemaState& schema, EntityKind entity, uint64_t id, const ElementImage& before,
                    const ElementImage& after) {
  std::vector<const RangeBinding*> ranges;
  std::vector<const VectorBinding*> vectors;
  auto look = [&](uint32_t token) {
    const TokenRules* rules = schema.RulesOf(entity, token);
    if (rules == nullptr) return;
    AddOnce(&ranges, rules->ranges);
    AddOnce(&vectors, rules->vectors);
  };
  for (uint32_t token : before.tokens) look(token);
  for (uint32_t token : after.tokens) look(token);
  for (const RangeBinding* binding : ranges) AddRange(*binding, id, before, after);
  for (const VectorBinding* binding : vectors) AddVector(*binding, id, before, after);
}

void IndexPlan::AddRange(const RangeBinding& binding, uint64_t id, const ElementImage& before, const ElementImage& after) {
  std::optional<IndexKey> old_key = KeyOf(*binding.definition, before);
  std::optional<IndexKey> new_key = KeyOf(*binding.definition, after);
  if (old_key && new_key && old_key->bytes == new_key->bytes) return;
  if (!old_key && !new_key) return;
  RangeChange change{&binding, id};
  // One that is too long was left out when it came.
  if (old_key && old_key->bytes.size() <= kIndexKeyBytesMax) change.removed = std::move(old_key->bytes);
  if (new_key) {
    change.added = RangeIndex::Make(new_key->bytes, id);
    change.nan = new_key->nan;
  }
  if (binding.unique != nullptr && change.removed) unique_removers_.emplace(id, ranges_.size());
  ranges_.push_back(std::move(change));
}

void IndexPlan::AddVector(const VectorBinding& binding, uint64_t id, const ElementImage& before, const ElementImage& after) {
  std::vector<float> old_vector;
  VectorChange change{&binding, id, false, {}, {}};
  change.removed = VectorOf(*binding.definition, before, &old_vector);
  const bool added = VectorOf(*binding.definition, after, &change.added);
  if (!added) change.added.clear();
  if (!change.removed && !added) return;
  if (change.removed && added && old_vector == change.added) return;
  vectors_.push_back(std::move(change));
}

std::optional<UniqueClash> IndexPlan::FindOwnDuplicate() const {
  std::vector<const RangeChange*> keyed;
  for (const RangeChange& change : ranges_) {
    if (change.is_unique()) keyed.push_back(&change);
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
  const auto [first, last] = unique_removers_.equal_range(id);
  return std::any_of(first, last, [&](const auto& remover) {
    const RangeChange& change = ranges_[remover.second];
    return change.binding == binding && *change.removed == key;
  });
}

void IndexPlan::FindHolders(const Overlay& committed) {
  for (RangeChange& change : ranges_) {
    if (!change.is_unique()) continue;
    const std::string_view key = change.added->key();
    RangeLayers(change.binding->definition->id, committed).Visit(key, 0, {}, [&](std::string_view at, uint64_t id) {
      if (at != key) return false;
      if (id != change.id && !Removes(change.binding, key, id)) change.holders.push_back(id);
      return true;
    });
  }
}

namespace {
// What the generations say of (key, id) now: the last one that speaks of it decides.
RangeIndex::Said NewestSaid(std::span<const std::shared_ptr<Delta>> since, IndexId index, std::string_view key, uint64_t id) {
  RangeIndex::Said said = RangeIndex::Said::kNothing;
  for (const std::shared_ptr<Delta>& delta : since) {
    const RangeIndex* list = delta->RangeOf(index);
    const RangeIndex::Said here = list == nullptr ? RangeIndex::Said::kNothing : list->SaidOf(key, id, kNever - 1);
    if (here != RangeIndex::Said::kNothing) said = here;
  }
  return said;
}
}  // namespace

std::optional<UniqueClash> IndexPlan::FindClash(std::span<const std::shared_ptr<Delta>> since, Timestamp snapshot) const {
  for (const RangeChange& change : ranges_) {
    if (!change.is_unique()) continue;
    const IndexId index = change.binding->definition->id;
    const std::string_view key = change.added->key();
    for (const uint64_t holder : change.holders) {
      if (NewestSaid(since, index, key, holder) != RangeIndex::Said::kGone) return UniqueClash{change.binding, holder, change.id, 0};
    }
    std::optional<UniqueClash> clash;
    for (const std::shared_ptr<Delta>& delta : since) {
      if (clash) break;
      const RangeIndex* list = delta->RangeOf(index);
      if (list == nullptr) continue;
      list->VisitLive(key, [&](const RangeIndex::Entry& holder) {
        if (holder.begin <= snapshot || holder.id == change.id || Removes(change.binding, key, holder.id)) return true;
        if (NewestSaid(since, index, key, holder.id) != RangeIndex::Said::kLive) return true;
        clash = UniqueClash{change.binding, holder.id, change.id, holder.begin};
        return false;
      });
    }
    if (clash) return clash;
  }
  return std::nullopt;
}

Status KeyRefusal(const Tokens& tokens, const IndexDefinition& definition, uint64_t id, size_t bytes) {
  return Status(Code::kLimitExceeded, "range index '" + definition.name + "' on " +
                                          SchemaText(tokens, definition.entity, definition.tokens, definition.properties) + ", " +
                                          ElementText(definition.entity, id) + ": a key of " + std::to_string(bytes) + " bytes; at most " +
                                          std::to_string(kIndexKeyBytesMax) + " are possible");
}

Status VectorRefusal(const Tokens& tokens, const IndexDefinition& definition, uint64_t id, const Status& why) {
  return Status(why.code(), "vector index '" + definition.name + "' on " +
                                SchemaText(tokens, definition.entity, definition.tokens, definition.properties) + ", " +
                                ElementText(definition.entity, id) + ": " + why.message())
      .Detail(why.detail());
}

Status IndexPlan::TestKeys(const Tokens& tokens) const {
  for (const RangeChange& change : ranges_) {
    if (change.added == nullptr || change.added->key().size() <= kIndexKeyBytesMax) continue;
    return KeyRefusal(tokens, *change.binding->definition, change.id, change.added->key().size());
  }
  return Status::Ok();
}

void IndexPlan::LeaveOutLongKeys(std::set<IndexId>* indexes) {
  for (RangeChange& change : ranges_) {
    if (change.added == nullptr || change.added->key().size() <= kIndexKeyBytesMax) continue;
    change.added.reset();
    indexes->insert(change.binding->definition->id);
  }
}

Status IndexPlan::TestVectors(const Tokens& tokens) const {
  std::vector<std::pair<const VectorBinding*, uint32_t>> fixed_here;   // by the first vector of an index that had none
  for (const VectorChange& change : vectors_) {
    if (change.added.empty()) continue;
    uint32_t dimensions = change.binding->index->dimensions();
    if (dimensions == 0) {
      auto it = std::find_if(fixed_here.begin(), fixed_here.end(), [&](const auto& f) { return f.first == change.binding; });
      if (it != fixed_here.end()) {
        dimensions = it->second;
      } else {
        fixed_here.emplace_back(change.binding, static_cast<uint32_t>(change.added.size()));
      }
    }
    const Status status = change.binding->index->Validate(change.added, dimensions);
    if (!status.ok()) return VectorRefusal(tokens, *change.binding->definition, change.id, status);
  }
  return Status::Ok();
}

Status IndexPlan::HoldRoom(const Tokens& tokens) {
  std::map<std::shared_ptr<VectorIndex>, std::pair<const VectorChange*, uint64_t>> rows;
  for (const VectorChange& change : vectors_) {
    if (change.added.empty()) continue;
    auto& [first, count] = rows[change.binding->index];
    first = &change;
    ++count;
  }
  for (const auto& [index, wanted] : rows) {
    const auto& [change, count] = wanted;
    uint64_t bytes = 0;
    const Status status = index->HoldRoom(count, static_cast<uint32_t>(change->added.size()), &bytes);
    if (!status.ok()) return VectorRefusal(tokens, *change->binding->definition, change->id, status);
    held_.emplace_back(index, bytes);
  }
  return Status::Ok();
}

IndexPlan::~IndexPlan() {
  for (const auto& [index, bytes] : held_) index->ReleaseRoom(bytes);
  for (const VectorChange& change : vectors_) {
    for (const VectorChange::Row& row : change.rows) {
      if (row.stored && !row.waits) row.index->Abandon(row.slot);
    }
  }
}

std::vector<std::pair<std::shared_ptr<VectorIndex>, uint64_t>> IndexPlan::Brought() const {
  std::vector<std::pair<std::shared_ptr<VectorIndex>, uint64_t>> brought;
  for (const VectorChange& change : vectors_) {
    for (const VectorChange::Row& row : change.rows) {
      if (row.index == nullptr) continue;
      auto it = std::find_if(brought.begin(), brought.end(), [&](const auto& b) { return b.first == row.index; });
      if (it == brought.end()) it = brought.insert(it, {row.index, 0});
      it->second += !change.added.empty();
    }
  }
  return brought;
}

size_t IndexPlan::Reserve(Delta* delta, Timestamp floor, RetireList* retired) {
  for (VectorChange& change : vectors_) {
    change.rows[0].index = change.binding->index;
    change.rows[1].index = change.binding->index->successor();
    for (VectorChange::Row& row : change.rows) {
      if (row.index == nullptr) continue;
      if (change.removed) row.index->ReserveEnd();
      if (change.added.empty()) continue;
      row.waits = row.index->loading() || row.index->given_up();
      row.slot = row.index->Store(change.id, change.added);
      row.stored = true;
    }
  }
  size_t freed = 0;
  for (RangeChange& change : ranges_) {
    change.list = delta->ReserveRange(change.binding->definition->id);
    // Twice what a commit can end, so that the backlog of a long-lived snapshot shrinks once it is gone.
    freed += change.list->Sweep(floor, retired, 2);
    if (change.removed && !change.list->HasLive(*change.removed, change.id)) {
      change.tombstone = RangeIndex::Make(*change.removed, change.id);
    }
  }
  return freed;
}

size_t IndexPlan::Apply(Timestamp ts) {
  size_t grown = 0;
  for (RangeChange& change : ranges_) {
    if (change.tombstone != nullptr) {
      grown += change.tombstone->memory_bytes();
      change.list->EndBelow(std::move(change.tombstone), ts);
    } else if (change.removed) {
      change.list->End(*change.removed, change.id, ts);
    }
    if (change.added == nullptr) continue;
    grown += change.added->memory_bytes();
    change.list->Insert(std::move(change.added), ts);
  }
  for (VectorChange& change : vectors_) {
    for (VectorChange::Row& row : change.rows) {
      if (row.index == nullptr) continue;
      if (change.removed) row.index->End(change.id, ts);
      if (row.stored) row.index->Stamp(row.slot, ts);
      row.stored = false;                      // it isn't given up any more
    }
  }
  return grown;
}

}  // namespace fornix::storage
