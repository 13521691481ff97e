// Base: the immutable part of the graph, as of the checkpoint at timestamp C that a snapshot reads over.
//
// What it answers is the state at C; the overlay decides whether that still counts: an answer about an element (or a
// hit of a scan) stands only if the element has no change of that kind in (C, S] and none of the reader's own. That rule
// is in overlay.cc and nowhere else. The base is empty until the first checkpoint writes one: EmptyBase.
// Threads: any; nothing changes.
#pragma once

#include <optional>

#include "storage/graph/graph_view.h"
#include "storage/graph/label_set.h"

namespace fornix::storage {

class Base {
 public:
  virtual ~Base() = default;
  bool empty() const { return empty_; }
  virtual const LabelSet* Labels(NodeId id) const = 0;                          // null: no such node
  virtual std::optional<RelationshipEnds> Ends(RelId id) const = 0;
  virtual void Properties(NodeId id, PropertyList* out) const = 0;              // replaces *out
  virtual void Properties(RelId id, PropertyList* out) const = 0;
  // Ids >= from, ascending, at most max.
  virtual size_t Nodes(std::optional<LabelId> label, uint64_t from, uint64_t* out, size_t max) const = 0;
  virtual size_t Relationships(std::optional<TypeId> type, uint64_t from, uint64_t* out, size_t max) const = 0;
  // Appends neighbours with relationship >= from, ascending by relationship, at most max.
  virtual void Neighbours(NodeId id, TypeId type, bool incoming, uint64_t from, size_t max,
                          std::vector<Neighbour>* out) const = 0;
  virtual void Types(NodeId id, std::vector<TypeId>* out) const = 0;            // appends, of either direction

 protected:
  explicit Base(bool is_empty) : empty_(is_empty) {}

 private:
  const bool empty_;   // asked on every path, so not virtual
};

class EmptyBase final : public Base {
 public:
  EmptyBase() : Base(true) {}
  const LabelSet* Labels(NodeId) const override { return nullptr; }
  std::optional<RelationshipEnds> Ends(RelId) const override { return std::nullopt; }
  void Properties(NodeId, PropertyList* out) const override { out->clear(); }
  void Properties(RelId, PropertyList* out) const override { out->clear(); }
  size_t Nodes(std::optional<LabelId>, uint64_t, uint64_t*, size_t) const override { return 0; }
  size_t Relationships(std::optional<TypeId>, uint64_t, uint64_t*, size_t) const override { return 0; }
  void Neighbours(NodeId, TypeId, bool, uint64_t, size_t, std::vector<Neighbour>*) const override {}
  void Types(NodeId, std::vector<TypeId>*) const override {}
};

}  // namespace fornix::storage
