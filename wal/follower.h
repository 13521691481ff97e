// Follows a log that somebody else may be writing: takes what has come since the last look, and only that.
//
// A record is handed on when it is durable. Its bytes can be read before that, and the frame can't say it of itself (it was made
// before it was written), so the follower syncs the segment between finding records and believing them: whoever made them
// readable, the disk has them then. Records in segments before the last need no sync: a segment gets its name when all
// writes into the one before are durable. A frame that is half there, or not, is "not yet": the next look starts at it.
//
//   1 find    from the position to the first frame that isn't what must come: record numbers and checksums alone
//   2 sync    the last segment, if anything was found
//   3 apply   up to the record that 1 found, and not what has come since
//
// After a recovery by another writer the log goes on with copies of its last records (docs/wal.md); those that were applied
// must be the same bytes. If not (a disk that failed a write, and then another machine's word) the log is not what it
// was, and Poll says kRewritten: begin anew from the root.
// Damage is told from "not yet" by what comes later: at the first look by the rules of recovery, then whenever a next segment is
// there. A witness was written after the frame it speaks for, so the frame is read once more before it is called lost.
// One thread. It holds one file open, changes nothing.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "wal/frames.h"
#include "wal/reader.h"

namespace fornix::wal {

enum class Progress : uint8_t { kNothing, kAdvanced, kRewritten };

class LogFollower {
 public:
  // Records from the floor on; `options` as in recovery.
  LogFollower(FileSystem& fs, std::string dir, const Uuid& uuid, const ReadOptions& options)
      : fs_(fs), dir_(std::move(dir)), uuid_(uuid), options_(options), next_(options.floor.lsn) {}

  // After an error or kRewritten some records may have been applied, and the follower is of no more use.
  Result<Progress> Poll(LogApplier& applier);
  Lsn next_lsn() const { return next_; }       // the first that wasn't applied

 private:
  Status Begin();
  Result<std::optional<ReadSegment>> Next(const ReadSegment& segment);
  Status Find(Lsn* end, std::optional<ReadSegment>* last);
  Result<Progress> Apply(Lsn end, LogApplier& applier);
  Result<bool> Take(Lsn lsn, std::span<const std::byte> body, LogApplier& applier);

  FileSystem& fs_;
  const std::string dir_;
  const Uuid uuid_;
  const ReadOptions options_;

  // The position: the record `record_` begins at `offset_` of `segment_`, or will.
  std::optional<ReadSegment> segment_;
  uint64_t offset_ = kSegmentDataOffset;
  Lsn record_ = 0;
  bool inside_ = false;                        // of the floor's segment: it begins with the rest of a record
  bool first_look_ = true;
  Lsn next_;
  std::deque<std::tuple<Lsn, uint32_t, size_t>> applied_;   // checksum and size of the last records: at least a write call's
  size_t applied_bytes_ = 0;
};

}  // namespace fornix::wal
