// Following a log that is being written: only what is new is read, only what is durable is shown, across segments,
// recoveries and crashes.
#include "wal/follower.h"

#include <catch2/catch.hpp>
#include <cstdlib>

#include "base/clock.h"
#include "base/coding.h"
#include "base/random.h"
#include "tests/unit/wal/log_harness.h"

namespace fornix::wal {
namespace {

std::string Text(Lsn lsn, size_t size) { return "record " + std::to_string(lsn) + " " + std::string(size, static_cast<char>('a' + lsn % 26)); }

std::unique_ptr<LogFollower> Follow(FileSystem& fs, const ReadOptions& options = {}) {
  return std::make_unique<LogFollower>(fs, kDir, TestUuid(), options);
}

// Recovery and a writer behind it, as an opening store does it.
std::unique_ptr<LogWriter> Reopen(FileSystem& fs, size_t* records = nullptr) {
  Texts texts;
  auto end = ReadLog(fs, kDir, TestUuid(), {}, texts);
  INFO(end.status().ToString());
  REQUIRE(end.ok());
  if (records) *records = texts.texts.size();
  auto log = LogWriter::Continue(fs, kDir, TestUuid(), std::move(*end), TestOptions());
  INFO(log.status().ToString());
  REQUIRE(log.ok());
  return std::move(*log);
}

uint64_t Seed() {
  const char* seed = std::getenv("FORNIX_SEED");
  const uint64_t value = seed ? std::strtoull(seed, nullptr, 10) : MonotonicNanos();
  WARN("seed=" << value << " rerun: ./dev test unit.wal --seed=" << value);
  return value;
}

}  // namespace

TEST_CASE("a follower takes each record once, when it is there, and reads only what is new") {
  FaultFileSystem disk;
  auto log = NewLog(disk, TestOptions(1 << 20, 1 << 20));
  auto follower = Follow(disk);
  Texts seen;
  CHECK(follower->Poll(seen).value() == Progress::kNothing);
  for (int i = 1; i <= 3000; ++i) {
    REQUIRE(Commit(*log, Text(i, 200)).ok());
    if (i % 100 != 0) continue;
    CHECK(follower->Poll(seen).value() == Progress::kAdvanced);
    CHECK(follower->next_lsn() == static_cast<Lsn>(i) + 1);
  }
  REQUIRE(seen.texts.size() == 3000);
  CHECK(seen.texts[2999] == Text(3000, 200));
  const uint64_t before = disk.counters().bytes_read;
  CHECK(follower->Poll(seen).value() == Progress::kNothing);
  REQUIRE(Commit(*log, "one more").ok());
  CHECK(follower->Poll(seen).value() == Progress::kAdvanced);
  CHECK(disk.counters().bytes_read - before < 40'000);
}

TEST_CASE("records of any size are followed across segments, at any moment, by followers that began at any time") {
  FaultFileSystem disk;
  Random random(Seed());
  auto log = NewLog(disk);
  std::vector<std::pair<std::unique_ptr<LogFollower>, Texts>> followers;
  Lsn last = 0;
  for (int round = 0; round < 400; ++round) {
    const size_t group = 1 + random.Below(5);
    for (size_t i = 0; i < group; ++i) {
      const size_t size = random.Below(20) == 0 ? random.Below(200'000) : random.Below(3000);
      last = log->Append(Entry(Text(last + 1, size))).value();
    }
    REQUIRE(log->WaitDurable(last).ok());
    if (random.Below(40) == 0) followers.emplace_back(Follow(disk), Texts());
    if (random.Below(40) == 0) log = nullptr, log = Reopen(disk);
    for (auto& [follower, texts] : followers) {
      if (random.Below(3) != 0) continue;
      auto progress = follower->Poll(texts);
      INFO(progress.status().ToString());
      REQUIRE((progress.ok() && *progress != Progress::kRewritten));
      REQUIRE(follower->next_lsn() == last + 1);
    }
  }
  log = nullptr;
  const auto all = Recover(disk).texts;
  for (auto& [follower, texts] : followers) {
    REQUIRE(follower->Poll(texts).ok());
    REQUIRE(texts.texts == all);
  }
}

TEST_CASE("wherever the writer dies, what was followed is what the next writer goes on from") {
  const uint64_t seed = Seed();
  Random random(seed);
  FaultFileSystem disk;
  auto log = NewLog(disk);
  for (int i = 1; i <= 60; ++i) {
    Lsn last = 0;
    for (uint64_t n = random.Below(3) + 1; n > 0; --n) {
      last = log->Append(Entry(Text(log->next_lsn(), random.Below(8) == 0 ? random.Below(90'000) : random.Below(2000)))).value();
    }
    REQUIRE(log->WaitDurable(last).ok());
  }
  const uint64_t ops = disk.op_count();
  for (uint64_t cut = 5; cut <= ops; ++cut) {
    // A process that dies leaves a prefix of its writes, none of them lost: the page cache lives on.
    const uint64_t image_seed = random.Next();
    auto image = disk.ImageAt(cut, Damage::kSubset, image_seed);
    INFO("seed=" << seed << " cut=" << cut << " " << disk.DescribeOp(cut));
    auto follower = Follow(*image);
    Texts seen;
    const auto first = follower->Poll(seen);
    if (!first.ok()) {                                   // the log's first segment has no name yet
      REQUIRE(!Recover(*image).status.ok());
      continue;
    }
    const auto recovered = Recover(*image).texts;
    REQUIRE(seen.texts == recovered);
    auto next = Reopen(*image);
    REQUIRE(Commit(*next, "after").ok());
    auto progress = follower->Poll(seen);
    INFO(progress.status().ToString());
    REQUIRE((progress.ok() && *progress == Progress::kAdvanced));
    REQUIRE(seen.texts.size() == recovered.size() + 1);
    REQUIRE(seen.texts.back() == "after");
  }
}

TEST_CASE("what a follower has shown survives a power cut, whoever wrote it without a sync") {
  FaultFileSystem source, disk;
  auto log = NewLog(source);
  for (int i = 1; i <= 20; ++i) REQUIRE(Commit(*log, Text(i, 300)).ok());
  const std::string path = JoinPath(kDir, SegmentName(1, 1));
  const std::vector<std::byte> bytes = ReadAll(source, path);
  // The same bytes appear on another disk in pieces of any size, synced by nobody but the header.
  REQUIRE(disk.CreateDir(kDir).ok());
  OpenOptions options;
  options.write = options.create = true;
  auto file = disk.Open(path, options);
  REQUIRE(file.ok());
  REQUIRE((*file)->Truncate(bytes.size()).ok());
  REQUIRE((*file)->WriteAt(0, std::span(bytes).first(4096)).ok());
  REQUIRE((*file)->Sync().ok());
  REQUIRE((disk.SyncDir(kDir).ok() && disk.SyncDir(".").ok()));
  auto follower = Follow(disk);
  Texts seen;
  for (size_t at = 4096; at < 4096 + 20 * 512; at += 200) {
    REQUIRE((*file)->WriteAt(at, std::span(bytes).subspan(at, 200)).ok());
    REQUIRE(follower->Poll(seen).ok());                  // a frame that is half there is "not yet"
    auto image = disk.ImageAt(disk.op_count(), Damage::kDropUnsynced, 1);
    CHECK(Recover(*image).texts.size() >= seen.texts.size());
  }
  CHECK(seen.texts.size() == 20);
}

TEST_CASE("a log that says something else about records that were shown is rewritten, and damage is damage") {
  FaultFileSystem disk;
  auto log = NewLog(disk);
  for (int i = 1; i <= 5; ++i) REQUIRE(Commit(*log, Text(i, 300)).ok());
  log = nullptr;
  auto cut = disk.Copy(), damaged = disk.Copy();
  auto follower = Follow(*cut);
  Texts seen;
  REQUIRE(follower->Poll(seen).ok());
  const std::string path = JoinPath(kDir, SegmentName(1, 1));
  {
    // The disk has lost the last record after all; the next writer knows nothing of it.
    OpenOptions options;
    options.write = true;
    auto file = cut->Open(path, options);
    REQUIRE((*file)->WriteZeros(4096 + 4 * 512, 512).ok());
  }
  CHECK(follower->Poll(seen).value() == Progress::kNothing);
  auto next = Reopen(*cut);
  CHECK(follower->Poll(seen).value() == Progress::kRewritten);
  REQUIRE(Commit(*next, "another fifth").ok());
  follower = Follow(*cut);
  Texts again;
  CHECK(follower->Poll(again).value() == Progress::kAdvanced);
  CHECK(again.texts.back() == "another fifth");

  OpenOptions options;
  options.write = true;
  REQUIRE((*damaged->Open(path, options))->WriteZeros(4096 + 2 * 512, 512).ok());
  const Status status = Follow(*damaged)->Poll(seen).status();
  CHECK(status.code() == Code::kCorruption);
  CHECK(status.message().find("record 3 is damaged or missing") != std::string::npos);
}

}  // namespace fornix::wal
