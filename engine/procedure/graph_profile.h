// GraphProfile: what the elements of a graph look like: their properties and the types of these, by label, by relationship type and by set of
// labels, and which labels a type joins. Clients ask for it at start, to show a person or a model the schema that the data has.
//
// Of a label or type with more elements than `sample` every so many-th is read, so at least `sample` of them; a count that is told is exact
// where all were read. Threads: one run.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/exec/context.h"

namespace fornix::engine {

struct PropertyProfile {
  std::map<Type, uint64_t> types;
  std::map<Type, uint64_t> items;                // of its lists: the types of their first items
  uint64_t seen = 0;
  Type MostOften() const;
};
struct ElementProfile {
  uint64_t read = 0;
  std::map<std::string, PropertyProfile> properties;
  std::set<std::string> other_labels;            // of nodes: those beside the one
};
// The relationships of a type from the nodes of a label.
struct JoinProfile {
  uint64_t count = 0;
  uint64_t left = 0, right = 0;                  // the sum over them of how many their start and their end has
  bool several = false;                          // some node has more than one
  std::map<std::string, uint64_t> others;        // labels of the other ends, and how often each is there
};
struct GraphProfile {
  std::map<std::string, ElementProfile> labels, types;
  std::map<std::vector<std::string>, ElementProfile> label_sets;
  std::map<std::pair<std::string, std::string>, JoinProfile> out, in;   // by (label, type)
};

struct ProfileWanted {
  bool labels = false, label_sets = false, types = false;
  uint64_t sample = 0;
  std::set<std::string> include_labels, exclude_labels, include_types, exclude_types;   // empty: all, none
  bool Label(const std::string& name) const { return Wanted(name, include_labels, exclude_labels); }
  bool RelationshipType(const std::string& name) const { return Wanted(name, include_types, exclude_types); }

 private:
  static bool Wanted(const std::string& name, const std::set<std::string>& include, const std::set<std::string>& exclude) {
    return (include.empty() || include.count(name) > 0) && exclude.count(name) == 0;
  }
};

inline constexpr uint64_t kSampleDefault = 100'000;   // of a label or type; smaller ones are read whole

// The options of procedures that profile: {sample: n, includeLabels: [...], excludeLabels, includeRels, excludeRels}; sample -1 reads all.
Status ReadProfileOptions(const Value& config, ProfileWanted* wanted);

Status ProfileGraph(ExecutionContext& context, const ProfileWanted& wanted, ScratchCharge* charge, GraphProfile* out);

}  // namespace fornix::engine
