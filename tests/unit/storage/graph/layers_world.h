// What the tests of layers share: a store whose layers are frozen and published by hand, writers whose changes are also kept
// for the plain model, and the comparison of every access path of a view with a model.
#pragma once

#include <functional>

#include "base/random.h"
#include "storage/index/key.h"
#include "storage/txn/transaction_impl.h"
#include "tests/unit/storage/fixture.h"
#include "tests/unit/storage/model_base.h"

namespace fornix::storage {

// A transaction, and its changes as they are to be made to the model if it commits.
struct Writer {
  std::unique_ptr<TransactionImpl> txn;
  GraphModel seen;                             // its snapshot and its own writes
  std::vector<std::function<void(GraphModel*)>> changes;
  // (kind, id) of what it changed: two that change the same can't both commit.
  enum Kind { kProperties, kLabels, kRelationship };
  std::set<std::pair<Kind, uint64_t>> touched;
};

struct World {
  StoreState store;
  GraphModel newest;
  std::vector<LabelId> labels;
  std::vector<TypeId> types;
  std::vector<PropertyId> keys;
  std::map<Timestamp, GraphModel> at;          // the state at each commit since the last freeze
  std::optional<Frozen> frozen;

  World();
  std::unique_ptr<TransactionImpl> Begin(bool read_only = false) { return std::make_unique<TransactionImpl>(&store, read_only); }
  Writer Write();
  // False: it lost.
  bool Commit(Writer* writer);
  IndexId CreateIndex(const std::string& name, EntityKind entity, uint32_t token, std::vector<PropertyId> properties, bool unique = false);

  void Freeze();
  std::shared_ptr<ModelBase> Publish();        // the model at the freeze
  void Checkpoint() { Freeze(), Publish(); }
};

// Every access path of the view against the model.
void CheckView(const GraphView& view, const GraphModel& model, const World& world, Random* random);

}  // namespace fornix::storage
