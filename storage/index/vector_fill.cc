#include "storage/index/vector_fill.h"

#include "base/interrupt.h"
#include "base/read_failure.h"
#include "storage/graph/overlay.h"
#include "storage/index/own_vectors.h"
#include "storage/store_state.h"

namespace fornix::storage {

void VectorFill::Start(StoreState* store, std::shared_ptr<const SchemaState> schema, bool background) {
  store_ = store;
  bool any = false;
  for (const VectorBinding& binding : schema->vectors) any = any || binding.index->usable_from() == kNever;
  if (!any) return;
  running_ = true;
  auto run = [this, schema = std::move(schema)] {
    Status status;
    try {
      status = FillAll(*schema);
    } catch (const ReadFailure& failure) {
      status = failure.status();
    } catch (const std::bad_alloc&) {
      status = Status(Code::kResourceExhausted, "no memory to fill the vector indexes");
    }
    std::lock_guard lock(mutex_);
    status_ = status;
    running_ = false;
    changed_.notify_all();
  };
  if (background) {
    thread_ = std::thread(std::move(run));
  } else {
    run();
  }
}

void VectorFill::Restart(StoreState* store, std::shared_ptr<const SchemaState> schema, bool background) {
  Stop();
  stop_ = false;
  status_ = Status::Ok();
  Start(store, std::move(schema), background);
}

Status VectorFill::FillAll(const SchemaState& schema) {
  // What is loaded may be complete; what it isn't is filled up.
  Status not_loaded;
  for (const VectorBinding& binding : schema.vectors) {
    const Status loaded = binding.index->AwaitLoaded([this] { return stop_ ? Status(Code::kCancelled, "stopped") : Status::Ok(); });
    if (stop_) return Status::Ok();
    if (not_loaded.ok()) not_loaded = loaded;
  }
  std::shared_ptr<const Base> base;
  {
    std::lock_guard lock(store_->sequencer.mutex());
    base = store_->generations.current()->base;
  }
  for (const VectorBinding& binding : schema.vectors) {
    if (binding.index->usable_from() != kNever || binding.index->given_up()) continue;
    for (uint32_t token : binding.definition->tokens) RETURN_IF_ERROR(FillToken(binding, token, base));
    if (stop_) return Status::Ok();
    {
      std::lock_guard lock(store_->sequencer.mutex());
      binding.index->SetUsableFrom(store_->sequencer.last());
    }
    store_->linker.Brought(binding.index, 0);
  }
  return not_loaded;
}

Status VectorFill::FillToken(const VectorBinding& binding, uint32_t token, std::shared_ptr<const Base> base) {
  constexpr size_t kBatch = 64;
  uint64_t ids[kBatch], from = 0;
  while (!stop_) {
    const size_t n = binding.definition->entity == EntityKind::kNode ? base->Nodes(LabelId(token), from, ids, kBatch)
                                                                     : base->Relationships(TypeId(token), from, ids, kBatch);
    if (n == 0) return Status::Ok();
    from = ids[n - 1] + 1;
    Bring(binding, base, {ids, n});
  }
  return Status::Ok();
}

void VectorFill::Bring(const VectorBinding& binding, const std::shared_ptr<const Base>& base, std::span<const uint64_t> ids) {
  const IndexDefinition& definition = *binding.definition;
  // Read before the mutex is taken, for reads may wait for the disk; what they bring into the cache is read again below.
  std::vector<Value> values(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    values[i] = definition.entity == EntityKind::kNode ? base->Property(NodeId(ids[i]), definition.properties[0])
                                                       : base->Property(RelId(ids[i]), definition.properties[0]);
  }
  std::vector<float> v;
  std::lock_guard lock(store_->sequencer.mutex());
  const WriteSet none;
  const Layers& layers = *store_->generations.current();
  const Overlay head(layers, store_->sequencer.last(), &none);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (values[i].is_null() || binding.index->HasLive(ids[i])) continue;
    const bool changed = definition.entity == EntityKind::kNode ? head.ChangedSinceBase(NodeId(ids[i])) : head.ChangedSinceBase(RelId(ids[i]));
    if (changed || layers.base != base) {
      const SeenImage seen = ImageOf(head, definition.entity, ids[i]);
      if (!VectorOf(definition, seen.image(), &v)) continue;
    } else if (!FloatsOf(values[i], &v) || v.empty()) {
      continue;
    }
    if (!binding.index->Validate(v, binding.index->dimensions()).ok()) continue;   // was there before the index, and is no vector of it
    binding.index->Stamp(binding.index->Store(ids[i], v), base->timestamp());
  }
}

Status VectorFill::Await() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, std::chrono::milliseconds(kInterruptWaitMillis), [this] { return !running_ || stop_; })) LookForInterrupt();
  return status_;
}

void VectorFill::Stop() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace fornix::storage
