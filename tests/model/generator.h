// Random graphs, updates and queries whose answers don't depend on the order in which an engine finds rows, so that two
// engines must agree on them: SKIP and LIMIT come only with an order over all columns, collect() not at all, and a SET
// writes what any order of rows would have written.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "fornix/value.h"

namespace fornix::model {

struct RandomStatement {
  std::string text;
  Map parameters;
  bool ordered = false;   // rows must come in this order
  bool writes = false;
  bool schema = false;    // not inside an explicit transaction that wrote
};

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}
  // The first statements of a history: schema.
  std::vector<std::string> Schema();
  RandomStatement Update(bool growing);   // growing: only what adds nodes and relationships
  RandomStatement Query();
  bool OneIn(uint64_t n) { return random_.OneIn(n); }
  uint64_t Below(uint64_t n) { return random_.Below(n); }

 private:
  struct Scope {
    std::vector<std::string> nodes, relationships, integers;
  };
  template <typename T>
  const T& Pick(const std::vector<T>& from) { return from[random_.Below(from.size())]; }
  std::string Pick(std::initializer_list<const char*> from) { return from.begin()[random_.Below(from.size())]; }
  std::string Fresh(const char* prefix) { return prefix + std::to_string(fresh_++); }

  std::string Label() { return Pick({"A", "B", "C"}); }
  std::string RelationshipType() { return Pick({"T", "U", "V"}); }
  std::string Labels();                          // "", ":A", ":A:B", ":A|B", ":!A", ":%"
  std::string NewProperties();                   // of a new node: {k: 17, a: 3, s: 'x'}
  std::string Integer(const Scope& scope, int depth);
  std::string String(const Scope& scope);
  std::string Condition(const Scope& scope, int depth);
  std::string Truth(const Scope& scope);
  std::string Node(Scope* scope, bool may_reuse);
  std::string Relationship(Scope* scope, bool fixed_length);
  std::string Pattern(Scope* scope, int hops_max);
  std::string MatchClause(Scope* scope, int hops_max);
  std::string WithClause(Scope* scope);
  std::string Reading(Scope* scope, int clauses);
  std::string Return(const Scope& scope, bool* ordered);
  std::string SetItems(const Scope& scope);
  std::string Vector();

  Random random_;
  int fresh_ = 0;        // names
  int64_t next_k_ = 1;   // every node has a number of its own
  bool vector_index_ = false;
};

}  // namespace fornix::model
