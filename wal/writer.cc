// LogWriter: the queue, the leader, the waiters and the log thread.
//
//            Append           WaitDurable / log thread                    leader
//   caller ---------> queue_ ---------------------------> takes the whole queue, writes it, one call
//                                                          runs completions in LSN order
//                                                          wakes waiters; hands the lead to one whose record is queued
//
// At most one leader at a time (leading_); what only the leader touches (segment_, buffer_) needs no lock beyond that.
// The lead is never given away while completions run, so they can't overtake each other.
#include "wal/writer.h"

#include <unistd.h>

#include <algorithm>
#include <boost/intrusive/list.hpp>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/check.h"
#include "base/errors.h"
#include "wal/segments.h"

namespace fornix::wal {
namespace intrusive = boost::intrusive;

class LogWriter::Impl {
 public:
  Impl(FileSystem& fs, const std::string& dir, const Uuid& uuid, uint64_t generation, const WriterOptions& options)
      : options_(options),
        segments_(fs, dir, uuid, generation, options.segment_bytes_first, options.segment_bytes_max),
        buffer_(new std::byte[kLogWriteBytesMax]) {
    CHECK(options.segment_bytes_first >= kLogSegmentBytesMin && options.segment_bytes_first % kLogSectorBytes == 0);
    CHECK(options.segment_bytes_max >= options.segment_bytes_first && options.segment_bytes_max % kLogSectorBytes == 0);
  }
  ~Impl() {
    if (!closed_) static_cast<void>(Close().ok());
  }

  void Begin(OpenSegment segment, Lsn next_lsn) {
    segment_ = std::move(segment);
    buffer_offset_ = segment_.offset;
    next_lsn_ = next_lsn;
    durable_lsn_ = completed_lsn_ = next_lsn - 1;
  }
  Segments& segments() { return segments_; }

  Result<Lsn> Append(std::unique_ptr<LogEntry> entry);
  Status WaitDurable(Lsn lsn);
  void Kick();
  void WriteSoon();
  Status Close();
  Status RemoveBelow(const LogPosition& floor);

  Lsn next_lsn() const {
    std::lock_guard lock(mutex_);
    return next_lsn_;
  }
  Lsn durable_lsn() const {
    std::lock_guard lock(mutex_);
    return durable_lsn_;
  }
  Status status() const {
    std::lock_guard lock(mutex_);
    return failed_;
  }

 private:
  using Queue = intrusive::list<LogEntry>;
  struct Waiter : intrusive::list_base_hook<> {
    explicit Waiter(Lsn l) : lsn(l) {}
    const Lsn lsn;
    bool woken = false;
    std::condition_variable changed;
  };
  using Lock = std::unique_lock<std::mutex>;

  void Lead(Lock& lock);
  void WakeWaiter(Waiter& waiter);
  void HandOn();
  void WantSpare();
  bool StartThread();
  void ThreadMain();

  // The leader's.
  Status WriteGroup(const Queue& group, Lsn durable_lsn);
  Status WriteRecord(const LogEntry& entry, Lsn durable_lsn);
  Status Put(std::span<const std::byte> bytes);
  Status Flush();
  Status NextSegment(Lsn first_lsn, bool continues);

  const WriterOptions options_;
  const pid_t pid_ = getpid();
  Segments segments_;

  mutable std::mutex mutex_;
  Queue queue_;
  intrusive::list<Waiter> waiters_;
  Lsn next_lsn_ = 1;
  Lsn durable_lsn_ = 0;    // written and synced
  Lsn completed_lsn_ = 0;  // ... and its completion has run
  size_t queued_bytes_ = 0;
  bool leading_ = false;
  bool kicked_ = false;    // somebody who doesn't wait wants the queue written
  bool soon_ = false;      // ... at soon_time_
  std::chrono::steady_clock::time_point soon_time_;
  Status failed_;
  bool closed_ = false;

  bool stop_ = false;
  uint64_t spare_bytes_wanted_ = 0;
  std::thread thread_;
  std::condition_variable thread_wake_;

  OpenSegment segment_;
  // The next bytes of the segment, from buffer_offset_ (a sector's beginning) on. As large as a write call may be; pages
  // that a small commit doesn't touch are never backed by memory.
  const std::unique_ptr<std::byte[]> buffer_;
  size_t buffered_ = 0;
  uint64_t buffer_offset_ = 0;
};

Result<Lsn> LogWriter::Impl::Append(std::unique_ptr<LogEntry> entry) {
  if (entry->body.size() > kLogRecordBytesMax) {
    return Status(Code::kLimitExceeded, "a log record of " + std::to_string(entry->body.size()) +
                                            " bytes; the limit is " + std::to_string(kLogRecordBytesMax) +
                                            ": commit in smaller transactions");
  }
  std::lock_guard lock(mutex_);
  if (!failed_.ok()) return failed_;
  entry->lsn = next_lsn_++;
  const Lsn lsn = entry->lsn;
  queued_bytes_ += entry->body.size() + kFrameHeaderBytes;
  queue_.push_back(*entry.release());  // the queue owns it from here; Lead deletes it
  return lsn;
}

Status LogWriter::Impl::WaitDurable(Lsn lsn) {
  Lock lock(mutex_);
  Waiter waiter(lsn);
  for (;;) {
    if (completed_lsn_ >= lsn) return Status::Ok();
    if (!failed_.ok() && !leading_) return failed_;
    if (lsn >= next_lsn_) return UsageError("waiting for log record " + std::to_string(lsn) + ", which was never appended");
    if (!leading_) {
      Lead(lock);
      continue;
    }
    waiter.woken = false;
    waiters_.push_back(waiter);
    waiter.changed.wait(lock, [&] { return waiter.woken; });
  }
}

void LogWriter::Impl::Kick() {
  Lock lock(mutex_);
  if (queue_.empty()) return;
  kicked_ = true;
  if (leading_) return;  // HandOn sees kicked_
  if (StartThread()) {
    thread_wake_.notify_one();
  } else {
    Lead(lock);
  }
}

void LogWriter::Impl::WriteSoon() {
  Lock lock(mutex_);
  if (queue_.empty() || !failed_.ok()) return;
  if (queued_bytes_ < options_.soon_bytes) {
    if (soon_ || !options_.background_thread) return;
    soon_ = true;
    soon_time_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(options_.soon_millis);
    if (StartThread()) return thread_wake_.notify_one();
  }
  const bool wait = queued_bytes_ >= kLogSoonQueueFactor * options_.soon_bytes;
  const Lsn last = next_lsn_ - 1;
  lock.unlock();
  if (wait) {
    static_cast<void>(WaitDurable(last).ok());   // a failure is told to all by Append
  } else {
    Kick();
  }
}

void LogWriter::Impl::WakeWaiter(Waiter& waiter) {
  waiters_.erase(waiters_.iterator_to(waiter));
  waiter.woken = true;
  waiter.changed.notify_one();
}

// Writes everything queued. The lock is given up meanwhile.
void LogWriter::Impl::Lead(Lock& lock) {
  leading_ = true;
  do {
    Queue group;
    group.swap(queue_);
    queued_bytes_ = 0;
    kicked_ = soon_ = false;
    const Lsn durable = durable_lsn_;
    const Lsn last = group.empty() ? durable : group.back().lsn;
    lock.unlock();
    Status status = WriteGroup(group, durable);
    lock.lock();
    if (status.ok()) {
      durable_lsn_ = last;
    } else {
      failed_ = status;
      group.splice(group.end(), queue_);  // nothing comes after it: Append refuses from now on
    }
    lock.unlock();
    for (LogEntry& entry : group) {
      if (entry.done) entry.done(status);
    }
    group.clear_and_dispose([](LogEntry* entry) { delete entry; });
    lock.lock();
    if (status.ok()) completed_lsn_ = last;
    for (auto it = waiters_.begin(); it != waiters_.end();) {
      Waiter& waiter = *it++;
      if (!failed_.ok() || waiter.lsn <= completed_lsn_) WakeWaiter(waiter);
    }
    // Without a thread nobody else would write for those who don't wait.
  } while (kicked_ && !queue_.empty() && waiters_.empty() && !StartThread());
  leading_ = false;
  WantSpare();
  HandOn();
}

// The lead is free: whose records are queued by now, and who writes them?
void LogWriter::Impl::HandOn() {
  if (queue_.empty()) return;
  if (!waiters_.empty()) {
    WakeWaiter(waiters_.front());
  } else if (kicked_) {
    thread_wake_.notify_one();  // Lead has seen to it that the thread is there
  }
  // Else its owner hasn't called WaitDurable or Kick yet, and will find the lead free.
}

// Past the middle of a segment the log thread begins to zero the next file, so that no commit waits for that.
void LogWriter::Impl::WantSpare() {
  if (!options_.background_thread || !failed_.ok() || segment_.offset < segment_.bytes / 2) return;
  const uint64_t bytes = segments_.NextBytes(segment_.bytes);
  if (spare_bytes_wanted_ == bytes || segments_.HasSpare(bytes)) return;
  if (!StartThread()) return;
  spare_bytes_wanted_ = bytes;
  thread_wake_.notify_one();
}

// False if there is no thread: not wanted, or the system gives none (a commit must not fail for that).
bool LogWriter::Impl::StartThread() {
  if (!options_.background_thread || stop_) return false;
  if (thread_.joinable()) return true;
  try {
    thread_ = std::thread([this] { ThreadMain(); });
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

void LogWriter::Impl::ThreadMain() {
  Lock lock(mutex_);
  while (!stop_) {
    if (kicked_ && !queue_.empty() && !leading_) {
      Lead(lock);
    } else if (spare_bytes_wanted_ != 0) {
      const uint64_t bytes = spare_bytes_wanted_;
      lock.unlock();
      const bool done = segments_.PrepareStep(bytes);
      lock.lock();
      if (done) spare_bytes_wanted_ = 0;
    } else if (soon_) {
      if (thread_wake_.wait_until(lock, soon_time_) == std::cv_status::timeout && soon_) {
        soon_ = false;
        kicked_ = !queue_.empty();               // whoever leads just now sees it in HandOn
      }
    } else {
      thread_wake_.wait(lock);
    }
  }
}

Status LogWriter::Impl::RemoveBelow(const LogPosition& floor) {
  uint64_t next_bytes;
  {
    std::lock_guard lock(mutex_);
    next_bytes = segments_.NextBytes(segment_.bytes);
  }
  return segments_.RemoveBelow(floor, next_bytes);
}

Status LogWriter::Impl::Close() {
  CHECK(!closed_);
  closed_ = true;
  Lock lock(mutex_);
  while (failed_.ok() && (!queue_.empty() || leading_)) {
    if (leading_) {  // the log thread: no other call may run during Close
      Waiter waiter(next_lsn_ - 1);
      waiters_.push_back(waiter);
      waiter.changed.wait(lock, [&] { return waiter.woken; });
    } else {
      Lead(lock);
    }
  }
  const Status result = failed_;
  if (failed_.ok()) failed_ = UsageError("the log is closed");
  stop_ = true;
  thread_wake_.notify_one();
  lock.unlock();
  if (thread_.joinable()) thread_.join();
  if (result.ok()) RETURN_IF_ERROR(segments_.RemoveSpare());
  return result;
}

Status LogWriter::Impl::WriteGroup(const Queue& group, Lsn durable_lsn) {
  // A child of fork has our file and not our mutexes' other holders; two writers would tear the log.
  if (getpid() != pid_) return UsageError("this process is a fork of the one that opened the database; open it anew");
  for (const LogEntry& entry : group) RETURN_IF_ERROR(WriteRecord(entry, durable_lsn));
  return Flush();
}

Status LogWriter::Impl::WriteRecord(const LogEntry& entry, Lsn durable_lsn) {
  std::span<const std::byte> rest(entry.body);
  FrameHeader frame;
  frame.lsn = entry.lsn;
  frame.undurable = static_cast<uint32_t>(std::min<uint64_t>(entry.lsn - durable_lsn, ~uint32_t{0}));
  for (bool begun = false;;) {
    const uint64_t room = segment_.bytes - segment_.offset;
    if (room < kFrameRoomMin) {
      RETURN_IF_ERROR(NextSegment(entry.lsn, begun));
      continue;
    }
    // A fragment that isn't the last fills its segment exactly: the reader checks that.
    const size_t n = std::min<uint64_t>(rest.size(), room - kFrameHeaderBytes);
    const bool ends = n == rest.size();
    frame.fragment = ends ? (begun ? Fragment::kLast : Fragment::kFull) : (begun ? Fragment::kMiddle : Fragment::kFirst);
    std::byte header[kFrameHeaderBytes];
    EncodeFrameHeader(frame, rest.first(n), segment_.salt, header);
    RETURN_IF_ERROR(Put(header));
    RETURN_IF_ERROR(Put(rest.first(n)));
    static constexpr std::byte kPad[kFrameAlignment] = {};
    RETURN_IF_ERROR(Put(std::span(kPad).first(AlignUp(segment_.offset, kFrameAlignment) - segment_.offset)));
    if (ends) return Status::Ok();
    begun = true;
    rest = rest.subspan(n);
  }
}

Status LogWriter::Impl::Put(std::span<const std::byte> bytes) {
  segment_.offset += bytes.size();
  while (!bytes.empty()) {
    if (buffered_ == kLogWriteBytesMax) RETURN_IF_ERROR(Flush());
    const size_t n = std::min(bytes.size(), kLogWriteBytesMax - buffered_);
    std::memcpy(buffer_.get() + buffered_, bytes.data(), n);
    buffered_ += n;
    bytes = bytes.subspan(n);
  }
  return Status::Ok();
}

// Writes the buffer, filled up with zeros to whole sectors: the next write begins a sector of its own, so a power cut
// during it can't touch what this one made durable.
Status LogWriter::Impl::Flush() {
  if (buffered_ == 0) return Status::Ok();
  const size_t whole = AlignUp(buffered_, kLogSectorBytes);
  std::memset(buffer_.get() + buffered_, 0, whole - buffered_);
  RETURN_IF_ERROR(segment_.file->WriteAt(buffer_offset_, {buffer_.get(), whole}));
  buffer_offset_ += whole;
  // In the middle of a frame the buffer was full, hence whole; at a group's end the next frame moves to the new sector.
  segment_.offset = std::max(segment_.offset, buffer_offset_);
  buffered_ = 0;
  segments_.SetUsed(segment_.number, buffer_offset_);
  return Status::Ok();
}

Status LogWriter::Impl::NextSegment(Lsn first_lsn, bool continues) {
  RETURN_IF_ERROR(Flush());
  ASSIGN_OR_RETURN(OpenSegment next, segments_.Make(segment_.number + 1, segments_.NextBytes(segment_.bytes), first_lsn,
                                                    continues));
  std::lock_guard lock(mutex_);  // RemoveBelow looks at its size
  segment_ = std::move(next);
  buffer_offset_ = segment_.offset;
  return Status::Ok();
}

LogWriter::LogWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LogWriter::~LogWriter() = default;

Result<std::unique_ptr<LogWriter>> LogWriter::Create(FileSystem& fs, const std::string& dir, const Uuid& uuid,
                                                     const LogPosition& start, const WriterOptions& options) {
  ASSIGN_OR_RETURN(const FileKind kind, fs.Kind(dir));
  if (kind == FileKind::kNone) RETURN_IF_ERROR(fs.CreateDir(dir));
  RETURN_IF_ERROR(fs.SyncDir(DirName(dir)));  // also if it was there: an attempt before may have failed just here
  // What an earlier attempt left of this generation was never named by a root.
  ASSIGN_OR_RETURN(const auto names, fs.List(dir));
  for (const std::string& name : names) {
    uint64_t generation, number;
    if (ParseSegmentName(name, &generation, &number) && generation == start.generation) {
      RETURN_IF_ERROR(fs.RemoveFile(JoinPath(dir, name)));
    }
  }
  auto impl = std::make_unique<Impl>(fs, dir, uuid, start.generation, options);
  ASSIGN_OR_RETURN(OpenSegment segment,
                   impl->segments().Make(start.segment, options.segment_bytes_first, start.lsn, false));
  impl->Begin(std::move(segment), start.lsn);
  return std::unique_ptr<LogWriter>(new LogWriter(std::move(impl)));
}

Result<std::unique_ptr<LogWriter>> LogWriter::Continue(FileSystem& fs, const std::string& dir, const Uuid& uuid,
                                                       LogEnd end, const WriterOptions& options) {
  auto impl = std::make_unique<Impl>(fs, dir, uuid, end.floor.generation, options);
  Segments& segments = impl->segments();
  segments.Adopt(std::move(end.segments));
  OpenSegment segment;
  if (end.known_end && end.rest_is_zero && !end.torn && end.end_offset < end.last_segment_bytes) {
    ASSIGN_OR_RETURN(segment, segments.Reopen(end));
  } else {
    ASSIGN_OR_RETURN(segment, segments.Make(end.last_segment + 1, options.segment_bytes_first, end.tail_first_lsn, false,
                                            end.tail));
  }
  RETURN_IF_ERROR(segments.RemoveOthers());
  impl->Begin(std::move(segment), end.next_lsn);
  return std::unique_ptr<LogWriter>(new LogWriter(std::move(impl)));
}

Result<Lsn> LogWriter::Append(std::unique_ptr<LogEntry> entry) { return impl_->Append(std::move(entry)); }
Status LogWriter::WaitDurable(Lsn lsn) { return impl_->WaitDurable(lsn); }
void LogWriter::Kick() { impl_->Kick(); }
void LogWriter::WriteSoon() { impl_->WriteSoon(); }
Lsn LogWriter::next_lsn() const { return impl_->next_lsn(); }
Lsn LogWriter::durable_lsn() const { return impl_->durable_lsn(); }
Status LogWriter::status() const { return impl_->status(); }
uint64_t LogWriter::log_bytes() const { return impl_->segments().bytes(); }
LogPosition LogWriter::FloorFor(Lsn lsn) const { return impl_->segments().FloorFor(lsn); }
Status LogWriter::RemoveBelow(const LogPosition& floor) { return impl_->RemoveBelow(floor); }
Status LogWriter::RemoveOthers() { return impl_->segments().RemoveOthers(); }
Status LogWriter::Close() { return impl_->Close(); }

Result<bool> HasRecords(FileSystem& fs, const std::string& dir) {
  ASSIGN_OR_RETURN(const FileKind kind, fs.Kind(dir));
  if (kind == FileKind::kNone) return false;
  ASSIGN_OR_RETURN(const auto names, fs.List(dir));
  for (const std::string& name : names) {
    uint64_t generation, number;
    if (!ParseSegmentName(name, &generation, &number)) continue;
    const std::string path = JoinPath(dir, name);
    ASSIGN_OR_RETURN(const auto file, fs.Open(path, {}));
    std::vector<std::byte> bytes(kSegmentDataOffset + kLogSectorBytes);
    ASSIGN_OR_RETURN(const size_t n, file->ReadAt(0, bytes));
    if (n < bytes.size() || !DecodeSegmentHeader(bytes, path).ok()) return true;
    if (std::any_of(bytes.begin() + kSegmentDataOffset, bytes.end(), [](std::byte b) { return b != std::byte{0}; })) {
      return true;
    }
  }
  return false;
}

Status RemoveLog(FileSystem& fs, const std::string& dir) {
  ASSIGN_OR_RETURN(const FileKind kind, fs.Kind(dir));
  if (kind == FileKind::kNone) return Status::Ok();
  ASSIGN_OR_RETURN(const auto names, fs.List(dir));
  for (const std::string& name : names) {
    uint64_t generation, number;
    if (ParseSegmentName(name, &generation, &number) || IsSpareName(name)) {
      RETURN_IF_ERROR(fs.RemoveFile(JoinPath(dir, name)));
    }
  }
  RETURN_IF_ERROR(fs.RemoveDir(dir));
  return fs.SyncDir(DirName(dir));
}

}  // namespace fornix::wal
