// Many committers at once: LSNs without holes, completions in order and only after the bytes are durable, no lost wake-up,
// failures that reach everybody. Meant to run under ThreadSanitizer too.
#include <catch2/catch.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <thread>

#include "base/random.h"
#include "tests/unit/wal/log_harness.h"

namespace fornix::wal {
namespace {

constexpr int kThreads = 8;

// Records what was acknowledged and at which operation of the disk.
struct Acks {
  std::mutex mutex;
  std::vector<Lsn> lsns;
  std::vector<uint64_t> ops;
  void Add(Lsn lsn, uint64_t op) {
    std::lock_guard lock(mutex);
    lsns.push_back(lsn);
    ops.push_back(op);
  }
};

WriterOptions Threaded() {
  WriterOptions options = TestOptions(64 << 10, 256 << 10);
  options.background_thread = true;
  return options;
}

TEST_CASE("8 threads, waiting and not waiting: each record once, completions in LSN order, in far fewer writes") {
  FaultFileSystem fs;
  auto log = NewLog(fs, Threaded());
  Acks acks;
  std::mutex order;  // the sequencer's: LSN order = order of `texts`
  std::vector<std::string> texts;
  std::atomic<int> pending{0};
  std::vector<std::thread> threads;
  constexpr int kEach = 300;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Random random(static_cast<uint64_t>(t) + 1);
      for (int i = 0; i < kEach; ++i) {
        const std::string text = std::to_string(t) + ":" + std::to_string(i) + std::string(random.Below(300), 'x');
        auto entry = Entry(text);
        LogEntry* const raw = entry.get();
        pending.fetch_add(1);
        entry->done = [&, raw](const Status& status) {
          if (status.ok()) acks.Add(raw->lsn, fs.op_count());
          pending.fetch_sub(1);
        };
        Lsn lsn;
        {
          std::lock_guard lock(order);
          lsn = log->Append(std::move(entry)).value();
          texts.push_back(text);
        }
        if (t % 2 == 0) {
          if (!log->WaitDurable(lsn).ok()) std::abort();
          if (log->durable_lsn() < lsn) std::abort();
        } else {
          log->Kick();
          while (pending.load() > 200) std::this_thread::yield();
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  REQUIRE(log->Close().ok());
  CHECK(pending.load() == 0);
  REQUIRE(acks.lsns.size() == kThreads * kEach);
  for (size_t i = 0; i < acks.lsns.size(); ++i) REQUIRE(acks.lsns[i] == i + 1);
  CHECK(Recover(fs).texts == texts);
  // Acknowledged means durable: cut at the operation count of random acknowledgements.
  Random random(9);
  for (int i = 0; i < 60; ++i) {
    const size_t k = random.Below(acks.ops.size());
    auto image = fs.ImageAt(acks.ops[k], kAllDamage[i % 4], random.Next());
    const Recovered got = Recover(*image);
    REQUIRE(got.status.ToString() == "ok");
    REQUIRE(got.texts.size() >= acks.lsns[k]);
    REQUIRE(std::equal(got.texts.begin(), got.texts.end(), texts.begin()));
  }
}

// On a real disk, where a sync takes long enough for the others to come between.
TEST_CASE("segments are made, got ready and recycled by three threads at once, and each begins with its own header") {
  FileSystem& fs = PosixFileSystem();
  const std::string base = (std::filesystem::temp_directory_path() / ("fornix-log-" + std::to_string(SystemRandom64()))).string();
  REQUIRE(fs.CreateDir(base).ok());
  for (int round = 0; round < 4; ++round) {
    const std::string dir = base + "/" + std::to_string(round);
    WriterOptions options = TestOptions(16 << 10, round % 2 == 0 ? 16 << 10 : 1 << 20);
    options.background_thread = true;
    auto log = LogWriter::Create(fs, dir, TestUuid(), LogPosition(), options).value();
    std::atomic<bool> stop{false};
    LogPosition floor;
    std::thread remover([&] {
      while (!stop && round < 2) {
        floor = log->FloorFor(log->durable_lsn() + 1);
        if (!log->RemoveBelow(floor).ok()) std::abort();
      }
    });
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 250; ++i) {
          const Lsn lsn = log->Append(Entry(std::string(1500, 'x'))).value();
          if (i % 3 == 0) log->Kick();
          if (!log->WaitDurable(lsn).ok()) std::abort();
        }
      });
    }
    for (auto& thread : threads) thread.join();
    stop = true;
    remover.join();
    const Lsn next = log->next_lsn();
    REQUIRE(log->Close().ok());
    ReadOptions read;
    read.floor = floor;
    read.known_end_lsn = next - 1;
    Texts texts;
    const auto end = ReadLog(fs, dir, TestUuid(), read, texts);
    INFO("round " << round << ": " << end.status().ToString());
    REQUIRE(end.ok());
    CHECK(texts.texts.size() == next - floor.lsn);
  }
  std::filesystem::remove_all(base);
}

TEST_CASE("a caller that never waits is served by the log thread alone") {
  FaultFileSystem fs;
  auto log = NewLog(fs, Threaded());
  std::atomic<int> done{0};
  for (int i = 0; i < 2000; ++i) {
    auto entry = Entry(std::to_string(i));
    entry->done = [&](const Status& status) { done += status.ok() ? 1 : 0; };
    REQUIRE(log->Append(std::move(entry)).ok());
    if (i % 3 == 0) log->Kick();
  }
  log->Kick();
  while (done.load() < 2000) std::this_thread::yield();
  CHECK(log->durable_lsn() == 2000);
  REQUIRE(log->Close().ok());
  CHECK(Recover(fs).texts.size() == 2000);
}

TEST_CASE("Close writes what nobody waited for") {
  FaultFileSystem fs;
  auto log = NewLog(fs, Threaded());
  bool done = false;
  auto entry = Entry("last words");
  entry->done = [&](const Status& status) { done = status.ok(); };
  REQUIRE(log->Append(std::move(entry)).ok());
  REQUIRE(log->Close().ok());
  CHECK(done);
  CHECK(log->Append(Entry("more")).status().code() == Code::kUsage);
  CHECK(Recover(fs).texts == std::vector<std::string>{"last words"});
}

TEST_CASE("what may wait is written after its time, when enough has gathered, or at the end, in order") {
  FaultFileSystem fs;
  WriterOptions options = Threaded();
  options.soon_millis = 30;
  options.soon_bytes = 10'000;
  auto log = NewLog(fs, options);
  const auto append = [&](size_t bytes) {
    const Lsn lsn = log->Append(Entry(std::string(bytes, 'x'))).value();
    log->WriteSoon();
    return lsn;
  };
  const auto await = [&](Lsn lsn) {
    for (int i = 0; i < 2000 && log->durable_lsn() < lsn; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return log->durable_lsn() >= lsn;
  };
  const uint64_t before = fs.counters().writes;
  for (int i = 0; i < 20; ++i) append(10);
  CHECK(log->durable_lsn() < 20);
  CHECK(await(20));
  CHECK(fs.counters().writes - before < 5);              // together
  for (int i = 0; i < 20; ++i) append(1000);             // the time isn't up
  CHECK(await(29));
  append(200'000);                                       // far more than may wait: the caller does
  CHECK(log->durable_lsn() == 41);
  append(10);
  CHECK(log->Close().ok());
  log.reset();
  CHECK(Recover(fs).texts.size() == 42);
}

TEST_CASE("without a thread what may wait is written when enough has gathered, and by Close") {
  FaultFileSystem fs;
  WriterOptions options = TestOptions();
  options.soon_bytes = 1000;
  auto log = NewLog(fs, options);
  for (int i = 1; i <= 10; ++i) {
    REQUIRE(log->Append(Entry(std::string(200, 'x'))).ok());
    log->WriteSoon();
    CHECK(log->durable_lsn() == static_cast<Lsn>(i / 5 * 5));
  }
  REQUIRE(log->Append(Entry("last")).ok());
  log->WriteSoon();
  CHECK(log->Close().ok());
  log.reset();
  CHECK(Recover(fs).texts.size() == 11);
}

TEST_CASE("when a write that nobody waits for fails, everyone after it is told") {
  FaultFileSystem fs;
  WriterOptions options = Threaded();
  options.soon_millis = 5;
  auto log = NewLog(fs, options);
  fs.FailCall(0, Fault::kFailedSync, true);
  std::atomic<int> failed{0};
  auto entry = Entry("lost");
  entry->done = [&](const Status& status) { failed += !status.ok(); };
  REQUIRE(log->Append(std::move(entry)).ok());
  log->WriteSoon();
  for (int i = 0; i < 2000 && log->status().ok(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  for (int i = 0; i < 2000 && failed == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(failed == 1);
  CHECK(!log->Append(Entry("after")).ok());
  log->WriteSoon();
}

TEST_CASE("when a write fails under load every committer gets the error, and no one was told otherwise") {
  for (uint64_t nth = 0; nth < 40; ++nth) {
    FaultFileSystem fs;
    auto log = NewLog(fs, Threaded());
    fs.FailCall(nth * 3, nth % 2 == 0 ? Fault::kFailedSync : Fault::kShortWrite, true);
    std::atomic<Lsn> acknowledged{0};
    std::atomic<int> failures{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 200; ++i) {
          auto entry = Entry(std::string(400, 'e'));
          entry->done = [&](const Status& status) {
            if (status.ok()) acknowledged.fetch_add(1);
          };
          const auto lsn = log->Append(std::move(entry));
          if (!lsn.ok() || !log->WaitDurable(*lsn).ok()) {
            failures.fetch_add(1);
            return;
          }
        }
      });
    }
    for (auto& thread : threads) thread.join();
    INFO("nth=" << nth);
    CHECK((failures.load() == kThreads || !fs.fault_hit()));
    static_cast<void>(log->Close().ok());
    fs.StopFailing();
    auto image = fs.ImageAt(fs.op_count(), Damage::kDropUnsynced, nth);
    const Recovered got = Recover(*image);
    REQUIRE(got.status.ToString() == "ok");
    CHECK(got.texts.size() >= acknowledged.load());
  }
}

TEST_CASE("old segments are removed while commits go on") {
  FaultFileSystem fs;
  auto log = NewLog(fs, Threaded());
  std::atomic<bool> stop{false};
  std::thread remover([&] {
    while (!stop.load()) {
      const Lsn durable = log->durable_lsn();
      if (!log->RemoveBelow(log->FloorFor(durable + 1)).ok()) std::abort();
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < 3000; ++i) REQUIRE(Commit(*log, std::string(500, 'k')).ok());
  stop = true;
  remover.join();
  const LogPosition floor = log->FloorFor(3001);
  CHECK(floor.segment > 5);
  REQUIRE(log->RemoveBelow(floor).ok());  // the remover may have stopped before the last segment changed
  CHECK(log->log_bytes() <= 256 << 10);
  REQUIRE(log->Close().ok());
  ReadOptions options;
  options.floor = floor;
  CHECK(Recover(fs, options).status.ToString() == "ok");
}

}  // namespace
}  // namespace fornix::wal
