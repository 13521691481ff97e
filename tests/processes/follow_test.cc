// Three reader processes beside a writer; writer and readers are killed with SIGKILL at random moments and started again. No
// reader may see a transaction by half or go back; what was acknowledged is seen by all once the writer rests; killed readers hold
// nothing up, and their slots are used again. 40 rounds as a routine, 1,000 with FORNIX_LONG. FORNIX_SEED repeats a run.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <thread>

#include "base/clock.h"
#include "base/random.h"
#include "fornix/database.h"
#include "tests/counts.h"
#include "tests/processes/process.h"

namespace {

using namespace fornix;
using namespace fornix::processes;

[[noreturn]] void Fail(const std::string& why) {
  std::printf("follow test: %s\n", why.c_str());
  std::exit(1);
}

constexpr int kReaders = 3;

}  // namespace

int main() {
  const char* seed_text = std::getenv("FORNIX_SEED");
  const uint64_t seed = seed_text ? std::strtoull(seed_text, nullptr, 10) : MonotonicNanos();
  std::printf("seed=%llu rerun: ./dev test processes.follow --seed=%llu\n", static_cast<unsigned long long>(seed), static_cast<unsigned long long>(seed));
  const auto rounds = static_cast<int>(fornix::Counted(40, 40, 1000));
  Random random(seed);
  TempFolder folder;
  const std::string path = folder.File("x.fornix");
  {
    auto database = Database::Open(path);
    if (!database.ok()) Fail(database.status().ToString());
    if (auto rows = (*database)->Connect()->Query("CREATE (:Total {n: 0})"); !rows.ok()) Fail(rows.status().ToString());
    if (Status closed = (*database)->Close(); !closed.ok()) Fail(closed.ToString());
  }
  int64_t first = 0, acknowledged = 0, lives = 0, readers_killed = 0, clean = 0;
  std::unique_ptr<Process> writer, readers[kReaders];
  auto start_writer = [&] {
    first += 1'000'000;
    ++lives;
    writer = std::make_unique<Process>(std::vector<std::string>{"write", path, std::to_string(first)});
  };
  // Takes the writer's lines; what it printed was acknowledged, also after its death.
  auto drain = [&](int millis) {
    for (std::string line = writer->Line(millis); !line.empty(); line = writer->Line(0)) {
      if (line.starts_with("error")) Fail("the writer: " + line);
      ++acknowledged;
    }
  };
  auto start_reader = [&](int i) { readers[i] = std::make_unique<Process>(std::vector<std::string>{"read", path}); };
  auto finish = [&](int i, int64_t at_least) {
    readers[i]->EndInput();
    const std::string line = readers[i]->LastLine();
    if (!line.starts_with("saw ")) Fail("reader " + std::to_string(i) + ": " + (line.empty() ? "died" : line));
    if (std::atoll(line.c_str() + 4) < at_least) Fail("a reader " + line + " of " + std::to_string(at_least) + " acknowledged pairs");
    readers[i]->Wait();
  };
  start_writer();
  for (int i = 0; i < kReaders; ++i) start_reader(i);
  for (int round = 0; round < rounds; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(random.Below(250)));
    drain(0);
    const uint64_t what = random.Below(10);
    if (what < 5) {
      writer->Kill();
      drain(1000);
      start_writer();
    } else if (what == 5) {                      // a clean close: log and lock go, or wait for the readers
      writer->EndInput();
      drain(20'000);
      writer->Wait();
      ++clean;
      start_writer();
    } else if (what < 8) {
      const int i = static_cast<int>(random.Below(kReaders));
      readers[i]->Kill();
      ++readers_killed;
      for (std::string line = readers[i]->Line(); !line.empty(); line = readers[i]->Line()) Fail("reader " + std::to_string(i) + ": " + line);
      start_reader(i);
    } else {
      const int i = static_cast<int>(random.Below(kReaders));
      finish(i, acknowledged);                   // what was acknowledged by now must be seen
      start_reader(i);
    }
  }
  writer->Kill();
  drain(1000);
  for (int i = 0; i < kReaders; ++i) finish(i, acknowledged);
  // Slots are taken from the first on, and those of dead readers again: a few of 256 have ever been used.
  std::error_code missing;
  const auto lock_bytes = std::filesystem::file_size(path + "-lock", missing);
  if (!missing && lock_bytes > 4096 + 8 * 128) Fail("the lock file has grown to " + std::to_string(lock_bytes) + " bytes: slots of dead readers aren't used again");
  {
    auto database = Database::Open(path);
    if (!database.ok()) Fail(database.status().ToString());
    auto rows = (*database)->Connect()->Query("MATCH (t:Total) RETURN t.n");
    if (!rows.ok()) Fail(rows.status().ToString());
    if ((*rows)[0][0].AsInteger() < acknowledged) Fail("lost an acknowledged commit");
    if (Status closed = (*database)->Close(); !closed.ok()) Fail(closed.ToString());
  }
  for (const char* beside : {"-log", "-lock"}) {
    if (std::filesystem::exists(path + beside)) Fail(path + beside + " is left after the last clean close");
  }
  std::printf("%lld writer lives (%lld closed cleanly), %lld readers killed, %lld acknowledged commits: none lost, none half, nobody went back\n",
              static_cast<long long>(lives), static_cast<long long>(clean), static_cast<long long>(readers_killed), static_cast<long long>(acknowledged));
  return acknowledged > rounds ? 0 : 1;          // a run in which nothing was committed proves nothing
}
