// GraphView: what one transaction sees. Base + one overlay (the committed delta at its snapshot, then its own writes).
//
// The rule for label and index hits: a hit in the base counts only if its element has no change in (C, S]; changed
// elements come from the overlay alone. It is written once, in overlay.cc, and every path below uses it.
// A cursor holds ids and positions, never a pointer into the store, so a suspended result may outlive any change. All
// orders are by id, ties included. Writing statements buffer their input before they write, and open results of the
// same transaction are buffered before a writing statement starts, so no cursor ever runs beside a write of its own
// transaction (docs/decisions/003).
// Thread safety: one thread at a time a view; different views run in parallel with each other and with commits.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "fornix/status.h"
#include "fornix/value.h"
#include "storage/catalog/catalog.h"

namespace fornix::storage {

enum class Direction : uint8_t { kOutgoing, kIncoming, kBoth };
enum class ElementState : uint8_t { kVisible, kDeletedHere, kAbsent };   // kDeletedHere: by this transaction

struct RelationshipEnds {
  NodeId start, end;
  TypeId type;
};
struct Neighbour {
  NodeId node;
  RelId relationship;
};
using PropertyList = std::vector<std::pair<PropertyId, Value>>;   // sorted by id

// Where a scan stands; a default one stands at the start.
struct ScanPosition {
  uint64_t next = 0;
  uint32_t layer = 0;
  uint8_t part = 0;
  bool done = false;
};

// Where a seek stands: behind (key, id); a default one stands at the start.
struct SeekPosition {
  std::string key;
  uint64_t id = 0;
  bool started = false;
  bool done = false;
};

// One bound of a range; absent: open.
struct KeyBound {
  List values;                 // a prefix of the index's properties
  bool inclusive = true;
};
struct KeyRange {
  std::optional<KeyBound> lower, upper;
  std::optional<std::string> string_prefix;   // STARTS WITH on the last value, after lower's values as equality
};
KeyRange ExactKey(List values);

struct VectorHit {
  uint64_t id;                 // NodeId or RelId value
  float score;                 // the documented score of the metric, higher is nearer
};
// Stops long work: called every so often, a failing status ends it.
using CancelCheck = std::function<Status()>;
struct VectorQuery {
  std::span<const float> vector;
  size_t k = 10;
  size_t ef = 0;                              // candidates looked at, as ef_search of HNSW; 0: the index's own
  // Which elements may be answers: those of `filter` (empty: all); of `ids`, ascending, if the statement has them as a list. Both: both.
  std::function<bool(uint64_t id)> filter;
  std::optional<std::span<const uint64_t>> ids;
  CancelCheck cancel;
};
// How a search found its answer.
struct VectorSearchStats {
  uint64_t distance_computations = 0;
  uint64_t candidates_rejected = 0;           // not visible, or refused by the filter
  uint64_t passing = 0;                       // elements that the filter lets through, counted or estimated from a sample; 0 without one
  uint64_t reranked = 0;                      // candidates compared by finer codes or by the vectors themselves
  uint64_t unlinked = 0;                      // vectors that aren't in the graph yet and were compared one by one
  std::string_view strategy;                  // vector::SearchStrategyName, or "exact scan" while the index isn't there; never freed
  bool exact = false;                         // every vector that may be an answer was compared
};

// How far a vector index is, for SHOW INDEXES; an index of another kind is as its definition says.
struct IndexProgress {
  bool filled = true;                         // until then searches compare all vectors
  double percent = 100;                       // of its vectors that are linked
  Status failure;                             // why filling it was given up; ok: it wasn't
};

class GraphView {
 public:
  virtual ~GraphView() = default;

  virtual const Tokens& tokens() const = 0;
  virtual const SchemaVersion& schema() const = 0;

  // Elements.
  virtual ElementState StateOf(NodeId id) const = 0;
  virtual ElementState StateOf(RelId id) const = 0;
  virtual bool HasLabel(NodeId id, LabelId label) const = 0;
  virtual void Labels(NodeId id, std::vector<LabelId>* out) const = 0;            // replaces *out, sorted
  virtual RelationshipEnds Ends(RelId id) const = 0;                              // also of one deleted here
  virtual Value Property(NodeId id, PropertyId key) const = 0;                    // null if absent
  virtual Value Property(RelId id, PropertyId key) const = 0;
  virtual void Properties(NodeId id, PropertyList* out) const = 0;
  virtual void Properties(RelId id, PropertyList* out) const = 0;

  // Batches: the hot paths. `out` has as many places as `ids`.
  virtual void GatherProperty(std::span<const NodeId> ids, PropertyId key, Value* out) const = 0;
  virtual void GatherProperty(std::span<const RelId> ids, PropertyId key, Value* out) const = 0;
  // keep[i] = has the label.
  virtual void GatherLabel(std::span<const NodeId> ids, LabelId label, uint8_t* keep) const = 0;

  // Scans, ascending by id. Write at most `max` ids to `out` and return how many; 0 = the end.
  virtual size_t ScanNodes(ScanPosition* position, NodeId* out, size_t max) const = 0;
  virtual size_t ScanLabel(LabelId label, ScanPosition* position, NodeId* out, size_t max) const = 0;
  virtual size_t ScanRelationships(std::optional<TypeId> type, ScanPosition* position, RelId* out, size_t max) const = 0;

  // Adjacency. `types` empty: all. A loop is listed once per direction, and once in kBoth. Appends at most `max` neighbours and
  // returns true when the list is exhausted. The order: by type; of one type first outgoing, then incoming; of these first
  // what the base holds, by (neighbour, relationship), then what is newer, by relationship.
  virtual bool Expand(NodeId id, std::span<const TypeId> types, Direction direction, ScanPosition* position, size_t max,
                      std::vector<Neighbour>* out) const = 0;
  // All neighbours of all nodes, prefetched ahead; parent[i] = the place in `ids`. For lists known to be short
  // (Degree) or where the caller takes all.
  virtual void ExpandBatch(std::span<const NodeId> ids, std::span<const TypeId> types, Direction direction,
                           std::vector<uint32_t>* parent, std::vector<Neighbour>* out) const = 0;
  virtual uint64_t Degree(NodeId id, std::span<const TypeId> types, Direction direction) const = 0;
  // Appends the relationships between two nodes, as Expand from `id` lists them. Cheap at hubs: the base's lists are searched, and of
  // what is newer the shorter side is walked.
  virtual void Between(NodeId id, std::span<const TypeId> types, Direction direction, NodeId other, std::vector<RelId>* out) const = 0;

  // Range index: ids of elements whose key is in the range, ascending by (key, id) or descending. Appends at most `max` and moves the
  // position; its `done` says that there are no more. KeyRange values that no property can equal (null, NaN) give nothing.
  virtual Status SeekIndex(IndexId index, const KeyRange& range, bool descending, SeekPosition* position, size_t max,
                           std::vector<uint64_t>* out) const = 0;

  // Vector index: the k nearest visible elements that may be answers, by (score desc, id).
  virtual Status SearchVector(IndexId index, const VectorQuery& query, std::vector<VectorHit>* out, VectorSearchStats* stats) const = 0;
  virtual IndexProgress ProgressOf(IndexId index) const = 0;

  // Exact counts as this view sees them (own writes included).
  virtual uint64_t CountNodes() const = 0;
  virtual uint64_t CountLabel(LabelId label) const = 0;
  virtual uint64_t CountRelationships(std::optional<TypeId> type) const = 0;
};

}  // namespace fornix::storage
