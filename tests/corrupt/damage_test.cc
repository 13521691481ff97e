// F6: damaged files. Whatever bit, byte, page or end of the data file or the log is wrong, opening and reading everything gives the right
// answer or an error that says what is damaged; never another answer, a crash, or a walk without end.
//
// The truth is the text of the whole content (tests/corrupt/content.h), kept from before the damage. Opened for reading always, for writing
// in every eighth case. Counts: some thousand, 20,000 with FORNIX_MANY, FORNIX_LONG has them all. FORNIX_SEED repeats a run.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>
#include <set>

#include "base/clock.h"
#include "base/random.h"
#include "storage/page/extent.h"
#include "storage/page/root_slots.h"
#include "tests/corrupt/content.h"
#include "tests/corrupt/must.h"
#include "tests/corrupt/sample.h"
#include "tests/counts.h"
#include "wal/record.h"

namespace fornix::corrupt {
namespace {

using storage::kPageBytes;

// Every one in a long run, every `stride`-th else, and five times as many with FORNIX_MANY.
uint64_t Step(uint64_t stride) { return Counted(stride, (stride + 4) / 5, 1); }
uint64_t Seed() {
  const char* text = std::getenv("FORNIX_SEED");
  const uint64_t seed = text != nullptr ? std::strtoull(text, nullptr, 10) : MonotonicNanos();
  std::cout << "seed=" << seed << " rerun: ./dev test corrupt --seed=" << seed << "\n";
  return seed;
}

// A disk with a database, and everything that may be read from it.
struct Patient {
  std::unique_ptr<FaultFileSystem> disk;
  std::string damaged;                           // the file that is damaged
  std::set<std::string> truths;
  uint64_t opens = 0, errors = 0, right = 0;

  std::vector<std::byte> bytes() const { return Must(FileBytes(*disk, damaged)); }
  void Write(uint64_t offset, std::span<const std::byte> bytes) {
    OpenOptions options;
    options.write = true;
    Must(Must(disk->Open(damaged, options))->WriteAt(offset, bytes));
  }

  void Judge(const std::string& what, const Result<Visit>& visit) {
    ++opens;
    INFO(what);
    if (!visit.ok()) {
      INFO(visit.status().ToString());
      REQUIRE((visit.status().code() == Code::kCorruption || visit.status().code() == Code::kIoError));
      ++errors;
      return;
    }
    ++right;
    if (!truths.count(visit->content)) FAIL("another answer:\n" << visit->content);
    if (!visit->after.empty()) REQUIRE(visit->after == visit->content);
  }
  void Look(const std::string& what) {
    Judge("read only, " + what, ReadDatabase(*disk, kSamplePath, SampleOptions()));
    if (opens % 8 == 0) {
      const auto copy = disk->Copy();
      Judge("for writing, " + what, WriteDatabase(*copy, kSamplePath, SampleOptions()));
    }
  }
  // Damages, looks, repairs.
  void With(const std::string& what, uint64_t offset, std::span<const std::byte> wrong) {
    std::vector<std::byte> before(wrong.size());
    Must(Must(disk->Open(damaged, {}))->ReadExactAt(offset, before));
    Write(offset, wrong);
    Look(what + " at offset " + std::to_string(offset));
    Write(offset, before);
  }
  void FlipBit(uint64_t bit) {
    std::byte value;
    Must(Must(disk->Open(damaged, {}))->ReadExactAt(bit / 8, {&value, 1}));
    value ^= static_cast<std::byte>(1 << (bit % 8));
    With("bit " + std::to_string(bit % 8), bit / 8, {&value, 1});
  }
  void Tell(const std::string& what) const {
    std::cout << what << ": " << opens << " opens, " << errors << " errors, " << right << " right answers\n";
  }
};

SampleSize Size() {
  SampleSize size;
  size.nodes = 40;
  size.hub = 30;
  size.text_bytes = 9'000;
  return size;
}

// Closed: the data file is the whole database.
Patient ClosedDatabase() {
  Patient patient;
  patient.disk = EmptyDisk();
  patient.damaged = kSamplePath;
  {
    const auto store = Must(storage::Store::Open(*patient.disk, kSamplePath, SampleOptions()));
    Must(FillSample(*store, Size()));
    Must(store->Close());
  }
  // Once more, so that there is a base of more than one checkpoint.
  const auto store = Must(storage::Store::Open(*patient.disk, kSamplePath, SampleOptions()));
  Must(ChangeSample(*store, [] { return Status::Ok(); }));
  patient.truths.insert(Must(Content(*store)));
  REQUIRE(patient.truths.begin()->find("DISAGREES") == std::string::npos);
  Must(store->Close());
  patient.disk = patient.disk->Copy();           // without the history of the disk
  return patient;
}

std::string LastSegment(FaultFileSystem& disk) {
  const std::string dir = std::string(kSamplePath) + "-log";
  std::string last;
  for (const std::string& name : Must(disk.List(dir))) {
    uint64_t generation = 0, segment = 0;
    if (wal::ParseSegmentName(name, &generation, &segment)) last = JoinPath(dir, name);
  }
  return last;
}
uint64_t UsedBytes(const std::vector<std::byte>& bytes) {
  const auto last = std::find_if(bytes.rbegin(), bytes.rend(), [](std::byte b) { return b != std::byte{}; });
  return static_cast<uint64_t>(bytes.rend() - last);
}

// Killed: a base, and a log with five more commits; `ends` is where each of them ends.
Patient KilledDatabase(std::vector<uint64_t>* ends) {
  Patient patient;
  patient.disk = EmptyDisk();
  {
    const auto store = Must(storage::Store::Open(*patient.disk, kSamplePath, SampleOptions()));
    Must(FillSample(*store, Size()));
    Must(store->Close());
  }
  auto store = Must(storage::Store::Open(*patient.disk, kSamplePath, SampleOptions()));
  patient.truths.insert(Must(Content(*store)));
  Must(ChangeSample(*store, [&]() -> Status {
    ASSIGN_OR_RETURN(std::string content, Content(*store));
    patient.truths.insert(std::move(content));
    patient.damaged = LastSegment(*patient.disk);
    ends->push_back(UsedBytes(patient.bytes()));
    return Status::Ok();
  }));
  auto killed = patient.disk->Copy();            // as the disk was before the store was closed
  store.reset();
  patient.disk = std::move(killed);
  return patient;
}

}  // namespace

TEST_CASE("one damaged root slot changes nothing, whichever bit it is") {
  Patient patient = ClosedDatabase();
  for (uint64_t slot = 0; slot < 2; ++slot) {
    for (uint64_t bit = slot; bit < 512 * 8; bit += Step(31)) patient.FlipBit(slot * storage::kRootSlotBytes * 8 + bit);
  }
  patient.Tell("bits of the root slots");
  CHECK(patient.errors == 0);
}

TEST_CASE("two damaged root slots are an error that names both places") {
  Patient patient = ClosedDatabase();
  Random random(Seed());
  for (uint64_t i = 0; i < Counted(60, 300, 2000); ++i) {
    const uint64_t first = random.Below(512 * 8);
    std::byte value;
    Must(Must(patient.disk->Open(kSamplePath, {}))->ReadExactAt(first / 8, {&value, 1}));
    const std::byte wrong = value ^ static_cast<std::byte>(1 << (first % 8));
    patient.Write(first / 8, {&wrong, 1});
    patient.FlipBit(storage::kRootSlotBytes * 8 + random.Below(512 * 8));
    patient.Write(first / 8, {&value, 1});
  }
  patient.Tell("both root slots");
  CHECK(patient.right == 0);
}

TEST_CASE("any bit of the base: an error, or the right answer") {
  Patient patient = ClosedDatabase();
  const uint64_t bytes = patient.bytes().size();
  REQUIRE(bytes > 3 * kPageBytes);
  // Every bit of all extents' headers, a page's first 32 bytes where an extent begins; the catalog's is one of them.
  for (uint64_t page = storage::kFirstExtentPage; page * kPageBytes + 32 <= bytes; ++page) {
    for (uint64_t bit = page % Step(29); bit < 32 * 8; bit += Step(29)) patient.FlipBit(page * kPageBytes * 8 + bit);
  }
  Random random(Seed());
  for (uint64_t i = 0; i < Counted(150, 8'000, 80'000); ++i) {
    patient.FlipBit((storage::kFirstExtentPage * kPageBytes) * 8 + random.Below((bytes - storage::kFirstExtentPage * kPageBytes) * 8));
  }
  patient.Tell("bits of the base");
  CHECK(patient.errors > patient.opens / 20);
}

TEST_CASE("a data file that is cut anywhere is an error, or whole") {
  Patient patient = ClosedDatabase();
  const std::vector<std::byte> bytes = patient.bytes();
  for (uint64_t size = 0; size < bytes.size(); size += 512 * Step(4)) {
    Must(PutFile(*patient.disk, kSamplePath, std::span(bytes).first(size)));
    patient.Look("cut to " + std::to_string(size));
  }
  patient.Tell("cuts of the data file");
  CHECK(patient.errors > patient.opens / 2);
}

TEST_CASE("swapped pages are an error, or nobody's") {
  Patient patient = ClosedDatabase();
  const std::vector<std::byte> bytes = patient.bytes();
  const uint64_t pages = bytes.size() / kPageBytes;
  Random random(Seed());
  for (uint64_t i = 0; i < Counted(80, 800, 8'000); ++i) {
    const uint64_t a = random.Below(pages), b = random.Below(pages);
    const auto page_a = std::span(bytes).subspan(a * kPageBytes, kPageBytes), page_b = std::span(bytes).subspan(b * kPageBytes, kPageBytes);
    patient.Write(b * kPageBytes, page_a);
    patient.With("page " + std::to_string(b) + " for " + std::to_string(a), a * kPageBytes, page_b);
    patient.Write(b * kPageBytes, page_b);
  }
  patient.Tell("swapped pages");
}

TEST_CASE("a page from before the last checkpoint, put back, is an error or nobody's") {
  Patient patient;
  patient.disk = EmptyDisk();
  patient.damaged = kSamplePath;
  std::vector<std::vector<std::byte>> older;
  for (int round = 0; round < 6; ++round) {
    const auto store = Must(storage::Store::Open(*patient.disk, kSamplePath, SampleOptions()));
    if (round == 0) Must(FillSample(*store, Size()));
    // The same elements change again and again, so that places are taken a second time.
    const auto t = Must(store->Begin());
    const PropertyId key = Must(t->InternProperty("round"));
    for (uint64_t id = 0; id < 8; ++id) {
      if (t->view().StateOf(NodeId(id)) == storage::ElementState::kVisible) Must(t->SetProperty(NodeId(id), key, round));
    }
    Must(t->Commit().status());
    patient.truths = {Must(Content(*store))};
    Must(store->Close());
    if (round < 5) older.push_back(patient.bytes());
  }
  patient.disk = patient.disk->Copy();
  const std::vector<std::byte> newest = patient.bytes();
  for (const std::vector<std::byte>& old : older) {
    for (uint64_t page = storage::kFirstExtentPage; (page + 1) * kPageBytes <= std::min(old.size(), newest.size()); ++page) {
      const auto stale = std::span(old).subspan(page * kPageBytes, kPageBytes);
      if (std::equal(stale.begin(), stale.end(), newest.begin() + static_cast<ptrdiff_t>(page * kPageBytes))) continue;
      patient.With("stale page " + std::to_string(page), page * kPageBytes, stale);
    }
  }
  patient.Tell("stale pages");
  CHECK(patient.errors > 0);
}

TEST_CASE("any bit of the last three records: an earlier state, or an error") {
  std::vector<uint64_t> ends;
  Patient patient = KilledDatabase(&ends);
  REQUIRE(ends.size() == 5);
  for (uint64_t bit = ends[1] * 8; bit < ends[4] * 8; bit += Step(37)) patient.FlipBit(bit);
  patient.Tell("bits of the last three records");
  CHECK(patient.errors > 0);
  CHECK(patient.right > 0);
}

TEST_CASE("a log that is cut at any byte of its last 4 KiB: an earlier state, or an error") {
  std::vector<uint64_t> ends;
  Patient patient = KilledDatabase(&ends);
  const std::vector<std::byte> bytes = patient.bytes();
  const uint64_t end = ends.back(), begin = end < 4096 ? 0 : end - 4096;
  for (uint64_t size = begin; size <= end; size += Step(53)) {
    Must(PutFile(*patient.disk, patient.damaged, std::span(bytes).first(size)));
    patient.Look("log cut to " + std::to_string(size));
  }
  patient.Tell("cuts of the log");
  CHECK(patient.right > patient.opens / 2);
}

TEST_CASE("random bytes written over the log: an earlier state, or an error") {
  std::vector<uint64_t> ends;
  Patient patient = KilledDatabase(&ends);
  Random random(Seed());
  for (uint64_t i = 0; i < Counted(80, 800, 8'000); ++i) {
    std::vector<std::byte> wrong(1 + random.Below(600));
    for (std::byte& b : wrong) b = static_cast<std::byte>(random.Next());
    patient.With(std::to_string(wrong.size()) + " random bytes", random.Below(ends.back()), wrong);
  }
  patient.Tell("random bytes over the log");
}

}  // namespace fornix::corrupt
