// PlanCache: from text to plan, in front of the parser. A database has two: by exact text, and by the text without those literals that
// a plan need not know (grammar/lift_literals.h).
//
// An entry counts only if the epochs of schema and statistics are those it was planned under (and the options that change planning
// are the same); else the caller plans anew and replaces it. Least recently used entries go first.
// Thread safety: any thread; one short lock a call.
#pragma once

#include <boost/intrusive/list.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "grammar/lift_literals.h"
#include "planner/planner.h"

namespace fornix::engine {

struct PlanKey {
  uint64_t schema_epoch = 0;
  uint64_t statistics_epoch = 0;
  bool optimize = true;
  friend bool operator==(const PlanKey&, const PlanKey&) = default;
};

struct CachedPlan {
  std::shared_ptr<const planner::PhysicalPlan> plan;
  // Where the literals stood in the text that the plan was made of; empty if it knows its literals.
  std::vector<grammar::LiteralSpan> spans;
};

class PlanCache {
 public:
  PlanCache() = default;
  ~PlanCache();
  // A null pointer if there is none that still counts.
  std::shared_ptr<const CachedPlan> Find(std::string_view text, const PlanKey& key);
  void Insert(std::string_view text, const PlanKey& key, CachedPlan plan);
  void Clear();
  size_t size() const;

 private:
  struct Entry : boost::intrusive::list_base_hook<> {
    std::string text;
    PlanKey key;
    std::shared_ptr<const CachedPlan> plan;
  };
  using Age = boost::intrusive::list<Entry>;

  mutable std::mutex mutex_;
  std::unordered_map<std::string_view, std::unique_ptr<Entry>> entries_;   // the views point into Entry::text
  Age age_;                                                                // most recently used first
};

}  // namespace fornix::engine
