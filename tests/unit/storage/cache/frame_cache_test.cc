// The frame cache: a hit is the frame that was loaded, eviction never takes what a guard holds, and every byte is accounted for.
#include "storage/cache/frame_cache.h"

#include <array>
#include <atomic>
#include <thread>

#include "storage/cache/epoch.h"
#include "tests/unit/storage/page/extent_fixture.h"

namespace fornix::storage {
namespace {

constexpr auto kKind = ExtentKind::kPiece;
std::atomic<int64_t> frames_alive{0};

struct TestFrame : Frame {
  explicit TestFrame(std::vector<std::byte> content) : data(std::move(content)) { ++frames_alive; }
  ~TestFrame() override {
    std::fill(data.begin(), data.end(), std::byte{0xee});   // so that a reader who comes too late notices
    --frames_alive;
  }
  std::vector<std::byte> data;
};

Result<std::unique_ptr<Frame>> DecodeTest(ExtentBytes bytes, const ExtentRef&, const void*) {
  if (bytes.bytes.empty()) return Status(Code::kCorruption, "an empty piece");
  auto frame = std::make_unique<TestFrame>(std::move(bytes.bytes));
  frame->bytes = frame->data.size() + sizeof(TestFrame);
  return std::unique_ptr<Frame>(std::move(frame));
}

struct CacheFixture : ExtentFixture {
  explicit CacheFixture(size_t extents, size_t bytes = 3000) {
    Begin();
    for (size_t i = 0; i < extents; ++i) refs.push_back(file->Write(kKind, i, TestBytes(bytes, i), Compress::kNever).value());
    Commit();
  }
  const TestFrame& Get(FrameCache& cache, size_t i) const { return cache.Get<TestFrame>(*file, refs[i], kKind, i, DecodeTest); }
  std::vector<ExtentRef> refs;
};

TEST_CASE("a frame is loaded once and found again") {
  CacheFixture f(10);
  MemoryBudget budget(uint64_t{1} << 30);
  FrameCache cache(&budget);
  const EpochGuard guard;
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 0; i < 10; ++i) CHECK(f.Get(cache, i).data == TestBytes(3000, i));
  }
  CHECK(cache.counters().loads == 10);
  CHECK(cache.counters().evictions == 0);
  CHECK(cache.Find(f.refs[3].page, f.refs[3].seq) == &f.Get(cache, 3));
  CHECK(cache.Find(f.refs[3].page, f.refs[3].seq + 1) == nullptr);
  CHECK(cache.Find(4'000'000'000u, 1) == nullptr);
}

TEST_CASE("a frame of pages that were written anew gives way to the new one") {
  CacheFixture f(1);
  MemoryBudget budget(uint64_t{1} << 30);
  FrameCache cache(&budget);
  const EpochGuard guard;
  const auto old = f.refs[0];
  const TestFrame& before = f.Get(cache, 0);
  f.Begin();
  f.file->Free(old);
  f.Commit();
  f.Begin();
  f.refs[0] = f.file->Write(kKind, 0, TestBytes(3000, 99), Compress::kNever).value();
  f.Commit();
  REQUIRE(f.refs[0].page == old.page);
  CHECK(f.Get(cache, 0).data == TestBytes(3000, 99));
  CHECK(before.data == TestBytes(3000, 0));                    // under our guard
  CHECK(cache.Find(old.page, old.seq) == nullptr);
  cache.Drop(old.page);
  CHECK(cache.Find(old.page, f.refs[0].seq) == nullptr);
}

TEST_CASE("eviction frees what no guard holds, and the bytes go back to the budget") {
  CacheFixture f(200);
  MemoryBudget budget(uint64_t{1} << 20);
  {
    FrameCache cache(&budget);
    {
      const EpochGuard guard;
      std::vector<const TestFrame*> held;
      for (size_t i = 0; i < 200; ++i) held.push_back(&f.Get(cache, i));
      cache.EvictTo(0);
      CHECK(cache.bytes() > 600'000);                          // out of the table, but we hold them
      for (size_t i = 0; i < 200; ++i) {
        CHECK(cache.Find(f.refs[i].page, f.refs[i].seq) == nullptr);
        CHECK(held[i]->data == TestBytes(3000, i));
      }
    }
    cache.EvictTo(0);
    CHECK(cache.bytes() == 0);
    CHECK(frames_alive == 0);
    CHECK(budget.used(MemoryUse::kCache) <= 100'000);          // a part of the page table
    for (size_t i = 0; i < 200; ++i) {
      const EpochGuard guard;
      f.Get(cache, i);
    }
    CHECK(frames_alive > 0);
  }
  CHECK(frames_alive == 0);
  CHECK(budget.total() == 0);
}

TEST_CASE("frames stay within the room, the hot ones longest") {
  CacheFixture f(400);
  MemoryBudget budget(500'000);
  FrameCache cache(&budget);
  size_t hot_misses = 0;
  for (int round = 0; round < 4; ++round) {
    for (size_t i = 10; i < 400; ++i) {
      const EpochGuard guard;
      f.Get(cache, i);
      for (size_t hot = 0; hot < 10; ++hot) {
        hot_misses += cache.Find(f.refs[hot].page, f.refs[hot].seq) == nullptr;
        f.Get(cache, hot);
      }
      REQUIRE(budget.used(MemoryUse::kCache) <= budget.limit() + 8'000);
    }
  }
  CHECK(hot_misses == 10);
  // The others need more: the cache has what they leave, but a sixteenth always.
  budget.Add(MemoryUse::kDelta, 490'000);
  for (size_t i = 0; i < 400; ++i) {
    const EpochGuard guard;
    CHECK(f.Get(cache, i).data == TestBytes(3000, i));
  }
  cache.EvictTo(cache.bytes());
  CHECK(cache.bytes() < 40'000);
  budget.Release(MemoryUse::kDelta, 490'000);
}

TEST_CASE("a frame larger than the whole room serves the call that needs it") {
  CacheFixture f(3, 900'000);
  MemoryBudget budget(300'000);
  FrameCache cache(&budget);
  for (size_t i = 0; i < 3; ++i) {
    const EpochGuard guard;
    CHECK(f.Get(cache, i).data == TestBytes(900'000, i));
  }
  cache.EvictTo(0);
  CHECK(cache.bytes() == 0);
}

TEST_CASE("the cache gives way to a charge, also within a guard") {
  CacheFixture f(300);
  MemoryBudget budget(800'000);
  FrameCache cache(&budget);
  for (size_t i = 0; i < 300; ++i) {
    const EpochGuard guard;
    f.Get(cache, i);
  }
  CHECK(budget.total() > 700'000);
  CHECK(budget.TryCharge(MemoryUse::kQueries, 300'000, "a sort").ok());
  CHECK(budget.total() <= budget.limit());
  {
    const EpochGuard guard;
    for (size_t i = 0; i < 300; ++i) f.Get(cache, i);
    CHECK(budget.TryCharge(MemoryUse::kQueries, 300'000, "a second sort").ok());
  }
  cache.EvictTo(0);
  CHECK(budget.total() <= 600'000 + 70'000);
  CHECK(!budget.TryCharge(MemoryUse::kQueries, 300'000, "a third sort").ok());
  budget.Release(MemoryUse::kQueries, 600'000);
}

TEST_CASE("a load that fails throws and leaves nothing behind") {
  CacheFixture f(2);
  MemoryBudget budget(uint64_t{1} << 30);
  FrameCache cache(&budget);
  const EpochGuard guard;
  f.Flip(f.refs[1].page * kPageBytes + 100, 1);
  CHECK_THROWS_AS(f.Get(cache, 1), ReadFailure);
  f.Flip(f.refs[1].page * kPageBytes + 100, 1);
  CHECK(f.Get(cache, 1).data == TestBytes(3000, 1));
  f.Begin();
  f.refs.push_back(f.file->Write(kKind, 2, {}, Compress::kNever).value());
  f.Commit();
  try {
    f.Get(cache, 2);
    FAIL("an empty piece was decoded");
  } catch (const ReadFailure& failure) {
    CHECK(failure.status().message().find("x.fornix: offset " + std::to_string(f.refs[2].page * kPageBytes)) == 0);
  }
}

TEST_CASE("readers in many threads under a tiny budget see only whole frames") {
  constexpr size_t kExtents = 120;
  CacheFixture f(kExtents, 2000);
  std::array<std::vector<std::byte>, kExtents> expected;
  for (size_t i = 0; i < kExtents; ++i) expected[i] = TestBytes(2000, i);
  MemoryBudget budget(150'000);
  {
    FrameCache cache(&budget);
    std::atomic<uint64_t> wrong{0}, reads{0};
    for (int generation = 0; generation < 3; ++generation) {   // slots are used again by later threads
      std::vector<std::thread> threads;
      for (uint64_t t = 0; t < 6; ++t) {
        threads.emplace_back([&, t] {
          Random random(t * 100 + static_cast<uint64_t>(generation));
          for (int i = 0; i < 400; ++i) {
            const EpochGuard guard;
            std::vector<std::pair<const TestFrame*, size_t>> held;
            for (uint64_t n = 1 + random.Below(8); n > 0; --n) {
              const EpochGuard nested;
              const size_t which = random.OneIn(2) ? random.Below(8) : random.Below(kExtents);
              held.emplace_back(&f.Get(cache, which), which);
            }
            if (random.OneIn(20)) cache.Drop(f.refs[random.Below(kExtents)].page);
            if (random.OneIn(50)) cache.EvictTo(random.Below(50'000));
            for (const auto& [frame, which] : held) wrong += frame->data != expected[which];
            reads += held.size();
          }
        });
      }
      for (auto& thread : threads) thread.join();
    }
    CHECK(wrong == 0);
    CHECK(reads > 7000);
    CHECK(cache.counters().evictions > 100);
    CHECK(epoch::OldestGuard() == ~uint64_t{0});
    cache.EvictTo(0);
    CHECK(cache.bytes() == 0);
    CHECK(frames_alive == 0);
  }
  CHECK(budget.total() == 0);
}

}  // namespace
}  // namespace fornix::storage
