// Reading a log back: segments in order, frames to records, and the judgement whether its end is a torn tail or damage.
//
// Why a torn tail can be told from damage: (1) a write call ends before the next begins and before the next segment gets
// its name, so whatever stands before a later write was durable; each frame carries what was durable when it was written.
// (2) A segment's first_lsn is where the log went on, so it says where the segment before ended, even if rubbish, or
// records that recovery had cut, follow there. Without such a witness the rest is a tail that nobody was promised.
#include "wal/reader.h"

#include <algorithm>
#include <deque>

#include "base/errors.h"
#include "wal/frames.h"

namespace fornix::wal {
namespace {

std::string Number(uint64_t n) { return std::to_string(n); }

class LogReader {
 public:
  LogReader(FileSystem& fs, const std::string& dir, const Uuid& uuid, const ReadOptions& options, LogApplier& applier)
      : fs_(fs), dir_(dir), uuid_(uuid), options_(options), applier_(applier) {}

  Result<LogEnd> Read();

 private:
  Status OpenSegments();
  Status ReadOne(size_t i, FrameReader* reader);
  Status FinishRecord(bool last_segment, Lsn lsn, std::span<const std::byte> body, uint64_t end_offset);

  FileSystem& fs_;
  const std::string& dir_;
  const Uuid& uuid_;
  const ReadOptions& options_;
  LogApplier& applier_;

  std::vector<ReadSegment> segments_;
  std::deque<std::pair<uint64_t, std::vector<std::byte>>> tail_;  // (end offset, record) in the last segment
  LogEnd end_;
};

Status LogReader::OpenSegments() {
  ASSIGN_OR_RETURN(const FileKind kind, fs_.Kind(dir_));
  if (kind != FileKind::kDirectory) {
    return Corruption(dir_ + ": the log is missing; it belongs to the data file and must lie beside it");
  }
  ASSIGN_OR_RETURN(const auto names, fs_.List(dir_));
  std::vector<uint64_t> numbers;
  for (const std::string& name : names) {
    uint64_t generation, number;
    if (ParseSegmentName(name, &generation, &number) && generation == options_.floor.generation &&
        number >= options_.floor.segment) {
      numbers.push_back(number);
    }
  }
  std::sort(numbers.begin(), numbers.end());
  for (uint64_t expected = options_.floor.segment; const uint64_t number : numbers) {
    if (number != expected) break;
    ++expected;
    ASSIGN_OR_RETURN(ReadSegment segment, OpenReadSegment(fs_, dir_, uuid_, options_.floor.generation, number));
    segments_.push_back(std::move(segment));
  }
  if (segments_.empty() || segments_.size() != numbers.size()) {
    return Corruption(JoinPath(dir_, SegmentName(options_.floor.generation, options_.floor.segment + segments_.size())) +
                      ": this segment of the log is missing");
  }
  return CheckFloor(segments_.front(), options_.floor);
}

Status LogReader::FinishRecord(bool last_segment, Lsn lsn, std::span<const std::byte> body, uint64_t end_offset) {
  if (lsn >= options_.floor.lsn) RETURN_IF_ERROR(applier_.Apply(lsn, body));
  if (last_segment) {
    tail_.emplace_back(end_offset, std::vector<std::byte>(body.begin(), body.end()));
    while (tail_.front().first + kLogWriteBytesMax <= end_offset) tail_.pop_front();
  }
  return Status::Ok();
}

Status LogReader::ReadOne(size_t i, FrameReader* reader) {
  const ReadSegment& segment = segments_[i];
  const SegmentHeader& header = segment.header;
  const bool last = i + 1 == segments_.size();
  end_.segments.push_back({header.segment, header.first_lsn + (header.continues ? 1 : 0), 0});
  // Records from `cut` on were cut by the recovery that made the next segment (which holds its own copies).
  RETURN_IF_ERROR(reader->Read(segment, kSegmentDataOffset, last ? kNever : segments_[i + 1].header.first_lsn,
                               !last && segments_[i + 1].header.continues,
                               [&](Lsn lsn, std::span<const std::byte> body, uint64_t end_offset) {
                                 return FinishRecord(last, lsn, body, end_offset);
                               }));
  end_.segments.back().bytes = reader->stop_offset();
  return Status::Ok();
}

Result<LogEnd> LogReader::Read() {
  RETURN_IF_ERROR(OpenSegments());
  FrameReader reader(segments_.front().header.first_lsn, segments_.front().header.continues);
  for (size_t i = 0; i < segments_.size(); ++i) {
    if (i > 0) {
      RETURN_IF_ERROR(CheckJoint(segments_[i - 1], segments_[i], reader));
      if (!segments_[i].header.continues) reader.StartAt(reader.expected());
    }
    RETURN_IF_ERROR(ReadOne(i, &reader));
  }
  const ReadSegment& last = segments_.back();
  end_.end_offset = AlignUp(reader.stop_offset(), kLogSectorBytes);
  ASSIGN_OR_RETURN(end_.rest_is_zero, JudgeRest(last, reader));
  if (options_.known_end_lsn >= reader.expected()) {
    return LostRecord(last, reader, "the data file was closed after record " + Number(options_.known_end_lsn));
  }
  if (reader.expected() < options_.floor.lsn) {
    return LostRecord(last, reader, "the data file needs records from " + Number(options_.floor.lsn) + " on");
  }
  end_.floor = options_.floor;
  end_.next_lsn = reader.expected();
  end_.last_segment = last.header.segment;
  end_.last_segment_bytes = last.header.segment_bytes;
  end_.last_salt = last.header.salt;
  end_.torn = reader.partial() || !end_.rest_is_zero || last.end < last.header.segment_bytes;
  end_.known_end = options_.known_end_lsn != 0 && options_.known_end_lsn + 1 == reader.expected();
  end_.tail_first_lsn = reader.expected() - tail_.size();
  for (auto& [offset, body] : tail_) end_.tail.push_back(std::move(body));
  return std::move(end_);
}

}  // namespace

Result<LogEnd> ReadLog(FileSystem& fs, const std::string& dir, const Uuid& uuid, const ReadOptions& options,
                       LogApplier& applier) {
  return LogReader(fs, dir, uuid, options, applier).Read();
}

}  // namespace fornix::wal
