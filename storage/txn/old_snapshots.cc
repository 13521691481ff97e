#include "storage/txn/old_snapshots.h"

#include "base/clock.h"
#include "base/read_failure.h"
#include "storage/txn/transaction_impl.h"

namespace fornix::storage {
namespace {

class EndedBase final : public Base {
 public:
  EndedBase() : Base(false, 0) {}
  const LabelSet* Labels(NodeId) const override { Throw(); }
  bool Has(RelId) const override { Throw(); }
  std::optional<RelationshipEnds> Ends(RelId) const override { Throw(); }
  Value Property(NodeId, PropertyId) const override { Throw(); }
  Value Property(RelId, PropertyId) const override { Throw(); }
  void Properties(NodeId, PropertyList*) const override { Throw(); }
  void Properties(RelId, PropertyList*) const override { Throw(); }
  void Gather(std::span<const NodeId>, PropertyId, Value*) const override { Throw(); }
  void Gather(std::span<const RelId>, PropertyId, Value*) const override { Throw(); }
  void GatherLabels(std::span<const NodeId>, const LabelSet**) const override { Throw(); }
  size_t Nodes(std::optional<LabelId>, uint64_t, uint64_t*, size_t) const override { Throw(); }
  size_t Relationships(std::optional<TypeId>, uint64_t, uint64_t*, size_t) const override { Throw(); }
  void Neighbours(NodeId, TypeId, bool, uint64_t, size_t, std::vector<Neighbour>*) const override { Throw(); }
  void NeighboursOf(std::span<const NodeId>, TypeId, bool, std::vector<uint32_t>*, std::vector<Neighbour>*) const override { Throw(); }
  void Between(NodeId, TypeId, bool, NodeId, std::vector<RelId>*) const override { Throw(); }
  uint64_t Degree(NodeId, TypeId, bool) const override { Throw(); }
  uint64_t Loops(NodeId, TypeId) const override { Throw(); }
  void Types(NodeId, std::vector<TypeId>*) const override { Throw(); }
  uint64_t NodeCount() const override { Throw(); }
  uint64_t RelationshipCount() const override { Throw(); }
  uint64_t LabelCount(LabelId) const override { Throw(); }
  uint64_t TypeCount(TypeId) const override { Throw(); }
  const IndexTree* Tree(IndexId) const override { Throw(); }

 private:
  [[noreturn]] static void Throw() { throw ReadFailure(SnapshotTooOld()); }
};

}  // namespace

Status SnapshotTooOld() {
  return Status(Code::kTransactionConflict,
                "snapshot too old: memory is short, and what was written since this transaction began needs it (it may be ended when it is "
                "older than kSnapshotAgePressedMillis, docs/limits.md); run the transaction again, or open the database with a larger memory_bytes_max")
      .Detail("SnapshotTooOld");
}

const std::shared_ptr<const Layers>& EndedLayers() {
  static const std::shared_ptr<const Layers> ended =
      std::make_shared<Layers>(Layers{std::make_shared<EndedBase>(), nullptr, std::make_shared<Delta>()});
  return ended;
}

OldSnapshots EndOldest(StoreState* store, uint64_t age_min_ns, const TransactionImpl* own) {
  const std::shared_ptr<const Layers>& ended = EndedLayers();   // made before the mutex is taken
  const uint64_t now = MonotonicNanos();
  std::lock_guard lock(store->sequencer.mutex());
  const Layers* current = store->generations.current().get();
  bool asked = false;
  LiveSnapshot* oldest = store->sequencer.FindOldest([&](const LiveSnapshot& snapshot) {
    if (snapshot.transaction == nullptr || snapshot.transaction == own || &snapshot.transaction->layers() == current) return false;
    asked = asked || snapshot.transaction->asked_to_end();
    return !snapshot.transaction->asked_to_end();
  });
  if (oldest == nullptr) return asked ? OldSnapshots::kWait : OldSnapshots::kNone;
  if (now - oldest->begun_ns < age_min_ns) return OldSnapshots::kWait;
  oldest->transaction->AskToEnd(ended);
  return OldSnapshots::kEnded;
}

}  // namespace fornix::storage
