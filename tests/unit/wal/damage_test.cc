// Damaged logs: cut at every byte, every bit flipped, zeroed, stale, foreign, from the future. The judge is always the
// list of records that were written: a recovery gives a prefix of it, or an error that names file and offset.
#include <catch2/catch.hpp>

#include "base/crc32c.h"
#include "base/random.h"
#include "tests/unit/wal/log_harness.h"

namespace fornix::wal {
namespace {

bool IsPrefix(const std::vector<std::string>& part, const std::vector<std::string>& all) {
  return part.size() <= all.size() && std::equal(part.begin(), part.end(), all.begin());
}

// A log of `n` records, each its own write; `offsets` is where each begins in the first segment.
struct Written {
  FaultFileSystem fs;
  std::vector<std::string> texts;
  std::vector<uint64_t> offsets;
};
void Write(Written* log, int n, uint64_t seed, size_t size_max = 400) {
  Random random(seed);
  const uint64_t segment_bytes = static_cast<uint64_t>(n) * 1024 + (8 << 10);  // all of it in one segment
  auto writer = NewLog(log->fs, TestOptions(segment_bytes, segment_bytes));
  for (int i = 0; i < n; ++i) {
    log->texts.push_back(std::to_string(i) + "/" + std::string(random.Below(size_max), static_cast<char>('a' + i % 26)));
    log->offsets.push_back(writer->log_bytes());
    REQUIRE(Commit(*writer, log->texts.back()).ok());
  }
  log->offsets.push_back(writer->log_bytes());
}

// Damages, recovers, repairs. The records before the damage must come, none after it, or Corruption that says where.
void CheckDamaged(Written& log, const std::string& what, uint64_t offset, std::span<const std::byte> bytes,
                  uint64_t* corruptions) {
  const std::string path = SegmentPath(1);
  std::vector<std::byte> before(bytes.size());
  REQUIRE(log.fs.Open(path, {}).value()->ReadExactAt(offset, before).ok());
  REQUIRE(Overwrite(log.fs, path, offset, bytes).ok());
  const Recovered got = Recover(log.fs);
  INFO(what << " at offset " << offset << ": " << got.status.ToString());
  if (got.status.ok()) {
    REQUIRE(IsPrefix(got.texts, log.texts));
    // All records that lie wholly before the damage are there.
    const auto whole = std::upper_bound(log.offsets.begin(), log.offsets.end(), offset) - log.offsets.begin() - 1;
    REQUIRE(got.texts.size() >= static_cast<size_t>(std::max<ptrdiff_t>(whole, 0)));
  } else {
    REQUIRE(got.status.code() == Code::kCorruption);
    REQUIRE(got.status.message().find(path + ": offset ") == 0);
    ++*corruptions;
  }
  REQUIRE(Overwrite(log.fs, path, offset, before).ok());
}

TEST_CASE("a log cut at every byte of its last 4 KiB gives the whole records before the cut, and goes on") {
  Written log;
  Write(&log, 40, 1);
  const uint64_t end = log.offsets.back();
  for (uint64_t cut = end; cut > end - 4096; --cut) {
    auto disk = log.fs.Copy();
    OpenOptions options;
    options.write = true;
    REQUIRE(disk->Open(SegmentPath(1), options).value()->Truncate(cut).ok());
    Recovered got = Recover(*disk);
    INFO("cut=" << cut << " " << got.status.ToString());
    REQUIRE(got.status.ok());
    REQUIRE(IsPrefix(got.texts, log.texts));
    // A record may be whole before its padding is: so compare with where its bytes end.
    const auto whole = std::upper_bound(log.offsets.begin(), log.offsets.end(), cut) - log.offsets.begin() - 1;
    REQUIRE(got.texts.size() >= static_cast<size_t>(whole));
    if (cut % 64 != 0) continue;
    std::vector<std::string> expected = got.texts;
    auto writer = LogWriter::Continue(*disk, kDir, TestUuid(), std::move(got.end), TestOptions()).value();
    REQUIRE(Commit(*writer, "next").ok());
    expected.push_back("next");
    REQUIRE(Recover(*disk).texts == expected);
  }
}

TEST_CASE("every bit flipped in the last three records: a prefix, or damage that a later record proves") {
  Written log;
  Write(&log, 20, 2, 120);
  uint64_t corruptions = 0, flips = 0;
  for (uint64_t offset = log.offsets[17]; offset < log.offsets[20]; ++offset) {
    std::byte value;
    REQUIRE(log.fs.Open(SegmentPath(1), {}).value()->ReadExactAt(offset, {&value, 1}).ok());
    for (int bit = 0; bit < 8; ++bit) {
      const std::byte flipped = value ^ static_cast<std::byte>(1 << bit);
      CheckDamaged(log, "flip", offset, {&flipped, 1}, &corruptions);
      ++flips;
    }
  }
  // Records 17 and 18 are followed by one that knew them durable: nearly all flips in them are found out.
  CHECK(flips >= 3 * 512 * 8);
  CHECK(corruptions > 1000);
}

TEST_CASE("a flip in a record that a later write followed is corruption, never a short log") {
  Written log;
  Write(&log, 10, 3);
  for (size_t record = 0; record < 9; ++record) {
    for (const uint64_t at : {0, 4, 8, 16, 20, 21, 24}) {  // length, checksum, LSN, durable mark, fragment, kind, body
      uint64_t corruptions = 0;
      const uint64_t offset = log.offsets[record] + at;
      std::byte value;
      REQUIRE(log.fs.Open(SegmentPath(1), {}).value()->ReadExactAt(offset, {&value, 1}).ok());
      value ^= std::byte{0x10};
      CheckDamaged(log, "flip", offset, {&value, 1}, &corruptions);
      CHECK(corruptions == 1);
    }
  }
}

TEST_CASE("every bit of the segment header: an error that names the file, or no difference") {
  Written log;
  Write(&log, 3, 4);
  for (uint64_t offset = 0; offset < kLogSectorBytes; ++offset) {
    std::byte value;
    REQUIRE(log.fs.Open(SegmentPath(1), {}).value()->ReadExactAt(offset, {&value, 1}).ok());
    for (int bit = 0; bit < 8; ++bit) {
      uint64_t corruptions = 0;
      const std::byte flipped = value ^ static_cast<std::byte>(1 << bit);
      CheckDamaged(log, "flip", offset, {&flipped, 1}, &corruptions);
      CHECK(corruptions == (offset < kSegmentHeaderBytes ? 1 : 0));
    }
  }
}

TEST_CASE("random damage anywhere gives a prefix or an error") {
  Written log;
  Write(&log, 60, 5);
  const uint64_t seed = 6;
  Random random(seed);
  uint64_t corruptions = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::byte> bytes(1 + random.Below(random.OneIn(4) ? 5000 : 20));
    const bool zero = random.OneIn(3);
    for (auto& b : bytes) b = zero ? std::byte{0} : static_cast<std::byte>(random.Next());
    const uint64_t offset = random.Below(log.offsets.back() - bytes.size());
    CheckDamaged(log, "seed=6 round " + std::to_string(round), offset, bytes, &corruptions);
  }
  CHECK(corruptions > 500);
}

TEST_CASE("a zeroed tail is cut; zeros with a later record behind them are damage") {
  Written log;
  Write(&log, 10, 7);
  const auto zero = [&](size_t from, size_t to) {
    auto disk = log.fs.Copy();
    const std::vector<std::byte> zeros(log.offsets[to] - log.offsets[from]);
    REQUIRE(Overwrite(*disk, SegmentPath(1), log.offsets[from], zeros).ok());
    return Recover(*disk);
  };
  const Recovered tail = zero(7, 10);
  REQUIRE(tail.status.ok());
  CHECK(tail.texts.size() == 7);
  CHECK(tail.end.rest_is_zero);
  const Recovered hole = zero(7, 8);
  CHECK(hole.status.code() == Code::kCorruption);
  CHECK(hole.status.message().find("record 8 is damaged or missing") != std::string::npos);
}

TEST_CASE("a lost tail is found out when the data file knows how far the log went") {
  Written log;
  Write(&log, 10, 8);
  const std::vector<std::byte> zeros(log.offsets[10] - log.offsets[9]);
  REQUIRE(Overwrite(log.fs, SegmentPath(1), log.offsets[9], zeros).ok());
  ReadOptions options;
  options.known_end_lsn = 10;
  CHECK(Recover(log.fs, options).status.code() == Code::kCorruption);
  options.known_end_lsn = 9;
  const Recovered got = Recover(log.fs, options);
  CHECK(got.status.ok());
  CHECK(got.end.known_end);
}

TEST_CASE("a valid record after a torn one in the same write is not applied") {
  FaultFileSystem fs;
  auto writer = NewLog(fs);
  REQUIRE(Commit(*writer, "one").ok());
  const uint64_t group = writer->log_bytes();
  REQUIRE(writer->Append(Entry(std::string(1000, '2'))).ok());
  const Lsn last = writer->Append(Entry("three")).value();
  REQUIRE(writer->WaitDurable(last).ok());
  const std::byte rubbish{1};
  REQUIRE(Overwrite(fs, SegmentPath(1), group + 600, {&rubbish, 1}).ok());
  const Recovered got = Recover(fs);
  REQUIRE(got.status.ok());  // the group was one write: nobody can know that it had been acknowledged
  CHECK(got.texts == std::vector<std::string>{"one"});
  CHECK(got.end.torn);
  CHECK(got.end.next_lsn == 2);
}

TEST_CASE("the log of another database is refused by name") {
  Written log;
  Write(&log, 2, 9);
  const Recovered got = Recover(log.fs, {}, TestUuid(2));
  CHECK(got.status.code() == Code::kCorruption);
  CHECK(got.status.message().find("of another database") != std::string::npos);
  CHECK(got.status.message().find(TestUuid(1).ToString()) != std::string::npos);
}

// Rewrites the frame at `offset` with a right checksum.
void Forge(FileSystem& fs, const std::string& path, uint64_t offset, FrameHeader frame, std::string_view body) {
  const auto segment = ReadAll(fs, path);
  const uint64_t salt = DecodeSegmentHeader(segment, path)->salt;
  std::vector<std::byte> bytes(kFrameHeaderBytes + body.size());
  EncodeFrame(frame, AsBytes(body), salt, bytes.data());
  bytes.resize(AlignUp(bytes.size(), kLogSectorBytes));
  REQUIRE(Overwrite(fs, path, offset, bytes).ok());
}

TEST_CASE("a record of a kind from the future is an error that says so, not a short log") {
  Written log;
  Write(&log, 2, 10);
  FrameHeader frame;
  frame.lsn = 3;
  frame.undurable = 1;
  frame.kind = static_cast<FrameKind>(9);
  Forge(log.fs, SegmentPath(1), log.offsets[2], frame, "future");
  const Recovered got = Recover(log.fs);
  CHECK(got.status.code() == Code::kCorruption);
  CHECK(got.status.message().find("is of kind 9/1") != std::string::npos);
  CHECK(got.status.message().find("the version that wrote it") != std::string::npos);
}

TEST_CASE("a segment of a newer format is an error that says so") {
  Written log;
  Write(&log, 2, 11);
  auto bytes = ReadAll(log.fs, SegmentPath(1));
  StoreFixed(bytes.data() + 4, uint32_t{2});
  StoreFixed(bytes.data() + 76, Crc32c(std::span(bytes).first(76)));
  REQUIRE(Overwrite(log.fs, SegmentPath(1), 0, bytes).ok());
  CHECK(Recover(log.fs).status.message().find("log format 2") != std::string::npos);
}

TEST_CASE("fragments without a beginning, without an end, mixed or short are never joined to a record") {
  const auto forged = [](std::vector<std::pair<Fragment, Lsn>> fragments) {
    FaultFileSystem fs;
    auto writer = NewLog(fs);
    REQUIRE(Commit(*writer, "one").ok());
    uint64_t offset = writer->log_bytes();
    for (const auto& [fragment, lsn] : fragments) {
      FrameHeader frame;
      frame.lsn = lsn;
      frame.undurable = static_cast<uint32_t>(lsn - 1);
      frame.fragment = fragment;
      Forge(fs, SegmentPath(1), offset, frame, "part");
      offset += kLogSectorBytes;
    }
    return Recover(fs);
  };
  using F = Fragment;
  for (const auto& fragments : std::vector<std::vector<std::pair<F, Lsn>>>{
           {{F::kLast, 2}},
           {{F::kMiddle, 2}},
           {{F::kFirst, 2}},
           {{F::kFirst, 2}, {F::kLast, 2}},       // a first that doesn't fill its segment
           {{F::kFirst, 2}, {F::kFull, 3}},
           {{F::kFirst, 2}, {F::kMiddle, 3}, {F::kLast, 2}},
           {{F::kFull, 3}},                       // a hole in the LSNs
           {{F::kFull, 1}},                       // one twice
       }) {
    const Recovered got = forged(fragments);
    INFO(got.status.ToString());
    CHECK(got.status.ok());
    CHECK(got.texts == std::vector<std::string>{"one"});
    CHECK(got.end.torn);
  }
}

TEST_CASE("a record whose last fragment is missing is cut whole, and its LSN is given again") {
  FaultFileSystem fs;
  auto writer = NewLog(fs);
  REQUIRE(Commit(*writer, "one").ok());
  REQUIRE(Commit(*writer, std::string(100000, 'L')).ok());
  REQUIRE(Commit(*writer, std::string(100000, 'M')).ok());
  writer.reset();
  // The third record's end lies in segment 4; its middle in 3.
  REQUIRE(fs.Kind(SegmentPath(4)).value() == FileKind::kFile);
  const std::vector<std::byte> zeros(64 << 10);
  REQUIRE(Overwrite(fs, SegmentPath(4), kSegmentDataOffset, std::span(zeros).subspan(kSegmentDataOffset)).ok());
  Recovered got = Recover(fs);
  REQUIRE(got.status.ToString() == "ok");
  CHECK(got.texts == std::vector<std::string>{"one", std::string(100000, 'L')});
  CHECK(got.end.torn);
  for (int round = 0; round < 3; ++round) {
    auto next = LogWriter::Continue(fs, kDir, TestUuid(), std::move(got.end), TestOptions()).value();
    REQUIRE(Commit(*next, std::string(70000, 'N')).ok());
    next.reset();
    got = Recover(fs);
    REQUIRE(got.status.ToString() == "ok");
    CHECK(got.texts.size() == static_cast<size_t>(3 + round));
    CHECK(got.texts.back() == std::string(70000, 'N'));
  }
}

TEST_CASE("a missing segment, in the middle or at the floor, and a missing directory are corruption by name") {
  FaultFileSystem fs;
  auto writer = NewLog(fs);
  for (int i = 0; i < 5; ++i) REQUIRE(Commit(*writer, std::string(50000, 'a')).ok());
  for (const uint64_t number : {1, 2, 3}) {
    auto disk = fs.Copy();
    REQUIRE(disk->RemoveFile(SegmentPath(number)).ok());
    const Status status = Recover(*disk).status;
    CHECK(status.code() == Code::kCorruption);
    CHECK(status.message() == SegmentPath(number) + ": this segment of the log is missing");
  }
  FaultFileSystem empty;
  CHECK(Recover(empty).status.message().find(kDir + ": the log is missing") == 0);
}

TEST_CASE("damage at the end of a segment that another follows is corruption") {
  FaultFileSystem fs;
  auto writer = NewLog(fs);
  for (int i = 0; i < 8; ++i) REQUIRE(Commit(*writer, std::string(15000, static_cast<char>('a' + i))).ok());
  REQUIRE(fs.Kind(SegmentPath(2)).value() == FileKind::kFile);
  const std::byte rubbish{1};
  REQUIRE(Overwrite(fs, SegmentPath(1), 60000, {&rubbish, 1}).ok());
  const Status status = Recover(fs).status;
  CHECK(status.code() == Code::kCorruption);
  CHECK(status.message().find(SegmentPath(1) + ": offset ") == 0);
  CHECK(status.message().find(SegmentPath(2)) != std::string::npos);
}

TEST_CASE("files that are not the log's are left alone, and swapped segments are found out") {
  FaultFileSystem fs;
  auto writer = NewLog(fs);
  for (int i = 0; i < 5; ++i) REQUIRE(Commit(*writer, std::string(50000, 'a')).ok());
  OpenOptions options;
  options.write = options.create = true;
  REQUIRE(fs.Open(JoinPath(kDir, "notes.txt"), options).ok());
  REQUIRE(fs.Open(JoinPath(kDir, "1-1.log"), options).ok());
  CHECK(Recover(fs).texts.size() == 5);
  REQUIRE(fs.Rename(SegmentPath(2), SegmentPath(3)).ok());
  REQUIRE(Overwrite(fs, SegmentPath(3), 100, {}).ok());
  CHECK(Recover(fs).status.code() == Code::kCorruption);
}

}  // namespace
}  // namespace fornix::wal
