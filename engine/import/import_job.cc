// What an import's threads share; see import_job.h.
#include "engine/import/import_job.h"

#include <algorithm>
#include <thread>

#include "base/clock.h"

namespace fornix::engine {
namespace {

constexpr uint64_t kReportEveryNanos = 100'000'000;   // ten times a second, so that a terminal looks alive

int Threads(const ImportOptions& options) {
  if (options.threads > 0) return options.threads;
  return std::clamp<int>(static_cast<int>(std::thread::hardware_concurrency()), 1, 8);
}

}  // namespace

ImportJob::ImportJob(FileSystem& files, const ImportOptions& options, uint64_t memory_bytes, storage::BulkLoader* loader)
    : files_(files), options_(options), memory_bytes_(memory_bytes), loader_(loader), bad_(files, options.bad_file, options.bad_tolerance) {}

IdMap* ImportJob::Ids(const std::string& space) {
  std::unique_ptr<IdMap>& map = spaces_[space];
  if (!map) {
    IdMap* const own = (map = std::make_unique<IdMap>(nullptr)).get();
    *own = IdMap([this, own](uint64_t bytes) {
      const uint64_t others = id_bytes() - own->bytes();
      if (others + bytes <= memory_bytes_ / 2) return Status::Ok();
      return Status(Code::kResourceExhausted, "the ids of the nodes need more than " + std::to_string(memory_bytes_ >> 21) +
                                                  " MiB, half of the import's memory; give it more (memory)");
    });
  }
  return map.get();
}

const IdMap* ImportJob::FindIds(const std::string& space) const {
  auto found = spaces_.find(space);
  return found == spaces_.end() ? nullptr : found->second.get();
}

uint64_t ImportJob::id_bytes() const {
  uint64_t sum = 0;
  for (const auto& [space, map] : spaces_) sum += map->bytes();
  return sum;
}

Status ImportJob::SumBytes(const std::vector<ImportFiles>& groups) {
  bytes_before_ = bytes_stage_ = 0;
  rows_ = 0;
  for (const ImportFiles& group : groups) {
    for (const std::string& path : group.paths) {
      ASSIGN_OR_RETURN(auto file, files_.Open(path, {}));
      ASSIGN_OR_RETURN(const uint64_t size, file->Size());
      bytes_stage_ += size;
    }
  }
  bytes_done_ += bytes_stage_;
  return Status::Ok();
}

void ImportJob::ReportEnd(ImportStage stage) {
  if (options_.progress) options_.progress({stage, rows_, 1.0});
}

Status ImportJob::ReadNodes(std::vector<std::string>* schema) {
  RETURN_IF_ERROR(SumBytes(options_.nodes));
  for (const ImportFiles& group : options_.nodes) RETURN_IF_ERROR(ReadNodeFiles(this, group));
  for (const std::string& path : options_.json_lines) RETURN_IF_ERROR(ReadJsonLinesNodes(this, path, schema));
  ReportEnd(ImportStage::kNodes);
  return Status::Ok();
}

Status ImportJob::ReadRelationships() {
  RETURN_IF_ERROR(SumBytes(options_.relationships));
  for (const ImportFiles& group : options_.relationships) RETURN_IF_ERROR(ReadRelationshipFiles(this, group));
  for (const std::string& path : options_.json_lines) RETURN_IF_ERROR(ReadJsonLinesRelationships(this, path));
  ReportEnd(ImportStage::kRelationships);
  spaces_.clear();                             // nobody asks for ids any more
  return Status::Ok();
}

void ImportJob::Turns::Await(uint64_t number) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return next_ == number || failed_; });
}
void ImportJob::Turns::Done(uint64_t number) {
  std::lock_guard lock(mutex_);
  next_ = number + 1;
  changed_.notify_all();
}
void ImportJob::Turns::Fail() {
  std::lock_guard lock(mutex_);
  failed_ = true;
  changed_.notify_all();
}

Status ImportJob::RunWorkers(const std::function<Status(int)>& work, Turns* turns) {
  std::mutex mutex;
  Status first;
  std::exception_ptr thrown;
  auto run = [&](int worker) {
    Status status;
    try {
      status = work(worker);
    } catch (...) {                            // no memory: it goes on in the caller's thread
      std::lock_guard lock(mutex);
      thrown = std::current_exception();
      turns->Fail();
      return;
    }
    if (status.ok()) return;
    turns->Fail();
    std::lock_guard lock(mutex);
    if (first.ok()) first = status;
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < Threads(options_); ++i) threads.emplace_back(run, i);
  run(0);
  for (std::thread& thread : threads) thread.join();
  if (thrown) std::rethrow_exception(thrown);
  return first;
}

Result<bool> ImportJob::NextBatch(CsvReader* reader, CsvBatch* batch, ImportStage stage, uint64_t* first_row) {
  std::lock_guard lock(read_mutex_);
  ASSIGN_OR_RETURN(const bool more, reader->Next(batch));
  if (!more) {
    bytes_before_ += std::exchange(counted_end_, true) ? 0 : reader->bytes_total();
    return false;
  }
  counted_end_ = false;
  *first_row = rows_;
  rows_ += batch->rows().size();
  if (const uint64_t now = MonotonicNanos(); options_.progress && now - last_report_ns_ > kReportEveryNanos) {
    last_report_ns_ = now;
    const double done = static_cast<double>(bytes_before_ + reader->bytes_read());
    options_.progress({stage, rows_, std::min(1.0, done / static_cast<double>(std::max<uint64_t>(bytes_stage_, 1)))});
  }
  return true;
}

}  // namespace fornix::engine
