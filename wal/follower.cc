#include "wal/follower.h"

#include "base/crc32c.h"
#include "base/errors.h"

namespace fornix::wal {
namespace {
Status Ignore(Lsn, std::span<const std::byte>, uint64_t) { return Status::Ok(); }
}  // namespace

Status LogFollower::Begin() {
  if (segment_) return Status::Ok();
  ASSIGN_OR_RETURN(ReadSegment first, OpenReadSegment(fs_, dir_, uuid_, options_.floor.generation, options_.floor.segment));
  RETURN_IF_ERROR(CheckFloor(first, options_.floor));
  record_ = first.header.first_lsn;
  inside_ = first.header.continues;
  segment_ = std::move(first);
  return Status::Ok();
}

Result<std::optional<ReadSegment>> LogFollower::Next(const ReadSegment& segment) {
  const uint64_t number = segment.header.segment + 1;
  ASSIGN_OR_RETURN(const FileKind kind, fs_.Kind(JoinPath(dir_, SegmentName(options_.floor.generation, number))));
  if (kind == FileKind::kNone) return std::optional<ReadSegment>();
  ASSIGN_OR_RETURN(ReadSegment next, OpenReadSegment(fs_, dir_, uuid_, options_.floor.generation, number));
  return std::optional<ReadSegment>(std::move(next));
}

// *end: what comes after the last whole record; *last: the segment where the search ended, unless it is the position's.
Status LogFollower::Find(Lsn* end, std::optional<ReadSegment>* last) {
  FrameReader reader(record_, inside_, /*collect=*/false);
  std::optional<ReadSegment> later;            // the segment that is read, once it is not segment_
  uint64_t offset = offset_;
  for (;;) {
    const ReadSegment& segment = later ? *later : *segment_;
    // Asked for before reading: if it is there, everything that ever comes into this one is.
    ASSIGN_OR_RETURN(std::optional<ReadSegment> next, Next(segment));
    const Lsn cut = next ? next->header.first_lsn : kNever;
    RETURN_IF_ERROR(reader.Read(segment, offset, cut, next && next->header.continues, Ignore));
    if (!next) break;
    if (Status joint = CheckJoint(segment, *next, reader); !joint.ok()) return joint;
    if (!next->header.continues) reader.StartAt(next->header.first_lsn);
    later = std::move(next);
    offset = kSegmentDataOffset;
  }
  const ReadSegment& segment = later ? *later : *segment_;
  *end = reader.expected();
  if (first_look_) {
    const Status judged = JudgeRest(segment, reader).status();
    if (!judged.ok()) {
      // The witness is younger than the stop: by now the frame there is whole, if it ever was.
      const uint64_t stop = reader.stop_offset();
      RETURN_IF_ERROR(reader.Read(segment, stop, kNever, false, Ignore));
      if (reader.stop_offset() == stop) return judged;
      *end = reader.expected();
    }
  }
  *last = std::move(later);
  return Status::Ok();
}

// A record that was applied before comes again behind a recovery: false if it is another one.
Result<bool> LogFollower::Take(Lsn lsn, std::span<const std::byte> body, LogApplier& applier) {
  if (lsn < options_.floor.lsn) return true;
  const uint32_t crc = Crc32c(body);
  if (lsn < next_) {
    for (const auto& [known, known_crc, size] : applied_) {
      if (known == lsn) return known_crc == crc && size == body.size();
    }
    return false;
  }
  RETURN_IF_ERROR(applier.Apply(lsn, body));
  next_ = lsn + 1;
  applied_.emplace_back(lsn, crc, body.size());
  applied_bytes_ += body.size() + kFrameHeaderBytes;
  while (applied_.size() > 1) {
    const size_t oldest = std::get<2>(applied_.front()) + kFrameHeaderBytes;
    if (applied_bytes_ - oldest < 2 * kLogWriteBytesMax) break;
    applied_bytes_ -= oldest;
    applied_.pop_front();
  }
  return true;
}

Result<Progress> LogFollower::Apply(Lsn end, LogApplier& applier) {
  const Lsn before = next_;
  bool same = true;
  FrameReader reader(record_, inside_);
  // The position moves along with the records: to the end of the last one, in the segment where that is.
  auto sink = [&](Lsn lsn, std::span<const std::byte> body, uint64_t end_offset) -> Status {
    ASSIGN_OR_RETURN(same, Take(lsn, body, applier));
    if (!same) return Status(Code::kInternal, "");
    offset_ = end_offset;
    record_ = lsn + 1;
    inside_ = false;
    return Status::Ok();
  };
  std::optional<ReadSegment> later;
  uint64_t offset = offset_;
  for (;;) {
    const ReadSegment& segment = later ? *later : *segment_;
    ASSIGN_OR_RETURN(std::optional<ReadSegment> next, Next(segment));
    const Lsn cut = next ? std::min(next->header.first_lsn, end) : end;
    const bool cut_continues = next && next->header.continues && next->header.first_lsn < end;
    const Lsn record = record_;
    const Status status = reader.Read(segment, offset, cut, cut_continues, sink);
    if (!same) return Progress::kRewritten;
    RETURN_IF_ERROR(status);
    if (later && record_ != record) segment_ = std::move(later);   // a record ended in it: the position is there now
    if (!next || next->header.first_lsn > end || (next->header.first_lsn == end && !next->header.continues)) break;
    // Only what 1 has found is read, so the joints are good.
    if (!next->header.continues) {
      reader.StartAt(next->header.first_lsn);
      segment_ = std::move(next);
      later.reset();
      offset_ = kSegmentDataOffset;
      record_ = segment_->header.first_lsn;
      inside_ = false;
    } else {
      later = std::move(next);
    }
    offset = kSegmentDataOffset;
  }
  return next_ > before ? Progress::kAdvanced : Progress::kNothing;
}

Result<Progress> LogFollower::Poll(LogApplier& applier) {
  RETURN_IF_ERROR(Begin());
  Lsn end = 0;
  std::optional<ReadSegment> last;
  RETURN_IF_ERROR(Find(&end, &last));
  if (end < next_) {
    if (!first_look_) return Progress::kRewritten;
    return Corruption((last ? last->path : segment_->path) + ": record " + std::to_string(end) +
                      " is damaged or missing, but the data file needs records from " + std::to_string(next_) + " on");
  }
  if (first_look_ && options_.known_end_lsn >= end) {
    return Corruption((last ? last->path : segment_->path) + ": record " + std::to_string(end) +
                      " is damaged or missing, but the data file was closed after record " + std::to_string(options_.known_end_lsn));
  }
  Progress progress = Progress::kNothing;
  if (end > next_ || last) {
    RETURN_IF_ERROR((last ? *last : *segment_).file->Sync());
    ASSIGN_OR_RETURN(progress, Apply(end, applier));
  }
  first_look_ = false;
  return progress;
}

}  // namespace fornix::wal
