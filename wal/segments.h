// The files of a log that is being written: makes the next segment, keeps a spare for it, removes old ones.
//
// A segment gets its name only when its header (and the copies that recovery puts behind it) are durable, so a segment
// with a bad header is damage and never a crash's work. Zeroing the next file can be done ahead, step by step, by the log
// thread (PrepareStep); whoever needs the segment first takes what is there.
//
// Threads: Make by the leader only; Prepare... by the log thread; RemoveBelow, FloorFor and bytes() by anyone. One mutex
// inside, never held during I/O; `busy_` says that one thread works on the spare.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/file.h"
#include "wal/reader.h"
#include "wal/record.h"

namespace fornix::wal {

struct OpenSegment {
  std::unique_ptr<File> file;  // dsync
  uint64_t number = 0;
  uint64_t bytes = 0;
  uint64_t salt = 0;
  uint64_t offset = kSegmentDataOffset;  // of the next frame
};

class Segments {
 public:
  Segments(FileSystem& fs, std::string dir, const Uuid& uuid, uint64_t generation, uint64_t bytes_first,
           uint64_t bytes_max);

  // Takes over what a recovery found.
  void Adopt(std::vector<LiveSegment> live) { live_ = std::move(live); }
  // Makes, names and opens segment `number`. `copies` are whole records from first_lsn on, durable in it when it is named.
  Result<OpenSegment> Make(uint64_t number, uint64_t bytes, Lsn first_lsn, bool continues,
                           const std::vector<std::vector<std::byte>>& copies = {});
  Result<OpenSegment> Reopen(const LogEnd& end);
  // Size of the segment after one of `bytes`.
  uint64_t NextBytes(uint64_t bytes) const;

  // One step of making a spare of `bytes`; true when there is nothing more to do. An error only means: no spare.
  bool PrepareStep(uint64_t bytes);
  bool HasSpare(uint64_t bytes) const;

  void SetUsed(uint64_t number, uint64_t offset);
  uint64_t bytes() const;
  LogPosition FloorFor(Lsn lsn) const;
  Status RemoveBelow(const LogPosition& floor, uint64_t recycle_bytes);
  Status RemoveOthers();
  Status RemoveSpare();

 private:
  struct Spare {
    std::unique_ptr<File> file;
    uint64_t bytes = 0;
    uint64_t zeroed = 0;      // all of it for a recycled file: its salt keeps old frames from parsing
  };
  Status NewSpare(uint64_t bytes, Spare* spare);
  class HeldSpare;
  Result<Spare> TakeSpare(uint64_t bytes);
  std::string Path(const std::string& name) const { return JoinPath(dir_, name); }

  FileSystem& fs_;
  const std::string dir_;
  const Uuid uuid_;
  const uint64_t generation_;
  const uint64_t bytes_first_, bytes_max_;

  mutable std::mutex mutex_;
  std::condition_variable idle_;
  bool busy_ = false;
  Spare spare_;
  std::vector<LiveSegment> live_;
};

}  // namespace fornix::wal
