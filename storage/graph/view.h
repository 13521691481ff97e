// View: GraphView over an Overlay. Elements and batches are in view.cc, scans and adjacency in view_expand.cc, indexes in
// view_index.cc. Every answer goes through the overlay's rule; the paths differ only in where candidates come from.
#pragma once

#include "storage/graph/overlay.h"

namespace fornix::storage {

class TransactionImpl;

class View final : public GraphView {
 public:
  View(const TransactionImpl* transaction, const Tokens* tokens, Overlay overlay)
      : transaction_(transaction), tokens_(tokens), overlay_(overlay) {}
  const Overlay& overlay() const { return overlay_; }
  void set_overlay(const Overlay& overlay) { overlay_ = overlay; }

  const Tokens& tokens() const override { return *tokens_; }
  const SchemaVersion& schema() const override;

  ElementState StateOf(NodeId id) const override { return overlay_.StateOf(id); }
  ElementState StateOf(RelId id) const override { return overlay_.StateOf(id); }
  bool HasLabel(NodeId id, LabelId label) const override { return overlay_.LabelsOf(id).Has(label); }
  void Labels(NodeId id, std::vector<LabelId>* out) const override;
  RelationshipEnds Ends(RelId id) const override;
  Value Property(NodeId id, PropertyId key) const override { return overlay_.Property(id, key); }
  Value Property(RelId id, PropertyId key) const override { return overlay_.Property(id, key); }
  void Properties(NodeId id, PropertyList* out) const override { overlay_.Properties(id, out); }
  void Properties(RelId id, PropertyList* out) const override { overlay_.Properties(id, out); }

  void GatherProperty(std::span<const NodeId> ids, PropertyId key, Value* out) const override;
  void GatherProperty(std::span<const RelId> ids, PropertyId key, Value* out) const override;
  void GatherLabel(std::span<const NodeId> ids, LabelId label, uint8_t* keep) const override;

  size_t ScanNodes(ScanPosition* position, NodeId* out, size_t max) const override;
  size_t ScanLabel(LabelId label, ScanPosition* position, NodeId* out, size_t max) const override;
  size_t ScanRelationships(std::optional<TypeId> type, ScanPosition* position, RelId* out, size_t max) const override;

  bool Expand(NodeId id, std::span<const TypeId> types, Direction direction, ScanPosition* position, size_t max,
              std::vector<Neighbour>* out) const override;
  void ExpandBatch(std::span<const NodeId> ids, std::span<const TypeId> types, Direction direction,
                   std::vector<uint32_t>* parent, std::vector<Neighbour>* out) const override;
  uint64_t Degree(NodeId id, std::span<const TypeId> types, Direction direction) const override;
  void Between(NodeId id, std::span<const TypeId> types, Direction direction, NodeId other, std::vector<RelId>* out) const override;

  Status SeekIndex(IndexId index, const KeyRange& range, bool descending, SeekPosition* position, size_t max,
                   std::vector<uint64_t>* out) const override;
  Status SearchVector(IndexId index, const VectorQuery& query, std::vector<VectorHit>* out, VectorSearchStats* stats) const override;
  IndexProgress ProgressOf(IndexId index) const override;

  uint64_t CountNodes() const override;
  uint64_t CountLabel(LabelId label) const override;
  uint64_t CountRelationships(std::optional<TypeId> type) const override;

 private:
  size_t ScanInto(std::optional<LabelId> label, ScanPosition* position, NodeId* out, size_t max) const;
  // One type from position->part and next on, at most max; true when it has ended.
  bool ExpandType(NodeId id, TypeId type, Direction direction, ScanPosition* position, size_t max,
                  std::vector<Neighbour>* out) const;
  // ExpandBatch of nodes whose lists are the base's alone; parents count from `first`.
  void ExpandClean(std::span<const NodeId> ids, std::span<const TypeId> types, Direction direction, uint32_t first,
                   std::vector<uint32_t>* parent, std::vector<Neighbour>* out) const;
  template <typename Id>
  void Gather(std::span<const Id> ids, PropertyId key, Value* out) const;
  void PrefetchAdjacency(std::span<const NodeId> ids) const;

  void CheckAge() const;                       // throws where the snapshot was asked to end; at the start of what may read much

  const TransactionImpl* transaction_;
  const Tokens* tokens_;
  Overlay overlay_;
};

}  // namespace fornix::storage
