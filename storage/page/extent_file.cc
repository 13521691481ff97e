// The data file's extents: reading with every test, and the one writer with its run of pages.
#include "storage/page/extent_file.h"

#include <lz4.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>

#include "base/check.h"
#include "base/crc32c.h"
#include "base/errors.h"
#include "storage/page/extent_header.h"
#include "storage/page/free_map.h"
#include "storage/page/page_space.h"

namespace fornix::storage {
namespace {

constexpr size_t kRunBytesMax = size_t{256} << 10;   // one write call: 0.4 ms of disk, so a paced commit waits no longer
constexpr uint64_t kNotWriting = ~uint64_t{0};

class ExtentFileImpl final : public ExtentFile {
 public:
  ExtentFileImpl(std::unique_ptr<File> file, const ExtentRef& free_map, uint64_t file_pages)
      : file_(std::move(file)), free_map_(free_map), file_pages_(file_pages), read_pages_(file_pages), space_(file_pages), loaded_(free_map.none()) {}

  Result<ExtentBytes> Read(const ExtentRef& ref, ExtentKind kind, uint64_t owner) const override;
  Status ReadPages(const ExtentRef& ref, uint32_t first, std::span<const uint32_t> crcs, std::span<std::byte> out) const override;
  uint64_t file_pages() const override { return file_pages_.load(std::memory_order_acquire); }
  const std::string& path() const override { return file_->path(); }

  Status BeginWriting(uint64_t seq, uint64_t oldest_root_seq) override;
  Result<ExtentRef> Write(ExtentKind kind, uint64_t owner, std::span<const std::byte> payload, Compress compress) override;
  Result<ExtentRef> WriteFloats(uint64_t owner, std::span<const std::byte> table, std::span<const std::byte> pages) override;
  void Free(const ExtentRef& ref) override;
  Result<ExtentRef> FinishWriting() override;
  void Committed() override;
  void Abandon() override;
  void set_pace(std::function<void(size_t)> pace) override { pace_ = std::move(pace); }
  void Pace() override { if (pace_) pace_(0); }
  uint64_t free_pages() const override { return Load().ok() ? space_.free().pages() : 0; }
  Result<std::vector<std::pair<uint32_t, uint32_t>>> FreeRanges() const override;
  Result<std::vector<ExtentRef>> FreeMapExtents() const override;

 private:
  uint64_t seq() const { return seq_.load(std::memory_order_relaxed); }
  bool writing() const { return seq() != kNotWriting; }
  Status Load() const;
  Status CheckRef(const ExtentRef& ref) const;
  Status ReadRaw(uint64_t page, uint64_t seq, std::span<std::byte> out) const;
  Result<ExtentRef> Place(uint32_t pages);
  Status Append(uint32_t page, std::span<const std::byte> bytes, size_t padded);
  Status Flush(size_t keep_below);
  Result<ExtentRef> FinishOrFail();

  const std::unique_ptr<File> file_;
  ExtentRef free_map_;
  std::atomic<uint64_t> file_pages_;             // of the last root
  std::atomic<uint64_t> read_pages_;             // the same, or more while the checkpoint writes behind them
  std::function<void(size_t)> pace_;

  // What a first need loads: logically const.
  mutable PageSpace space_;
  mutable std::vector<ExtentRef> map_extents_;   // of the last root's free map
  mutable bool loaded_;

  std::atomic<uint64_t> seq_{kNotWriting};
  std::vector<ExtentRef> next_map_extents_;
  Status failed_;                                // of the running checkpoint

  // The run: pages that were given out and aren't in the file yet. Its lock is for readers of what this checkpoint wrote.
  mutable std::mutex run_mutex_;
  std::vector<std::byte> run_;
  uint64_t run_first_ = 0;                       // page
  std::vector<std::byte> scratch_;
};

// --- Reading ----------------------------------------------------------------------------------------------------------------

Status ExtentFileImpl::CheckRef(const ExtentRef& ref) const {
  const uint64_t pages = read_pages_.load(std::memory_order_acquire);
  if (ref.page < kFirstExtentPage || ref.pages == 0 || ref.pages > kExtentPagesMax || uint64_t{ref.page} + ref.pages > pages) {
    return ExtentDamage(path(), ref, "outside of the file's " + std::to_string(pages) + " pages");
  }
  return Status::Ok();
}

Status ExtentFileImpl::ReadRaw(uint64_t page, uint64_t seq, std::span<std::byte> out) const {
  const uint64_t offset = page * kPageBytes;
  if (seq != this->seq()) return file_->ReadExactAt(offset, out);
  // Written by the running checkpoint: some or all of it may still be in the run.
  const std::lock_guard lock(run_mutex_);
  const uint64_t run_begin = run_first_ * kPageBytes, run_end = run_begin + run_.size(), end = offset + out.size();
  const uint64_t begin = std::clamp(offset, run_begin, run_end), stop = std::clamp(end, run_begin, run_end);
  if (begin >= stop) return file_->ReadExactAt(offset, out);
  if (offset < begin) RETURN_IF_ERROR(file_->ReadExactAt(offset, out.first(begin - offset)));
  std::memcpy(out.data() + (begin - offset), run_.data() + (begin - run_begin), stop - begin);
  if (stop < end) return file_->ReadExactAt(stop, out.subspan(stop - offset));
  return Status::Ok();
}

Result<ExtentBytes> ExtentFileImpl::Read(const ExtentRef& ref, ExtentKind kind, uint64_t owner) const {
  RETURN_IF_ERROR(CheckRef(ref));
  ExtentBytes out;
  out.bytes.resize((kind == ExtentKind::kFloats ? 1 : ref.pages) * kPageBytes);
  RETURN_IF_ERROR(ReadRaw(ref.page, ref.seq, out.bytes));
  ASSIGN_OR_RETURN(const ExtentHeader header, CheckExtent(out.bytes, ref, kind, owner, path()));
  const std::span<const std::byte> stored = std::span(out.bytes).subspan(kExtentHeaderBytes, header.stored_bytes);
  if (header.codec == ExtentCodec::kRaw) {
    std::memmove(out.bytes.data(), stored.data(), stored.size());
    out.bytes.resize(stored.size());
    return out;
  }
  ExtentBytes raw;
  raw.bytes.resize(header.raw_bytes);
  const int n = LZ4_decompress_safe(reinterpret_cast<const char*>(stored.data()), reinterpret_cast<char*>(raw.bytes.data()),
                                    static_cast<int>(stored.size()), static_cast<int>(raw.bytes.size()));
  if (n < 0 || static_cast<size_t>(n) != raw.bytes.size()) {
    return ExtentDamage(path(), ref, "its LZ4 stream gives " + std::to_string(n) + " bytes, expected " + std::to_string(raw.bytes.size()));
  }
  return raw;
}

Status ExtentFileImpl::ReadPages(const ExtentRef& ref, uint32_t first, std::span<const uint32_t> crcs, std::span<std::byte> out) const {
  RETURN_IF_ERROR(CheckRef(ref));
  CHECK(out.size() == crcs.size() * kPageBytes);
  if (first == 0 || uint64_t{first} + crcs.size() > ref.pages) {
    return ExtentDamage(path(), ref, "pages " + std::to_string(first) + " to " + std::to_string(first + crcs.size()) + " of it were asked for");
  }
  RETURN_IF_ERROR(ReadRaw(uint64_t{ref.page} + first, ref.seq, out));
  for (size_t i = 0; i < crcs.size(); ++i) {
    const uint32_t found = Crc32c(out.subspan(i * kPageBytes, kPageBytes));
    if (found != crcs[i]) {
      return ExtentDamage(path(), ref, "page " + std::to_string(first + i) + " of it: checksum " + Hex(found) + ", expected " + Hex(crcs[i]));
    }
  }
  return Status::Ok();
}

// --- Writing ----------------------------------------------------------------------------------------------------------------

Status ExtentFileImpl::Load() const {
  if (loaded_) return Status::Ok();
  PageSpace space(file_pages());
  std::vector<ExtentRef> extents;
  RETURN_IF_ERROR(LoadFreeMap(*this, free_map_, &space, &extents));
  space_ = std::move(space);
  map_extents_ = std::move(extents);
  loaded_ = true;
  return Status::Ok();
}

Status ExtentFileImpl::BeginWriting(uint64_t seq, uint64_t oldest_root_seq) {
  CHECK(!writing() && seq > 0 && seq != kNotWriting);
  RETURN_IF_ERROR(Load());
  space_.Begin(seq, std::min(oldest_root_seq, seq - 1));
  failed_ = Status::Ok();
  seq_.store(seq, std::memory_order_relaxed);
  return Status::Ok();
}

// Writes the run in whole pieces until less than `keep_below` bytes are left (0: all).
Status ExtentFileImpl::Flush(size_t keep_below) {
  while (!run_.empty() && run_.size() >= keep_below) {
    const size_t n = std::min(run_.size(), kRunBytesMax);
    if (pace_) pace_(n);
    RETURN_IF_ERROR(file_->WriteAt(run_first_ * kPageBytes, std::span(run_).first(n)));
    const std::lock_guard lock(run_mutex_);
    run_.erase(run_.begin(), run_.begin() + static_cast<std::ptrdiff_t>(n));
    run_first_ += n / kPageBytes;
  }
  return Status::Ok();
}

// `bytes` come to lie at `page`, filled up with zeros to `padded`, whole pages.
Status ExtentFileImpl::Append(uint32_t page, std::span<const std::byte> bytes, size_t padded) {
  if (page != run_first_ + run_.size() / kPageBytes) RETURN_IF_ERROR(Flush(0));
  {
    const std::lock_guard lock(run_mutex_);
    if (run_.empty()) run_first_ = page;
    run_.insert(run_.end(), bytes.begin(), bytes.end());
    run_.resize(run_.size() + (padded - bytes.size()));
  }
  return Flush(kRunBytesMax);
}

Result<ExtentRef> ExtentFileImpl::Place(uint32_t pages) {
  ASSIGN_OR_RETURN(const PageRange range, space_.Allocate(pages));
  if (range.end() > read_pages_.load(std::memory_order_relaxed)) read_pages_.store(range.end(), std::memory_order_release);
  return ExtentRef{range.first, range.pages, seq()};
}

Result<ExtentRef> ExtentFileImpl::Write(ExtentKind kind, uint64_t owner, std::span<const std::byte> payload, Compress compress) {
  CHECK(writing() && payload.size() <= kExtentPayloadMax && kind != ExtentKind::kFloats);
  RETURN_IF_ERROR(failed_);
  ExtentHeader header{kind, ExtentCodec::kRaw, static_cast<uint32_t>(payload.size()), static_cast<uint32_t>(payload.size()), owner, seq()};
  const uint32_t raw_pages = PagesFor(kExtentHeaderBytes + payload.size());
  scratch_.resize(kExtentHeaderBytes);
  // Only whole pages are saved, so there is a size that the packed form must not pass to be worth it.
  const size_t packed_pages_max = size_t{raw_pages} * 7 / 8;
  if (compress == Compress::kIfSmaller && packed_pages_max > 0) {
    const size_t room = packed_pages_max * kPageBytes - kExtentHeaderBytes;
    scratch_.resize(kExtentHeaderBytes + room);
    const int n = LZ4_compress_default(reinterpret_cast<const char*>(payload.data()), reinterpret_cast<char*>(scratch_.data()) + kExtentHeaderBytes,
                                       static_cast<int>(payload.size()), static_cast<int>(room));
    if (n > 0) {
      header.codec = ExtentCodec::kLz4;
      header.stored_bytes = static_cast<uint32_t>(n);
    }
  }
  scratch_.resize(kExtentHeaderBytes + header.stored_bytes);
  if (header.codec == ExtentCodec::kRaw) std::copy(payload.begin(), payload.end(), scratch_.begin() + kExtentHeaderBytes);
  StampExtent(header, scratch_);
  auto ref = Place(PagesFor(scratch_.size()));
  failed_ = ref.ok() ? Append(ref->page, scratch_, ref->pages * kPageBytes) : ref.status();
  RETURN_IF_ERROR(failed_);
  return ref;
}

Result<ExtentRef> ExtentFileImpl::WriteFloats(uint64_t owner, std::span<const std::byte> table, std::span<const std::byte> pages) {
  CHECK(writing() && table.size() <= kFloatsTableMax && pages.size() % kPageBytes == 0 && pages.size() <= kFloatsPagesMax * kPageBytes);
  RETURN_IF_ERROR(failed_);
  const auto table_bytes = static_cast<uint32_t>(table.size());
  scratch_.assign(kExtentHeaderBytes, std::byte{0});
  scratch_.insert(scratch_.end(), table.begin(), table.end());
  StampExtent({ExtentKind::kFloats, ExtentCodec::kRaw, table_bytes, table_bytes, owner, seq()}, scratch_);
  auto ref = Place(1 + PagesFor(pages.size()));
  failed_ = ref.ok() ? Append(ref->page, scratch_, kPageBytes) : ref.status();
  if (failed_.ok() && !pages.empty()) failed_ = Append(ref->page + 1, pages, pages.size());
  RETURN_IF_ERROR(failed_);
  return ref;
}

void ExtentFileImpl::Free(const ExtentRef& ref) {
  CHECK(writing());
  if (ref.none() || !failed_.ok()) return;
  // Two references to one page are damage that no checksum finds; the checkpoint must not build on it.
  const Status status = space_.Free({ref.page, ref.pages}, ref.seq == seq());
  if (!status.ok()) failed_ = ExtentDamage(path(), ref, status.message());
}

Result<ExtentRef> ExtentFileImpl::FinishWriting() {
  CHECK(writing());
  RETURN_IF_ERROR(failed_);
  auto ref = FinishOrFail();
  failed_ = ref.status();
  return ref;
}

Result<ExtentRef> ExtentFileImpl::FinishOrFail() {
  RETURN_IF_ERROR(Flush(0));   // before pages of our own are given out a second time
  for (const ExtentRef& old : map_extents_) RETURN_IF_ERROR(space_.Free({old.page, old.pages}, false));
  space_.ReleaseOwn();
  space_.CutTail();
  const std::vector<size_t> sizes = FreeMapParts(space_.ranges());
  next_map_extents_.clear();
  for (const size_t size : sizes) {
    ASSIGN_OR_RETURN(const ExtentRef ref, Place(PagesFor(kExtentHeaderBytes + size)));
    next_map_extents_.push_back(ref);
  }
  space_.ReleaseOwn();         // the rest of the range that the parts came from
  const auto payloads = EncodeFreeMap(space_, next_map_extents_, sizes);
  for (size_t part = 0; part < payloads.size(); ++part) {
    const auto bytes = static_cast<uint32_t>(payloads[part].size());
    scratch_.assign(kExtentHeaderBytes, std::byte{0});
    scratch_.insert(scratch_.end(), payloads[part].begin(), payloads[part].end());
    StampExtent({ExtentKind::kFreeMap, ExtentCodec::kRaw, bytes, bytes, FreeMapOwner(part), seq()}, scratch_);
    const ExtentRef& ref = next_map_extents_[part];
    RETURN_IF_ERROR(Append(ref.page, scratch_, ref.pages * kPageBytes));
  }
  RETURN_IF_ERROR(Flush(0));
  RETURN_IF_ERROR(file_->Sync());
  file_pages_.store(space_.file_pages(), std::memory_order_release);
  return next_map_extents_.empty() ? ExtentRef{} : next_map_extents_.front();
}

void ExtentFileImpl::Committed() {
  CHECK(writing() && failed_.ok());
  space_.Commit();
  read_pages_.store(file_pages(), std::memory_order_release);
  map_extents_ = std::move(next_map_extents_);
  next_map_extents_.clear();
  seq_.store(kNotWriting, std::memory_order_relaxed);
  // Pages behind the end were free in every root that anybody reads, so the file may end here. If it can't be cut, it is longer
  // than it needs to be, and that is all.
  if (const auto size = file_->Size(); size.ok() && *size > file_pages() * kPageBytes) {
    (void)file_->Truncate(file_pages() * kPageBytes);
  }
}

void ExtentFileImpl::Abandon() {
  if (!writing()) return;   // BeginWriting failed: a free map that can't be read
  {
    const std::lock_guard lock(run_mutex_);
    run_.clear();
  }
  space_.Abandon();
  next_map_extents_.clear();
  file_pages_.store(space_.file_pages(), std::memory_order_release);
  read_pages_.store(space_.file_pages(), std::memory_order_release);
  seq_.store(kNotWriting, std::memory_order_relaxed);
}

Result<std::vector<std::pair<uint32_t, uint32_t>>> ExtentFileImpl::FreeRanges() const {
  RETURN_IF_ERROR(Load());
  PageRanges all = space_.free();
  for (const auto& [seq, ranges] : space_.pending()) all.Add(ranges);
  return std::vector<std::pair<uint32_t, uint32_t>>(all.by_first().begin(), all.by_first().end());
}

Result<std::vector<ExtentRef>> ExtentFileImpl::FreeMapExtents() const {
  RETURN_IF_ERROR(Load());
  return map_extents_;
}

}  // namespace

std::unique_ptr<ExtentFile> ExtentFile::New(std::unique_ptr<File> file) {
  return std::make_unique<ExtentFileImpl>(std::move(file), ExtentRef{}, kFirstExtentPage);
}

std::unique_ptr<ExtentFile> ExtentFile::Open(std::unique_ptr<File> file, const ExtentRef& free_map, uint64_t file_pages) {
  return std::make_unique<ExtentFileImpl>(std::move(file), free_map, file_pages);
}

std::vector<uint32_t> PageCrcs(std::span<const std::byte> pages) {
  std::vector<uint32_t> crcs;
  for (size_t at = 0; at < pages.size(); at += kPageBytes) crcs.push_back(Crc32c(pages.subspan(at, std::min<size_t>(kPageBytes, pages.size() - at))));
  return crcs;
}

}  // namespace fornix::storage
