// From the bytes of a segment to records: what recovery (wal/reader.h) and whoever follows a log that is being written
// (wal/follower.h) have in common. Internal to wal/.
//
// A FrameReader takes frames in order and stops at the first that is not what must come next; it judges nothing. One thread.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "wal/record.h"

namespace fornix::wal {

inline constexpr size_t kWindowBytesFirst = 4096;  // who looks whether something new is there, mostly finds nothing

// A file read forward through a window, so that a reader needs memory for one frame and not for a segment.
class Window {
 public:
  Window(File& file, uint64_t end) : file_(file), end_(end), step_(kWindowBytesFirst) {}
  // At least min(n, rest of the file) bytes from `offset` <= end on.
  Result<std::span<const std::byte>> At(uint64_t offset, size_t n);

 private:
  File& file_;
  const uint64_t end_;
  uint64_t begin_ = 0;
  size_t size_ = 0;
  size_t step_;
  std::vector<std::byte> buffer_;
};

struct ReadSegment {
  std::string path;
  std::unique_ptr<File> file;
  SegmentHeader header;
  uint64_t end = 0;  // of the bytes to look at: a file cut short ends earlier than its header says
};
// Corruption unless it is segment `number` of this database and generation.
Result<ReadSegment> OpenReadSegment(FileSystem& fs, const std::string& dir, const Uuid& uuid, uint64_t generation, uint64_t number);

class FrameReader {
 public:
  // A whole record whose last frame ends at end_offset. Only what begins at or after the reader's first record comes here.
  using Sink = std::function<Status(Lsn lsn, std::span<const std::byte> body, uint64_t end_offset)>;
  // `first` is the record that comes next; `inside`: the first frame continues it, so it will be read past. With
  // collect = false records are found and not put together: their bodies come empty unless they are in one frame.
  FrameReader(Lsn first, bool inside, bool collect = true) : expected_(first), partial_(inside), skipping_(inside), collect_(collect) {}

  // Takes frames from `offset` on, up to record `cut` (with cut_continues: its beginning still belongs here).
  Status Read(const ReadSegment& segment, uint64_t offset, Lsn cut, bool cut_continues, const Sink& sink);
  // Where it ended, and why.
  uint64_t stop_offset() const { return stop_offset_; }
  const std::string& stop_reason() const { return stop_reason_; }

  Lsn expected() const { return expected_; }   // the next record
  bool partial() const { return partial_; }    // fragments of it have been read
  // A recovery began anew with record `lsn`: what had begun was cut.
  void StartAt(Lsn lsn);

 private:
  // Takes one frame with a right checksum. False (with stop_reason_) if it is not what must come here.
  Result<bool> Take(const ReadSegment& segment, uint64_t offset, const FrameHeader& frame, std::span<const std::byte> body,
                    const Sink& sink);
  Lsn expected_;
  bool partial_;
  bool skipping_;      // the record's beginning wasn't read
  const bool collect_;
  std::vector<std::byte> parts_;
  uint64_t stop_offset_ = 0;
  std::string stop_reason_;
};

// Behind the stop: does a later frame say that the record which should be there had been durable? Then Corruption naming
// it; else whether only zeros follow.
Result<bool> JudgeRest(const ReadSegment& segment, const FrameReader& reader);
// Corruption: the record at the reader's stop is lost, known from `witness`.
Status LostRecord(const ReadSegment& segment, const FrameReader& reader, const std::string& witness);
// Corruption if the floor's segment begins behind the floor's record.
Status CheckFloor(const ReadSegment& first, const LogPosition& floor);
// Corruption unless `next`, the segment behind, begins where the reader's stop lets it begin.
Status CheckJoint(const ReadSegment& before, const ReadSegment& next, const FrameReader& reader);

}  // namespace fornix::wal
