// Commits: how many a second, what one costs beside the raw write it can't do without, what a checkpoint adds, what readers feel of a writer.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include "base/file.h"
#include "bench/storage/bench.h"

namespace fornix::bench {
namespace {

// Durable commits a second of `sessions` threads.
double CommitRate(Database& database, int sessions, double seconds) {
  std::atomic<uint64_t> commits{0};
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < sessions; ++t) {
    threads.emplace_back([&] {
      auto connection = database.Connect();
      auto create = Take(connection->Prepare("CREATE (:Note {id: $k, text: 'a durable note'})"));
      for (int64_t i = 0; !stop; ++i) {
        RunOnce(*connection, *create, Map({{"k", Value(i)}}));
        ++commits;
      }
    });
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  stop = true;
  for (auto& t : threads) t.join();
  return static_cast<double>(commits) / seconds;
}

std::vector<double> CommitTimes(Connection& connection, const Prepared& create, double seconds, std::atomic<bool>* while_true) {
  std::vector<double> us;
  const uint64_t begin = MonotonicNanos();
  for (int64_t i = 0; while_true != nullptr ? while_true->load() : Seconds(begin) < seconds; ++i) {
    const uint64_t start = MonotonicNanos();
    RunOnce(connection, create, Map({{"k", Value(i)}}));
    us.push_back(static_cast<double>(MonotonicNanos() - start) / 1e3);
  }
  return us;
}

// One durable create and one O_DSYNC append of 512 bytes in turns, so that both see the same disk.
void BesideTheRawWrite(Connection& connection, const std::string& folder, Report* report) {
  OpenOptions options;
  options.write = options.create = options.dsync = true;
  auto raw = Take(PosixFileSystem().Open(folder + "/raw", options));
  Check(raw->WriteZeros(0, 4 << 20));
  Check(raw->Sync());
  const std::vector<std::byte> record(512, std::byte{7});
  auto create = Take(connection.Prepare("CREATE (:Note {id: $k, text: 'a durable note'})"));
  std::vector<double> ours, theirs;
  for (int64_t i = 0; i < 3000; ++i) {
    uint64_t start = MonotonicNanos();
    Check(raw->WriteAt(static_cast<uint64_t>(i) * 512, record));
    theirs.push_back(static_cast<double>(MonotonicNanos() - start) / 1e3);
    start = MonotonicNanos();
    RunOnce(connection, *create, Map({{"k", Value(i)}}));
    ours.push_back(static_cast<double>(MonotonicNanos() - start) / 1e3);
  }
  report->Add({"raw O_DSYNC append of 512 B, p50", "aim", "us", Median(theirs), 0});
  report->Add({"durable create, p50", "aim", "us", Median(ours), 0});
  report->Add({"durable create / raw append", "aim", "ratio", Median(ours) / Median(theirs), 1.3});
}

// Writes at full speed until `seconds` have gone, with a snapshot older than all of it; then checkpoints beside the same writer until
// enough of its commits were measured.
void DuringCheckpoints(Database& database, double old_seconds, Report* report) {
  auto old = database.Connect();
  Check(old->Begin({.read_only = true}));
  Check(old->Query("MATCH (n:N) RETURN n.id LIMIT 1").status());
  auto connection = database.Connect();
  auto create = Take(connection->Prepare("CREATE (:Note {id: $k, text: 'a durable note, a bit longer than the other'})"));
  for (int part = 0; part < 20; ++part) Check(connection->Query("UNWIND range(1, 50000) AS i CREATE (:Bulk {a: i, b: toString(i)})").status());
  Check(database.Checkpoint().status());
  const std::vector<double> idle = CommitTimes(*connection, *create, old_seconds, nullptr);
  std::vector<double> busy;
  int rounds = 0;
  const uint64_t deadline = MonotonicNanos() + 60'000'000'000;
  do {
    Check(connection->Query("MATCH (b:Bulk) WITH b LIMIT 300000 SET b.a = b.a + 1").status());
    std::atomic<bool> running{true};
    Status status;
    std::thread checkpoint([&] {
      status = database.Checkpoint().status();
      running = false;
    });
    const std::vector<double> some = CommitTimes(*connection, *create, 0, &running);
    checkpoint.join();
    Check(status);
    busy.insert(busy.end(), some.begin(), some.end());
    ++rounds;
  } while (busy.size() < 2000 && MonotonicNanos() < deadline);
  Check(old->Rollback());
  report->Add({"age of the old snapshot", "aim", "s", old_seconds, 0, true});
  report->Add({"checkpoints beside the writer", "aim", "n", static_cast<double>(rounds), 0, true});
  report->Add({"commits measured during them", "aim", "n", static_cast<double>(busy.size()), 0, true});
  report->Add({"commit p50 during a checkpoint / idle", "must", "ratio", Percentile(busy, 0.5) / Percentile(idle, 0.5), 1.2});
  report->Add({"commit p99 during a checkpoint / idle", "must", "ratio", Percentile(busy, 0.99) / Percentile(idle, 0.99), 4});
}

// Two readers of one hop each, alone and beside a writer at full speed.
void ReadersBesideAWriter(Database& database, Report* report) {
  auto read = [&](double seconds) {
    std::vector<std::vector<double>> us(2);
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) {
      threads.emplace_back([&, t] {
        auto connection = database.Connect();
        auto prepared = Take(connection->Prepare("MATCH (n:N {id: $k})-[:R]->(a) RETURN count(a)"));
        Random random;
        random.state += static_cast<uint64_t>(t);
        const uint64_t begin = MonotonicNanos();
        while (Seconds(begin) < seconds) {
          const uint64_t start = MonotonicNanos();
          RunOnce(*connection, *prepared, Map({{"k", Value(static_cast<int64_t>(random.Below(20000)))}}));
          us[static_cast<size_t>(t)].push_back(static_cast<double>(MonotonicNanos() - start) / 1e3);
        }
      });
    }
    for (auto& t : threads) t.join();
    us[0].insert(us[0].end(), us[1].begin(), us[1].end());
    return Percentile(us[0], 0.99);
  };
  read(1);
  const double alone = read(4);
  std::atomic<bool> writing{true};
  std::thread writer([&] {
    auto connection = database.Connect();
    auto create = Take(connection->Prepare("CREATE (:Note {id: $k, text: 'a durable note'})"));
    CommitTimes(*connection, *create, 0, &writing);
  });
  const double beside = read(4);
  writing = false;
  writer.join();
  report->Add({"read p99, two readers", "aim", "us", alone, 0});
  report->Add({"read p99 beside a full-speed writer / alone", "aim", "ratio", beside / alone, 2});
}

}  // namespace

void Commits(Database& database, const std::string& folder, double old_seconds, Report* report) {
  auto connection = database.Connect();
  BesideTheRawWrite(*connection, folder, report);
  const double one = CommitRate(database, 1, 3), sixteen = CommitRate(database, 16, 3);
  report->Add({"durable commits of one session", "aim", "1/s", one, 0, true});
  report->Add({"durable commits of 16 sessions / of one", "must", "ratio", sixteen / one, 4, true});
  ReadersBesideAWriter(database, report);
  DuringCheckpoints(database, old_seconds, report);
}

}  // namespace fornix::bench
