// Writes the first inputs of the fuzzers: make_corpus FOLDER, where FOLDER is tests/fuzz/corpus. What a fuzzer found is added by hand, under a
// name that says what it was.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/bytes.h"
#include "storage/page/root_slots.h"
#include "tests/corrupt/forge.h"
#include "tests/corrupt/sample.h"
#include "wal/reader.h"

namespace {

using namespace fornix;   // NOLINT: a test

class Collect final : public wal::LogApplier {
 public:
  Status Apply(Lsn, std::span<const std::byte> body) override {
    records.emplace_back(AsText(body));
    return Status::Ok();
  }
  std::vector<std::string> records;
};

Status LogOf(FileSystem& files, std::vector<std::string>* records) {
  ASSIGN_OR_RETURN(const auto slots, storage::RootSlots::Open(files, corrupt::kSamplePath, true));
  Collect collect;
  wal::ReadOptions options;
  options.floor = slots->root().log;
  RETURN_IF_ERROR(wal::ReadLog(files, std::string(corrupt::kSamplePath) + "-log", slots->root().uuid, options, collect).status());
  *records = std::move(collect.records);
  return Status::Ok();
}

void Put(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
}
std::string Length(size_t n) { return {static_cast<char>(n & 0xFF), static_cast<char>(n >> 8)}; }

// For each kind of extent of a vector index's image: a number in it that can't be, one that can, and another's payload.
Status VectorIndexes(const std::filesystem::path& folder) {
  const auto disk = corrupt::EmptyDisk();
  {
    ASSIGN_OR_RETURN(const auto store, storage::Store::Open(*disk, corrupt::kSamplePath, corrupt::SampleOptions()));
    corrupt::SampleSize size;                  // the one of database.cc
    size.nodes = 24;
    size.text_bytes = 5'000;
    RETURN_IF_ERROR(corrupt::FillSample(*store, size));
    RETURN_IF_ERROR(store->Close());
  }
  ASSIGN_OR_RETURN(std::vector<std::byte> bytes, corrupt::FileBytes(*disk, corrupt::kSamplePath));
  const corrupt::Forge forge(std::move(bytes));
  for (const storage::ExtentKind kind : {storage::ExtentKind::kVectorDirectory, storage::ExtentKind::kVectorCodes, storage::ExtentKind::kVectorBaseLinks,
                                         storage::ExtentKind::kVectorUpperLinks, storage::ExtentKind::kVectorSlots, storage::ExtentKind::kVectorElements}) {
    for (const size_t which : forge.Of(kind)) {
      const auto at = [&](char operation) { return std::string{1, operation, static_cast<char>(which)}; };
      const std::string name = "vector-" + std::to_string(static_cast<int>(kind));
      Put(folder / (name + "-number"), at(1) + Length(29) + std::string{3, '\xFF', '\xFF', '\xFF', '\x7F', 0, 0, 0, 0});
      Put(folder / (name + "-small"), at(1) + Length(4) + std::string{0, 5, 0, 0, 0, 0, 0, 0, 0});
      Put(folder / (name + "-shorter"), at(3) + Length(20));
      Put(folder / (name + "-others"), at(9) + std::string{static_cast<char>(which + 1), 0});
    }
  }
  return Status::Ok();
}

Status Make(const std::filesystem::path& folder) {
  const auto disk = corrupt::EmptyDisk();
  std::vector<std::string> records;
  {
    ASSIGN_OR_RETURN(const auto store, storage::Store::Open(*disk, corrupt::kSamplePath, corrupt::SampleOptions()));
    corrupt::SampleSize size;
    size.nodes = 16;
    RETURN_IF_ERROR(corrupt::FillSample(*store, size));
    RETURN_IF_ERROR(corrupt::ChangeSample(*store, [] { return Status::Ok(); }));
  }
  RETURN_IF_ERROR(LogOf(*disk, &records));
  // Growing beginnings of the log, and the whole in fragments over two segments.
  std::string whole(1, 1), frames(1, 2);
  for (size_t i = 0; i < records.size(); ++i) {
    whole += Length(records[i].size()) + records[i];
    Put(folder / "log" / ("records-" + std::to_string(i + 1)), whole);
    const size_t half = records[i].size() / 2;
    const bool next = i % 5 == 4;
    frames += std::string{2, 0, 1} + Length(half) + records[i].substr(0, half);
    frames += std::string{static_cast<char>(4 | (next ? 0x18 : 0)), static_cast<char>(-1), 1} + Length(records[i].size() - half) + records[i].substr(half);
  }
  Put(folder / "log" / "fragments", frames);
  return VectorIndexes(folder / "database");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "make_corpus FOLDER\n");
    return 2;
  }
  const Status status = Make(argv[1]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
