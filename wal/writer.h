// The log's writer: records are queued in order, one thread at a time (the leader) writes everything queued with one
// O_DSYNC call and tells the others. There is no thread of its own in the blocking path: who waits first, leads.
//
//   blocking      Append(entry) ... WaitDurable(lsn)      a lone committer writes by itself: one system call
//   asynchronous  Append(entry with `done`) ... Kick()     the log thread (started at the first Kick) leads if nobody does
//   later         Append(entry) ... WriteSoon()            the log thread writes what has gathered, some time later
//
// Completions run in LSN order on the leader's thread, after the record is durable or with the error that stopped the
// log; they must be short, may call Append and Kick, and must not wait for the log.
// A failed write or sync ends the writer for good: what was not durable is reported as failed (its outcome is unknown
// until the log is read again), every later Append gets the same error. No retry: see base/file.h.
//
// Threads: all functions from any thread, except Close and the destructor. Append order = LSN order, so a caller that needs
// its own order to be the log's calls Append under its own mutex; Append takes no I/O and allocates nothing.
#pragma once

#include <boost/intrusive/list_hook.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "wal/reader.h"
#include "wal/record.h"

namespace fornix::wal {

// A record on its way into the log. Made before the commit is decided, so that nothing can fail for memory after.
struct LogEntry : boost::intrusive::list_base_hook<> {
  std::vector<std::byte> body;
  std::function<void(const Status&)> done;  // may be empty
  Lsn lsn = 0;                              // set by Append
};

struct WriterOptions {
  uint64_t segment_bytes_first = kLogSegmentBytesFirst;
  uint64_t segment_bytes_max = kLogSegmentBytesMax;
  // False: no thread is ever started, the next segment is made when it is needed and Kick writes in the caller's thread.
  // The order of the file operations is then a function of the calls alone: for tests.
  bool background_thread = true;
  // WriteSoon: how much may gather, and how long.
  size_t soon_bytes = kLogSoonBytes;
  uint64_t soon_millis = kLogSoonMillis;
};

class LogWriter {
 public:
  // A new log, or a new generation beside an old one: makes the directory if needed and the segment `start.segment`.
  // Durable when it returns; a crash before the root names the generation leaves files that RemoveOthers removes.
  // Segments of the same generation are removed first: the caller knows that no root names them (HasRecords helps).
  static Result<std::unique_ptr<LogWriter>> Create(FileSystem& fs, const std::string& dir, const Uuid& uuid,
                                                   const LogPosition& start, const WriterOptions& options = {});
  // Goes on behind a log that ReadLog has read: in a fresh segment, or in the last one if that was closed cleanly.
  static Result<std::unique_ptr<LogWriter>> Continue(FileSystem& fs, const std::string& dir, const Uuid& uuid, LogEnd end,
                                                     const WriterOptions& options = {});
  ~LogWriter();  // Close, if it was not called
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // Queues the record; its LSN is next_lsn() of before. On an error the entry is destroyed and `done` is not called.
  Result<Lsn> Append(std::unique_ptr<LogEntry> entry);
  // Returns when the record is durable, writing it and what is queued around it if nobody else does.
  Status WaitDurable(Lsn lsn);
  // Sees to it that everything queued gets written without anyone waiting.
  void Kick();
  // Sees to it that everything queued gets written when soon_bytes have gathered, or after soon_millis. Waits for the disk only
  // if kLogSoonQueueFactor times as much is queued: the disk is slower than the commits. Without a thread the time doesn't count.
  void WriteSoon();

  Lsn next_lsn() const;
  Lsn durable_lsn() const;
  Status status() const;  // ok, or what ended the writer
  // Bytes in the live segments: the checkpoint's trigger.
  uint64_t log_bytes() const;

  // The position to put into a root whose base holds every record below `lsn`.
  LogPosition FloorFor(Lsn lsn) const;
  // Removes segments below the floor; call it when the root that says so is durable. Keeps one file for the next segment.
  Status RemoveBelow(const LogPosition& floor);
  // Removes segments of every other generation; call it when the root that names this one is durable.
  Status RemoveOthers();

  // Writes what is queued, stops the thread. No calls after it. The last LSN is next_lsn() - 1: known_end_lsn of the root.
  Status Close();

 private:
  class Impl;
  explicit LogWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// True if the directory holds a record of any generation (or a segment that can't be read). A data file is created after
// its log and before the first record, so a log without records beside no data file is a creation that was cut short.
Result<bool> HasRecords(FileSystem& fs, const std::string& dir);
// Removes all log files and the directory.
Status RemoveLog(FileSystem& fs, const std::string& dir);

}  // namespace fornix::wal
