#include "storage/process/read_only_files.h"

#include <algorithm>

#include "base/errors.h"
#include "storage/checkpoint/catalog.h"

namespace fornix::storage {

ReadOnlyFiles::ReadOnlyFiles(FileSystem& files, std::string path, StoreState* store)
    : files_(files), path_(std::move(path)), store_(store), recovery_(store) {}

Result<std::unique_ptr<ReadOnlyFiles>> ReadOnlyFiles::Open(FileSystem& files, const std::string& path, StoreState* store) {
  ASSIGN_OR_RETURN(const FileKind kind, files.Kind(path));
  if (kind == FileKind::kNone) return IoError(path + ": there is no such database, and opening for reading doesn't make one");
  std::unique_ptr<ReadOnlyFiles> opened(new ReadOnlyFiles(files, path, store));
  ASSIGN_OR_RETURN(opened->reader_, Reader::Open(files, path));
  // Once now, so that damage is told by the opening.
  RETURN_IF_ERROR(opened->Begin([] {}));
  opened->Ended();
  return opened;
}

Status ReadOnlyFiles::Begin(const std::function<void()>& begin) {
  std::lock_guard lock(mutex_);
  Status status;
  try {
    status = reader_->Refresh(*this, OldestRootSeq()).status();
  } catch (const ReadFailure& failure) {
    status = failure.status();
  }
  if (!status.ok()) return reader_->Explain(status);
  ++open_;
  begin();
  return Status::Ok();
}

void ReadOnlyFiles::Ended() {
  std::lock_guard lock(mutex_);
  // Not being able to say that nothing is pinned costs the writer space, and nobody an answer.
  --open_;
  if (!Reading()) static_cast<void>(reader_->Pin(kNever).ok());
}

uint64_t ReadOnlyFiles::OldestRootSeq() {
  uint64_t oldest = kNever;
  if (!Reading()) return oldest;
  for (const Source& source : sources_) {
    if (!source.base.expired()) oldest = std::min(oldest, source.root_seq);
  }
  return oldest;
}

// While images are read the root stays pinned, as if a transaction were open.
ImagesToLoad ReadOnlyFiles::VectorsToLoad(const BaseRoots& roots, const Source& source, const std::shared_ptr<const Base>& base) {
  ImagesToLoad images{source.extents.get(), roots.vectors, base, {}, {}};
  images.in_place = [this] { return reader_->registered(); };
  images.ended = [this](const std::atomic<bool>& stop) {
    while (!stop) {                            // who stops it has the mutex
      if (const std::unique_lock lock(mutex_, std::try_to_lock); lock.owns_lock()) {
        if (!Reading()) static_cast<void>(reader_->Pin(kNever).ok());
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  return images;
}

Status ReadOnlyFiles::Reset(const Root& root) {
  store_->StartAnew();
  // The newest base went with that, unless a snapshot holds it.
  std::erase_if(sources_, [](const Source& source) { return source.base.expired(); });
  if (root.catalog.none()) return Status::Ok();
  Source source;
  source.root_seq = root.seq;
  ASSIGN_OR_RETURN(std::unique_ptr<File> file, files_.Open(path_, {}));
  source.extents = ExtentFile::Open(std::move(file), root.free_map, root.file_pages);
  source.cache = std::make_unique<FrameCache>(store_->budget);
  std::vector<ExtentRef> links;
  ASSIGN_OR_RETURN(const StoredCatalog catalog, ReadCatalog(*source.extents, root.catalog, &links));
  const std::shared_ptr<const Base> base = OpenBase({source.extents.get(), source.cache.get(), &store_->label_sets}, catalog.base);
  source.base = base;
  sources_.push_back(std::move(source));
  RETURN_IF_ERROR(recovery_.ApplyCatalog(catalog.record, path_ + " catalog", base, catalog.base.vectors));
  store_->load.Start(store_, store_->schemas.newest(), VectorsToLoad(catalog.base, sources_.back(), base), true);
  store_->fill.Restart(store_, store_->schemas.newest(), true);
  return Status::Ok();
}

}  // namespace fornix::storage
