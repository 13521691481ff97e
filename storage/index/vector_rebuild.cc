#include "storage/index/vector_rebuild.h"

#include <thread>

#include "base/interrupt.h"
#include "base/read_failure.h"
#include "storage/catalog/schema_change.h"
#include "storage/checkpoint/checkpointer.h"
#include "storage/index/vector_fill.h"
#include "storage/index/vector_sample.h"
#include "storage/txn/ddl.h"
#include "storage/txn/transaction_impl.h"

namespace fornix::storage {
namespace {

constexpr int kLinksAStep = 64;                // some milliseconds between two looks at the interrupt

class Rebuild {
 public:
  Rebuild(StoreState* store, vector::FunctionRef<Status()> interrupt) : store_(store), interrupt_(interrupt) {}
  ~Rebuild() {
    if (old_ == nullptr) return;
    std::lock_guard lock(store_->sequencer.mutex());
    if (old_->successor() == binding_.index) old_->SetSuccessor(nullptr);
  }
  Rebuild(const Rebuild&) = delete;
  Rebuild& operator=(const Rebuild&) = delete;

  Status Run(IndexId index, const VectorChange& change) {
    RETURN_IF_ERROR(Begin(index, change));
    RETURN_IF_ERROR(Fill());
    RETURN_IF_ERROR(Link());
    return Switch(change);
  }

 private:
  // From here on commits bring their vectors to both.
  Status Begin(IndexId index, const VectorChange& change) {
    std::lock_guard lock(store_->sequencer.mutex());
    RETURN_IF_ERROR(store_->sequencer.failure());
    schema_ = store_->schemas.newest();
    const VectorBinding* binding = schema_->FindVector(index);
    if (binding == nullptr) return Status(Code::kSchemaNotFound, "there is no vector index number " + std::to_string(index.value));
    const std::string named = "the vector index '" + binding->definition->name + "' ";
    if (binding->index->successor() != nullptr) {
      return Status(Code::kSchemaConflict, named + "is being rebuilt already").Detail("IndexIsRebuilt");
    }
    if (binding->index->usable_from() == kNever || binding->index->loading()) {
      return Status(Code::kSchemaConflict, named + "is still being filled; wait until SHOW INDEXES says ONLINE").Detail("IndexIsPopulating");
    }
    VectorIndexOptions options = binding->definition->vector;
    RETURN_IF_ERROR(change(&options));
    options.dimensions = binding->index->dimensions();
    binding_ = {binding->definition, std::make_shared<VectorIndex>(options)};
    binding_.index->SetUsableFrom(kNever);
    binding_.index->SetBudget(store_->budget);
    const WriteSet none;
    BeginAtCentre(binding_, Overlay(*store_->generations.current(), store_->sequencer.last(), &none));
    old_ = binding->index;
    old_->SetSuccessor(binding_.index);
    return Status::Ok();
  }

  Status Fill() {
    if (store_->checkpointer == nullptr) {     // nothing but the delta; it can't be read but under the mutex
      uint64_t held = 0;                       // only asked: the index charges what it takes
      RETURN_IF_ERROR(binding_.index->HoldRoom(old_->size(), old_->dimensions(), &held));
      binding_.index->ReleaseRoom(held);
      std::lock_guard lock(store_->sequencer.mutex());
      const WriteSet none;
      const Overlay head(*store_->generations.current(), store_->sequencer.last(), &none);
      return FillVector(binding_, store_->tokens, head, store_->sequencer.last(), true);
    }
    // All that was committed before Begin is in this base.
    RETURN_IF_ERROR(store_->checkpointer->Run().status());
    std::shared_ptr<const Base> base;
    {
      std::lock_guard lock(store_->sequencer.mutex());
      base = store_->generations.current()->base;
    }
    return FillFromBase(store_, binding_, base, interrupt_);
  }

  // Before anybody searches it, for what isn't linked is scanned.
  Status Link() {
    vector::SearchScratch scratch;
    for (bool left = true; left || binding_.index->unlinked() > 0;) {
      RETURN_IF_ERROR(interrupt_());
      for (int i = 0; i < kLinksAStep && left; ++i) left = binding_.index->LinkOne(&scratch);
      if (!left) std::this_thread::yield();    // others link the last ones
    }
    std::lock_guard lock(store_->sequencer.mutex());
    binding_.index->SetUsableFrom(store_->sequencer.last());
    return Status::Ok();
  }

  Status Switch(const VectorChange& change) {
    const IndexId id = binding_.definition->id;
    TransactionImpl transaction(store_, false);
    transaction.ReplaceVectorAtCommit(id, binding_.index);
    transaction.ChangeSchemaAtCommit([&](SchemaVersion* version) -> Result<bool> {
      const IndexDefinition* definition = version->FindIndex(id);
      if (definition == nullptr) {
        return Status(Code::kSchemaNotFound, "the index '" + binding_.definition->name + "' was dropped while it was rebuilt").Detail("IndexNotFound");
      }
      const std::string name = definition->name;
      RETURN_IF_ERROR(ChangeVectorIndex(version, name, change).status());
      return true;
    });
    return transaction.Commit().status();
  }

  StoreState* const store_;
  const vector::FunctionRef<Status()> interrupt_;
  std::shared_ptr<const SchemaState> schema_;  // whose the definition is
  VectorBinding binding_{};                    // of the fresh one
  std::shared_ptr<VectorIndex> old_;           // null: not begun
};

Status RunRebuild(StoreState* store, IndexId index, const VectorChange& change, vector::FunctionRef<Status()> interrupt) try {
  return Rebuild(store, interrupt).Run(index, change);
} catch (const ReadFailure& failure) {
  return failure.status();
} catch (const Interruption& interruption) {
  return interruption.status();
} catch (const std::bad_alloc&) {
  return Status(Code::kResourceExhausted, "no memory to rebuild the vector index");
}

}  // namespace

Status RebuildVectorIndex(StoreState* store, IndexId index, vector::FunctionRef<Status()> interrupt) {
  return RunRebuild(store, index, [](VectorIndexOptions*) { return Status::Ok(); }, interrupt);
}

Status AlterBuiltIndex(StoreState* store, std::string_view name, const std::function<Status(VectorIndexOptions*)>& change) {
  std::shared_ptr<const SchemaState> schema;
  {
    std::lock_guard lock(store->sequencer.mutex());
    schema = store->schemas.newest();
  }
  const IndexDefinition* definition = schema->version->FindIndex(name);
  if (definition == nullptr || schema->FindVector(definition->id) == nullptr) {
    return Status(Code::kSchemaNotFound, "there is no vector index called '" + std::string(name) + "'").Detail("IndexNotFound");
  }
  const auto interrupt = [] {
    LookForInterrupt();
    return Status::Ok();
  };
  RETURN_IF_ERROR(schema->FindVector(definition->id)->index->AwaitLoaded(interrupt));
  RETURN_IF_ERROR(RunRebuild(store, definition->id, change, interrupt));
  const Uninterrupted decided;
  // So that an opening needn't make it again. Done is done: if this fails, the next checkpoint or an opening sees to it.
  if (store->checkpointer != nullptr) static_cast<void>(store->checkpointer->Run().ok());
  return Status::Ok();
}

}  // namespace fornix::storage
