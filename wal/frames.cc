#include "wal/frames.h"

#include <algorithm>

#include "base/coding.h"
#include "base/errors.h"

namespace fornix::wal {
namespace {

constexpr size_t kReadBytes = 1 << 20;  // the most in one read call: sequential speed is reached at a quarter of it

std::string Number(uint64_t n) { return std::to_string(n); }

}  // namespace

Result<std::span<const std::byte>> Window::At(uint64_t offset, size_t n) {
  if (offset < begin_ || offset + n > begin_ + size_) {
    begin_ = offset;
    buffer_.resize(std::min<uint64_t>(std::max(n, step_), end_ - offset));
    step_ = std::min(step_ * 4, kReadBytes);
    ASSIGN_OR_RETURN(size_, file_.ReadAt(offset, buffer_));
  }
  return std::span<const std::byte>(buffer_).subspan(offset - begin_, begin_ + size_ - offset);
}

Result<ReadSegment> OpenReadSegment(FileSystem& fs, const std::string& dir, const Uuid& uuid, uint64_t generation, uint64_t number) {
  ReadSegment segment;
  segment.path = JoinPath(dir, SegmentName(generation, number));
  ASSIGN_OR_RETURN(segment.file, fs.Open(segment.path, {}));
  std::byte bytes[kLogSectorBytes];
  ASSIGN_OR_RETURN(const size_t n, segment.file->ReadAt(0, bytes));
  ASSIGN_OR_RETURN(segment.header, DecodeSegmentHeader({bytes, n}, segment.path));
  const SegmentHeader& header = segment.header;
  if (header.uuid != uuid) {
    return Corruption(segment.path + ": offset 8: this log is of another database: id " + header.uuid.ToString() +
                      ", expected " + uuid.ToString());
  }
  if (header.generation != generation || header.segment != number) {
    return Corruption(segment.path + ": offset 24: expected segment " + SegmentName(generation, number) +
                      ", found the header of " + SegmentName(header.generation, header.segment));
  }
  ASSIGN_OR_RETURN(const uint64_t size, segment.file->Size());
  segment.end = std::min(size, header.segment_bytes);
  return segment;
}

void FrameReader::StartAt(Lsn lsn) {
  expected_ = lsn;
  partial_ = skipping_ = false;
  parts_.clear();
}

Result<bool> FrameReader::Take(const ReadSegment& segment, uint64_t offset, const FrameHeader& frame,
                               std::span<const std::byte> body, const Sink& sink) {
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
  if (begins && ends) {
    RETURN_IF_ERROR(sink(expected_++, body, end));
    return true;
  }
  partial_ = true;
  if (!skipping_ && collect_) {
    if (parts_.size() + body.size() > kLogRecordBytesMax) return stop("a record above the limit of record size");
    parts_.insert(parts_.end(), body.begin(), body.end());
  }
  if (!ends) return true;
  partial_ = false;
  const Lsn lsn = expected_++;
  if (std::exchange(skipping_, false)) return true;
  const std::vector<std::byte> whole = std::exchange(parts_, {});
  RETURN_IF_ERROR(sink(lsn, whole, end));
  return true;
}

Status FrameReader::Read(const ReadSegment& segment, uint64_t offset, Lsn cut, bool cut_continues, const Sink& sink) {
  Window window(*segment.file, segment.end);
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
    ASSIGN_OR_RETURN(const bool taken, Take(segment, offset, frame, bytes.subspan(kFrameHeaderBytes, frame.body_bytes), sink));
    if (!taken) break;
    offset = AlignUp(offset + frame_bytes, kFrameAlignment);
  }
  stop_offset_ = offset;
  return Status::Ok();
}

Result<bool> JudgeRest(const ReadSegment& segment, const FrameReader& reader) {
  const Lsn expected = reader.expected();
  bool rest_is_zero = true;
  Window window(*segment.file, segment.end);
  uint64_t offset = AlignUp(reader.stop_offset(), kFrameAlignment);
  while (offset + kFrameHeaderBytes <= segment.end) {
    ASSIGN_OR_RETURN(auto bytes, window.At(offset, kFrameHeaderBytes));
    size_t zeros = 0;  // nearly all of a tail is
    while (zeros + 8 <= bytes.size() && LoadFixed<uint64_t>(bytes.data() + zeros) == 0) zeros += 8;
    offset += zeros;
    if (zeros + 8 > bytes.size()) {
      if (zeros == 0) break;
      continue;
    }
    rest_is_zero = false;
    ASSIGN_OR_RETURN(bytes, window.At(offset, kFrameHeaderBytes));
    FrameHeader frame;
    uint64_t frame_bytes = 0;
    // An LSN that far ahead is rubbish; asking first keeps the checksum away from all but a few places.
    if (DecodeFrameHeader(bytes, &frame, &frame_bytes) && offset + frame_bytes <= segment.end && frame.lsn > expected &&
        frame.lsn - expected < (uint64_t{1} << 40) && frame.lsn - expected >= frame.undurable) {
      ASSIGN_OR_RETURN(bytes, window.At(offset, frame_bytes));
      if (DecodeFrame(bytes, segment.header.salt, &frame)) {
        return LostRecord(segment, reader, "record " + Number(frame.lsn) + " at offset " + Number(offset) +
                                               " was written after it was safe on disk");
      }
    }
    offset += kFrameAlignment;
  }
  return rest_is_zero;
}

Status LostRecord(const ReadSegment& segment, const FrameReader& reader, const std::string& witness) {
  return Corruption(segment.path + ": offset " + Number(reader.stop_offset()) + ": record " + Number(reader.expected()) +
                    " is damaged or missing (" + reader.stop_reason() + "), but " + witness);
}

Status CheckFloor(const ReadSegment& first, const LogPosition& floor) {
  if (first.header.first_lsn + (first.header.continues ? 1 : 0) <= floor.lsn) return Status::Ok();
  return Corruption(first.path + ": offset 56: the segment begins with record " + Number(first.header.first_lsn) +
                    ", the data file needs record " + Number(floor.lsn));
}

Status CheckJoint(const ReadSegment& before, const ReadSegment& next, const FrameReader& reader) {
  const SegmentHeader& header = next.header;
  if (header.first_lsn < before.header.first_lsn) {
    return Corruption(next.path + ": offset 56: begins with record " + Number(header.first_lsn) +
                      ", before the first of the segment before");
  }
  if (header.first_lsn > reader.expected()) {
    return LostRecord(before, reader, next.path + " goes on with record " + Number(header.first_lsn));
  }
  if (header.continues && !reader.partial()) return LostRecord(before, reader, next.path + " continues it");
  return Status::Ok();
}

}  // namespace fornix::wal
