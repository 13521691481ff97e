#include "storage/index/vector_fill.h"

#include "base/interrupt.h"
#include "base/read_failure.h"
#include "storage/graph/overlay.h"
#include "storage/index/own_vectors.h"
#include "storage/index/vector_sample.h"
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
  const auto interrupt = [this] { return stop_ ? Status(Code::kCancelled, "the database is being closed") : Status::Ok(); };
  Status failed;
  for (const VectorBinding& binding : schema.vectors) {
    if (binding.index->usable_from() != kNever || !binding.index->failure().ok() || binding.index->given_up()) continue;
    const Status status = FillFromBase(store_, binding, base, interrupt);
    if (stop_) return Status::Ok();
    if (status.code() == Code::kCancelled) continue;   // it was dropped
    if (!status.ok()) {
      // It is answered by scans from now on, and SHOW INDEXES says why.
      const Status named(status.code(), "vector index '" + binding.definition->name + "' is not filled: " + status.message());
      binding.index->SetFailure(named);
      if (failed.ok()) failed = named;
      continue;
    }
    {
      std::lock_guard lock(store_->sequencer.mutex());
      binding.index->SetUsableFrom(store_->sequencer.last());
    }
    store_->linker.Brought(binding.index, 0);
  }
  return not_loaded.ok() ? failed : not_loaded;
}

namespace {

class Filler {
 public:
  Filler(StoreState* store, const VectorBinding& binding, const std::shared_ptr<const Base>& base, vector::FunctionRef<Status()> interrupt)
      : store_(store), binding_(binding), definition_(*binding.definition), base_(base), interrupt_(interrupt) {}

  template <typename Id>
  Status Fill() {
    uint64_t expected = 0;
    for (uint32_t token : definition_.tokens) expected += Count(Id(), token);
    binding_.index->SetExpected(expected);
    for (uint32_t token : definition_.tokens) {
      for (uint64_t ids[kBatch], from = 0; size_t n = Scan(Id(), token, from, ids);) {
        if (interrupt_) RETURN_IF_ERROR(interrupt_());
        from = ids[n - 1] + 1;
        RETURN_IF_ERROR(Bring<Id>({ids, n}));
      }
    }
    return Status::Ok();
  }

 private:
  static constexpr size_t kBatch = 64;
  uint64_t Count(NodeId, uint32_t token) const { return base_->LabelCount(LabelId(token)); }
  uint64_t Count(RelId, uint32_t token) const { return base_->TypeCount(TypeId(token)); }
  size_t Scan(NodeId, uint32_t token, uint64_t from, uint64_t* ids) const { return base_->Nodes(LabelId(token), from, ids, kBatch); }
  size_t Scan(RelId, uint32_t token, uint64_t from, uint64_t* ids) const { return base_->Relationships(TypeId(token), from, ids, kBatch); }

  template <typename Id>
  Status Bring(std::span<const uint64_t> ids) {
    VectorIndex& index = *binding_.index;
    // Read before the mutex is taken, for reads may wait for the disk; what they bring into the cache is read again below.
    std::vector<Id> wanted;
    for (uint64_t id : ids) wanted.emplace_back(id);
    std::vector<std::vector<float>> vectors(ids.size());
    uint32_t longest = 0;
    base_->GatherFloats(wanted, definition_.properties[0], [&](size_t i, std::span<const float> v) {
      vectors[i].assign(v.begin(), v.end());
      longest = std::max(longest, static_cast<uint32_t>(v.size()));
    });
    uint64_t held = 0, stored = 0;
    RETURN_IF_ERROR(index.HoldRoom(ids.size(), index.dimensions() != 0 ? index.dimensions() : longest, &held));
    Status status;
    try {
      std::lock_guard lock(store_->sequencer.mutex());
      status = Wanted();
      if (status.ok()) stored = StoreAll<Id>(wanted, &vectors);
    } catch (...) {
      index.ReleaseRoom(held);
      throw;
    }
    index.ReleaseRoom(held);
    RETURN_IF_ERROR(status);
    store_->linker.Brought(binding_.index, stored);
    return Status::Ok();
  }
  // Under the mutex.
  Status Wanted() const {
    const VectorBinding* newest = store_->schemas.newest()->FindVector(definition_.id);
    if (newest != nullptr && (newest->index == binding_.index || newest->index->successor() == binding_.index)) return Status::Ok();
    return Status(Code::kCancelled, "the index was dropped");
  }
  template <typename Id>
  uint64_t StoreAll(std::span<const Id> ids, std::vector<std::vector<float>>* vectors) {
    const WriteSet none;
    const Layers& layers = *store_->generations.current();
    const Overlay head(layers, store_->sequencer.last(), &none);
    if (!std::exchange(sampled_, true)) BeginAtCentre(binding_, head);
    uint64_t stored = 0;
    for (size_t i = 0; i < ids.size(); ++i) {
      std::vector<float>& v = (*vectors)[i];
      if (v.empty() || binding_.index->HasLive(ids[i].value)) continue;
      if (head.ChangedSinceBase(ids[i]) || layers.base != base_) {
        const SeenImage seen = ImageOf(head, definition_.entity, ids[i].value);
        if (!VectorOf(definition_, seen.image(), &v)) continue;
      }
      if (!binding_.index->Validate(v, binding_.index->dimensions()).ok()) continue;   // was there before the index, and is no vector of it
      binding_.index->Stamp(binding_.index->Store(ids[i].value, v), base_->timestamp());
      ++stored;
    }
    return stored;
  }

  StoreState* const store_;
  const VectorBinding& binding_;
  const IndexDefinition& definition_;
  const std::shared_ptr<const Base> base_;
  const vector::FunctionRef<Status()> interrupt_;
  bool sampled_ = false;
};

}  // namespace

Status FillFromBase(StoreState* store, const VectorBinding& binding, const std::shared_ptr<const Base>& base,
                    vector::FunctionRef<Status()> interrupt) {
  Filler filler(store, binding, base, interrupt);
  return binding.definition->entity == EntityKind::kNode ? filler.Fill<NodeId>() : filler.Fill<RelId>();
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
