// Reading a log back: segments in order, frames to records, and the judgement whether its end is a torn tail or damage.
//
// Why a torn tail can be told from damage: (1) a write call ends before the next begins and before the next segment gets
// its name, so whatever stands before a later write was durable; each frame carries what was durable when it was written.
// (2) A segment's first_lsn is where the log went on, so it says where the segment before ended, even if rubbish, or
// records that recovery had cut, follow there. Without such a witness the rest is a tail that nobody was promised.
#include "wal/reader.h"

#include <algorithm>
#include <deque>
#include <memory>

#include "base/coding.h"
#include "base/errors.h"

namespace fornix::wal {
namespace {

constexpr size_t kReadBytes = 1 << 20;  // one read call: sequential speed is reached at a quarter of it

// A file read forward through a window, so that recovery needs memory for one frame and not for a segment.
class Window {
 public:
  Window(File& file, uint64_t end) : file_(file), end_(end) {}
  // At least min(n, rest of the file) bytes from `offset` <= end on.
  Result<std::span<const std::byte>> At(uint64_t offset, size_t n) {
    if (offset < begin_ || offset + n > begin_ + size_) {
      begin_ = offset;
      buffer_.resize(std::min<uint64_t>(std::max(n, kReadBytes), end_ - offset));
      ASSIGN_OR_RETURN(size_, file_.ReadAt(offset, buffer_));
    }
    return std::span<const std::byte>(buffer_).subspan(offset - begin_, begin_ + size_ - offset);
  }

 private:
  File& file_;
  const uint64_t end_;
  uint64_t begin_ = 0;
  size_t size_ = 0;
  std::vector<std::byte> buffer_;
};

struct Segment {
  std::string path;
  std::unique_ptr<File> file;
  SegmentHeader header;
  uint64_t end = 0;  // of the bytes to look at: a file cut short ends earlier than its header says
};

std::string Number(uint64_t n) { return std::to_string(n); }

class LogReader {
 public:
  LogReader(FileSystem& fs, const std::string& dir, const Uuid& uuid, const ReadOptions& options, LogApplier& applier)
      : fs_(fs), dir_(dir), uuid_(uuid), options_(options), applier_(applier) {}

  Result<LogEnd> Read();

 private:
  Status OpenSegments();
  Status OpenSegment(uint64_t number);
  Status CheckJoint(size_t i);
  Status ReadSegment(size_t i);
  // Takes one frame with a right checksum. False (with stop_reason_) if it is not what must come here.
  Result<bool> TakeFrame(const Segment& segment, bool last, uint64_t offset, const FrameHeader& frame,
                         std::span<const std::byte> body);
  Status FinishRecord(bool last_segment, uint64_t end_offset, std::vector<std::byte> body);
  Status JudgeEnd(const Segment& segment);
  Status Lost(const Segment& segment, const std::string& witness) const;

  FileSystem& fs_;
  const std::string& dir_;
  const Uuid& uuid_;
  const ReadOptions& options_;
  LogApplier& applier_;

  std::vector<Segment> segments_;
  Lsn expected_ = 0;             // the next record
  bool partial_ = false;         // fragments of `expected_` have been read
  bool skipping_ = false;        // ... whose beginning lies below the floor
  std::vector<std::byte> parts_;
  uint64_t stop_offset_ = 0;     // where reading the present segment ended, and why
  std::string stop_reason_;
  std::deque<std::pair<uint64_t, std::vector<std::byte>>> tail_;  // (end offset, record) in the last segment
  LogEnd end_;
};

Status LogReader::OpenSegment(uint64_t number) {
  Segment segment;
  segment.path = JoinPath(dir_, SegmentName(options_.floor.generation, number));
  ASSIGN_OR_RETURN(segment.file, fs_.Open(segment.path, {}));
  std::byte bytes[kLogSectorBytes];
  ASSIGN_OR_RETURN(const size_t n, segment.file->ReadAt(0, bytes));
  ASSIGN_OR_RETURN(segment.header, DecodeSegmentHeader({bytes, n}, segment.path));
  const SegmentHeader& header = segment.header;
  if (header.uuid != uuid_) {
    return Corruption(segment.path + ": offset 8: this log is of another database: id " + header.uuid.ToString() +
                      ", expected " + uuid_.ToString());
  }
  if (header.generation != options_.floor.generation || header.segment != number) {
    return Corruption(segment.path + ": offset 24: expected segment " + SegmentName(options_.floor.generation, number) +
                      ", found the header of " + SegmentName(header.generation, header.segment));
  }
  ASSIGN_OR_RETURN(const uint64_t size, segment.file->Size());
  segment.end = std::min(size, header.segment_bytes);
  segments_.push_back(std::move(segment));
  return Status::Ok();
}

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
    RETURN_IF_ERROR(OpenSegment(number));
  }
  if (segments_.empty() || segments_.size() != numbers.size()) {
    return Corruption(JoinPath(dir_, SegmentName(options_.floor.generation, options_.floor.segment + segments_.size())) +
                      ": this segment of the log is missing");
  }
  const Segment& first = segments_.front();
  expected_ = first.header.first_lsn;
  partial_ = skipping_ = first.header.continues;
  if (expected_ + (skipping_ ? 1 : 0) > options_.floor.lsn) {
    return Corruption(first.path + ": offset 56: the segment begins with record " + Number(expected_) +
                      ", the data file needs record " + Number(options_.floor.lsn));
  }
  return Status::Ok();
}

Status LogReader::Lost(const Segment& segment, const std::string& witness) const {
  return Corruption(segment.path + ": offset " + Number(stop_offset_) + ": record " + Number(expected_) +
                    " is damaged or missing (" + stop_reason_ + "), but " + witness);
}

// Before segment i > 0: does it begin where the one before ended?
Status LogReader::CheckJoint(size_t i) {
  const Segment& before = segments_[i - 1];
  const SegmentHeader& header = segments_[i].header;
  if (header.first_lsn < before.header.first_lsn) {
    return Corruption(segments_[i].path + ": offset 56: begins with record " + Number(header.first_lsn) +
                      ", before the first of the segment before");
  }
  if (header.first_lsn > expected_) {
    return Lost(before, segments_[i].path + " goes on with record " + Number(header.first_lsn));
  }
  if (header.continues && !partial_) {
    return Lost(before, segments_[i].path + " continues it");
  }
  if (!header.continues) {  // what had begun was cut by a recovery
    partial_ = skipping_ = false;
    parts_.clear();
  }
  return Status::Ok();
}

Status LogReader::FinishRecord(bool last_segment, uint64_t end_offset, std::vector<std::byte> body) {
  if (expected_ >= options_.floor.lsn) RETURN_IF_ERROR(applier_.Apply(expected_, body));
  ++expected_;
  partial_ = false;
  if (last_segment) {
    tail_.emplace_back(end_offset, std::move(body));
    while (tail_.front().first + kLogWriteBytesMax <= end_offset) tail_.pop_front();
  }
  return Status::Ok();
}

Result<bool> LogReader::TakeFrame(const Segment& segment, bool last, uint64_t offset, const FrameHeader& frame,
                                  std::span<const std::byte> body) {
  const uint64_t end = AlignUp(offset + kFrameHeaderBytes + frame.body_bytes, kFrameAlignment);
  const auto stop = [&](std::string why) {
    stop_reason_ = std::move(why);
    return false;
  };
  if (frame.lsn != expected_) return stop("expected record " + Number(expected_) + ", found " + Number(frame.lsn));
  if (frame.kind != FrameKind::kData || frame.fragment < Fragment::kFull || frame.fragment > Fragment::kLast) {
    return Corruption(segment.path + ": offset " + Number(offset) + ": record " + Number(frame.lsn) + " is of kind " +
                      Number(static_cast<uint8_t>(frame.kind)) + "/" + Number(static_cast<uint8_t>(frame.fragment)) +
                      ", which this version of Fornix doesn't know; open the database with the version that wrote it");
  }
  const bool begins = frame.fragment == Fragment::kFull || frame.fragment == Fragment::kFirst;
  const bool ends = frame.fragment == Fragment::kFull || frame.fragment == Fragment::kLast;
  if (begins == partial_) return stop(begins ? "a record begins inside another" : "a fragment without a beginning");
  if (!begins && offset != kSegmentDataOffset) return stop("a fragment not at its segment's beginning");
  if (!ends && end != segment.header.segment_bytes) return stop("a fragment ends before its segment");
  if (ends && begins) {
    RETURN_IF_ERROR(FinishRecord(last, end, {body.begin(), body.end()}));
    return true;
  }
  partial_ = true;
  if (!skipping_) {
    if (parts_.size() + body.size() > kLogRecordBytesMax) return stop("a record above the limit of record size");
    parts_.insert(parts_.end(), body.begin(), body.end());
  }
  if (ends) {
    if (skipping_) {
      skipping_ = partial_ = false;
      ++expected_;
    } else {
      RETURN_IF_ERROR(FinishRecord(last, end, std::exchange(parts_, {})));
    }
  }
  return true;
}

Status LogReader::ReadSegment(size_t i) {
  const Segment& segment = segments_[i];
  const bool last = i + 1 == segments_.size();
  // Records from here on were cut by the recovery that made the next segment (which holds its own copies).
  const Lsn cut = last ? kNever : segments_[i + 1].header.first_lsn;
  const bool cut_continues = !last && segments_[i + 1].header.continues;
  Window window(*segment.file, segment.end);
  uint64_t offset = kSegmentDataOffset;
  end_.segments.push_back({segment.header.segment, segment.header.first_lsn + (segment.header.continues ? 1 : 0), 0});
  stop_reason_ = "the segment ends";
  while (offset + kFrameRoomMin <= segment.end) {
    if (expected_ > cut || (expected_ == cut && !cut_continues)) break;
    ASSIGN_OR_RETURN(auto bytes, window.At(offset, kFrameHeaderBytes));
    if (bytes.size() < kFrameHeaderBytes) break;
    if (LoadFixed<uint32_t>(bytes.data()) == 0) {  // a write call ended inside this sector, or nothing was written here
      if (offset % kLogSectorBytes == 0) {
        stop_reason_ = "nothing is written there";
        break;
      }
      offset = AlignUp(offset, kLogSectorBytes);
      continue;
    }
    FrameHeader frame;
    uint64_t frame_bytes = 0;
    if (!DecodeFrameHeader(bytes, &frame, &frame_bytes) || offset + frame_bytes > segment.end) {
      stop_reason_ = "its length can't be right";
      break;
    }
    ASSIGN_OR_RETURN(bytes, window.At(offset, frame_bytes));
    if (!DecodeFrame(bytes, segment.header.salt, &frame)) {
      stop_reason_ = "its checksum is wrong";
      break;
    }
    ASSIGN_OR_RETURN(const bool taken,
                     TakeFrame(segment, last, offset, frame, bytes.subspan(kFrameHeaderBytes, frame.body_bytes)));
    if (!taken) break;
    offset = AlignUp(offset + frame_bytes, kFrameAlignment);
  }
  stop_offset_ = offset;
  end_.segments.back().bytes = offset;
  return Status::Ok();
}

// The last segment: does anything behind the stop say that the record there had been durable?
Status LogReader::JudgeEnd(const Segment& segment) {
  end_.end_offset = AlignUp(stop_offset_, kLogSectorBytes);
  end_.rest_is_zero = true;
  Window window(*segment.file, segment.end);
  uint64_t offset = AlignUp(stop_offset_, kFrameAlignment);
  while (offset + kFrameHeaderBytes <= segment.end) {
    ASSIGN_OR_RETURN(auto bytes, window.At(offset, kFrameHeaderBytes));
    size_t zeros = 0;  // nearly all of a tail is
    while (zeros + 8 <= bytes.size() && LoadFixed<uint64_t>(bytes.data() + zeros) == 0) zeros += 8;
    offset += zeros;
    if (zeros + 8 > bytes.size()) {
      if (zeros == 0) break;
      continue;
    }
    end_.rest_is_zero = false;
    ASSIGN_OR_RETURN(bytes, window.At(offset, kFrameHeaderBytes));
    FrameHeader frame;
    uint64_t frame_bytes = 0;
    // An LSN that far ahead is rubbish; asking first keeps the checksum away from all but a few places.
    if (DecodeFrameHeader(bytes, &frame, &frame_bytes) && offset + frame_bytes <= segment.end && frame.lsn > expected_ &&
        frame.lsn - expected_ < (uint64_t{1} << 40) && frame.lsn - expected_ >= frame.undurable) {
      ASSIGN_OR_RETURN(bytes, window.At(offset, frame_bytes));
      if (DecodeFrame(bytes, segment.header.salt, &frame)) {
        return Lost(segment, "record " + Number(frame.lsn) + " at offset " + Number(offset) +
                                 " was written after it was safe on disk");
      }
    }
    offset += kFrameAlignment;
  }
  if (options_.known_end_lsn >= expected_) {
    return Lost(segment, "the data file was closed after record " + Number(options_.known_end_lsn));
  }
  return Status::Ok();
}

Result<LogEnd> LogReader::Read() {
  RETURN_IF_ERROR(OpenSegments());
  for (size_t i = 0; i < segments_.size(); ++i) {
    if (i > 0) RETURN_IF_ERROR(CheckJoint(i));
    RETURN_IF_ERROR(ReadSegment(i));
  }
  const Segment& last = segments_.back();
  RETURN_IF_ERROR(JudgeEnd(last));
  if (expected_ < options_.floor.lsn) {
    return Lost(last, "the data file needs records from " + Number(options_.floor.lsn) + " on");
  }
  end_.floor = options_.floor;
  end_.next_lsn = expected_;
  end_.last_segment = last.header.segment;
  end_.last_segment_bytes = last.header.segment_bytes;
  end_.last_salt = last.header.salt;
  end_.torn = partial_ || !end_.rest_is_zero || last.end < last.header.segment_bytes;
  end_.known_end = options_.known_end_lsn != 0 && options_.known_end_lsn + 1 == expected_;
  end_.tail_first_lsn = expected_ - tail_.size();
  for (auto& [offset, body] : tail_) end_.tail.push_back(std::move(body));
  return std::move(end_);
}

}  // namespace

Result<LogEnd> ReadLog(FileSystem& fs, const std::string& dir, const Uuid& uuid, const ReadOptions& options,
                       LogApplier& applier) {
  return LogReader(fs, dir, uuid, options, applier).Read();
}

}  // namespace fornix::wal
