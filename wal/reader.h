// Recovery's half of the log: finds the segments, reads records in order, decides where the log ends.
//
// The rule: the log ends at the first frame that fails length, checksum, LSN or fragment order, and nothing after it is
// ever applied. That is a *torn tail*, the normal end after a crash, unless it can be known that a durable record is
// lost; then it is Corruption naming file and offset. It is known when
//   - the next segment says that it begins with a higher LSN than was reached,
//   - a later frame of the segment says that the lost record was durable when that frame was written,
//   - the caller knows a higher end (known_end_lsn, from the root of a clean close),
//   - a segment header is damaged (it is synced before the file gets its name), or a segment is missing.
// Reading changes nothing on disk; reading twice gives the same. One thread.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "wal/record.h"

namespace fornix::wal {

// Who takes the records of a recovery. An error ends the reading and is handed on.
class LogApplier {
 public:
  virtual ~LogApplier() = default;
  // `body` is valid during the call. LSNs come in order without a hole, from the floor's LSN on.
  virtual Status Apply(Lsn lsn, std::span<const std::byte> body) = 0;
};

struct ReadOptions {
  LogPosition floor;
  Lsn known_end_lsn = 0;  // the record with this LSN was durable, or 0
};

struct LiveSegment {
  uint64_t number = 0;
  Lsn begins = 0;                // the first record that begins in it
  uint64_t bytes = 0;            // used
};

// What LogWriter::Continue needs to go on behind a log that was read.
struct LogEnd {
  LogPosition floor;
  Lsn next_lsn = 1;
  uint64_t last_segment = 0;
  uint64_t last_segment_bytes = 0;
  uint64_t last_salt = 0;
  uint64_t end_offset = 0;       // behind the last whole record's last sector
  bool torn = false;             // something was cut
  bool rest_is_zero = false;     // from end_offset on
  bool known_end = false;        // the log ends exactly where known_end_lsn said
  std::vector<LiveSegment> segments;
  // The records written by the last write call, at most kLogWriteBytesMax bytes and one record more. After a failed write
  // and a reopen without a reboot they may be readable and not durable, so the next segment begins with copies of them.
  Lsn tail_first_lsn = 1;
  std::vector<std::vector<std::byte>> tail;
};

Result<LogEnd> ReadLog(FileSystem& fs, const std::string& dir, const Uuid& uuid, const ReadOptions& options,
                       LogApplier& applier);

}  // namespace fornix::wal
