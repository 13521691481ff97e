// Base: the immutable part of the graph, as of the checkpoint at timestamp C that a snapshot reads over.
//
// What it answers is the state at C; the overlay decides whether that still counts: an answer about an element (or a
// hit of a scan) stands only if the element has no change of that kind in (C, S] and none of the reader's own. That rule
// is in overlay.cc and nowhere else. The base of a database without a checkpoint (and of one in memory) is EmptyBase; the other
// one is storage/base/.
// Failed reads and damage throw ReadFailure (base/read_failure.h). No function keeps a place in the base between calls.
// Threads: any; nothing changes.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "storage/graph/graph_view.h"
#include "storage/graph/label_set.h"
#include "vector/function_ref.h"

namespace fornix::storage {

class IndexTree;

class Base {
 public:
  virtual ~Base() = default;
  bool empty() const { return empty_; }
  Timestamp timestamp() const { return timestamp_; }   // C
  const std::string& path() const { return path_; }    // of its file, for errors

  virtual const LabelSet* Labels(NodeId id) const = 0;                          // null: no such node
  virtual bool Has(RelId id) const = 0;
  virtual std::optional<RelationshipEnds> Ends(RelId id) const = 0;
  virtual Value Property(NodeId id, PropertyId key) const = 0;                  // null if absent
  virtual Value Property(RelId id, PropertyId key) const = 0;
  virtual void Properties(NodeId id, PropertyList* out) const = 0;              // replaces *out
  virtual void Properties(RelId id, PropertyList* out) const = 0;
  // Batches: fast where neighbours in `ids` share chunks. `out` has as many places; absent elements give null.
  virtual void Gather(std::span<const NodeId> ids, PropertyId key, Value* out) const = 0;
  virtual void Gather(std::span<const RelId> ids, PropertyId key, Value* out) const = 0;
  // Calls take(place, numbers) for each property that is a list of numbers or a VECTOR, without making values where it needn't.
  using TakeFloats = vector::FunctionRef<void(size_t place, std::span<const float> numbers)>;
  virtual void GatherFloats(std::span<const NodeId> ids, PropertyId key, TakeFloats take) const;
  virtual void GatherFloats(std::span<const RelId> ids, PropertyId key, TakeFloats take) const;
  virtual void GatherLabels(std::span<const NodeId> ids, const LabelSet** out) const = 0;

  // Ids >= from, ascending, at most max; 0 = the end.
  virtual size_t Nodes(std::optional<LabelId> label, uint64_t from, uint64_t* out, size_t max) const = 0;
  virtual size_t Relationships(std::optional<TypeId> type, uint64_t from, uint64_t* out, size_t max) const = 0;

  // One adjacency list: ordered by (neighbour, relationship). Appends at most max from place `at` on.
  virtual void Neighbours(NodeId id, TypeId type, bool incoming, uint64_t at, size_t max, std::vector<Neighbour>* out) const = 0;
  // The lists of many nodes, each from its start to its end; ends[i] = size of *out after the list of ids[i].
  virtual void NeighboursOf(std::span<const NodeId> ids, TypeId type, bool incoming, std::vector<uint32_t>* ends,
                            std::vector<Neighbour>* out) const = 0;
  // Appends the relationships between the two: found by searching in the sorted list, O(log degree).
  virtual void Between(NodeId id, TypeId type, bool incoming, NodeId neighbour, std::vector<RelId>* out) const = 0;
  virtual uint64_t Degree(NodeId id, TypeId type, bool incoming) const = 0;     // O(1)
  virtual uint64_t Loops(NodeId id, TypeId type) const = 0;                     // O(log degree)
  virtual void Types(NodeId id, std::vector<TypeId>* out) const = 0;            // appends, of either direction

  virtual uint64_t NodeCount() const = 0;
  virtual uint64_t RelationshipCount() const = 0;
  virtual uint64_t LabelCount(LabelId label) const = 0;
  virtual uint64_t TypeCount(TypeId type) const = 0;

  // The tree of a range index; null if the base has none (the index is younger, or empty).
  virtual const IndexTree* Tree(IndexId index) const = 0;

 protected:
  Base(bool is_empty, Timestamp timestamp, std::string path = {}) : empty_(is_empty), timestamp_(timestamp), path_(std::move(path)) {}

 private:
  const bool empty_;   // asked on every path, so not virtual
  const Timestamp timestamp_;
  const std::string path_;
};

class EmptyBase final : public Base {
 public:
  EmptyBase() : Base(true, 0) {}
  const LabelSet* Labels(NodeId) const override { return nullptr; }
  bool Has(RelId) const override { return false; }
  std::optional<RelationshipEnds> Ends(RelId) const override { return std::nullopt; }
  Value Property(NodeId, PropertyId) const override { return Value(); }
  Value Property(RelId, PropertyId) const override { return Value(); }
  void Properties(NodeId, PropertyList* out) const override { out->clear(); }
  void Properties(RelId, PropertyList* out) const override { out->clear(); }
  void Gather(std::span<const NodeId> ids, PropertyId, Value* out) const override { std::fill_n(out, ids.size(), Value()); }
  void Gather(std::span<const RelId> ids, PropertyId, Value* out) const override { std::fill_n(out, ids.size(), Value()); }
  void GatherLabels(std::span<const NodeId> ids, const LabelSet** out) const override { std::fill_n(out, ids.size(), nullptr); }
  size_t Nodes(std::optional<LabelId>, uint64_t, uint64_t*, size_t) const override { return 0; }
  size_t Relationships(std::optional<TypeId>, uint64_t, uint64_t*, size_t) const override { return 0; }
  void Neighbours(NodeId, TypeId, bool, uint64_t, size_t, std::vector<Neighbour>*) const override {}
  void NeighboursOf(std::span<const NodeId> ids, TypeId, bool, std::vector<uint32_t>* ends, std::vector<Neighbour>* out) const override {
    ends->insert(ends->end(), ids.size(), static_cast<uint32_t>(out->size()));
  }
  void Between(NodeId, TypeId, bool, NodeId, std::vector<RelId>*) const override {}
  uint64_t Degree(NodeId, TypeId, bool) const override { return 0; }
  uint64_t Loops(NodeId, TypeId) const override { return 0; }
  void Types(NodeId, std::vector<TypeId>*) const override {}
  uint64_t NodeCount() const override { return 0; }
  uint64_t RelationshipCount() const override { return 0; }
  uint64_t LabelCount(LabelId) const override { return 0; }
  uint64_t TypeCount(TypeId) const override { return 0; }
  const IndexTree* Tree(IndexId) const override { return nullptr; }
};

}  // namespace fornix::storage
