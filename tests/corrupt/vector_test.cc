// Images of vector indexes with right checksums over wrong numbers: the search names the index and what is wrong, or gives the right
// elements; nothing crashes, no other data is touched, and the next opening but one is well again.
#include <catch2/catch.hpp>
#include <iostream>

#include "base/coding.h"
#include "storage/check/check.h"
#include "tests/corrupt/content.h"
#include "tests/corrupt/forge.h"
#include "tests/corrupt/must.h"
#include "tests/corrupt/sample.h"

namespace fornix::corrupt {
namespace {

using storage::ExtentKind;
using storage::Store;

// Places in a directory's payload, behind the reference to the next link; docs/format.md.
constexpr size_t kTimestamp = 16, kComplete = 24, kSlots = 25, kLinked = 29, kUpperRows = 33, kEntrySlot = 37, kEntryLevel = 41, kBaseRows = 45,
                 kUpperWritten = 49, kDimensions = 53, kMetric = 57, kQuantization = 58, kM = 59, kEfConstruction = 63, kSeed = 67, kCentre = 75,
                 kGroups = 76;

struct Sample {
  std::string content;
  Forge forge{{}};
  Sample() {
    const auto disk = EmptyDisk();
    const auto store = Must(Store::Open(*disk, kSamplePath, SampleOptions()));
    Must(FillSample(*store, {}));
    content = Must(Content(*store));
    Must(store->Close());
    forge = Forge(Must(FileBytes(*disk, kSamplePath)));
  }
};

uint64_t errors = 0, answers = 0;

// `error`: it must be found.
void Try(const Sample& sample, ExtentKind kind, size_t at, uint64_t number, size_t bytes, bool error) {
  const auto places = sample.forge.Of(kind);
  REQUIRE(places.size() == 1);
  Forge forge = sample.forge;
  std::vector<std::byte> payload = forge.Payload(places[0]);
  REQUIRE(at + bytes <= payload.size());
  std::byte wrong[8];
  StoreFixed(wrong, number);
  std::copy_n(wrong, bytes, payload.begin() + static_cast<ptrdiff_t>(at));
  REQUIRE(forge.SetPayload(places[0], payload));
  const auto disk = EmptyDisk();
  Must(PutFile(*disk, kSamplePath, forge.bytes()));
  const auto visit = ReadDatabase(*disk, kSamplePath, SampleOptions());
  INFO("kind " << static_cast<int>(kind) << " at " << at << " = " << number << ": " << visit.status().ToString());
  CHECK((visit.ok() || visit.status().code() == Code::kCorruption));
  if (error) CHECK(!visit.ok());
  if (!visit.ok()) {
    CHECK(visit.status().message().find("vector index 'memory_vector'") != std::string::npos);
    CHECK(visit.status().message().find(kSamplePath) != std::string::npos);
  }
  ++(visit.ok() ? answers : errors);
  storage::CheckResult found;
  Must(storage::CheckFiles(*disk, kSamplePath, {}, &found));
  if (error) CHECK(found.problem_count > 0);
  // Everything else can be read, changed and written; the image goes.
  {
    const auto store = Must(Store::Open(*disk, kSamplePath, SampleOptions()));
    Must(ChangeSample(*store, [] { return Status::Ok(); }));
    Must(store->Checkpoint().status());
    Must(store->Close());
  }
  const auto store = Must(Store::Open(*disk, kSamplePath, SampleOptions()));
  const std::string content = Must(Content(*store));
  if (error) CHECK(content.find("DISAGREES") == std::string::npos);
  Must(store->Close());
}

}  // namespace

TEST_CASE("a forged directory of a vector index is told with the index and what is wrong, and everything else goes on") {
  const Sample sample;
  errors = answers = 0;
  const uint64_t huge = 0xFFFFFFFF;
  struct Case {
    size_t at;
    size_t bytes;
    std::vector<uint64_t> wrong;
    bool error = true;
  };
  for (const Case& c : std::vector<Case>{{kComplete, 1, {2, 255}},
                                         {kSlots, 4, {0, 1, 59, 61, 4096, huge}},
                                         {kLinked, 4, {61, huge}},
                                         {kLinked, 4, {0, 30}, false},
                                         {kUpperRows, 4, {0, huge, 1'000'000}, false},
                                         {kEntrySlot, 4, {60, huge - 1}},
                                         {kEntryLevel, 4, {1000, huge}},
                                         {kBaseRows, 4, {0, 61, huge}},
                                         {kUpperWritten, 4, {5000, huge}},
                                         {kDimensions, 4, {0, 7, 16'385, huge}},
                                         {kMetric, 1, {0, 3, 255}},
                                         {kQuantization, 1, {1, 4, 5, 255}},
                                         {kM, 4, {0, 1, 513, huge}},
                                         {kEfConstruction, 4, {0, huge}},
                                         {kSeed, 8, {1, ~uint64_t{0}}, false},
                                         {kCentre, 1, {1, 2}},
                                         {kGroups, 1, {0, 2, 127}}}) {
    for (const uint64_t wrong : c.wrong) Try(sample, ExtentKind::kVectorDirectory, c.at, wrong, c.bytes, c.error);
  }
  Try(sample, ExtentKind::kVectorDirectory, kTimestamp, uint64_t{1} << 40, 8, false);
  std::cout << "forged directories: " << errors << " errors, " << answers << " answers\n";
}

TEST_CASE("forged rows of a vector index: links, chains, states and elements that can't be are told") {
  const Sample sample;
  errors = answers = 0;
  for (const uint64_t wrong : {uint64_t{0xFFF}, uint64_t{0xFFFFFFFF}, uint64_t{0x1000}}) Try(sample, ExtentKind::kVectorBaseLinks, 0, wrong, 4, true);
  for (const uint64_t wrong : {uint64_t{0}, uint64_t{60}, uint64_t{0xFFFFFFFF}}) Try(sample, ExtentKind::kVectorBaseLinks, 4, wrong, 4, true);   // slot 0's first link
  for (const uint64_t wrong : {uint64_t{61}, uint64_t{0xFFFFFFFF}}) Try(sample, ExtentKind::kVectorSlots, 4, wrong, 4, true);                    // next of a chain
  for (const uint64_t wrong : {uint64_t{2}, uint64_t{4}, uint64_t{0xFFFFFFFF}}) Try(sample, ExtentKind::kVectorSlots, 12, wrong, 4, true);       // state
  Try(sample, ExtentKind::kVectorSlots, 0, 0xFFFFFF, 4, true);                                                                                  // its upper rows
  Try(sample, ExtentKind::kVectorElements, 0, 0xFE, 1, true);                                                                                   // not live, but with an element
  const size_t ids = (60 + 7) / 8;
  Try(sample, ExtentKind::kVectorElements, ids + 5, 0xFFFFFFFFFF, 5, false);
  // Two slots of one element.
  const std::vector<std::byte> elements = sample.forge.Payload(sample.forge.Of(ExtentKind::kVectorElements)[0]);
  Try(sample, ExtentKind::kVectorElements, ids + 5, LoadFixed<uint64_t>(elements.data() + ids) & 0xFFFFFFFFFF, 5, true);
  for (size_t at = 0; at < 64; at += 4) Try(sample, ExtentKind::kVectorCodes, at, ~uint64_t{0}, 4, false);                                       // NaN: wrong distances at worst
  std::cout << "forged rows: " << errors << " errors, " << answers << " answers\n";
}

}  // namespace fornix::corrupt
