// Runs on disk: what is written is read, what was damaged is an error, and nothing is left behind.
#include "engine/exec/spill/merge.h"

#include <unistd.h>

#include <filesystem>

#include "base/fault_file.h"
#include "tests/unit/engine/exec/spill/spill_test_util.h"

namespace fornix::engine {
namespace {

struct OnDisk {
  FaultFileSystem disk;
  MemoryTracker memory{256 << 10};
  std::unique_ptr<File> other;               // a second handle, to damage the file with
  std::unique_ptr<SpillFile> file;
  SpillCounts counts;

  OnDisk() {
    OpenOptions options;
    options.write = options.create = true;
    other = std::move(*disk.Open("runs", options));
    file = std::make_unique<SpillFile>(std::move(*disk.Open("runs", options)), memory);
  }
  Run Write(const List& values) {
    RunWriter writer(file.get(), &counts);
    for (const Value& v : values) REQUIRE(writer.AddValues({&v, 1}).ok());
    return std::move(*writer.Finish());
  }
};

List Read(const Run& run) {
  RunReader reader(&run);
  List values;
  Column column;
  Column* place = &column;
  while (true) {
    column.Clear();
    const size_t n = *reader.Read({&place, 1}, 100);
    if (n == 0) return values;
    for (size_t i = 0; i < n; i++) values.push_back(column.ValueAt(i));
  }
}

}  // namespace

TEST_CASE("runs give back their rows, blocks of any size, and their space when all are gone") {
  const uint64_t seed = SystemRandom64();
  INFO("seed=" << seed);
  Random random(seed);
  OnDisk d;
  const size_t base = d.memory.used();
  for (int round = 0; round < 3; round++) {
    std::vector<List> all(3);
    for (List& values : all) {
      for (int i = 0; i < 2000; i++) values.push_back(RandomValue(&random, 1000));
    }
    all[1].push_back(Value(std::string(3 << 20, 'x')));         // a row of many blocks' size, and well compressed
    all[2].push_back(Value(std::string(100000, ' ')));
    {
      std::vector<Run> runs;
      for (const List& values : all) runs.push_back(d.Write(values));
      for (size_t i = 0; i < runs.size(); i++) CHECK(Read(runs[i]) == all[i]);
      CHECK(*d.other->Size() > 0);
    }
    CHECK(*d.other->Size() == 0);
    CHECK(d.memory.used() == base);
  }
  CHECK(d.counts.runs == 9);
}

TEST_CASE("a damaged block is an I/O error that names file and place") {
  OnDisk d;
  List values;
  for (int i = 0; i < 20000; i++) values.push_back(Value(i * 7919));
  const Run run = d.Write(values);
  const uint64_t size = *d.other->Size();
  for (uint64_t at = 0; at < size; at += 97) {
    std::byte kept, changed;
    REQUIRE(d.other->ReadExactAt(at, {&kept, 1}).ok());
    changed = kept ^ std::byte{4};
    REQUIRE(d.other->WriteAt(at, {&changed, 1}).ok());
    RunReader reader(&run);
    Status status;
    std::vector<Value> row;
    for (bool more = true; more && status.ok();) {
      const Result<bool> read = reader.ReadValues(1, &row);
      status = read.status();
      more = read.ok() && *read;
    }
    CHECK(status.code() == Code::kIoError);
    CHECK(status.message().find("runs: the block at ") != std::string::npos);
    REQUIRE(d.other->WriteAt(at, {&kept, 1}).ok());
  }
  CHECK(Read(run) == values);
}

TEST_CASE("merging many runs is sorted and stable at any number of runs") {
  const uint64_t seed = SystemRandom64();
  INFO("seed=" << seed);
  Random random(seed);
  OnDisk d;
  for (size_t count : {size_t{1}, size_t{2}, size_t{3}, size_t{7}, size_t{8}, size_t{9}, size_t{70}, size_t{150}}) {
    std::vector<std::pair<int64_t, int64_t>> expected;         // key, and the place in the input
    std::vector<Run> runs;
    for (size_t r = 0; r < count; r++) {
      std::vector<std::pair<int64_t, int64_t>> rows;
      for (uint64_t i = random.Next() % 200; i > 0; i--) {
        rows.emplace_back(random.Next() % 50, expected.size());
        expected.push_back(rows.back());
      }
      std::sort(rows.begin(), rows.end());
      RunWriter writer(d.file.get(), &d.counts);
      for (const auto& [key, place] : rows) {
        const Value row[] = {Value(key), Value(place)};
        REQUIRE(writer.AddValues(row).ok());
      }
      runs.push_back(std::move(*writer.Finish()));
    }
    std::sort(expected.begin(), expected.end());
    REQUIRE(MergeDown(d.file.get(), &d.counts, 2, {{0, false}}, [] { return Status::Ok(); }, &runs).ok());
    CHECK(runs.size() <= d.file->fan_in());
    RunMerger merger(runs, 2, {{0, false}});
    REQUIRE(merger.Start().ok());
    std::vector<std::pair<int64_t, int64_t>> merged;
    while (!merger.done()) {
      merged.emplace_back(merger.columns()[0].int_at(merger.row()), merger.columns()[1].int_at(merger.row()));
      REQUIRE(merger.Advance().ok());
    }
    CHECK(merged == expected);
  }
}

TEST_CASE("a spill file has no name once it is open, and its folder goes with the database's handle") {
  const std::string base = std::filesystem::temp_directory_path() / ("fornix-spill-test-" + std::to_string(getpid()));
  {
    SpillFolder folder(PosixFileSystem(), base);
    auto file = folder.NewFile();
    REQUIRE(file.ok());
    CHECK(std::filesystem::is_empty(base + "-spill"));
  }
  CHECK(!std::filesystem::exists(base + "-spill"));
  // What a crash between creating and removing left is gone with the next open for writing.
  std::filesystem::create_directory(base + "-spill");
  REQUIRE(PosixFileSystem().Open(base + "-spill/left", {.write = true, .create = true}).ok());
  SpillFolder folder(PosixFileSystem(), base);
  CHECK(folder.RemoveLeftOvers().ok());
  CHECK(!std::filesystem::exists(base + "-spill"));
}

TEST_CASE("a disk without room is a clear error of the statement that wanted it") {
  FaultFileSystem disk;
  SpillFolder folder(disk, "");
  TestGraph g;
  g.options.spill = &folder;
  g.options.memory_bytes_max = 256 << 10;
  const char* text = "UNWIND range(1, 100) AS a UNWIND range(1, 300) AS b WITH a, b ORDER BY b, a RETURN count(*)";
  for (Fault fault : {Fault::kNoSpace, Fault::kShortWrite}) {
    disk.FailCall(5, fault, true);
    const Status status = g.Error(text);
    INFO(status.ToString());
    CHECK(status.code() == Code::kIoError);
    CHECK(status.message().find("can't put the rest on disk") != std::string::npos);
    CHECK(g.Run("RETURN 1") == Rows{"1"});
    disk.StopFailing();
  }
  CHECK(g.Run(text) == Rows{"30000"});
}

}  // namespace fornix::engine
