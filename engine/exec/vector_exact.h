// The k nearest by comparing every vector, read from the graph and not from an index: what `exact: true` asks for, and what the
// recall of an index is measured against. Sees what the view sees, own writes included.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/exec/context.h"

namespace fornix::engine {

// The k nearest of several queries, collected while vectors pass by; scores as an index gives them.
class ExactNearest {
 public:
  ExactNearest(size_t k, const storage::IndexDefinition& index) : k_(k), metric_(index.vector.metric) {}
  void Start(size_t queries) { best_.assign(queries, {}); }
  void Add(size_t query_number, std::span<const float> query, uint64_t id, std::span<const float> v);
  void Finish();                                   // sorts and cuts to k
  std::vector<storage::VectorHit>& of(size_t query_number) { return best_[query_number]; }
  float ScoreOf(std::span<const float> a, std::span<const float> b) const;

 private:
  void Cut(std::vector<storage::VectorHit>* hits) const;
  const size_t k_;
  const storage::Metric metric_;
  std::vector<std::vector<storage::VectorHit>> best_;
};

// Leaves in *ids, a batch in ascending order, those that may be answers. Empty: all.
using KeepIds = std::function<Status(std::vector<uint64_t>* ids)>;

// By (score desc, id), scores as the index gives them. Elements without a vector of the query's dimensions are no
// answers. ArgumentError for a query that no index of this metric takes.
Status SearchExactly(ExecutionContext& context, const storage::IndexDefinition& index, std::span<const float> query, size_t k, const KeepIds& keep,
                     std::vector<storage::VectorHit>* hits, storage::VectorSearchStats* stats);

// The elements that an index may hold, in batches of ascending ids, each once; those without the property included. A failing status ends it.
Status VisitIndexed(ExecutionContext& context, const storage::IndexDefinition& index, const std::function<Status(std::span<const uint64_t> ids)>& visit);

// How many they are at most.
uint64_t CountIndexed(const storage::GraphView& view, const storage::IndexDefinition& index);

// The property of each as floats; false where it is no vector of `dimensions` finite numbers.
class FloatReader {
 public:
  FloatReader(ExecutionContext& context, const storage::IndexDefinition& index) : context_(context), index_(index) {}
  void Gather(std::span<const uint64_t> ids);
  bool Read(size_t place, size_t dimensions, std::vector<float>* out) const;
  size_t Dimensions(size_t place) const;           // 0: no list and no vector

 private:
  ExecutionContext& context_;
  const storage::IndexDefinition& index_;
  std::vector<Value> values_;
};

}  // namespace fornix::engine
