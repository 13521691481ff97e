// Files and folders that may not be written, read or entered; disks that are full; limits of the process. Each gives a clean error, or
// works as far as it can, and the database is as it was. Run as an unprivileged user: in a child that gives up root's rights.
#include <catch2/catch.hpp>
#include <sys/mount.h>
#include <sys/resource.h>

#include "base/fault_file.h"
#include "engine/api/database_impl.h"
#include "tests/processes/process.h"

using namespace fornix;
using namespace fornix::processes;
namespace fs = std::filesystem;

namespace {

std::string Error(Code code) { return "error " + std::to_string(static_cast<int>(code)) + " "; }

// A closed database with three nodes, in a folder that everyone may enter.
std::string Make(const TempFolder& folder) {
  fs::permissions(folder.path(), fs::perms(0777));
  const std::string path = folder.File("x.fornix");
  auto database = Database::Open(path);
  REQUIRE(database.ok());
  REQUIRE((*database)->Connect()->Query("UNWIND range(1, 3) AS i CREATE (:A {i: i})").ok());
  REQUIRE((*database)->Close().ok());
  return path;
}
std::string AsNobody(const std::string& what, const std::string& path) {
  Process process({what, path}, BecomeNobody);
  return process.Line();
}
void StaysWhole(const std::string& path) {
  Process process({"open", path});
  CHECK(process.Line() == "read 3");
}
bool Contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a file that may only be read opens for reading, and for writing says what is wrong") {
  TempFolder folder;
  const std::string path = Make(folder);
  fs::permissions(path, fs::perms(0444));
  CHECK(AsNobody("open", path) == "read 3");
  const std::string refused = AsNobody("commit", path);
  CHECK(refused.starts_with(Error(Code::kIoError)));
  CHECK(Contains(refused, "x.fornix: open: Permission denied"));
  StaysWhole(path);
}

TEST_CASE("a folder that may only be read is enough for reading: no lock file is made in it") {
  TempFolder folder;
  const std::string path = Make(folder);
  fs::permissions(folder.path(), fs::perms(0555));
  CHECK(AsNobody("open", path) == "read 3");
  CHECK(!fs::exists(path + "-lock"));
  const std::string refused = AsNobody("commit", path);
  CHECK(refused.starts_with(Error(Code::kIoError)));
  CHECK(Contains(refused, "Permission denied"));
  StaysWhole(path);
}

TEST_CASE("a reader that can't register, beside a writer that checkpoints, sees the newest state or asks to begin again") {
  TempFolder folder;
  const std::string path = Make(folder);
  fs::permissions(folder.path(), fs::perms(0755));
  Process writer({"write", path, "1"});
  REQUIRE(writer.Line() == "1");
  const std::string seen = AsNobody("open", path);
  INFO(seen);
  CHECK((seen.starts_with("read ") || seen.starts_with(Error(Code::kTransactionConflict))));
  writer.EndInput();
  writer.LastLine();
}

TEST_CASE("a folder that may not be entered, a file that may not be read, are named") {
  TempFolder folder;
  const std::string path = Make(folder);
  fs::permissions(folder.path(), fs::perms(0666));
  for (const char* what : {"open", "commit"}) {
    const std::string refused = AsNobody(what, path);
    CHECK(refused.starts_with(Error(Code::kIoError)));
    CHECK(Contains(refused, path));
    CHECK(Contains(refused, "Permission denied"));
  }
  fs::permissions(folder.path(), fs::perms(0777));
  fs::permissions(path, fs::perms(0600));         // root's alone
  for (const char* what : {"open", "commit"}) {
    const std::string refused = AsNobody(what, path);
    CHECK(refused.starts_with(Error(Code::kIoError)));
    CHECK(Contains(refused, "x.fornix: open: Permission denied"));
  }
  StaysWhole(path);
}

TEST_CASE("a database of another user that may be written by all is written; its log and lock are of whoever made them") {
  TempFolder folder;
  const std::string path = Make(folder);
  fs::permissions(path, fs::perms(0666));
  CHECK(AsNobody("commit", path) == "committed");
  Process process({"open", path});
  CHECK(process.Line() == "read 4");
}

TEST_CASE("a process that may open few files gets an error, and the database is as it was") {
  TempFolder folder;
  const std::string path = Make(folder);
  for (rlim_t files = 3; files < 12; ++files) {
    Process process({"commit", path}, [&] {
      const rlimit limit{files, files};
      setrlimit(RLIMIT_NOFILE, &limit);
    });
    const std::string line = process.Line();
    if (line == "committed") {
      CHECK(files > 5);
      return;
    }
    if (line.empty()) continue;                   // too few even to load the program
    INFO(files << " files: " << line);
    CHECK(line.starts_with(Error(Code::kIoError)));
    CHECK(Contains(line, "Too many open files"));
    Process reader({"open", path});               // the commit itself may have come through, and its close not
    const std::string seen = reader.Line();
    CHECK((seen == "read 3" || seen == "read 4"));
    if (seen != "read 3") return;
  }
  CHECK(false);                                   // twelve are enough
}

TEST_CASE("a limit on the size of files is an error where SIGXFSZ is ignored, and the database is as it was") {
  TempFolder folder;
  const std::string path = Make(folder);
  Process process({"write", path, "1"}, [] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100 << 10, 100 << 10};     // a segment of 64 KiB fits, the second of 128 or the next file doesn't
    setrlimit(RLIMIT_FSIZE, &limit);
  });
  int64_t acknowledged = 0;
  std::string line = process.Line();
  for (; !line.empty() && !line.starts_with("error"); line = process.Line()) {
    ++acknowledged;
    if (acknowledged == 2000) process.EndInput();  // everything fits: a close then ends it
  }
  if (line.starts_with("error")) {
    CHECK(line.starts_with(Error(Code::kIoError)));
    CHECK(Contains(line, "File too large"));
  }
  Process reader({"open", path});
  const std::string seen = reader.Line();
  REQUIRE(seen.starts_with("read "));
  CHECK(std::atoll(seen.c_str() + 5) >= 3 + 2 * acknowledged);
}

TEST_CASE("a disk that is full gives an error, what was acknowledged stays, and with space it goes on") {
  // A disk of 1 MiB in a mount of our own; where mounting isn't allowed the faulty disk has to do (tests/crash, F4).
  TempFolder folder;
  const std::string path = folder.File("disk/x.fornix");
  fs::create_directory(folder.File("disk"));
  if (mount("none", folder.File("disk").c_str(), "tmpfs", 0, "size=1m") != 0) {
    WARN("SKIPPED: no tmpfs may be mounted here");
    return;
  }
  int64_t acknowledged = 0;
  {
    Process process({"write", path, "1"});
    std::string line = process.Line();
    for (; !line.empty() && !line.starts_with("error"); line = process.Line()) ++acknowledged;
    INFO(line);
    CHECK(line.starts_with(Error(Code::kIoError)));
    CHECK(Contains(line, "No space left on device"));
    CHECK(acknowledged > 0);
  }
  {
    Process process({"open", path});              // the lock file can't be written either
    const std::string seen = process.Line();
    INFO(seen);
    CHECK(seen.starts_with("read "));
    CHECK(std::atoll(seen.c_str() + 5) >= 2 * acknowledged);
  }
  CHECK(mount("none", folder.File("disk").c_str(), "tmpfs", MS_REMOUNT, "size=16m") == 0);
  {
    Process process({"commit", path});
    CHECK(process.Line() == "committed");
  }
  // The same disk, for reading alone.
  CHECK(mount("none", folder.File("disk").c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=16m") == 0);
  {
    Process reads({"open", path}), writes({"commit", path});
    CHECK(reads.Line().starts_with("read "));
    const std::string refused = writes.Line();
    CHECK(refused.starts_with(Error(Code::kIoError)));
    CHECK(Contains(refused, "Read-only file system"));
  }
  umount(folder.File("disk").c_str());
}

TEST_CASE("a quota that is used up is like a full disk (on the faulty disk)") {
  FaultFileSystem disk;
  auto database = engine::OpenDatabase(disk, "x.fornix", {}, engine::DefaultCatalog());
  REQUIRE(database.ok());
  auto connection = (*database)->Connect();
  REQUIRE(connection->Query("CREATE (:A)").ok());
  disk.FailCall(0, Fault::kNoSpace, true);
  const Status full = connection->Query("CREATE (:A)").status();
  CHECK(full.code() == Code::kIoError);
  CHECK(connection->Query("MATCH (n) RETURN count(*)").value()[0][0] == Value(int64_t{1}));
  disk.StopFailing();
  const Status after = connection->Query("CREATE (:A)").status();
  CHECK(Contains(after.message(), "takes no more commits"));
  connection.reset();
  database = Status(Code::kBusy, "");
  database = engine::OpenDatabase(disk, "x.fornix", {}, engine::DefaultCatalog());
  REQUIRE(database.ok());
  CHECK((*database)->Connect()->Query("CREATE (:A)").ok());
}
