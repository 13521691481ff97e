// Disks that are slow, system calls that fail where nothing can be done about it, and a clock that goes backwards.
#include <catch2/catch.hpp>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/fault_file.h"
#include "engine/api/database_impl.h"
#include "tests/processes/process.h"

using namespace fornix;
using namespace fornix::processes;

namespace {

// A faulty disk whose syncs end when the test says so: a sync of two seconds without waiting for them.
class SlowDisk final : public FileSystem {
 public:
  Result<std::unique_ptr<File>> Open(const std::string& path, const OpenOptions& options) override {
    ASSIGN_OR_RETURN(auto file, disk_.Open(path, options));
    return std::unique_ptr<File>(std::make_unique<SlowFile>(this, std::move(file), options.dsync));
  }
  Result<FileKind> Kind(const std::string& path) override { return disk_.Kind(path); }
  Status CreateDir(const std::string& path) override { return disk_.CreateDir(path); }
  Result<std::vector<std::string>> List(const std::string& dir) override { return disk_.List(dir); }
  Status Rename(const std::string& from, const std::string& to) override { return disk_.Rename(from, to); }
  Status RemoveFile(const std::string& path) override { return disk_.RemoveFile(path); }
  Status RemoveDir(const std::string& path) override { return disk_.RemoveDir(path); }
  Status SyncDir(const std::string& dir) override { return disk_.SyncDir(dir); }
  Result<std::unique_ptr<LockFile>> OpenLockFile(const std::string& path, bool create) override { return disk_.OpenLockFile(path, create); }

  void Hold() {
    std::lock_guard lock(mutex_);
    held_ = true;
  }
  void AwaitSync() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_ > 0; });
  }
  void Release() {
    std::lock_guard lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }

 private:
  class SlowFile final : public File {
   public:
    SlowFile(SlowDisk* disk, std::unique_ptr<File> file, bool dsync) : disk_(disk), file_(std::move(file)), dsync_(dsync) {}
    const std::string& path() const override { return file_->path(); }
    Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) override { return file_->ReadAt(offset, out); }
    Status WriteAt(uint64_t offset, std::span<const std::byte> bytes) override {
      if (dsync_) disk_->Wait();
      return file_->WriteAt(offset, bytes);
    }
    Status Sync() override {
      disk_->Wait();
      return file_->Sync();
    }
    Result<uint64_t> Size() override { return file_->Size(); }
    Status Truncate(uint64_t size) override { return file_->Truncate(size); }
    Status WriteZeros(uint64_t offset, uint64_t size) override { return file_->WriteZeros(offset, size); }
    Status Preallocate(uint64_t size) override { return file_->Preallocate(size); }

   private:
    SlowDisk* const disk_;
    const std::unique_ptr<File> file_;
    const bool dsync_;
  };
  void Wait() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !held_; });
    --waiting_;
  }

  FaultFileSystem disk_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
  int waiting_ = 0;
};

std::unique_ptr<Database> Open(FileSystem& disk) {
  auto database = engine::OpenDatabase(disk, "x.fornix", {}, engine::DefaultCatalog());
  REQUIRE(database.ok());
  return std::move(*database);
}
int64_t Count(Database& database) {
  auto rows = database.Connect()->Query("MATCH (n:A) RETURN count(*)");
  REQUIRE(rows.ok());
  return (*rows)[0][0].AsInteger();
}
Status Run(Connection& connection, const char* text, int timeout_ms) {
  ExecuteOptions options;
  options.timeout = std::chrono::milliseconds(timeout_ms);
  auto cursor = connection.Execute(text, {}, options);
  if (!cursor.ok()) return cursor.status();
  std::vector<Row> rows;
  return (*cursor)->Fetch(100, &rows);
}

// A database of three nodes, told of by the child that stumbles: pairs written until the input ends, then a close.
void Stumble(const char* what) {
  TempFolder folder;
  const std::string path = folder.File("x.fornix");
  const auto stumbling = [&] { setenv("FORNIX_STUMBLE", what, 1); };
  int64_t acknowledged = 0;
  for (int life = 0; life < 3; ++life) {
    Process writer({"write", path, std::to_string(1 + 1000 * life)}, stumbling, "test_processes_stumbling_child");
    for (int i = 0; i < 40; ++i) {                // two checkpoints and a new segment
      const std::string line = writer.Line();
      INFO(line);
      REQUIRE((!line.empty() && !line.starts_with("error")));
      ++acknowledged;
    }
    if (life == 1) {
      writer.Kill();                              // the next one recovers, stumbling
      continue;
    }
    writer.EndInput();
    for (std::string line = writer.Line(); !line.empty(); line = writer.Line()) {
      INFO(line);
      REQUIRE(!line.starts_with("error"));
      ++acknowledged;
    }
    CHECK(writer.Wait() == 0);                    // the close was a success
  }
  for (const char* program : {"test_processes_child", "test_processes_stumbling_child"}) {
    Process reader({"open", path}, stumbling, program);
    const std::string seen = reader.Line();
    INFO(seen);
    REQUIRE(seen.starts_with("read "));
    CHECK(std::atoll(seen.c_str() + 5) >= 2 * acknowledged);
  }
}

}  // namespace

TEST_CASE("on a slow disk a commit waits beyond its statement's time, reads and other statements' limits don't wait for it") {
  SlowDisk disk;
  bool committed = false;
  {
    auto database = Open(disk);
    auto writer = database->Connect(), reader = database->Connect();
    disk.Hold();
    Status written;
    std::thread commit([&] { written = Run(*writer, "CREATE (:A)", 20); });
    disk.AwaitSync();
    // The commit stands at the disk. What isn't durable isn't seen.
    CHECK(Count(*database) == 0);
    CHECK(Run(*reader, "MATCH (n:A) RETURN n", 60'000).ok());
    CHECK(Run(*reader, "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b WITH a, b WHERE a + b < 0 RETURN count(*)", 20).code() ==
          Code::kDeadlineExceeded);
    std::this_thread::sleep_for(std::chrono::milliseconds(40));   // longer than the statement's limit
    disk.Release();
    commit.join();
    INFO(written.ToString());
    // Once its record is on the way to the disk a statement can't be called back: it succeeds, however late.
    CHECK(written.ok());
    committed = written.ok();
    CHECK(Count(*database) == 1);
    CHECK(Run(*writer, "CREATE (:A)", 20).ok());
    writer.reset();
    reader.reset();
    REQUIRE(database->Close().ok());
  }
  CHECK(Count(*Open(disk)) == committed + 1);
}

TEST_CASE("a statement whose time ends before it commits leaves nothing, however slow the disk is with others") {
  SlowDisk disk;
  auto database = Open(disk);
  auto first = database->Connect(), second = database->Connect();
  disk.Hold();
  std::thread commit([&] { (void)Run(*first, "CREATE (:A)", 0); });
  disk.AwaitSync();
  CHECK(Run(*second, "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b WITH a, b WHERE a + b < 0 CREATE (:A)", 20).code() ==
        Code::kDeadlineExceeded);
  disk.Release();
  commit.join();
  CHECK(Count(*database) == 1);
}

TEST_CASE("a close() that fails loses nothing: what matters was synced before") { Stumble("close"); }

TEST_CASE("a wall clock that jumps back at every look changes nothing that was committed, and no lock") { Stumble("clock"); }
