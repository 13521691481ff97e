#include "storage/index/vector_load.h"

#include "base/errors.h"
#include "base/read_failure.h"
#include "storage/index/vector_image.h"
#include "storage/store_state.h"

namespace fornix::storage {

void VectorLoad::Start(StoreState* store, std::shared_ptr<const SchemaState> schema, ImagesToLoad images, bool background) {
  store_ = store;
  images_ = std::move(images);
  stop_ = false;
  bool any = false;
  for (const VectorBinding& binding : schema->vectors) any = any || binding.index->loading();
  if (!any) {
    images_ = {};
    return;
  }
  running_ = true;
  auto run = [this, schema = std::move(schema)] {
    LoadAll(*schema);
    running_ = false;
    if (images_.ended) images_.ended(stop_);
  };
  if (background) {
    thread_ = std::thread(std::move(run));
  } else {
    run();
    images_ = {};
  }
}

void VectorLoad::Stop() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
  images_ = {};
}

void VectorLoad::LoadAll(const SchemaState& schema) {
  for (const VectorBinding& binding : schema.vectors) {
    if (binding.index->loading()) LoadOne(binding);
  }
}

void VectorLoad::LoadOne(const VectorBinding& binding) {
  Status status;
  try {
    status = Read(binding);
  } catch (const ReadFailure& failure) {
    status = failure.status();
  } catch (const std::bad_alloc&) {
    status = Status(Code::kResourceExhausted, "no memory for its rows");
  }
  if (status.ok()) {
    store_->linker.Brought(binding.index, 0);
    store_->keeper.Look(binding.index);
    return;
  }
  // Stopped, or written over by another process, or a disk or memory that fails today: elements are scanned instead. Only damage is told, for
  // it stays.
  const Status named(status.code(), "vector index '" + binding.definition->name + "': " + status.message());
  const bool damaged = status.code() == Code::kCorruption && !stop_ && (!images_.in_place || images_.in_place());
  if (!damaged && !stop_) binding.index->SetFailure(named);
  status = damaged ? named : Status::Ok();
  binding.index->GiveUpLoading(&store_->sequencer.mutex(), status);
}

Status VectorLoad::Read(const VectorBinding& binding) {
  const IndexId id = binding.definition->id;
  VectorIndex& index = *binding.index;
  const ExtentRef& first = images_.directories.at(id.value);
  std::vector<ExtentRef> links;
  ASSIGN_OR_RETURN(VectorDirectory directory, ReadVectorDirectory(*images_.file, id, first, &links));
  const vector::HnswOptions& options = directory.options;
  const auto other = [&](const char* what, uint64_t found, uint64_t expected) {
    return Corruption(images_.file->path() + ": its image has " + what + " " + std::to_string(found) + ", expected " + std::to_string(expected));
  };
  if (directory.head.slots != 0) {
    if (options.dimensions != index.dimensions()) return other("dimensions", options.dimensions, index.dimensions());
    const vector::Metric metric = VectorMetric(binding.definition->vector.metric);
    if (options.metric != metric) return other("metric", static_cast<uint64_t>(options.metric), static_cast<uint64_t>(metric));
    const VectorIndexOptions& expected = index.options();
    if (options.quantization != expected.quantization) {
      return other("quantization", static_cast<uint64_t>(options.quantization), static_cast<uint64_t>(expected.quantization));
    }
    if (options.m != expected.m) return other("m", options.m, expected.m);
    if (options.ef_construction != expected.ef_construction) return other("ef_construction", options.ef_construction, expected.ef_construction);
  }
  const auto go_on = [this](double) { return stop_ ? Status(Code::kCancelled, "stopped") : Status::Ok(); };
  ASSIGN_OR_RETURN(LoadedVectors loaded, LoadVectors(*images_.file, id, directory, go_on));
  const Timestamp ts = directory.timestamp;
  const bool complete = directory.complete;
  auto image = std::make_unique<VectorImage>(id, first, std::move(links), std::move(directory), loaded);
  index.Adopt(std::move(loaded.graph), loaded.ids, loaded.live, ts);
  index.FinishLoading(&store_->sequencer.mutex(), ts, complete, std::move(image));
  return Status::Ok();
}

}  // namespace fornix::storage
