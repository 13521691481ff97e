// PlanCache: exact text -> plan, in front of the parser.
//
// The key is the text with the options that change planning. An entry counts only if the schema's epoch is the one it was
// planned under and the graph hasn't grown or shrunk by a factor of kReplanFactor since; else the caller plans anew and replaces it. Least
// recently used entries go first.
// Thread safety: any thread; one short lock a call.
#pragma once

#include <boost/intrusive/list.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "planner/planner.h"

namespace fornix::engine {

struct PlanKey {
  uint64_t schema_epoch = 0;
  uint64_t elements = 0;      // nodes and relationships, committed
  bool optimize = true;
};

class PlanCache {
 public:
  PlanCache() = default;
  ~PlanCache();
  // A null pointer if there is none that still counts.
  std::shared_ptr<const planner::PhysicalPlan> Find(std::string_view text, const PlanKey& key);
  void Insert(std::string_view text, const PlanKey& key, std::shared_ptr<const planner::PhysicalPlan> plan);
  void Clear();
  size_t size() const;

 private:
  struct Entry : boost::intrusive::list_base_hook<> {
    std::string text;
    PlanKey key;
    std::shared_ptr<const planner::PhysicalPlan> plan;
  };
  using Age = boost::intrusive::list<Entry>;

  mutable std::mutex mutex_;
  std::unordered_map<std::string_view, std::unique_ptr<Entry>> entries_;   // the views point into Entry::text
  Age age_;                                                                // most recently used first
};

}  // namespace fornix::engine
