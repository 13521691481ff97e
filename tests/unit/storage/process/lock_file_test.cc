#include "storage/process/lock_file.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "base/fault_file.h"
#include "base/limits.h"

using namespace fornix;
using namespace fornix::storage;

namespace {
constexpr char kPath[] = "x.fornix";

bool Exists(FileSystem& files, const std::string& path) { return files.Kind(path).value() != FileKind::kNone; }
}  // namespace

TEST_CASE("a second writer is told who holds the database; a reader beside a writer is welcome") {
  FaultFileSystem disk;
  auto writer = WriterLock::Take(disk, kPath);
  REQUIRE(writer.ok());
  const Status second = WriterLock::Take(disk, kPath).status();
  CHECK(second.code() == Code::kBusy);
  CHECK(second.message().find("this process itself, process " + std::to_string(getpid()) + " (") != std::string::npos);
  CHECK(second.message().find(") since 20") != std::string::npos);
  auto reader = ReaderSlot::Take(disk, kPath);
  REQUIRE((reader.ok() && *reader != nullptr));
  CHECK(WriterLock::Take(disk, kPath).status().code() == Code::kBusy);
  CHECK((*writer)->Readers().value().size() == 1);
  CHECK((*writer)->Readers().value()[0].starts_with("process " + std::to_string(getpid()) + " ("));
}

TEST_CASE("the writer sees the least that readers need, from the moment they have their slot") {
  FaultFileSystem disk;
  auto writer = WriterLock::Take(disk, kPath);
  REQUIRE(writer.ok());
  CHECK((*writer)->Pinned()->root_seq == kNever);
  auto first = ReaderSlot::Take(disk, kPath), second = ReaderSlot::Take(disk, kPath);
  REQUIRE((first.ok() && second.ok()));
  CHECK((*writer)->Pinned()->root_seq == 0);
  CHECK((*writer)->Pinned()->log);
  CHECK(!(*writer)->AwaitLogUnread().value());
  CHECK((*first)->Set({7, false}).ok());
  CHECK((*writer)->Pinned()->root_seq == 0);             // the second may need anything
  CHECK((*second)->Set({5, false}).ok());
  CHECK((*writer)->Pinned()->root_seq == 5);
  CHECK(!(*writer)->Pinned()->log);
  CHECK((*writer)->AwaitLogUnread().value());
  CHECK((*second)->Set({5, true}).ok());
  CHECK((*writer)->Pinned()->log);
  second = std::unique_ptr<ReaderSlot>();
  CHECK((*writer)->Pinned()->root_seq == 7);
  CHECK((*first)->Set(Pin::Nothing()).ok());
  CHECK((*writer)->Pinned()->root_seq == kNever);
  CHECK((*writer)->Readers()->size() == 1);
}

TEST_CASE("a slot's old record means nothing to the next writer, and a half record means anything") {
  FaultFileSystem disk;
  {
    // A reader that died: its record stands, its lock is gone.
    auto lock = disk.OpenLockFile(LockPath(kPath), true);
    auto reader = ReaderSlot::Take(disk, kPath);
    REQUIRE((*reader)->Set({9, false}).ok());
    std::byte record[128];
    REQUIRE((*lock)->file().ReadAt(4096, record).value() == 128);
    reader = std::unique_ptr<ReaderSlot>();
    lock = disk.OpenLockFile(LockPath(kPath), true);
    REQUIRE((*lock)->file().WriteAt(4096, record).ok());
  }
  auto writer = WriterLock::Take(disk, kPath);
  REQUIRE(writer.ok());
  CHECK((*writer)->Pinned()->root_seq == kNever);        // nobody holds the slot
  auto lock = disk.OpenLockFile(LockPath(kPath), true);
  REQUIRE((*lock)->TryLock(4096, 1).value());            // a reader between lock and record
  CHECK((*writer)->Pinned()->root_seq == 0);
  CHECK((*writer)->Readers().value()[0] == "another process");
}

TEST_CASE("all slots taken is an error that says so, and a slot is used again when its reader has gone") {
  FaultFileSystem disk;
  std::vector<std::unique_ptr<ReaderSlot>> readers;
  for (uint32_t i = 0; i < kReaderSlotsMax; ++i) {
    auto reader = ReaderSlot::Take(disk, kPath);
    REQUIRE((reader.ok() && *reader != nullptr));
    readers.push_back(std::move(*reader));
  }
  const Status full = ReaderSlot::Take(disk, kPath).status();
  CHECK(full.code() == Code::kBusy);
  CHECK(full.message().find("all 256 slots") != std::string::npos);
  CHECK(WriterLock::Take(disk, kPath).ok());
  readers[100].reset();
  CHECK(ReaderSlot::Take(disk, kPath).ok());
}

TEST_CASE("who closes last removes the lock file; nobody is locked in a file without a name") {
  FaultFileSystem disk;
  auto writer = WriterLock::Take(disk, kPath);
  auto reader = ReaderSlot::Take(disk, kPath);
  REQUIRE((writer.ok() && reader.ok()));
  (*writer)->RemoveIfUnused();
  CHECK(Exists(disk, LockPath(kPath)));
  writer = std::unique_ptr<WriterLock>();
  CHECK(Exists(disk, LockPath(kPath)));
  reader = std::unique_ptr<ReaderSlot>();
  CHECK(!Exists(disk, LockPath(kPath)));
  writer = WriterLock::Take(disk, kPath);
  REQUIRE(writer.ok());
  (*writer)->RemoveIfUnused();
  CHECK(!Exists(disk, LockPath(kPath)));
  CHECK(WriterLock::Take(disk, kPath).ok());             // while the first still holds the file that was removed
}

TEST_CASE("a reader works without a slot where the lock file can't be written") {
  FaultFileSystem disk;
  REQUIRE(disk.OpenLockFile(LockPath(kPath), true).ok());
  disk.FailCall(0, Fault::kIoError, true);
  auto reader = ReaderSlot::Take(disk, kPath);
  disk.StopFailing();
  REQUIRE(reader.ok());
  CHECK(*reader == nullptr);
  disk.FailCall(0, Fault::kNoSpace, true);
  reader = ReaderSlot::Take(disk, kPath);
  disk.StopFailing();
  REQUIRE(reader.ok());
  CHECK(*reader == nullptr);
}

TEST_CASE("a fork of a reader has no slot, and its end takes nothing from its parent") {
  char folder[] = "/tmp/fornix-lock-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string path = std::string(folder) + "/x.fornix";
  FileSystem& files = PosixFileSystem();
  auto writer = WriterLock::Take(files, path);
  auto reader = ReaderSlot::Take(files, path);
  REQUIRE((writer.ok() && reader.ok() && *reader != nullptr));
  REQUIRE((*reader)->Set({3, false}).ok());
  const pid_t child = fork();
  if (child == 0) {
    const bool refused = (*reader)->Set({1, true}).code() == Code::kUsage;
    reader = std::unique_ptr<ReaderSlot>();
    writer = std::unique_ptr<WriterLock>();
    _exit(refused ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK((*writer)->Pinned()->root_seq == 3);
  CHECK(WriterLock::Take(files, path).status().code() == Code::kBusy);
  reader = std::unique_ptr<ReaderSlot>();
  (*writer)->RemoveIfUnused();
  CHECK(files.RemoveDir(folder).ok());                   // nothing is left in it
}
