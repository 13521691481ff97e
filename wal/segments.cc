// Making, naming, recycling and removing segment files.
#include "wal/segments.h"

#include <algorithm>

#include "base/check.h"
#include "base/coding.h"
#include "base/random.h"

namespace fornix::wal {

Segments::Segments(FileSystem& fs, std::string dir, const Uuid& uuid, uint64_t generation, uint64_t bytes_first,
                   uint64_t bytes_max)
    : fs_(fs), dir_(std::move(dir)), uuid_(uuid), generation_(generation), bytes_first_(bytes_first),
      bytes_max_(bytes_max) {}

uint64_t Segments::NextBytes(uint64_t bytes) const { return std::clamp(bytes * 2, bytes_first_, bytes_max_); }

// An empty file with its blocks reserved, so that a full disk is met here.
Status Segments::NewSpare(uint64_t bytes, Spare* spare) {
  const std::string path = Path(SpareName(generation_));
  ASSIGN_OR_RETURN(const FileKind kind, fs_.Kind(path));
  if (kind != FileKind::kNone) RETURN_IF_ERROR(fs_.RemoveFile(path));
  OpenOptions options;
  options.write = options.create = options.exclusive = true;
  ASSIGN_OR_RETURN(spare->file, fs_.Open(path, options));
  spare->bytes = bytes;
  spare->zeroed = 0;
  return spare->file->Preallocate(bytes);
}

bool Segments::HasSpare(uint64_t bytes) const {
  std::lock_guard lock(mutex_);
  return spare_.file != nullptr && spare_.bytes == bytes && spare_.zeroed == bytes;
}

bool Segments::PrepareStep(uint64_t bytes) {
  Spare spare;
  {
    std::lock_guard lock(mutex_);
    if (busy_) return true;
    if (spare_.file != nullptr && spare_.bytes == bytes && spare_.zeroed == bytes) return true;
    busy_ = true;
    spare = std::move(spare_);
  }
  Status status;
  if (spare.file == nullptr || spare.bytes != bytes) status = NewSpare(bytes, &spare);
  if (status.ok()) {
    const uint64_t step = std::min<uint64_t>(kLogZeroStepBytes, spare.bytes - spare.zeroed);
    status = spare.file->WriteZeros(spare.zeroed, step);
    // Synced step by step: a commit then waits for one step and not for the whole file.
    if (status.ok()) status = spare.file->Sync();
    spare.zeroed += step;
  }
  std::lock_guard lock(mutex_);
  busy_ = false;
  const bool done = !status.ok() || spare.zeroed == spare.bytes;
  if (status.ok()) spare_ = std::move(spare);
  idle_.notify_all();
  return done;
}

// Until it is given back, nobody else touches the spare's name.
class Segments::HeldSpare {
 public:
  explicit HeldSpare(Segments* segments) : segments_(segments) {
    std::unique_lock lock(segments_->mutex_);
    segments_->idle_.wait(lock, [&] { return !segments_->busy_; });
    segments_->busy_ = true;
  }
  ~HeldSpare() {
    std::lock_guard lock(segments_->mutex_);
    segments_->busy_ = false;
    segments_->idle_.notify_all();
  }

 private:
  Segments* const segments_;
};

// REQUIRES: busy_ is this thread's.
Result<Segments::Spare> Segments::TakeSpare(uint64_t bytes) {
  Spare spare;
  {
    std::lock_guard lock(mutex_);
    spare = std::exchange(spare_, {});
  }
  if (spare.file == nullptr || spare.bytes != bytes) RETURN_IF_ERROR(NewSpare(bytes, &spare));
  if (spare.zeroed < bytes) {
    RETURN_IF_ERROR(spare.file->WriteZeros(spare.zeroed, bytes - spare.zeroed));
    spare.zeroed = bytes;
  }
  return spare;
}

Result<OpenSegment> Segments::Make(uint64_t number, uint64_t bytes, Lsn first_lsn, bool continues,
                                   const std::vector<std::vector<std::byte>>& copies) {
  uint64_t copied = kSegmentDataOffset;
  for (const auto& body : copies) copied += AlignUp(kFrameHeaderBytes + body.size(), kFrameAlignment);
  copied = AlignUp(copied, kLogSectorBytes);
  if (!copies.empty()) bytes = std::max(bytes, copied);
  // Held until the file has its own name: a next spare made meanwhile, or a segment recycled, would take this one's place.
  const HeldSpare held(this);
  ASSIGN_OR_RETURN(Spare spare, TakeSpare(bytes));

  SegmentHeader header;
  header.uuid = uuid_;
  header.generation = generation_;
  header.segment = number;
  header.segment_bytes = bytes;
  header.salt = SystemRandom64();
  header.first_lsn = first_lsn;
  header.continues = continues;
  std::byte sector[kLogSectorBytes];
  EncodeSegmentHeader(header, sector);
  RETURN_IF_ERROR(spare.file->WriteAt(0, sector));

  if (!copies.empty()) {
    std::vector<std::byte> frames(copied - kSegmentDataOffset);
    size_t at = 0;
    for (Lsn lsn = first_lsn; const auto& body : copies) {
      FrameHeader frame;
      frame.lsn = lsn;
      frame.undurable = static_cast<uint32_t>(lsn - first_lsn + 1);
      EncodeFrame(frame, body, header.salt, frames.data() + at);
      at += AlignUp(kFrameHeaderBytes + body.size(), kFrameAlignment);
      ++lsn;
    }
    RETURN_IF_ERROR(spare.file->WriteAt(kSegmentDataOffset, frames));
  }
  RETURN_IF_ERROR(spare.file->Sync());
  const std::string path = Path(SegmentName(generation_, number));
  RETURN_IF_ERROR(fs_.Rename(Path(SpareName(generation_)), path));
  // Before the first record: an acknowledged record in a file without a durable name would be lost with it.
  RETURN_IF_ERROR(fs_.SyncDir(dir_));

  OpenSegment open;
  OpenOptions options;
  options.write = options.dsync = true;
  ASSIGN_OR_RETURN(open.file, fs_.Open(path, options));
  open.number = number;
  open.bytes = bytes;
  open.salt = header.salt;
  open.offset = copied;
  std::lock_guard lock(mutex_);
  live_.push_back({number, first_lsn + (continues ? 1 : 0), copied});
  return open;
}

Result<OpenSegment> Segments::Reopen(const LogEnd& end) {
  OpenSegment open;
  OpenOptions options;
  options.write = options.dsync = true;
  ASSIGN_OR_RETURN(open.file, fs_.Open(Path(SegmentName(generation_, end.last_segment)), options));
  open.number = end.last_segment;
  open.bytes = end.last_segment_bytes;
  open.salt = end.last_salt;
  open.offset = end.end_offset;
  return open;
}

void Segments::SetUsed(uint64_t number, uint64_t offset) {
  std::lock_guard lock(mutex_);
  if (!live_.empty() && live_.back().number == number) live_.back().bytes = offset;
}

uint64_t Segments::bytes() const {
  std::lock_guard lock(mutex_);
  uint64_t sum = 0;
  for (const LiveSegment& segment : live_) sum += segment.bytes;
  return sum;
}

LogPosition Segments::FloorFor(Lsn lsn) const {
  std::lock_guard lock(mutex_);
  CHECK(!live_.empty());
  const LiveSegment* floor = &live_.front();
  for (const LiveSegment& segment : live_) {
    if (segment.begins <= lsn) floor = &segment;
  }
  return {generation_, floor->number, lsn};
}

Status Segments::RemoveBelow(const LogPosition& floor, uint64_t recycle_bytes) {
  CHECK(floor.generation == generation_);
  std::vector<uint64_t> old;
  bool recycle = false;
  {
    std::lock_guard lock(mutex_);
    while (live_.size() > 1 && live_.front().number < floor.segment) {
      old.push_back(live_.front().number);
      live_.erase(live_.begin());
    }
    if (!old.empty() && !busy_ && spare_.file == nullptr) recycle = busy_ = true;
  }
  Spare spare;
  Status status;
  for (size_t i = 0; i < old.size() && status.ok(); ++i) {
    const std::string path = Path(SegmentName(generation_, old[i]));
    if (recycle && spare.file == nullptr) {
      OpenOptions options;
      options.write = true;
      auto file = fs_.Open(path, options);
      auto size = file.ok() ? (*file)->Size() : Result<uint64_t>(file.status());
      if (size.ok() && *size == recycle_bytes) {
        file = Status(Code::kInternal, "");  // closed before the rename, opened again under its new name
        status = fs_.Rename(path, Path(SpareName(generation_)));
        if (!status.ok()) break;
        auto spare_file = fs_.Open(Path(SpareName(generation_)), options);
        if (!spare_file.ok()) {
          status = spare_file.status();
          break;
        }
        spare = {std::move(spare_file).value(), recycle_bytes, recycle_bytes};
        continue;
      }
    }
    status = fs_.RemoveFile(path);
  }
  if (recycle) {
    std::lock_guard lock(mutex_);
    busy_ = false;
    spare_ = std::move(spare);
    idle_.notify_all();
  }
  RETURN_IF_ERROR(status);
  return old.empty() ? Status::Ok() : fs_.SyncDir(dir_);
}

Status Segments::RemoveOthers() {
  ASSIGN_OR_RETURN(const auto names, fs_.List(dir_));
  bool removed = false;
  uint64_t first = 0;
  {
    std::lock_guard lock(mutex_);
    if (!live_.empty()) first = live_.front().number;
  }
  for (const std::string& name : names) {
    uint64_t generation, number;
    const bool segment = ParseSegmentName(name, &generation, &number);
    if ((segment && (generation != generation_ || number < first)) ||
        (IsSpareName(name) && name != SpareName(generation_))) {
      RETURN_IF_ERROR(fs_.RemoveFile(Path(name)));
      removed = true;
    }
  }
  return removed ? fs_.SyncDir(dir_) : Status::Ok();
}

Status Segments::RemoveSpare() {
  {
    std::lock_guard lock(mutex_);
    spare_ = {};
  }
  const std::string path = Path(SpareName(generation_));
  ASSIGN_OR_RETURN(const FileKind kind, fs_.Kind(path));
  return kind == FileKind::kFile ? fs_.RemoveFile(path) : Status::Ok();
}

}  // namespace fornix::wal
