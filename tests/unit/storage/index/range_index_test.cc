#include "storage/index/range_index.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>

#include "storage/txn/retire.h"
#include "tests/unit/storage/fixture.h"

namespace fornix::storage {
namespace {
std::string Key(int i) {
  char text[16];
  std::snprintf(text, sizeof(text), "%06d", i);
  return text;
}
size_t CountAt(const RangeIndex& index, Timestamp s) {
  size_t n = 0;
  index.Visit("", 0, "", s, [&](const RangeIndex::Entry&) { return ++n, true; });
  return n;
}
}  // namespace

TEST_CASE("sweeps take what ended at or below the floor, and nothing else") {
  RangeIndex index;
  RetireList retired;
  for (int i = 0; i < 100; ++i) index.Insert(RangeIndex::Make(Key(i % 50), static_cast<uint64_t>(i)), 1);
  CHECK(index.live() == 100);
  CHECK(index.distinct() == 50);
  for (int i = 0; i < 60; ++i) index.End(Key(i % 50), static_cast<uint64_t>(i), static_cast<Timestamp>(i) + 2);
  index.Sweep(31, &retired, 1000);
  CHECK(retired.size() == 30);
  CHECK(CountAt(index, 100) == 40);
  CHECK(CountAt(index, 31) == 70);
  index.Sweep(100, &retired, 5);
  CHECK(retired.size() == 35);
  index.Sweep(100, &retired, 1000);
  CHECK(retired.size() == 60);
  CHECK(index.live() == 40);
  CHECK(index.distinct() == 40);
}

TEST_CASE("one key of one element may live several times") {
  RangeIndex index;
  RetireList retired;
  for (Timestamp ts = 1; ts < 20; ts += 2) {
    index.Insert(RangeIndex::Make("k", 7), ts);
    index.End("k", 7, ts + 1);
  }
  for (Timestamp ts = 1; ts < 20; ++ts) CHECK(CountAt(index, ts) == ts % 2);
  index.Sweep(10, &retired, 100);
  for (Timestamp ts = 10; ts < 20; ++ts) CHECK(CountAt(index, ts) == ts % 2);
}

TEST_CASE("readers walk beside the writer and see ordered whole entries") {
  RangeIndex index;
  RetireList retired;                          // nothing is freed before the readers end
  std::atomic<bool> stop{false};
  std::atomic<Timestamp> visible{0};
  std::atomic<Timestamp> reading[2] = {kNever, kNever};   // the readers' snapshots, which the sweep keeps; 0 while one is being taken
  std::vector<std::thread> readers;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 2; ++t) {
    readers.emplace_back([&, t] {
      while (!stop) {
        reading[t] = 0;
        const Timestamp s = visible;
        reading[t] = s;
        std::string last;
        size_t n = 0;
        index.Visit("", 0, "", s, [&](const RangeIndex::Entry& e) {
          if (e.key() < last) ++wrong;
          last = e.key();
          ++n;
          return true;
        });
        if (n != std::min<Timestamp>(s, 100)) ++wrong;   // from the 100th on one goes for each that comes
      }
    });
  }
  for (int i = 0; i < 3000; ++i) {
    const Timestamp ts = static_cast<Timestamp>(i) + 1;
    index.Insert(RangeIndex::Make(Key((i * 7919) % 3001), static_cast<uint64_t>(i)), ts);
    if (i >= 100) index.End(Key(((i - 100) * 7919) % 3001), static_cast<uint64_t>(i - 100), ts);
    if (i > 200) index.Sweep(std::min({ts - 200, reading[0].load(), reading[1].load()}), &retired, 2);
    visible = ts;
    if (i % 64 == 0) std::this_thread::yield();
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  CHECK(wrong == 0);
}

}  // namespace fornix::storage
