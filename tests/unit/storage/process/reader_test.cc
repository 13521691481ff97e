// The protocol between a writer and the readers of other processes, with strings for records: what a reader shows is always a
// prefix of what was committed, up to the last, whatever the writer does between any two of the reader's calls.
#include "storage/process/reader.h"

#include <catch2/catch.hpp>

#include "base/bytes.h"
#include "base/fault_file.h"
#include "base/limits.h"
#include "wal/writer.h"

using namespace fornix;
using namespace fornix::storage;

namespace {

constexpr char kPath[] = "x.fornix", kLog[] = "x.fornix-log";

wal::WriterOptions SmallSegments() {
  wal::WriterOptions options;
  options.segment_bytes_first = options.segment_bytes_max = 8 << 10;
  options.background_thread = false;
  return options;
}

// A store that knows how to count: commit n is the record "n", a checkpoint at n is the root's checkpoint_ts.
struct Counter {
  FileSystem& files;
  std::unique_ptr<WriterLock> lock;
  std::unique_ptr<RootSlots> slots;
  std::unique_ptr<wal::LogWriter> log;
  uint64_t n = 0;

  explicit Counter(FileSystem& fs) : files(fs) {
    lock = std::move(WriterLock::Take(files, kPath).value());
    Root root;
    root.uuid = NewUuid();
    log = std::move(wal::LogWriter::Create(files, kLog, root.uuid, root.log, SmallSegments()).value());
    slots = std::move(RootSlots::Create(files, kPath, root).value());
  }
  void Commit() {
    auto entry = std::make_unique<wal::LogEntry>();
    const std::string text = std::to_string(++n);
    entry->body.assign(AsBytes(text).begin(), AsBytes(text).end());
    REQUIRE(log->WaitDurable(log->Append(std::move(entry)).value()).ok());
  }
  void Checkpoint(Lsn clean_end = 0) {
    Root root = slots->root();
    root.checkpoint_ts = n;
    root.log = log->FloorFor(log->next_lsn());
    root.clean_end_lsn = clean_end;
    REQUIRE(slots->Write(root).ok());
    if (!lock->Pinned()->log) REQUIRE(log->RemoveBelow(root.log).ok());
  }
  void CloseClean() {
    Checkpoint(log->next_lsn() - 1);
    REQUIRE(log->Close().ok());
    if (lock->AwaitLogUnread().value()) REQUIRE(wal::RemoveLog(files, kLog).ok());
    lock->RemoveIfUnused();
  }
};

// What it was given must be the numbers in order.
struct Seen final : ReaderTarget {
  uint64_t n = 0;
  int resets = 0;
  std::function<void()> between;                 // the writer goes on while the reader is at work
  Status Reset(const Root& root) override {
    n = root.checkpoint_ts;
    ++resets;
    if (between) between();
    return Status::Ok();
  }
  Status Apply(Lsn, std::span<const std::byte> body) override {
    CHECK(std::string(AsText(body)) == std::to_string(n + 1));
    ++n;
    if (between) between();
    return Status::Ok();
  }
};

}  // namespace

TEST_CASE("a reader sees the last durable commit at each refresh, over checkpoints, and only new records are read") {
  FaultFileSystem disk;
  Counter writer(disk);
  writer.Commit();
  auto reader = Reader::Open(disk, kPath);
  REQUIRE(reader.ok());
  CHECK((*reader)->registered());
  Seen seen;
  CHECK((*reader)->Refresh(seen).value());
  CHECK(seen.n == 1);
  CHECK(!(*reader)->Refresh(seen).value());
  for (int i = 0; i < 200; ++i) {
    writer.Commit();
    if (i % 20 == 19) writer.Checkpoint();
    CHECK((*reader)->Refresh(seen).value());
    CHECK(seen.n == writer.n);
  }
  CHECK(seen.resets == 11);                      // the first, and one for each checkpoint
  CHECK(writer.lock->Pinned()->root_seq == (*reader)->root().seq);
  CHECK(!writer.lock->Pinned()->log);
  CHECK((*reader)->Refresh(seen, 3).ok());
  CHECK(writer.lock->Pinned()->root_seq == 3);   // a snapshot of an older root lives on
  CHECK((*reader)->Pin(kNever).ok());
  CHECK(writer.lock->Pinned()->root_seq == kNever);
  CHECK((*reader)->Refresh(seen).ok());
}

TEST_CASE("while a reader is at work the log stays, with a slot and without one nothing is shown wrong") {
  for (const bool with_slot : {true, false}) {
    FaultFileSystem disk;
    Counter writer(disk);
    for (int i = 0; i < 20; ++i) writer.Commit();
    if (!with_slot) disk.FailCall(0, Fault::kNoSpace, true);     // the slot can't be written
    auto reader = Reader::Open(disk, kPath);
    disk.StopFailing();
    REQUIRE(reader.ok());
    CHECK((*reader)->registered() == with_slot);
    Seen seen;
    int left = 300;
    seen.between = [&] {
      if (--left < 0) return;
      for (int i = 0; i < 9; ++i) writer.Commit();
      if (left % 3 == 0) writer.Checkpoint();                    // removes and recycles segments, if it may
    };
    while (left > 0) {
      const auto refreshed = (*reader)->Refresh(seen);
      INFO(refreshed.status().ToString());
      REQUIRE((refreshed.ok() || (!with_slot && refreshed.status().retryable())));
    }
    REQUIRE((*reader)->Refresh(seen).ok());
    CHECK(seen.n == writer.n);
  }
}

TEST_CASE("a clean close takes the log away from under no reader, and the file alone is enough for the next") {
  FaultFileSystem disk;
  auto writer = std::make_unique<Counter>(disk);
  for (int i = 0; i < 10; ++i) writer->Commit();
  auto reader = Reader::Open(disk, kPath);
  Seen seen;
  REQUIRE((*reader)->Refresh(seen).ok());
  writer->Commit();
  writer->CloseClean();
  writer.reset();
  CHECK(disk.Kind(kLog).value() == FileKind::kNone);
  CHECK(disk.Kind(LockPath(kPath)).value() == FileKind::kFile);  // the reader's slot
  CHECK((*reader)->Refresh(seen).value());
  CHECK(seen.n == 11);
  CHECK(!(*reader)->Refresh(seen).value());
  reader = std::unique_ptr<Reader>();
  CHECK(disk.Kind(LockPath(kPath)).value() == FileKind::kNone);
  auto later = Reader::Open(disk, kPath);
  REQUIRE(later.ok());
  Seen alone;
  CHECK((*later)->Refresh(alone).value());
  CHECK(alone.n == 11);
}

TEST_CASE("a refresh that fails begins anew, whatever call it was") {
  for (uint64_t nth = 0;; ++nth) {
    FaultFileSystem disk;
    Counter writer(disk);
    for (int i = 0; i < 5; ++i) writer.Commit();
    auto reader = Reader::Open(disk, kPath);
    Seen seen;
    REQUIRE((*reader)->Refresh(seen).ok());
    for (int i = 0; i < 5; ++i) writer.Commit();
    disk.FailCall(nth, Fault::kIoError, false);
    const auto refreshed = (*reader)->Refresh(seen);
    const bool hit = disk.fault_hit();
    disk.StopFailing();
    if (!refreshed.ok()) CHECK(refreshed.status().code() == Code::kIoError);
    REQUIRE((*reader)->Refresh(seen).ok());
    CHECK(seen.n == 10);
    if (!hit) break;
  }
}
