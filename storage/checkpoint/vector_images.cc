#include "storage/checkpoint/vector_images.h"

#include "base/check.h"

namespace fornix::storage {

void VectorImages::AwaitLoads(const SchemaState& schema, std::mutex* sequencer, bool closing) {
  for (const VectorBinding& binding : schema.vectors) {
    if (!binding.index->loading()) continue;
    if (closing) {
      std::lock_guard lock(*sequencer);
      if (!binding.index->any_pending()) continue;
    }
    static_cast<void>(binding.index->AwaitLoaded({}).ok());   // how it ended is looked at when it is captured
  }
}

bool VectorImages::Behind(const SchemaState& schema) {
  for (const VectorBinding& binding : schema.vectors) {
    if (binding.index->ImageBehind()) return true;
  }
  return false;
}

void VectorImages::Capture(const SchemaState& schema, Timestamp ts) {
  timestamp_ = ts;
  captured_.clear();
  for (const VectorBinding& binding : schema.vectors) {
    VectorIndex& index = *binding.index;
    const bool keep = index.loading();
    CHECK(!keep || !index.any_pending());
    captured_.push_back({binding.definition->id, binding.index, index.size(), index.usable_from() != kNever, keep});
    index.KeepEndedAfter(ts);
  }
}

Status VectorImages::Write(ExtentFile* file, const SchemaState& newest, bool closing, std::map<uint32_t, ExtentRef>* directories) {
  std::map<uint32_t, ExtentRef> written;
  for (const Captured& one : captured_) {
    if (newest.FindVector(one.id) == nullptr || one.index->given_up()) continue;
    const auto before = directories->find(one.id.value);
    if (one.keep) {
      if (before != directories->end()) written.insert(*before);
      continue;
    }
    RETURN_IF_ERROR(WriteOne(file, one, closing, &written[one.id.value]));
    // The image that was there and isn't this object's: of an index that was filled anew.
    if (before != directories->end() && !fresh_.empty() && fresh_.back().first == one.index) FreeVectorImage(file, one.id, before->second);
  }
  for (const auto& [id, directory] : *directories) {
    if (!written.contains(id)) FreeVectorImage(file, IndexId(id), directory);
  }
  *directories = std::move(written);
  return Status::Ok();
}

Status VectorImages::WriteOne(ExtentFile* file, const Captured& one, bool closing, ExtentRef* directory) {
  VectorIndex& index = *one.index;
  VectorImage* image = index.image();
  if (image == nullptr) {
    fresh_.emplace_back(one.index, std::make_unique<VectorImage>(one.id));
    image = fresh_.back().second.get();
  }
  const std::lock_guard lock(index.image_mutex());
  VectorImage::Source source;
  source.graph = one.rows == 0 ? nullptr : index.graph_for_image();
  source.timestamp = timestamp_;
  source.complete = one.complete;
  source.rows = one.rows;
  source.live = [&](uint32_t slot, uint64_t* id) {
    const VectorIndex::Row row = index.RowAt(slot);
    *id = row.id;
    return row.begin <= timestamp_ && timestamp_ < row.end;
  };
  source.repairs = index.repairs();
  source.closing = closing;
  ASSIGN_OR_RETURN(*directory, image->Write(file, source));
  return Status::Ok();
}

void VectorImages::Committed() {
  for (auto& [index, image] : fresh_) index->SetImage(std::move(image));
  fresh_.clear();
  for (const Captured& one : captured_) {
    one.index->KeepEndedAfter(kNever);
    VectorImage* image = one.index->image();
    if (image == nullptr || one.keep) continue;
    image->Committed();
    one.index->SetImaged(image->complete(), image->linked());
  }
  captured_.clear();
}

// What was captured stays so: the next attempt is of the same generation.
void VectorImages::Abandoned() {
  fresh_.clear();
  for (const Captured& one : captured_) {
    if (VectorImage* image = one.index->image()) image->Abandoned();
  }
}

}  // namespace fornix::storage
