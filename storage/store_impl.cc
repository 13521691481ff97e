// The store: opens, hands out transactions, closes. What it is made of is in store_state.h.
#include "storage/store.h"
#include "storage/index/tree/index_tree.h"
#include "storage/process/read_only_files.h"
#include "storage/stats/type_sampler.h"
#include "storage/store_files.h"
#include "storage/store_state.h"
#include "storage/txn/online_schema.h"
#include "storage/txn/transaction_impl.h"

namespace fornix::storage {
namespace {

class StoreImpl final : public Store, private Statistics {
 public:
  ~StoreImpl() override {
    if (finisher_.joinable()) finisher_.join();
    state_.keeper.Stop();
    state_.load.Stop();
    state_.fill.Stop();
    state_.linker.Stop();
    if (files_ != nullptr) files_->checkpointer().Stop();
    state_.log.reset();                        // writes what is queued, while the lock is held
  }
  Status Open(FileSystem& files, const std::string& path, const StoreOptions& options) {
    state_.budget = options.budget;
    if (state_.budget == nullptr) {
      own_budget_ = std::make_unique<MemoryBudget>(DefaultMemoryBudget());
      state_.budget = own_budget_.get();
    }
    state_.generations.SetBudget(state_.budget);
    state_.read_only = options.read_only;
    state_.async = options.async;
    state_.linker.set_background(options.background_threads);
    state_.keeper.set_background(options.background_threads);
    if (path == ":memory:") return Status::Ok();
    if (options.read_only) {
      ASSIGN_OR_RETURN(reader_, ReadOnlyFiles::Open(files, path, &state_));
      state_.ended = [this] { reader_->Ended(); };
      return Status::Ok();
    }
    ASSIGN_OR_RETURN(files_, StoreFiles::Open(files, path, options, &state_));
    const std::shared_ptr<const SchemaState>& schema = state_.schemas.newest();
    state_.linker.set_idle([this] { files_->checkpointer().MadeVectors(); });
    state_.load.Start(&state_, schema, files_->VectorsToLoad(), options.background_threads);
    state_.fill.Start(&state_, schema, options.background_threads);
    if (const DeferredSchema left = Unfinished(*schema->version); !left.empty()) {
      // Its errors took the index back; there is nobody to tell.
      finisher_ = std::thread([this, left] { static_cast<void>(FinishSchema(&state_, left, true).ok()); });
    }
    for (const VectorBinding& binding : schema->vectors) state_.linker.Brought(binding.index, 0);
    return Status::Ok();
  }

  Result<std::unique_ptr<Transaction>> Begin(bool read_only) override {
    RETURN_IF_ERROR(CheckProcess(state_.process));
    std::unique_ptr<Transaction> begun;
    auto begin = [&] { begun = std::make_unique<TransactionImpl>(&state_, read_only); };
    if (reader_ != nullptr) {
      RETURN_IF_ERROR(reader_->Begin(begin));
    } else {
      begin();
    }
    return begun;
  }
  const Tokens& tokens() const override { return state_.tokens; }
  std::shared_ptr<const SchemaVersion> schema() const override {
    const auto held = HoldReader();
    std::lock_guard lock(state_.sequencer.mutex());
    return state_.schemas.At(state_.sequencer.visible())->version;
  }
  const Statistics& statistics() const override { return *this; }
  Status AwaitIndexes() override {
    // Range indexes are full when their creation returns.
    RETURN_IF_ERROR(state_.fill.Await());
    state_.linker.Await();
    state_.keeper.Await();
    return Status::Ok();
  }
  Result<CheckpointReport> Checkpoint() override {
    if (files_ == nullptr) return CheckpointReport{};
    return files_->checkpointer().Run();
  }
  Status Close() override {
    if (finisher_.joinable()) finisher_.join();
    state_.keeper.Stop();
    state_.fill.Stop();
    state_.linker.Stop();
    reader_.reset();
    if (files_ == nullptr) return Status::Ok();
    Status status = files_->Close();
    state_.load.Stop();
    state_.log.reset();
    files_.reset();                            // and with it the lock
    return status;
  }

 private:
  // Opened for reading, between two transactions' beginnings: in one of them everything may be replaced.
  std::unique_lock<std::mutex> HoldReader() const { return reader_ == nullptr ? std::unique_lock<std::mutex>() : reader_->Hold(); }
  // Statistics: as of the newest visible commit. A count's history is trimmed under the mutex, so it is read there too; the base
  // is read behind it.
  template <typename InDelta, typename InBase>
  uint64_t Count(InDelta&& in_delta, InBase&& in_base) const {
    const auto held = HoldReader();
    std::shared_ptr<const Base> base;
    {
      std::lock_guard lock(state_.sequencer.mutex());
      const Layers& layers = *state_.generations.current();
      const Timestamp s = state_.sequencer.visible();
      const CountVersion* version = in_delta(*layers.active, s);
      if (version == nullptr && layers.frozen != nullptr) version = in_delta(*layers.frozen, s);
      if (version != nullptr) return static_cast<uint64_t>(version->value);
      base = layers.base;
    }
    return in_base(*base);
  }
  uint64_t NodeCount() const override {
    return Count([](const Delta& d, Timestamp s) { return d.NodeCountAt(s); }, [](const Base& b) { return b.NodeCount(); });
  }
  uint64_t LabelCount(LabelId label) const override {
    return Count([&](const Delta& d, Timestamp s) { return d.LabelCountAt(label, s); }, [&](const Base& b) { return b.LabelCount(label); });
  }
  uint64_t RelationshipCount() const override {
    return Count([](const Delta& d, Timestamp s) { return d.RelationshipCountAt(s); }, [](const Base& b) { return b.RelationshipCount(); });
  }
  uint64_t TypeCount(TypeId type) const override {
    return Count([&](const Delta& d, Timestamp s) { return d.TypeCountAt(type, s); }, [&](const Base& b) { return b.TypeCount(type); });
  }
  // Different keys of the layers, as if they had none in common, but no more than there are entries.
  uint64_t DistinctKeys(IndexId index) const override {
    const auto held = HoldReader();
    std::shared_ptr<const Base> base;
    int64_t live = 0;
    uint64_t distinct = 0;
    {
      std::lock_guard lock(state_.sequencer.mutex());
      const Layers& layers = *state_.generations.current();
      for (const Delta* delta : {layers.active.get(), layers.frozen.get()}) {
        const RangeIndex* list = delta == nullptr ? nullptr : delta->RangeOf(index);
        if (list == nullptr) continue;
        live += list->live();
        distinct += list->distinct();
      }
      base = layers.base;
    }
    if (const IndexTree* tree = base->Tree(index)) {
      live += static_cast<int64_t>(tree->root().entries);
      distinct += tree->root().distinct;
    }
    return std::max<uint64_t>(1, std::min(distinct, static_cast<uint64_t>(std::max<int64_t>(live, 0))));
  }

  std::shared_ptr<const TypeSample> Sample(TypeId type) const override {
    const uint64_t count = TypeCount(type);
    if (count == 0) return nullptr;
    return sampler_.Get(type, count, Epoch(), [&] {
      auto* self = const_cast<StoreImpl*>(this);
      auto begun = self->Begin(true);
      return begun.ok() ? TakeSample((*begun)->view(), type, count) : TypeSample{{}, 0, count};
    });
  }
  uint64_t Epoch() const override {
    return epoch_.Now(NodeCount() + RelationshipCount(), state_.sequencer.visible(), [&] {
      std::vector<uint64_t> counts = {NodeCount(), RelationshipCount()};
      // Labels and types in turn, so that a new one of either moves none of the other to another place while the smaller list grows.
      const size_t labels = state_.tokens.labels.size(), types = state_.tokens.types.size();
      for (uint32_t i = 0; i < std::max(labels, types); ++i) {
        counts.push_back(i < labels ? LabelCount(LabelId(i)) : 0);
        counts.push_back(i < types ? TypeCount(TypeId(i)) : 0);
      }
      return counts;
    });
  }

  std::unique_ptr<MemoryBudget> own_budget_;
  mutable TypeSampler sampler_;
  mutable EpochOfCounts epoch_;
  mutable StoreState state_;
  std::unique_ptr<StoreFiles> files_;          // null: in memory, or read only
  std::unique_ptr<ReadOnlyFiles> reader_;
  std::thread finisher_;                       // of indexes that a crash left POPULATING
};

}  // namespace

Result<std::unique_ptr<Store>> Store::Open(FileSystem& files, const std::string& path, const StoreOptions& options) {
  auto store = std::make_unique<StoreImpl>();
  RETURN_IF_ERROR(store->Open(files, path, options));
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace fornix::storage
