// Space: what is free, pending and in use is exact after any history, and nothing that a root reaches is written over.
#include <map>
#include <set>

#include "storage/page/free_map.h"
#include "tests/unit/storage/page/extent_fixture.h"

namespace fornix::storage {
namespace {

constexpr auto kKind = ExtentKind::kPiece;

uint64_t Sum(const std::vector<std::pair<uint32_t, uint32_t>>& ranges) {
  uint64_t sum = 0;
  for (const auto& [first, pages] : ranges) sum += pages;
  return sum;
}

TEST_CASE("a freed extent is written over only after a root without it, and when nobody reads an older root") {
  ExtentFixture f;
  const auto bytes = TestBytes(kPageBytes * 10 - 32, 1);
  f.Begin();
  const auto a = f.file->Write(kKind, 1, bytes, Compress::kNever).value();
  f.Commit();                                                      // root 1 reaches a
  const uint64_t root1 = f.root_seq;
  f.Begin();
  f.file->Free(a);
  const auto b = f.file->Write(kKind, 2, bytes, Compress::kNever).value();
  CHECK(b.page != a.page);                                         // this checkpoint may still fail
  f.Commit();                                                      // root 2 doesn't reach a
  f.BeginKeeping(root1);                                           // somebody reads root 1
  const auto c = f.file->Write(kKind, 3, bytes, Compress::kNever).value();
  CHECK(c.page != a.page);
  f.Commit();
  CHECK(f.file->Read(a, kKind, 1).ok());
  f.Reopen();                                                      // pending pages are pending after a restart
  f.BeginKeeping(root1);
  const auto d = f.file->Write(kKind, 4, bytes, Compress::kNever).value();
  CHECK(d.page != a.page);
  f.Commit();
  CHECK(f.file->Read(a, kKind, 1).ok());
  f.Begin();                                                       // nobody does
  CHECK(f.file->Write(kKind, 5, bytes, Compress::kNever).value().page == a.page);
  f.Commit();
  CHECK(f.file->Read(a, kKind, 1).status().code() == Code::kCorruption);
}

TEST_CASE("a page given back twice stops the checkpoint") {
  ExtentFixture f;
  f.Begin();
  const auto a = f.file->Write(kKind, 1, TestBytes(9000, 1), Compress::kNever).value();
  f.Commit();
  for (const bool reopened : {false, true}) {
    f.Begin();
    f.file->Free(a);
    f.file->Free(ExtentRef{a.page + 1, 1, a.seq});
    const Status status = f.file->FinishWriting().status();
    INFO(status.ToString());
    CHECK(status.code() == Code::kCorruption);
    f.file->Abandon();
    CHECK(f.file->Read(a, kKind, 1).ok());
    if (!reopened) f.Reopen();
  }
}

TEST_CASE("the free map is exact and every kept root stays readable after random histories") {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    INFO("seed=" << seed);
    Random random(seed);
    ExtentFixture f;
    struct Live {
      ExtentRef ref;
      size_t bytes;
    };
    using Extents = std::map<uint64_t, Live>;                      // by owner, which seeds the bytes too
    Extents live;
    std::map<uint64_t, Extents> kept;                              // roots that somebody reads
    std::map<uint32_t, uint64_t> pending, stored_pending;          // page -> the checkpoint that freed it
    uint64_t next_owner = 1;
    std::vector<ExtentRef> map_extents;

    const auto verify = [&] {
      std::set<uint32_t> used;
      bool once = true;
      const auto use = [&](const ExtentRef& ref) {
        for (uint32_t i = 0; i < ref.pages; ++i) once &= used.insert(ref.page + i).second;
      };
      for (const auto& [owner, extent] : live) use(extent.ref);
      map_extents = f.file->FreeMapExtents().value();
      for (const auto& ref : map_extents) use(ref);
      const auto ranges = f.file->FreeRanges().value();
      for (const auto& [first, pages] : ranges) use({first, pages, 0});
      REQUIRE(once);
      REQUIRE(used.size() == f.file_pages - kFirstExtentPage);
      REQUIRE((used.empty() || (*used.begin() == kFirstExtentPage && *used.rbegin() == f.file_pages - 1)));
      REQUIRE(Sum(ranges) - f.file->free_pages() == pending.size());
      kept[f.root_seq] = live;
      for (const auto& [root, extents] : kept) {
        for (const auto& [owner, extent] : extents) {
          const auto read = f.file->Read(extent.ref, kKind, owner);
          INFO("root " << root << " " << read.status().ToString());
          if (!read.ok() || read->bytes != TestBytes(extent.bytes, owner)) FAIL("owner " << owner);
        }
      }
    };

    for (int round = 0; round < 30; ++round) {
      for (auto it = kept.begin(); it != kept.end();) it = it->first != f.root_seq && random.OneIn(3) ? kept.erase(it) : std::next(it);
      const uint64_t oldest = kept.empty() ? f.root_seq : kept.begin()->first;
      f.BeginKeeping(oldest);
      std::erase_if(pending, [&](const auto& entry) { return entry.second <= oldest; });
      Extents next = live;
      auto next_pending = pending;
      const bool shrink = random.OneIn(4);
      for (uint64_t i = random.Below(30); i > 0; --i) {
        if (!next.empty() && random.Below(10) < (shrink ? 8u : 4u)) {
          const auto it = std::next(next.begin(), static_cast<std::ptrdiff_t>(random.Below(next.size())));
          f.file->Free(it->second.ref);
          if (it->second.ref.seq != f.seq) {
            for (uint32_t p = 0; p < it->second.ref.pages; ++p) next_pending[it->second.ref.page + p] = f.seq;
          }
          next.erase(it);
        } else {
          const uint64_t owner = next_owner++;
          const size_t bytes = random.OneIn(10) ? random.Below(400'000) : random.Below(30'000);
          auto ref = f.file->Write(kKind, owner, TestBytes(bytes, owner), Compress::kIfSmaller);
          REQUIRE(ref.ok());
          next[owner] = {*ref, bytes};
        }
      }
      const uint64_t end = random.Below(10);
      if (end < 2) {
        if (end == 0) REQUIRE(f.file->FinishWriting().ok());       // the root's write fails after it
        f.file->Abandon();
      } else {
        for (const auto& ref : map_extents) {
          for (uint32_t p = 0; p < ref.pages; ++p) next_pending[ref.page + p] = f.seq;
        }
        f.Commit();
        live = std::move(next);
        pending = stored_pending = std::move(next_pending);
      }
      if (random.OneIn(5)) {
        f.Reopen();
        pending = stored_pending;
      }
      verify();
    }
  }
}

TEST_CASE("rewriting the same data over and over keeps the file below twice its size") {
  ExtentFixture f;
  std::vector<ExtentRef> extents;
  Random random(3);
  uint64_t least = ~uint64_t{0}, most = 0;
  for (int round = 0; round < 20; ++round) {
    f.Begin();
    for (const auto& ref : extents) f.file->Free(ref);
    extents.clear();
    for (uint64_t left = 5'000'000; left > 0;) {
      const uint64_t n = std::min(left, random.OneIn(20) ? 200'000 : 1 + random.Below(30'000));
      extents.push_back(f.file->Write(kKind, 1, TestBytes(n, 1), Compress::kNever).value());
      left -= n;
    }
    f.Commit();
    uint64_t used = 0;
    for (const auto& ref : extents) used += ref.pages;
    least = std::min(least, used);
    most = std::max(most, f.file_pages);
    CHECK(f.OpenRaw()->Size().value() == f.file_pages * kPageBytes);
  }
  CHECK(most <= least * 22 / 10);
  f.Begin();
  for (const auto& ref : extents) f.file->Free(ref);
  f.Commit();
  f.Begin();
  f.Commit();
  f.Begin();
  f.Commit();
  CHECK(f.file_pages < 10);                                        // what is free at the end leaves the file
  CHECK(f.OpenRaw()->Size().value() == f.file_pages * kPageBytes);
}

TEST_CASE("a free map of more entries than one extent takes is a chain") {
  constexpr uint32_t kRanges = 265'000;
  bool fits = true;
  PageSpace space(uint64_t{kRanges} * 3 + 5000);
  for (uint32_t i = 0; i < kRanges; ++i) {
    const PageRange range{5000 + i * 3, 1 + i % 2};
    fits &= i % 3 == 0 ? space.PutPending(1, range) : space.PutFree(range);
  }
  REQUIRE(fits);
  const auto sizes = FreeMapParts(space.ranges());
  REQUIRE(sizes.size() == 2);
  ExtentFixture f;
  f.seq = 9;
  f.Begin();
  std::vector<ExtentRef> refs(2);
  for (const size_t part : {size_t{1}, size_t{0}}) {
    const auto payload = EncodeFreeMap(space, refs, sizes)[part];
    refs[part] = f.file->Write(ExtentKind::kFreeMap, FreeMapOwner(part), payload, Compress::kNever).value();
  }
  REQUIRE(f.file->FinishWriting().ok());
  f.free_map = refs[0];
  f.file_pages = space.file_pages();
  f.Reopen();
  CHECK(f.file->FreeMapExtents().value() == refs);
  CHECK(f.file->FreeRanges().value().size() == kRanges);
  CHECK(f.file->free_pages() == space.free().pages());
}

TEST_CASE("a damaged free map is an error, whatever its bytes say") {
  ExtentFixture f;
  f.Begin();
  std::vector<ExtentRef> extents;
  for (int i = 0; i < 40; ++i) extents.push_back(f.file->Write(kKind, 1, TestBytes(10, 1), Compress::kNever).value());
  f.Commit();
  f.Begin();
  for (int i = 0; i < 40; i += 2) f.file->Free(extents[static_cast<size_t>(i)]);
  f.Commit();
  auto raw = f.OpenRaw();
  std::vector<std::byte> good(f.free_map.pages * kPageBytes);
  REQUIRE(raw->ReadAt(f.free_map.page * kPageBytes, good).ok());
  const auto payload_bytes = LoadFixed<uint32_t>(good.data() + 8);
  // Written again as an extent of its own right, so that the checksum says nothing: the entries themselves must be doubted.
  int errors = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    Random random(seed);
    std::vector<std::byte> payload(good.begin() + 32, good.begin() + 32 + payload_bytes);
    payload[random.Below(24 + 16 * 20)] ^= static_cast<std::byte>(1 + random.Below(255));
    ExtentFixture g;
    g.Begin();
    for (int i = 0; i < 40; ++i) REQUIRE(g.file->Write(kKind, 1, {}, Compress::kNever).ok());
    const auto map = g.file->Write(ExtentKind::kFreeMap, ExtentOwner(OwnerSpace::kNone, 0, 0), payload, Compress::kNever).value();
    g.Commit();
    g.free_map = map;
    g.Reopen();
    const auto ranges = g.file->FreeRanges();
    if (!ranges.ok()) {
      ++errors;
      CHECK(ranges.status().code() == Code::kCorruption);
      CHECK(g.file->BeginWriting(9, 8).code() == Code::kCorruption);
      g.file->Abandon();
    }
  }
  CHECK(errors > 100);
}

}  // namespace
}  // namespace fornix::storage
