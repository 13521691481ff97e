// Extents: what was written comes back, and every damaged, stale or misplaced byte is found and named.
#include <algorithm>

#include "base/crc32c.h"
#include "tests/unit/storage/page/extent_fixture.h"

namespace fornix::storage {
namespace {

constexpr auto kKind = ExtentKind::kPiece;
constexpr uint64_t kOwner = ExtentOwner(OwnerSpace::kNodeChunk, 77, 3);

void CheckDamage(const Status& status, const ExtentRef& ref) {
  INFO(status.ToString());
  CHECK(status.code() == Code::kCorruption);
  CHECK(status.message().find("x.fornix") != std::string::npos);
  CHECK(status.message().find("offset " + std::to_string(ref.page * kPageBytes)) != std::string::npos);
}

TEST_CASE("extents of every size come back before and after they reach the file") {
  ExtentFixture f;
  f.Begin();
  std::vector<std::pair<ExtentRef, std::vector<std::byte>>> all;
  uint64_t seed = 0;
  for (const size_t size : {size_t{0}, size_t{1}, size_t{4063}, size_t{4064}, size_t{4065}, size_t{70'000}, size_t{300'000}, kExtentPayloadMax}) {
    for (const bool packs : {false, true}) {
      for (const Compress compress : {Compress::kNever, Compress::kIfSmaller}) {
        auto bytes = TestBytes(size, ++seed, packs);
        const auto ref = f.file->Write(kKind, kOwner, bytes, compress).value();
        const uint32_t raw_pages = static_cast<uint32_t>((size + 32 + kPageBytes - 1) / kPageBytes);
        CHECK(ref.seq == f.seq);
        if (packs && compress == Compress::kIfSmaller && raw_pages > 1) CHECK(ref.pages * 8 <= raw_pages * 7);
        else CHECK(ref.pages == raw_pages);
        CHECK(f.file->Read(ref, kKind, kOwner).value().bytes == bytes);
        all.emplace_back(ref, std::move(bytes));
      }
    }
  }
  const auto all_read = [&] {
    return std::all_of(all.begin(), all.end(), [&](const auto& e) { return f.file->Read(e.first, kKind, kOwner).value().bytes == e.second; });
  };
  CHECK(all_read());
  f.Commit();
  CHECK(all_read());
  f.Reopen();
  CHECK(all_read());
}

TEST_CASE("a bit flipped anywhere in a header or in the stored bytes is found") {
  ExtentFixture f;
  f.Begin();
  const auto raw = f.file->Write(kKind, kOwner, TestBytes(5000, 1), Compress::kNever).value();
  const auto packed = f.file->Write(kKind, kOwner, TestBytes(20'000, 2, true), Compress::kIfSmaller).value();
  f.Commit();
  for (const ExtentRef& ref : {raw, packed}) {
    const uint64_t begin = ref.page * kPageBytes;
    for (uint64_t at = 0; at < 200; ++at) {
      const uint64_t offset = begin + (at < kExtentHeaderBytes ? at : 32 + (at - 32) * 29 % 4900);
      for (int bit = 0; bit < 8; ++bit) {
        f.Flip(offset, static_cast<uint8_t>(1 << bit));
        CheckDamage(f.file->Read(ref, kKind, kOwner).status(), ref);
        f.Flip(offset, static_cast<uint8_t>(1 << bit));
      }
    }
    CHECK(f.file->Read(ref, kKind, kOwner).ok());
  }
}

TEST_CASE("headers that lie under a right checksum are found") {
  ExtentFixture f;
  f.Begin();
  const auto ref = f.file->Write(kKind, kOwner, TestBytes(20'000, 2, true), Compress::kIfSmaller).value();
  f.Commit();
  auto file = f.OpenRaw();
  std::vector<std::byte> good(ref.pages * kPageBytes);
  REQUIRE(file->ReadAt(ref.page * kPageBytes, good).value() == good.size());
  const auto stored = LoadFixed<uint32_t>(good.data() + 8);
  const auto try_with = [&](const std::function<void(std::byte*)>& change) {
    auto bytes = good;
    change(bytes.data());
    StoreFixed<uint32_t>(bytes.data() + 12, 0);
    const auto n = std::min<size_t>(LoadFixed<uint32_t>(bytes.data() + 8), bytes.size() - 32);
    StoreFixed(bytes.data() + 12, Crc32c(std::span(bytes).first(32 + n)));
    REQUIRE(file->WriteAt(ref.page * kPageBytes, bytes).ok());
    return f.file->Read(ref, kKind, kOwner).status();
  };
  CHECK(try_with([](std::byte*) {}).ok());
  CheckDamage(try_with([](std::byte* b) { b[0] = static_cast<std::byte>(ExtentKind::kBlob); }), ref);
  CheckDamage(try_with([](std::byte* b) { b[1] = std::byte{2}; }), ref);
  CheckDamage(try_with([](std::byte* b) { b[1] = std::byte{0}; }), ref);
  CheckDamage(try_with([](std::byte* b) { b[3] = std::byte{1}; }), ref);
  for (const uint32_t raw : {uint32_t{0}, uint32_t{19'999}, uint32_t{20'001}, ~uint32_t{0}}) {
    CheckDamage(try_with([&](std::byte* b) { StoreFixed(b + 4, raw); }), ref);
  }
  for (const uint32_t length : {uint32_t{0}, stored - 1, ref.pages * 4096 - 31, ~uint32_t{0}}) {
    CheckDamage(try_with([&](std::byte* b) { StoreFixed(b + 8, length); }), ref);
  }
  CheckDamage(try_with([](std::byte* b) { StoreFixed(b + 16, kOwner + 1); }), ref);
  CheckDamage(try_with([&](std::byte* b) { StoreFixed(b + 24, ref.seq + 1); }), ref);
}

TEST_CASE("a lost write, an extent of another owner, and references outside of the file are found") {
  ExtentFixture f;
  f.Begin();
  const auto first = f.file->Write(kKind, kOwner, TestBytes(100, 1), Compress::kNever).value();
  const auto other = f.file->Write(kKind, kOwner + 1, TestBytes(100, 2), Compress::kNever).value();
  f.Commit();
  CheckDamage(f.file->Read(other, kKind, kOwner).status(), other);
  CheckDamage(f.file->Read(first, ExtentKind::kChunk, kOwner).status(), first);
  // The page was written anew, says the reference, but what lies there is the extent before: the write was lost.
  auto newer = first;
  newer.seq += 2;
  CheckDamage(f.file->Read(newer, kKind, kOwner).status(), newer);
  for (const ExtentRef& bad : {ExtentRef{0, 1, 1}, ExtentRef{1, 1, 1}, ExtentRef{first.page, 0, 1}, ExtentRef{first.page, 1025, 1},
                               ExtentRef{first.page, 2, first.seq}, ExtentRef{static_cast<uint32_t>(f.file_pages), 1, 1},
                               ExtentRef{~uint32_t{0}, 1024, 1}}) {
    CheckDamage(f.file->Read(bad, kKind, kOwner).status(), bad);
  }
  f.OpenRaw()->Truncate(other.page * kPageBytes + 50).ok();
  const Status cut = f.file->Read(other, kKind, kOwner).status();
  INFO(cut.ToString());
  CHECK(cut.code() == Code::kCorruption);
}

TEST_CASE("references decode to what they were, or to a damage") {
  for (const ExtentRef& ref : {ExtentRef{}, ExtentRef{2, 1, 9}, ExtentRef{100, 1024, ~uint64_t{0}}}) {
    ByteWriter out;
    EncodeExtentRef(ref, &out);
    CHECK(out.size() == kExtentRefBytes);
    ByteReader in(out.bytes());
    CHECK(DecodeExtentRef(&in, 1124).value() == ref);
  }
  for (const ExtentRef& ref : {ExtentRef{0, 1, 0}, ExtentRef{0, 0, 1}, ExtentRef{1, 1, 1}, ExtentRef{5, 0, 1}, ExtentRef{5, 1025, 1},
                               ExtentRef{1123, 2, 1}, ExtentRef{~uint32_t{0}, 1, 1}}) {
    ByteWriter out;
    EncodeExtentRef(ref, &out);
    ByteReader in(out.bytes());
    CHECK(DecodeExtentRef(&in, 1124).status().code() == Code::kCorruption);
  }
}

TEST_CASE("float pages are tested one by one, their table with the header") {
  ExtentFixture f;
  f.Begin();
  const auto pages = TestBytes(20 * kPageBytes, 5);
  const auto crcs = PageCrcs(pages);
  ByteWriter table;
  for (const uint32_t crc : crcs) table.U32(crc);
  const auto ref = f.file->WriteFloats(kOwner, table.bytes(), pages).value();
  CHECK(ref.pages == 21);
  for (int round = 0; round < 2; ++round) {
    CHECK(std::ranges::equal(f.file->Read(ref, ExtentKind::kFloats, kOwner).value().bytes, table.bytes()));
    std::vector<std::byte> out(3 * kPageBytes);
    REQUIRE(f.file->ReadPages(ref, 5, std::span(crcs).subspan(4, 3), out).ok());
    CHECK(std::equal(out.begin(), out.end(), pages.begin() + 4 * kPageBytes));
    if (round == 0) f.Commit();
  }
  std::vector<std::byte> out(kPageBytes);
  f.Flip((ref.page + 8) * kPageBytes + 123, 1);
  CHECK(f.file->ReadPages(ref, 7, std::span(crcs).subspan(6, 1), out).ok());
  const Status bad = f.file->ReadPages(ref, 8, std::span(crcs).subspan(7, 1), out);
  CheckDamage(bad, ref);
  CHECK(bad.message().find("page 8 of it") != std::string::npos);
  CHECK(f.file->Read(ref, ExtentKind::kFloats, kOwner).ok());
  f.Flip(ref.page * kPageBytes + 40, 1);
  CheckDamage(f.file->Read(ref, ExtentKind::kFloats, kOwner).status(), ref);
  CheckDamage(f.file->ReadPages(ref, 21, std::span(crcs).first(1), out), ref);
  CheckDamage(f.file->ReadPages(ref, 0, std::span(crcs).first(1), out), ref);
}

TEST_CASE("small extents of one checkpoint reach the file in long runs, each paced") {
  ExtentFixture f;
  size_t paced = 0, calls = 0;
  f.file->set_pace([&](size_t bytes) { paced += bytes, ++calls; });
  f.Begin();
  const uint64_t writes = f.fs.counters().writes;
  for (int i = 0; i < 256; ++i) REQUIRE(f.file->Write(kKind, kOwner, TestBytes(4000, 1), Compress::kNever).ok());
  CHECK(f.fs.counters().writes - writes == 4);
  f.Commit();
  CHECK(paced == 256 * kPageBytes);
  CHECK(calls == 4);
}

TEST_CASE("a checkpoint whose write or sync fails says so and can be given up") {
  for (const Fault fault : {Fault::kIoError, Fault::kNoSpace, Fault::kShortWrite, Fault::kFailedSync}) {
    ExtentFixture f;
    f.Begin();
    const auto kept = f.file->Write(kKind, kOwner, TestBytes(9000, 1), Compress::kNever).value();
    f.Commit();
    f.Begin();
    f.file->Free(kept);
    f.fs.FailCall(0, fault, true);
    Status status;
    for (int i = 0; i < 40 && status.ok(); ++i) status = f.file->Write(kKind, kOwner, TestBytes(9000, 1), Compress::kNever).status();
    if (fault != Fault::kFailedSync) CHECK(status.code() == Code::kIoError);
    CHECK(f.file->FinishWriting().status().code() == Code::kIoError);
    CHECK(f.file->FinishWriting().status().code() == Code::kIoError);
    f.file->Abandon();
    f.fs.StopFailing();
    CHECK(f.file->Read(kept, kKind, kOwner).ok());
    CHECK(f.file->file_pages() == f.file_pages);
    f.Begin();
    const auto next = f.file->Write(kKind, kOwner, TestBytes(9000, 2), Compress::kNever).value();
    f.Commit();
    f.Reopen();
    CHECK(f.file->Read(kept, kKind, kOwner).ok());
    CHECK(f.file->Read(next, kKind, kOwner).ok());
  }
}

}  // namespace
}  // namespace fornix::storage
