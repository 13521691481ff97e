// What goes into a log comes out of it: order, fragments, segments, generations, floors, damage that is named.
#include <catch2/catch.hpp>
#include <algorithm>
#include <set>

#include "tests/unit/wal/log_harness.h"

namespace fornix::wal {
namespace {

std::string Big(size_t n, char c) { return std::string(n, c); }

TEST_CASE("a log gives back its records in order, also after a second recovery") {
  FaultFileSystem fs;
  std::vector<std::string> expected;
  {
    auto log = NewLog(fs);
    REQUIRE(log != nullptr);
    for (int i = 0; i < 300; ++i) {
      expected.push_back("record " + std::to_string(i) + Big(static_cast<size_t>(i * 7 % 900), 'x'));
      REQUIRE(Commit(*log, expected.back()).ok());
    }
    CHECK(log->next_lsn() == 301);
    CHECK(log->durable_lsn() == 300);
    REQUIRE(log->Close().ok());
  }
  for (int round = 0; round < 2; ++round) {
    const Recovered got = Recover(fs);
    REQUIRE(got.status.ToString() == "ok");
    CHECK(got.texts == expected);
    CHECK(got.end.next_lsn == 301);
    CHECK_FALSE(got.end.torn);
  }
}

TEST_CASE("an empty record and an empty log are fine") {
  FaultFileSystem fs;
  auto log = NewLog(fs);
  CHECK(Recover(fs).texts.empty());
  CHECK(HasRecords(fs, kDir).value() == false);
  REQUIRE(Commit(*log, "").ok());
  CHECK(Recover(fs).texts == std::vector<std::string>{""});
  CHECK(HasRecords(fs, kDir).value());
}

TEST_CASE("a record may be larger than a segment, of any size around the boundaries") {
  for (const size_t size : {60 << 10, (60 << 10) + 1, 61416, 61400, 61392, 61384, 200000, 1 << 20, 3000001}) {
    FaultFileSystem fs;
    auto log = NewLog(fs);
    const std::vector<std::string> expected{"before", Big(size, 'B'), "after", Big(size, 'C'), "end"};
    for (const auto& text : expected) REQUIRE(Commit(*log, text).ok());
    const Recovered got = Recover(fs);
    REQUIRE(got.status.ToString() == "ok");
    CHECK(got.texts == expected);
  }
}

TEST_CASE("records queued together are one write, each still its own record") {
  FaultFileSystem fs;
  auto log = NewLog(fs);
  std::vector<std::string> expected;
  Lsn last = 0;
  std::vector<Lsn> completed;
  for (int i = 0; i < 40; ++i) {
    expected.push_back("text " + std::to_string(i));
    auto entry = Entry(expected.back());
    entry->done = [&completed, i](const Status& status) {
      REQUIRE(status.ok());
      completed.push_back(static_cast<Lsn>(i + 1));
    };
    last = log->Append(std::move(entry)).value();
  }
  CHECK(completed.empty());
  const uint64_t writes = fs.counters().writes;
  REQUIRE(log->WaitDurable(last).ok());
  CHECK(fs.counters().writes == writes + 1);
  REQUIRE(completed.size() == 40);
  CHECK(std::is_sorted(completed.begin(), completed.end()));
  CHECK(Recover(fs).texts == expected);
}

TEST_CASE("Kick writes what is queued without anyone waiting") {
  FaultFileSystem fs;
  auto log = NewLog(fs);
  bool done = false;
  auto entry = Entry("a");
  entry->done = [&](const Status& status) {
    done = status.ok();
    // From a completion the log may be used, and nothing is lost or overtaken.
    REQUIRE(log->Append(Entry("b")).ok());
    log->Kick();
  };
  REQUIRE(log->Append(std::move(entry)).ok());
  log->Kick();
  CHECK(done);
  CHECK(Recover(fs).texts == std::vector<std::string>{"a", "b"});
}

TEST_CASE("after a clean close the log goes on in its last segment, after a crash in a fresh one") {
  FaultFileSystem fs;
  {
    auto log = NewLog(fs);
    REQUIRE(Commit(*log, "one").ok());
    REQUIRE(log->Close().ok());
  }
  ReadOptions clean;
  clean.known_end_lsn = 1;
  for (const bool known : {true, false}) {
    auto disk = fs.Copy();
    Recovered got = Recover(*disk, known ? clean : ReadOptions{});
    auto log = LogWriter::Continue(*disk, kDir, TestUuid(), std::move(got.end), TestOptions()).value();
    REQUIRE(Commit(*log, "two").ok());
    REQUIRE(log->Close().ok());
    CHECK(Recover(*disk).texts == std::vector<std::string>{"one", "two"});
    CHECK((disk->Kind(SegmentPath(2)).value() == FileKind::kFile) == !known);
  }
}

TEST_CASE("a record that recovery cut never comes back, even if its bytes become whole again") {
  FaultFileSystem fs;
  auto log = NewLog(fs);
  REQUIRE(Commit(*log, "one").ok());
  REQUIRE(Commit(*log, "two").ok());
  const std::vector<std::byte> whole = ReadAll(fs, SegmentPath(1));
  // "two" is torn, recovery cuts it and goes on with another record of the same LSN.
  const std::byte torn{0x55};
  REQUIRE(Overwrite(fs, SegmentPath(1), kSegmentDataOffset + kLogSectorBytes + 25, {&torn, 1}).ok());
  Recovered got = Recover(fs);
  REQUIRE(got.texts == std::vector<std::string>{"one"});
  CHECK(got.end.torn);
  auto next = LogWriter::Continue(fs, kDir, TestUuid(), std::move(got.end), TestOptions()).value();
  REQUIRE(Commit(*next, "other two").ok());
  REQUIRE(Overwrite(fs, SegmentPath(1), 0, whole).ok());
  got = Recover(fs);
  REQUIRE(got.status.ToString() == "ok");
  CHECK(got.texts == std::vector<std::string>{"one", "other two"});
}

TEST_CASE("after a failed write the writer takes nothing more, and says why each time") {
  for (const Fault fault : {Fault::kIoError, Fault::kNoSpace, Fault::kShortWrite, Fault::kFailedSync}) {
    FaultFileSystem fs;
    auto log = NewLog(fs);
    REQUIRE(Commit(*log, "one").ok());
    fs.FailCall(0, fault, false);
    Status reported;
    auto entry = Entry("two");
    entry->done = [&](const Status& status) { reported = status; };
    const Lsn lsn = log->Append(std::move(entry)).value();
    const Status status = log->WaitDurable(lsn);
    CHECK(status.code() == Code::kIoError);
    CHECK(status.message().find(SegmentPath(1)) != std::string::npos);
    CHECK(reported.code() == Code::kIoError);
    CHECK(log->WaitDurable(1).ok());
    CHECK(log->Append(Entry("three")).status().message() == status.message());
    CHECK(log->durable_lsn() == 1);
    CHECK(log->Close().message() == status.message());
    const Recovered got = Recover(fs);  // reading goes on; the outcome of "two" was unknown and is known now
    REQUIRE(got.status.ok());
    REQUIRE(got.texts.size() >= 1);
    CHECK(got.texts[0] == "one");
    CHECK(got.texts.size() <= 2);
  }
}

TEST_CASE("a record that was only in the cache after a failed sync is made durable before anything follows it") {
  FaultFileSystem fs;
  auto log = NewLog(fs);
  REQUIRE(Commit(*log, "one").ok());
  fs.FailCall(0, Fault::kFailedSync, false);
  REQUIRE_FALSE(Commit(*log, "two").ok());
  log.reset();
  // The same machine opens again: the cache shows "two", the disk may not hold it, and no sync brings it there.
  Recovered got = Recover(fs);
  REQUIRE(got.texts == std::vector<std::string>{"one", "two"});
  log = LogWriter::Continue(fs, kDir, TestUuid(), std::move(got.end), TestOptions()).value();
  REQUIRE(Commit(*log, "three").ok());
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (const Damage damage : kAllDamage) {
      auto image = fs.ImageAt(fs.op_count(), damage, seed);
      got = Recover(*image);
      REQUIRE(got.status.ToString() == "ok");
      CHECK(got.texts == std::vector<std::string>{"one", "two", "three"});
    }
  }
}

TEST_CASE("records below the floor are not applied and segments below it are removed or used again") {
  FaultFileSystem fs;
  auto log = NewLog(fs);
  std::vector<std::string> all;
  for (int i = 1; i <= 400; ++i) {
    all.push_back(std::to_string(i) + Big(1000, 'f'));
    REQUIRE(Commit(*log, all.back()).ok());
  }
  ReadOptions options;
  options.floor = log->FloorFor(250);
  CHECK(options.floor.segment > 1);
  const uint64_t before = log->log_bytes();
  REQUIRE(log->RemoveBelow(options.floor).ok());
  CHECK(log->log_bytes() < before);
  CHECK(fs.Kind(SegmentPath(1)).value() == FileKind::kNone);
  CHECK(fs.Kind(JoinPath(kDir, SpareName(1))).value() == FileKind::kFile);
  // The recycled file holds old frames; its new salt keeps them silent at every length of the new content.
  for (int i = 401; i <= 520; ++i) {
    all.push_back(std::to_string(i) + Big(1000, 'f'));
    REQUIRE(Commit(*log, all.back()).ok());
    const Recovered got = Recover(fs, options);
    REQUIRE(got.status.ToString() == "ok");
    REQUIRE(got.texts == std::vector<std::string>(all.begin() + 249, all.end()));
  }
  CHECK(Recover(fs).status.code() == Code::kCorruption);  // from the old floor: its segment is gone
  std::set<uint64_t> salts;
  const auto names = fs.List(kDir).value();
  for (const auto& name : names) {
    salts.insert(DecodeSegmentHeader(ReadAll(fs, JoinPath(kDir, name)), name)->salt);
  }
  CHECK(salts.size() == names.size());  // each use of a file has its own
}

TEST_CASE("a floor inside a record that spans segments leaves the record out") {
  FaultFileSystem fs;
  auto log = NewLog(fs);
  const std::vector<std::string> all{"one", Big(150000, 'L'), "three"};
  for (const auto& text : all) REQUIRE(Commit(*log, text).ok());
  ReadOptions options;
  options.floor = log->FloorFor(3);
  CHECK(options.floor.segment == 3);
  REQUIRE(log->RemoveBelow(options.floor).ok());
  const Recovered got = Recover(fs, options);
  REQUIRE(got.status.ToString() == "ok");
  CHECK(got.texts == std::vector<std::string>{"three"});
  CHECK(log->FloorFor(2).segment == 3);  // what is removed can't be asked for again
}

TEST_CASE("a new generation replaces the old one when the root says so, and not before") {
  FaultFileSystem fs;
  auto log = NewLog(fs);
  REQUIRE(Commit(*log, "old one").ok());
  REQUIRE(Commit(*log, "old two").ok());
  REQUIRE(log->Close().ok());
  auto compact = NewLog(fs, TestOptions(), {2, 1, 3});
  REQUIRE(Commit(*compact, "both").ok());
  CHECK(Recover(fs).texts == std::vector<std::string>{"old one", "old two"});
  ReadOptions options;
  options.floor = {2, 1, 3};
  Recovered got = Recover(fs, options);
  CHECK(got.texts == std::vector<std::string>{"both"});
  CHECK(got.end.next_lsn == 4);
  REQUIRE(compact->RemoveOthers().ok());
  CHECK(fs.List(kDir).value() == std::vector<std::string>{SegmentName(2, 1)});
  CHECK(Recover(fs, options).texts == std::vector<std::string>{"both"});
}

TEST_CASE("an error of the applier ends the recovery and is handed on") {
  FaultFileSystem fs;
  auto log = NewLog(fs);
  REQUIRE(Commit(*log, "one").ok());
  class Refuses : public LogApplier {
    Status Apply(Lsn, std::span<const std::byte>) override { return Status(Code::kCorruption, "no sense in it"); }
  } applier;
  CHECK(ReadLog(fs, kDir, TestUuid(), {}, applier).status().message() == "no sense in it");
}

TEST_CASE("bytes of a record that look like frames are never taken for frames") {
  FaultFileSystem fs;
  auto log = NewLog(fs);
  REQUIRE(Commit(*log, "one").ok());
  // A user stores a piece of another log: frames with right checksums, of another salt, that claim to be durable.
  FrameHeader frame;
  frame.lsn = 9;
  frame.undurable = 1;
  std::string body(4000, '\0');
  std::vector<std::byte> fake(kFrameHeaderBytes + 8);
  EncodeFrame(frame, std::span<const std::byte>(fake).first(8), 12345, fake.data());
  for (size_t at = 0; at + fake.size() <= body.size(); at += 8 * 7) body.replace(at, fake.size(), AsText(fake));
  const uint64_t begin = log->log_bytes();
  REQUIRE(Commit(*log, body).ok());
  const std::byte torn{0x77};
  REQUIRE(Overwrite(fs, SegmentPath(1), begin + 30, {&torn, 1}).ok());
  const Recovered got = Recover(fs);
  CHECK(got.status.ToString() == "ok");
  CHECK(got.texts == std::vector<std::string>{"one"});
}

TEST_CASE("waiting for a record that was never appended is an error, not a hang") {
  FaultFileSystem fs;
  auto log = NewLog(fs);
  CHECK(log->WaitDurable(1).code() == Code::kUsage);
}

}  // namespace
}  // namespace fornix::wal
