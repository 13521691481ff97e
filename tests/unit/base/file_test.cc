// The door to the disk: both implementations keep the same contract; locks; the faulty twin loses and keeps what it may.
#include "base/file.h"

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

TEST_CASE("a second lock is refused with the holder's name, in the same process too, and free after the first") {
  TempDir dir;
  const std::string path = JoinPath(dir.path, "x.fornix-lock");
  FileSystem& fs = PosixFileSystem();
  auto lock = fs.LockExclusive(path);
  REQUIRE(lock.ok());
  const Status second = fs.LockExclusive(path).status();
  CHECK(second.code() == Code::kBusy);
  CHECK(second.message().find("process " + std::to_string(getpid()) + " (") != std::string::npos);
  lock = Status(Code::kBusy, "");
  CHECK(fs.LockExclusive(path).ok());
}

TEST_CASE("a dead process holds no lock, and a forked child doesn't take its parent's along") {
  TempDir dir;
  const std::string path = JoinPath(dir.path, "x.fornix-lock");
  FileSystem& fs = PosixFileSystem();
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  pid_t child = fork();
  if (child == 0) {
    auto lock = fs.LockExclusive(path);
    const char c = lock.ok() ? 'y' : 'n';
    if (write(ready[1], &c, 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char c = 0;
  REQUIRE(read(ready[0], &c, 1) == 1);
  REQUIRE(c == 'y');
  CHECK(fs.LockExclusive(path).status().message().find("process " + std::to_string(child)) != std::string::npos);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  auto lock = fs.LockExclusive(path);
  REQUIRE(lock.ok());
  child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  lock = Status(Code::kBusy, "");
  CHECK(fs.LockExclusive(path).ok());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
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
