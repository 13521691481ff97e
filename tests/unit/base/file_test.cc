// The door to the disk: both implementations keep the same contract; locks; the faulty twin loses and keeps what it may.
#include "base/file.h"
#include "base/posix_file.h"
#include "base/process.h"

#include <catch2/catch.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "base/bytes.h"
#include "base/fault_file.h"
#include "base/random.h"

namespace fornix {
namespace {

class TempDir {
 public:
  TempDir() {
    char name[] = "/tmp/fornix-file-XXXXXX";
    path = mkdtemp(name);
  }
  ~TempDir() { std::filesystem::remove_all(path); }
  std::string path;
};

OpenOptions Writing(bool create = true) {
  OpenOptions options;
  options.write = true;
  options.create = create;
  return options;
}

std::string Content(FileSystem& fs, const std::string& path) {
  auto file = fs.Open(path, {});
  if (!file.ok()) return "(none)";
  std::string text((*file)->Size().value(), ' ');
  CHECK((*file)->ReadAt(0, std::as_writable_bytes(std::span(text))).value() == text.size());
  return text;
}

void CheckContract(FileSystem& fs, const std::string& dir) {
  const std::string path = JoinPath(dir, "a");
  CHECK(fs.Kind(path).value() == FileKind::kNone);
  CHECK(fs.Open(path, {}).status().message().find(path + ": open: No such file") == 0);
  CHECK_FALSE(fs.Open(JoinPath(dir, "no/a"), Writing()).ok());
  auto file = fs.Open(path, Writing()).value();
  REQUIRE(file->WriteAt(3, AsBytes("def")).ok());
  REQUIRE(file->WriteAt(0, AsBytes("abc")).ok());
  CHECK(file->Size().value() == 6);
  char buffer[10] = {};
  auto bytes = std::as_writable_bytes(std::span(buffer));
  CHECK(file->ReadAt(4, bytes).value() == 2);
  CHECK(file->ReadAt(100, bytes).value() == 0);
  const Status short_read = file->ReadExactAt(4, bytes);
  CHECK(short_read.code() == Code::kCorruption);
  CHECK(short_read.message() == path + ": offset 4: expected 10 bytes, the file ends after 2");
  REQUIRE(file->Preallocate(10).ok());
  CHECK(Content(fs, path) == std::string("abcdef\0\0\0\0", 10));
  REQUIRE(file->Preallocate(5).ok());
  CHECK(file->Size().value() == 10);
  REQUIRE(file->WriteZeros(1, 2).ok());
  REQUIRE(file->Truncate(4).ok());
  CHECK(Content(fs, path) == std::string("a\0\0d", 4));
  REQUIRE(file->Sync().ok());
  OpenOptions exclusive = Writing();
  exclusive.exclusive = true;
  CHECK_FALSE(fs.Open(path, exclusive).ok());
  CHECK_FALSE(fs.Open(path, {}).value()->WriteAt(0, AsBytes("x")).ok());
  REQUIRE(fs.CreateDir(JoinPath(dir, "d")).ok());
  REQUIRE(fs.CreateDir(JoinPath(dir, "d")).ok());
  CHECK(fs.Open(JoinPath(dir, "d"), {}).status().message().find("is a directory") != std::string::npos);
  CHECK(fs.Kind(JoinPath(dir, "d")).value() == FileKind::kDirectory);
  REQUIRE(fs.Rename(path, JoinPath(dir, "b")).ok());
  CHECK(fs.List(dir).value() == std::vector<std::string>{"b", "d"});
  REQUIRE(fs.SyncDir(dir).ok());
  REQUIRE(file->WriteAt(0, AsBytes("X")).ok());  // an open file doesn't mind its name
  CHECK(Content(fs, JoinPath(dir, "b"))[0] == 'X');
  CHECK_FALSE(fs.RemoveFile(path).ok());
  REQUIRE(fs.RemoveFile(JoinPath(dir, "b")).ok());
  REQUIRE(fs.RemoveDir(JoinPath(dir, "d")).ok());
  CHECK(fs.List(dir).value().empty());
  CHECK(fs.counters().bytes_written >= 7);
}

TEST_CASE("the machine's disk keeps the contract") {
  TempDir dir;
  CheckContract(PosixFileSystem(), dir.path);
}

TEST_CASE("the disk in memory keeps the same contract") {
  FaultFileSystem fs;
  REQUIRE(fs.CreateDir("dir").ok());
  CheckContract(fs, "dir");
}

namespace {
void CheckLocks(FileSystem& fs, const std::string& path) {
  auto first = fs.OpenLockFile(path, true), second = fs.OpenLockFile(path, false);
  REQUIRE((first.ok() && second.ok()));
  CHECK((*first)->TryLock(0, 1).value());
  CHECK(!(*second)->TryLock(0, 1).value());
  CHECK((*second)->IsLocked(0, 10).value());
  CHECK(!(*first)->IsLocked(0, 10).value());             // its own doesn't count
  CHECK((*second)->TryLock(5000, 1).value());            // beyond the file's end
  CHECK(!(*first)->TryLock(0, 10000).value());
  CHECK((*first)->IsLocked(0, 10000).value());
  const std::byte text[] = {std::byte{1}, std::byte{2}};
  CHECK((*first)->file().WriteAt(7, text).ok());
  std::byte read[2];
  CHECK((*second)->file().ReadAt(7, read).value() == 2);
  CHECK(read[1] == std::byte{2});
  (*first)->Unlock(0, 1);
  CHECK((*second)->TryLock(0, 1).value());
  second = Status(Code::kBusy, "");                      // closed: all of it is free
  CHECK((*first)->TryLock(0, 10000).value());
  CHECK((*first)->HasName().value());
  CHECK(fs.RemoveFile(path).ok());
  CHECK(!(*first)->HasName().value());
  CHECK(!fs.OpenLockFile(path, false).ok());
  auto third = fs.OpenLockFile(path, true);
  REQUIRE(third.ok());
  CHECK((*third)->TryLock(0, 1).value());                // another file of the same name
  CHECK(!(*first)->HasName().value());
}
}  // namespace

TEST_CASE("ranges of a lock file belong to one handle, in the same process too, and are free after it") {
  TempDir dir;
  CheckLocks(PosixFileSystem(), JoinPath(dir.path, "x.fornix-lock"));
}

TEST_CASE("the disk in memory locks like the machine's") {
  FaultFileSystem fs;
  CheckLocks(fs, "x.fornix-lock");
}

TEST_CASE("a dead process holds no lock, and a forked child has no share in its parent's") {
  TempDir dir;
  const std::string path = JoinPath(dir.path, "x.fornix-lock");
  FileSystem& fs = PosixFileSystem();
  auto lock = fs.OpenLockFile(path, true);
  REQUIRE(lock.ok());
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const int64_t parent = ProcessId();
  pid_t child = fork();
  if (child == 0) {
    auto own = fs.OpenLockFile(path, true);
    const bool good = own.ok() && (*own)->TryLock(0, 1).value() && ProcessId() == getpid() && ProcessId() != parent;
    const char c = good ? 'y' : 'n';
    if (write(ready[1], &c, 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char c = 0;
  REQUIRE(read(ready[0], &c, 1) == 1);
  REQUIRE(c == 'y');
  CHECK(!(*lock)->TryLock(0, 1).value());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  CHECK((*lock)->TryLock(0, 1).value());
  child = fork();
  if (child == 0) {
    if (write(ready[1], "r", 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  REQUIRE(read(ready[0], &c, 1) == 1);
  auto next = fs.OpenLockFile(path, true);
  CHECK(!(*next)->TryLock(0, 1).value());
  lock = Status(Code::kBusy, "");                        // the child lives on, without our lock
  CHECK((*next)->TryLock(0, 1).value());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
}

namespace {
int interruptions = 0;
bool Interrupted() { return ++interruptions % 2 == 0 ? false : (errno = EINTR, true); }
// Every second call is interrupted, the others do three bytes at most.
ssize_t StumblingRead(int fd, void* to, size_t n, off_t at) { return Interrupted() ? -1 : pread(fd, to, std::min<size_t>(n, 3), at); }
ssize_t StumblingWrite(int fd, const void* from, size_t n, off_t at) { return Interrupted() ? -1 : pwrite(fd, from, std::min<size_t>(n, 3), at); }
int StumblingSync(int fd) { return Interrupted() ? -1 : fdatasync(fd); }
}  // namespace

TEST_CASE("interrupted and short system calls are continued until all is done") {
  TempDir dir;
  const std::string path = JoinPath(dir.path, "x");
  IoCounters counters;
  posix::PosixFile file(path, posix::Descriptor(open(path.c_str(), O_RDWR | O_CREAT, 0644)), {.write = true}, &counters,
                        {StumblingRead, StumblingWrite, StumblingSync});
  const std::string text = "a record of twenty-nine bytes";
  CHECK(file.WriteAt(2, AsBytes(text)).ok());
  CHECK(file.Sync().ok());
  std::vector<std::byte> back(text.size() + 10);
  CHECK(file.ReadAt(2, back).value() == text.size());   // less only where the file ends
  CHECK(AsText(std::span(back).first(text.size())) == text);
  CHECK(interruptions > 20);
}

TEST_CASE("a power cut keeps what was synced and loses no more than what wasn't") {
  FaultFileSystem fs;
  auto file = fs.Open("a", Writing()).value();
  REQUIRE(file->WriteAt(0, AsBytes(std::string(1024, 'a'))).ok());
  REQUIRE(file->Sync().ok());
  REQUIRE(fs.SyncDir(".").ok());
  REQUIRE(file->WriteAt(0, AsBytes(std::string(1536, 'b'))).ok());
  OpenOptions dsync = Writing(false);
  dsync.dsync = true;
  REQUIRE(fs.Open("a", dsync).value()->WriteAt(512, AsBytes(std::string(512, 'c'))).ok());

  CHECK(Content(*fs.ImageAt(2, Damage::kDropUnsynced, 0), "a") == "(none)");
  const std::string dropped = Content(*fs.ImageAt(fs.op_count(), Damage::kDropUnsynced, 0), "a");
  CHECK(dropped.substr(0, 512) == std::string(512, 'a'));
  CHECK(dropped.substr(512, 512) == std::string(512, 'c'));
  std::set<std::string> seen;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    for (const Damage damage : {Damage::kPrefix, Damage::kSubset, Damage::kGarbage}) {
      const std::string text = Content(*fs.ImageAt(fs.op_count(), damage, seed), "a");
      REQUIRE(text.size() >= 1024);
      CHECK(text.substr(512, 512) == std::string(512, 'c'));
      if (damage != Damage::kGarbage) {
        CHECK((text[0] == 'a' || text[0] == 'b'));
        CHECK(text.substr(0, 512) == std::string(512, text[0]));
      }
      seen.insert(text);
    }
  }
  CHECK(seen.size() > 20);
}

TEST_CASE("names without a directory sync are lost or kept, and a rename is one step") {
  FaultFileSystem fs;
  REQUIRE(fs.Open("old", Writing()).value()->Sync().ok());
  REQUIRE(fs.SyncDir(".").ok());
  REQUIRE(fs.Rename("old", "new").ok());
  REQUIRE(fs.Open("other", Writing()).ok());
  bool renamed = false, kept = false, other = false;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const auto names = fs.ImageAt(fs.op_count(), Damage::kSubset, seed)->List(".").value();
    const bool is_new = std::find(names.begin(), names.end(), "new") != names.end();
    const bool is_old = std::find(names.begin(), names.end(), "old") != names.end();
    CHECK(is_new != is_old);
    renamed |= is_new;
    kept |= is_old;
    other |= std::find(names.begin(), names.end(), "other") != names.end();
  }
  CHECK((renamed && kept && other));
}

TEST_CASE("after a failed sync no later sync helps, until the bytes are written again") {
  FaultFileSystem fs;
  auto file = fs.Open("a", Writing()).value();
  REQUIRE(file->WriteAt(0, AsBytes("old")).ok());
  REQUIRE(file->Sync().ok());
  REQUIRE(fs.SyncDir(".").ok());
  REQUIRE(file->WriteAt(0, AsBytes("new")).ok());
  fs.FailCall(0, Fault::kFailedSync, false);
  REQUIRE_FALSE(file->Sync().ok());
  CHECK(fs.fault_hit());
  REQUIRE(file->Sync().ok());
  CHECK(Content(fs, "a") == "new");
  CHECK(Content(*fs.ImageAt(fs.op_count(), Damage::kDropUnsynced, 0), "a") == "old");
  REQUIRE(file->WriteAt(0, AsBytes("new")).ok());
  REQUIRE(file->Sync().ok());
  CHECK(Content(*fs.ImageAt(fs.op_count(), Damage::kDropUnsynced, 0), "a") == "new");
}

TEST_CASE("the n-th call fails, once or for ever, with the fault's own effect") {
  FaultFileSystem fs;
  auto file = fs.Open("a", Writing()).value();
  fs.FailCall(1, Fault::kShortWrite, false);
  REQUIRE(file->WriteAt(0, AsBytes("1234")).ok());
  CHECK_FALSE(file->WriteAt(4, AsBytes("5678")).ok());
  CHECK(Content(fs, "a") == "123456");
  REQUIRE(file->WriteAt(4, AsBytes("5678")).ok());
  fs.FailCall(0, Fault::kNoSpace, true);
  for (int i = 0; i < 3; ++i) {
    const Status status = file->WriteAt(8, AsBytes("9"));
    CHECK(status.message() == "a: write of 1 bytes at offset 8: No space left on device (injected)");
    CHECK(file->Sync().ok());
  }
  fs.StopFailing();
  CHECK(file->WriteAt(8, AsBytes("9")).ok());
  fs.FailCall(0, Fault::kIoError, false);
  CHECK_FALSE(fs.List(".").ok());
}

TEST_CASE("the same cut, damage and seed give the same image, in any order of asking") {
  FaultFileSystem fs;
  auto file = fs.Open("a", Writing()).value();
  REQUIRE(fs.SyncDir(".").ok());
  Random random(3);
  for (int i = 0; i < 40; ++i) {
    const std::string text(1 + random.Below(2000), static_cast<char>('a' + i % 26));
    REQUIRE(file->WriteAt(random.Below(4000), AsBytes(text)).ok());
    if (i % 7 == 0) REQUIRE(file->Sync().ok());
    if (i % 11 == 0) REQUIRE(file->Truncate(random.Below(3000)).ok());
  }
  for (const Damage damage : kAllDamage) {
    const std::string late = Content(*fs.ImageAt(45, damage, 9), "a");
    const std::string early = Content(*fs.ImageAt(20, damage, 9), "a");
    CHECK(Content(*fs.ImageAt(45, damage, 9), "a") == late);
    CHECK(Content(*fs.ImageAt(20, damage, 9), "a") == early);
  }
}

}  // namespace
}  // namespace fornix
