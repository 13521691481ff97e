// What a durable commit costs in the log, beside the raw write it can't do without: an O_DSYNC overwrite of one sector of
// a preallocated, zeroed file. BM_LogBesideRaw takes both in turns, so that a busy neighbour of the disk hits both alike;
// its counter `ratio` (of medians) is the figure to watch, target <= 1.3. Files go to $TMPDIR (default: the current
// directory; a memory file system would measure nothing).
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "wal/writer.h"

namespace fornix {
namespace {

class BenchDir {
 public:
  BenchDir() {
    const char* base = std::getenv("TMPDIR");
    path = std::string(base != nullptr ? base : ".") + "/fornix-log-bench-XXXXXX";
    if (mkdtemp(path.data()) == nullptr) std::abort();
  }
  ~BenchDir() { std::filesystem::remove_all(path); }
  std::string path;
};

void Ok(const Status& status) {
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    std::abort();
  }
}

// The floor: sector after sector, O_DSYNC, nothing else.
class RawLog {
 public:
  explicit RawLog(const std::string& path) {
    OpenOptions options;
    options.write = options.create = options.dsync = true;
    {
      OpenOptions plain = options;
      plain.dsync = false;
      auto file = PosixFileSystem().Open(path, plain);
      Ok(file.status());
      Ok((*file)->Preallocate(kBytes));
      Ok((*file)->WriteZeros(0, kBytes));
      Ok((*file)->Sync());
    }
    auto file = PosixFileSystem().Open(path, options);
    Ok(file.status());
    file_ = std::move(file).value();
  }
  void Append(std::span<const std::byte> bytes) {
    if (offset_ + bytes.size() > kBytes) offset_ = 0;
    Ok(file_->WriteAt(offset_, bytes));
    offset_ += (bytes.size() + 511) / 512 * 512;
  }

 private:
  static constexpr uint64_t kBytes = 16 << 20;
  std::unique_ptr<File> file_;
  uint64_t offset_ = 0;
};

std::unique_ptr<wal::LogWriter> OpenLog(const std::string& dir) {
  auto log = wal::LogWriter::Create(PosixFileSystem(), dir + "/db.fornix-log", NewUuid(), {});
  Ok(log.status());
  return std::move(log).value();
}

void Commit(wal::LogWriter& log, size_t bytes) {
  auto entry = std::make_unique<wal::LogEntry>();
  entry->body.resize(bytes, std::byte{'x'});
  auto lsn = log.Append(std::move(entry));
  Ok(lsn.status());
  Ok(log.WaitDurable(*lsn));
}

double MedianUs(std::vector<uint64_t>& nanos, double quantile = 0.5) {
  if (nanos.empty()) return 0;
  const auto at = nanos.begin() + static_cast<ptrdiff_t>(quantile * static_cast<double>(nanos.size() - 1));
  std::nth_element(nanos.begin(), at, nanos.end());
  return static_cast<double>(*at) / 1e3;
}

void BM_LogBesideRaw(benchmark::State& state) {
  BenchDir dir;
  RawLog raw(dir.path + "/raw");
  auto log = OpenLog(dir.path);
  const auto bytes = static_cast<size_t>(state.range(0));
  std::vector<std::byte> sector(bytes + wal::kFrameHeaderBytes, std::byte{'x'});
  std::vector<uint64_t> raw_ns, log_ns;
  for (auto _ : state) {
    const uint64_t begin = MonotonicNanos();
    raw.Append(sector);
    const uint64_t middle = MonotonicNanos();
    Commit(*log, bytes);
    const uint64_t end = MonotonicNanos();
    raw_ns.push_back(middle - begin);
    log_ns.push_back(end - middle);
  }
  state.counters["raw_us"] = MedianUs(raw_ns);
  state.counters["raw_p99_us"] = MedianUs(raw_ns, 0.99);
  state.counters["log_us"] = MedianUs(log_ns);
  state.counters["log_p99_us"] = MedianUs(log_ns, 0.99);
  state.counters["ratio"] = MedianUs(log_ns) / MedianUs(raw_ns);
  Ok(log->Close());
}
BENCHMARK(BM_LogBesideRaw)->Arg(200)->Arg(4000)->Iterations(3000)->Unit(benchmark::kMicrosecond);

// Committers side by side: how much a group gathers. Items are commits.
void BM_GroupCommit(benchmark::State& state) {
  static std::unique_ptr<BenchDir> dir;
  static std::unique_ptr<wal::LogWriter> log;
  static uint64_t syncs = 0;
  if (state.thread_index() == 0) {
    dir = std::make_unique<BenchDir>();
    log = OpenLog(dir->path);
    syncs = PosixFileSystem().counters().syncs;
  }
  for (auto _ : state) Commit(*log, 200);
  state.SetItemsProcessed(state.iterations());
  if (state.thread_index() == 0) {
    const auto commits = static_cast<double>(state.iterations()) * state.threads();
    state.counters["commits_a_sync"] = commits / static_cast<double>(PosixFileSystem().counters().syncs - syncs);
    Ok(log->Close());
    log.reset();
    dir.reset();
  }
}
BENCHMARK(BM_GroupCommit)->Threads(1)->Threads(4)->Threads(16)->UseRealTime()->Unit(benchmark::kMicrosecond);

// One thread that doesn't wait: the log thread writes groups while it fills the next.
void BM_AsyncCommit(benchmark::State& state) {
  BenchDir dir;
  auto log = OpenLog(dir.path);
  Lsn last = 0;
  for (auto _ : state) {
    auto entry = std::make_unique<wal::LogEntry>();
    entry->body.resize(200, std::byte{'x'});
    last = log->Append(std::move(entry)).value();
    log->Kick();
    if (last % 256 == 0) Ok(log->WaitDurable(last - 128));  // a bounded number in flight
  }
  if (last > 0) Ok(log->WaitDurable(last));
  state.SetItemsProcessed(state.iterations());
  Ok(log->Close());
}
BENCHMARK(BM_AsyncCommit)->UseRealTime()->Unit(benchmark::kMicrosecond);

// The processor's share alone: framing and checksum of records that go out in one large group.
void BM_LogBytes(benchmark::State& state) {
  BenchDir dir;
  auto log = OpenLog(dir.path);
  for (auto _ : state) Commit(*log, 8 << 20);
  state.SetBytesProcessed(state.iterations() * (8 << 20));
  Ok(log->Close());
}
BENCHMARK(BM_LogBytes)->Iterations(20)->Unit(benchmark::kMillisecond);

// Reading back 100,000 records of 200 bytes, the store's share left out: what a recovery costs at least.
void BM_Replay(benchmark::State& state) {
  class Count : public wal::LogApplier {
   public:
    Status Apply(Lsn, std::span<const std::byte> body) override {
      bytes += body.size();
      return Status::Ok();
    }
    uint64_t bytes = 0;
  };
  BenchDir dir;
  const Uuid uuid = NewUuid();
  auto created = wal::LogWriter::Create(PosixFileSystem(), dir.path + "/db.fornix-log", uuid, {});
  Ok(created.status());
  for (int i = 0; i < 100000; ++i) {
    auto entry = std::make_unique<wal::LogEntry>();
    entry->body.resize(200, std::byte{'x'});
    Ok((*created)->Append(std::move(entry)).status());
  }
  Ok((*created)->Close());
  for (auto _ : state) {
    Count count;
    Ok(wal::ReadLog(PosixFileSystem(), dir.path + "/db.fornix-log", uuid, {}, count).status());
    benchmark::DoNotOptimize(count.bytes);
  }
  state.SetItemsProcessed(state.iterations() * 100000);
}
BENCHMARK(BM_Replay)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fornix
