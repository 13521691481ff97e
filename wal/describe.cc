// Printing a log: one line a file, one line a frame.
#include "wal/describe.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "base/coding.h"
#include "wal/record.h"

namespace fornix::wal {
namespace {

template <typename... Args>
void Print(std::string* out, const char* format, Args... args) {
  char line[300];
  std::snprintf(line, sizeof(line), format, args...);
  *out += line;
}

const char* FragmentWord(Fragment fragment) {
  switch (fragment) {
    case Fragment::kFull: return "whole";
    case Fragment::kFirst: return "first part";
    case Fragment::kMiddle: return "middle part";
    case Fragment::kLast: return "last part";
  }
  return "of an unknown kind";
}

bool AllZero(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

void DescribeFrames(std::span<const std::byte> file, uint64_t salt, std::string* out) {
  uint64_t offset = kSegmentDataOffset;
  while (offset + kFrameHeaderBytes <= file.size()) {
    FrameHeader frame;
    if (DecodeFrame(file.subspan(offset), salt, &frame)) {
      Print(out, "%10" PRIu64 "  record %" PRIu64 " %s, %u bytes, durable below %" PRIu64 "\n", offset, frame.lsn,
            FragmentWord(frame.fragment), frame.body_bytes, frame.lsn - frame.undurable + 1);
      offset = AlignUp(offset + kFrameHeaderBytes + frame.body_bytes, kFrameAlignment);
      continue;
    }
    const uint64_t sector_end = std::min<uint64_t>(AlignUp(offset, kLogSectorBytes), file.size());
    if (AllZero(file.subspan(offset, sector_end - offset)) && sector_end != offset) {  // the end of a write call
      offset = sector_end;
      continue;
    }
    // Up to the next frame, or the end: emptiness or rubbish.
    const uint64_t begin = offset;
    do {
      offset += kFrameAlignment;
    } while (offset + kFrameHeaderBytes <= file.size() && !DecodeFrame(file.subspan(offset), salt, &frame));
    const bool end = offset + kFrameHeaderBytes > file.size();
    const uint64_t size = (end ? file.size() : offset) - begin;
    const bool zeros = AllZero(file.subspan(begin, size));
    Print(out, zeros ? "%10" PRIu64 "  nothing written: %" PRIu64 " bytes of zeros\n"
                     : "%10" PRIu64 "  no frame: %" PRIu64 " bytes, torn, damaged or of an earlier use of the file\n",
          begin, size);
  }
}

Status DescribeSegment(FileSystem& fs, const std::string& path, std::string* out) {
  ASSIGN_OR_RETURN(const auto file, fs.Open(path, {}));
  ASSIGN_OR_RETURN(const uint64_t size, file->Size());
  std::vector<std::byte> bytes(size);
  RETURN_IF_ERROR(file->ReadExactAt(0, bytes));
  const auto header = DecodeSegmentHeader(bytes, path);
  if (!header.ok()) {
    *out += header.status().ToString() + "\n";
    return Status::Ok();
  }
  *out += path + "  uuid " + header->uuid.ToString();
  Print(out, "  %" PRIu64 " bytes, salt %016" PRIx64 ", first record %" PRIu64 "%s\n", header->segment_bytes, header->salt,
        header->first_lsn, header->continues ? ", continued from the segment before" : "");
  DescribeFrames(bytes, header->salt, out);
  return Status::Ok();
}

}  // namespace

Result<std::string> DescribeLog(FileSystem& fs, const std::string& dir) {
  ASSIGN_OR_RETURN(const auto names, fs.List(dir));
  std::string out;
  for (const std::string& name : names) {
    uint64_t generation, segment;
    const std::string path = JoinPath(dir, name);
    if (ParseSegmentName(name, &generation, &segment)) {
      const Status status = DescribeSegment(fs, path, &out);
      if (!status.ok()) out += status.ToString() + "\n";
    } else {
      out += path + (IsSpareName(name) ? "  the next segment in the making\n" : "  no file of the log\n");
    }
  }
  return out;
}

}  // namespace fornix::wal
