// PlanCache: see plan_cache.h.
#include "engine/session/plan_cache.h"

#include "base/limits.h"

namespace fornix::engine {

PlanCache::~PlanCache() { age_.clear(); }

std::shared_ptr<const CachedPlan> PlanCache::Find(std::string_view text, const PlanKey& key) {
  std::lock_guard lock(mutex_);
  auto it = entries_.find(text);
  if (it == entries_.end()) return nullptr;
  Entry& entry = *it->second;
  if (entry.key != key) return nullptr;
  age_.splice(age_.begin(), age_, age_.iterator_to(entry));
  return entry.plan;
}

void PlanCache::Insert(std::string_view text, const PlanKey& key, CachedPlan plan) {
  if (text.size() > kPlanCacheTextBytesMax) return;
  auto entry = std::make_unique<Entry>();
  entry->text = text;
  entry->key = key;
  entry->plan = std::make_shared<const CachedPlan>(std::move(plan));
  std::lock_guard lock(mutex_);
  auto drop = [this](auto it) {
    age_.erase(age_.iterator_to(*it->second));
    entries_.erase(it);
  };
  if (auto it = entries_.find(text); it != entries_.end()) drop(it);
  if (entries_.size() >= kPlanCacheEntriesMax) drop(entries_.find(age_.back().text));
  age_.push_front(*entry);
  std::string_view name = entry->text;
  entries_.emplace(name, std::move(entry));
}

void PlanCache::Clear() {
  std::lock_guard lock(mutex_);
  age_.clear();
  entries_.clear();
}

size_t PlanCache::size() const {
  std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace fornix::engine
