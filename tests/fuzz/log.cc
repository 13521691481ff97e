#include <algorithm>

#include "storage/page/root_slots.h"
#include "tests/corrupt/content.h"
#include "tests/corrupt/sample.h"
#include "tests/fuzz/target.h"
#include "wal/record.h"

namespace fornix::fuzz {

namespace {

using corrupt::kSamplePath;

constexpr uint64_t kSegmentBytes = 64 << 10;
constexpr uint64_t kSalt = 0x5a175a175a175a17;

Uuid FixedUuid() {
  Uuid uuid;
  uuid.bytes.fill(std::byte{0x42});
  return uuid;
}

// Segments in the making.
class LogFiles {
 public:
  explicit LogFiles(FileSystem& files) : files_(files) { Begin(1, false); }
  void Frame(const wal::FrameHeader& header, std::span<const std::byte> body) {
    const size_t at = bytes_.size(), size = wal::AlignUp(wal::kFrameHeaderBytes + body.size(), wal::kFrameAlignment);
    if (at + size > kSegmentBytes) return;
    bytes_.resize(at + size);
    wal::EncodeFrame(header, body, kSalt, bytes_.data() + at);
    last_ = header.lsn;
  }
  void Sector() { bytes_.resize(wal::AlignUp(bytes_.size(), kLogSectorBytes)); }
  void Next(Lsn first, bool continues) {
    if (number_ == 8) return;
    End();
    Begin(first, continues);
  }
  void End() {
    bytes_.resize(kSegmentBytes);
    (void)corrupt::PutFile(files_, JoinPath(std::string(kSamplePath) + "-log", wal::SegmentName(1, number_)), bytes_);
  }
  Lsn next() const { return last_ + 1; }

 private:
  void Begin(Lsn first, bool continues) {
    ++number_;
    bytes_.assign(wal::kSegmentDataOffset, std::byte{});
    wal::SegmentHeader header;
    header.uuid = FixedUuid();
    header.generation = 1;
    header.segment = number_;
    header.segment_bytes = kSegmentBytes;
    header.salt = kSalt;
    header.first_lsn = first;
    header.continues = continues;
    wal::EncodeSegmentHeader(header, std::span<std::byte, kLogSectorBytes>(bytes_.data(), kLogSectorBytes));
  }
  FileSystem& files_;
  uint64_t number_ = 0;
  Lsn last_ = 0;
  std::vector<std::byte> bytes_;
};

void Records(Input in, LogFiles* log) {
  while (!in.empty()) {
    const auto body = in.Bytes(in.U16());
    wal::FrameHeader header;
    header.body_bytes = static_cast<uint32_t>(body.size());
    header.lsn = log->next();
    header.undurable = 1;
    header.fragment = wal::Fragment::kFull;
    log->Frame(header, body);
  }
  log->End();
}

void Frames(Input in, LogFiles* log) {
  while (!in.empty()) {
    const uint8_t flags = in.U8();
    const auto lsn = static_cast<int8_t>(in.U8());
    const uint8_t undurable = in.U8();
    wal::FrameHeader header;
    header.lsn = log->next() + static_cast<uint64_t>(static_cast<int64_t>(lsn));
    if ((flags & 0x08) != 0) log->Next(header.lsn, (flags & 0x10) != 0);
    if ((flags & 0x20) != 0) log->Sector();
    const auto body = in.Bytes(in.U16());
    header.fragment = static_cast<wal::Fragment>(flags & 7);
    header.kind = static_cast<wal::FrameKind>((flags >> 6) + 1);
    header.undurable = undurable;
    header.body_bytes = static_cast<uint32_t>(body.size());
    log->Frame(header, body);
  }
  log->End();
}

}  // namespace

void FuzzLog(std::span<const uint8_t> input) {
  const auto disk = corrupt::EmptyDisk();
  storage::Root root;
  root.uuid = FixedUuid();
  Expect(storage::RootSlots::Create(*disk, kSamplePath, root).ok(), "no data file");
  Expect(disk->CreateDir(std::string(kSamplePath) + "-log").ok(), "no folder");
  Input in(input);
  const uint8_t mode = in.U8();
  if (mode == 0) {
    (void)corrupt::PutFile(*disk, JoinPath(std::string(kSamplePath) + "-log", wal::SegmentName(1, 1)), in.Bytes(1 << 20));
  } else {
    LogFiles log(*disk);
    (mode == 1 ? Records : Frames)(in, &log);
  }
  const auto read = corrupt::ReadDatabase(*disk, kSamplePath, corrupt::SampleOptions());
  const auto written = corrupt::WriteDatabase(*disk, kSamplePath, corrupt::SampleOptions());
  // What recovery accepts it has understood: all ways lead to the same, and it is the same once more after a commit and a close.
  if (read.ok()) {
    Expect(("\n" + read->content).find("\nDISAGREES ") == std::string::npos, read->content);   // a text may hold the word
    if (written.ok()) Expect(read->content == written->content, "read:\n" + read->content + "written:\n" + written->content);
  }
  if (written.ok()) Expect(written->content == written->after, "before:\n" + written->content + "after:\n" + written->after);
}

}  // namespace fornix::fuzz
