// Runs and their merge; see run_sorter.h.
#include "storage/bulk/run_sorter.h"

#include <algorithm>

#include "base/bytes.h"

namespace fornix::storage {
namespace {

constexpr uint64_t kRunBytesMin = uint64_t{1} << 20;
constexpr uint64_t kRunBytesMax = uint64_t{128} << 20;   // more would be sorted no faster, and positions in a run fit 32 bits
constexpr size_t kWriteBytes = size_t{1} << 20;
constexpr size_t kRecordHead = 3 * sizeof(uint64_t) + sizeof(uint32_t);

}  // namespace

struct RunSorter::Merger::Cursor {
  const Run* run = nullptr;
  size_t next = 0;                             // of a run in memory
  std::unique_ptr<SequentialReader> reader;    // of one in the file
  SortKey key;
  std::span<const std::byte> bytes;
  size_t stored = 0;                           // bytes of the record in the file
  bool done = false;
};

RunSorter::RunSorter(TempFiles* temp, std::string name, uint64_t memory_bytes)
    : temp_(temp), name_(std::move(name)), memory_bytes_(memory_bytes), run_bytes_(std::clamp(memory_bytes / 8, kRunBytesMin, kRunBytesMax)) {}
RunSorter::~RunSorter() {
  if (file_) (void)temp_->Remove(std::move(file_), name_);
}

Status RunSorter::TakeRun(std::vector<Entry>* entries, std::vector<std::byte>* bytes) {
  std::sort(entries->begin(), entries->end(), [](const Entry& x, const Entry& y) { return x.key < y.key; });
  const uint64_t size = entries->size() * sizeof(Entry) + bytes->size();
  TempFile* file;
  {
    std::lock_guard lock(mutex_);
    records_ += entries->size();
    // Two writers may be filling their next runs meanwhile.
    if (held_ + size + 2 * run_bytes_ <= memory_bytes_) {
      held_ += size;
      runs_.push_back({std::move(*entries), std::move(*bytes), 0, 0});
      *entries = {};
      *bytes = {};
      return Status::Ok();
    }
    if (!file_) {
      ASSIGN_OR_RETURN(file_, temp_->NewFile(name_));
    }
    file = file_.get();
  }
  const uint64_t stored = entries->size() * kRecordHead + bytes->size(), begin = file->Reserve(stored);
  uint64_t at = begin;
  std::vector<std::byte> out;
  for (const Entry& entry : *entries) {
    std::byte head[kRecordHead];
    StoreFixed(head, entry.key.a);
    StoreFixed(head + 8, entry.key.b);
    StoreFixed(head + 16, entry.key.c);
    StoreFixed(head + 24, entry.size);
    out.insert(out.end(), head, head + kRecordHead);
    out.insert(out.end(), bytes->begin() + entry.at, bytes->begin() + entry.at + entry.size);
    if (out.size() < kWriteBytes) continue;
    RETURN_IF_ERROR(file->WriteAt(at, out));
    at += out.size();
    out.clear();
  }
  RETURN_IF_ERROR(file->WriteAt(at, out));
  entries->clear();
  bytes->clear();
  std::lock_guard lock(mutex_);
  runs_.push_back({{}, {}, begin, begin + stored});
  return Status::Ok();
}

RunSorter::Merger::Merger() = default;
RunSorter::Merger::~Merger() = default;

Result<std::unique_ptr<RunSorter::Merger>> RunSorter::Merge() {
  std::unique_ptr<Merger> merger(new Merger());
  const size_t buffer = static_cast<size_t>(std::clamp<uint64_t>(memory_bytes_ / 8 / std::max<size_t>(runs_.size(), 1), 4096, kWriteBytes));
  for (const Run& run : runs_) {
    auto cursor = std::make_unique<Merger::Cursor>();
    cursor->run = &run;
    if (run.entries.empty()) cursor->reader = std::make_unique<SequentialReader>(file_.get(), run.begin, run.end, buffer);
    RETURN_IF_ERROR(merger->Advance(cursor.get()));
    if (!cursor->done) merger->heap_.push_back(cursor.get());
    merger->cursors_.push_back(std::move(cursor));
  }
  std::make_heap(merger->heap_.begin(), merger->heap_.end(), [](const auto* x, const auto* y) { return y->key < x->key; });
  return merger;
}

Status RunSorter::Merger::Advance(Cursor* cursor) {
  if (!cursor->reader) {
    const Run& run = *cursor->run;
    if (cursor->next == run.entries.size()) {
      cursor->done = true;
      return Status::Ok();
    }
    const Entry& entry = run.entries[cursor->next++];
    cursor->key = entry.key;
    cursor->bytes = std::span(run.bytes).subspan(entry.at, entry.size);
    // The bytes lie as they came, not as they are sorted.
    if (cursor->next + 8 < run.entries.size()) __builtin_prefetch(run.bytes.data() + run.entries[cursor->next + 8].at);
    return Status::Ok();
  }
  cursor->reader->Skip(cursor->stored);
  if (cursor->reader->at_end()) {
    cursor->done = true;
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(std::span<const std::byte> head, cursor->reader->Peek(kRecordHead));
  ByteReader in(head, "a run of a bulk load");
  ASSIGN_OR_RETURN(cursor->key.a, in.ReadU64());
  ASSIGN_OR_RETURN(cursor->key.b, in.ReadU64());
  ASSIGN_OR_RETURN(cursor->key.c, in.ReadU64());
  ASSIGN_OR_RETURN(const uint32_t size, in.ReadU32());
  cursor->stored = kRecordHead + size;
  ASSIGN_OR_RETURN(const std::span<const std::byte> whole, cursor->reader->Peek(cursor->stored));
  if (whole.size() < cursor->stored) return in.Damaged("the run ends inside a record");
  cursor->bytes = whole.subspan(kRecordHead, size);
  return Status::Ok();
}

Result<bool> RunSorter::Merger::Next() {
  // The cursor in front is moved only now, because its record was in the caller's hands.
  if (started_ && !heap_.empty()) {
    Cursor* cursor = heap_.front();
    RETURN_IF_ERROR(Advance(cursor));
    if (cursor->done) {
      heap_.front() = heap_.back();
      heap_.pop_back();
    }
    // Sift down.
    size_t at = 0;
    const size_t n = heap_.size();
    if (n > 0) {
      Cursor* moved = heap_[0];
      while (true) {
        size_t child = 2 * at + 1;
        if (child >= n) break;
        if (child + 1 < n && heap_[child + 1]->key < heap_[child]->key) ++child;
        if (!(heap_[child]->key < moved->key)) break;
        heap_[at] = heap_[child];
        at = child;
      }
      heap_[at] = moved;
    }
  }
  started_ = true;
  if (heap_.empty()) return false;
  key_ = heap_.front()->key;
  bytes_ = heap_.front()->bytes;
  return true;
}

}  // namespace fornix::storage
