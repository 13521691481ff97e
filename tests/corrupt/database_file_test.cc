// What may stand where a database is expected: things that are no file, files of others and of other versions, files that are cut,
// that grew, that were copied in mid-life; and files with right checksums over wrong numbers. Each gives the right answer or an error
// that says what was found and where.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "base/coding.h"
#include "storage/page/root_slots.h"
#include "tests/corrupt/content.h"
#include "tests/corrupt/forge.h"
#include "tests/corrupt/must.h"
#include "tests/corrupt/sample.h"
#include "tests/counts.h"

namespace fornix::corrupt {
namespace {

namespace fs = std::filesystem;
using storage::ExtentKind;
using storage::kPageBytes;
using storage::Store;

struct Folder {
  fs::path path = fs::temp_directory_path() / ("fornix-files-" + std::to_string(getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string operator/(const std::string& name) const { return (path / name).string(); }
};

// Refused for reading and for writing, with these words in the message, and left as it is.
void Refused(const std::string& path, const std::string& words) {
  for (const bool read_only : {true, false}) {
    storage::StoreOptions options = SampleOptions();
    options.read_only = read_only;
    const auto store = Store::Open(PosixFileSystem(), path, options);
    INFO(path << (read_only ? " read only: " : " for writing: ") << store.status().ToString());
    REQUIRE(!store.ok());
    REQUIRE(store.status().message().find(path) != std::string::npos);
    REQUIRE(store.status().message().find(words) != std::string::npos);
  }
}

std::vector<std::byte> Bytes(const std::string& text) {
  const auto bytes = AsBytes(text);
  return {bytes.begin(), bytes.end()};
}

std::string NewSample(FileSystem& files, const std::string& path, const SampleSize& size = {}) {
  const auto store = Must(Store::Open(files, path, SampleOptions()));
  Must(FillSample(*store, size));
  std::string content = Must(Content(*store));
  Must(store->Close());
  return content;
}

Forge ClosedSample(std::string* content = nullptr, const SampleSize& size = {}) {
  const auto disk = EmptyDisk();
  std::string text = NewSample(*disk, kSamplePath, size);
  if (content != nullptr) *content = std::move(text);
  return Forge(Must(FileBytes(*disk, kSamplePath)));
}

Result<Visit> Read(std::span<const std::byte> bytes) {
  const auto disk = EmptyDisk();
  Must(PutFile(*disk, kSamplePath, bytes));
  return ReadDatabase(*disk, kSamplePath, SampleOptions());
}
// Opens for reading and writing; what comes of it is the caller's matter, if anything does.
void Survives(std::span<const std::byte> bytes, const std::string& what) {
  INFO(what);
  const auto disk = EmptyDisk();
  Must(PutFile(*disk, kSamplePath, bytes));
  for (const auto& visit : {ReadDatabase(*disk, kSamplePath, SampleOptions()), WriteDatabase(*disk, kSamplePath, SampleOptions())}) {
    INFO(visit.status().ToString());
    REQUIRE(visit.status().code() != Code::kInternal);
  }
}
uint64_t Step(uint64_t stride) { return LongRun() ? 1 : stride; }

}  // namespace

TEST_CASE("what is no file is refused by its kind") {
  const Folder folder;
  fs::create_directory(folder / "directory");
  Refused(folder / "directory", "directory");
  fs::create_symlink(folder / "b", folder / "a");
  fs::create_symlink(folder / "a", folder / "b");
  Refused(folder / "a", "symbolic links");
  REQUIRE(mkfifo((folder / "fifo").c_str(), 0600) == 0);
  Refused(folder / "fifo", "is ");
  fs::create_symlink("/dev/null", folder / "null");
  Refused(folder / "null", "is ");
  Refused(folder / "no/such/folder.fornix", "o such ");   // database; file or directory
}

TEST_CASE("a dangling link: read only there is no such database, and for writing one is made behind the link or refused") {
  const Folder folder;
  fs::create_symlink(folder / "elsewhere", folder / "link");
  storage::StoreOptions options = SampleOptions();
  options.read_only = true;
  REQUIRE(!Store::Open(PosixFileSystem(), folder / "link", options).ok());
}

TEST_CASE("an empty file, a short one, one of zeros and one of somebody else are no databases") {
  const Folder folder;
  const std::string path = folder / "x";
  Must(PutFile(PosixFileSystem(), path, {}));
  Refused(path, "empty");
  for (const size_t size : {1, 100, 511, 512, 4096, 4607, 8192, 100'000}) {
    Must(PutFile(PosixFileSystem(), path, std::vector<std::byte>(size)));
    Refused(path, "not a Fornix database");
  }
  for (const std::string& text : {std::string("SQLite format 3\0", 16) + std::string(9000, 'x'), std::string("PK\3\4") + std::string(9000, '\0'),
                                  std::string(9000, '\xFF'), std::string("CREATE (:A);\n")}) {
    const std::vector<std::byte> bytes = Bytes(text);
    Must(PutFile(PosixFileSystem(), path, bytes));
    Refused(path, "not a Fornix database");
    REQUIRE(Must(FileBytes(PosixFileSystem(), path)) == bytes);
  }
}

TEST_CASE("a newer format, one that never was, and features from the future are named") {
  const Folder folder;
  const std::string path = folder / "x";
  const Forge sample = ClosedSample();
  const auto with = [&](size_t offset, uint32_t value, int slots) {
    Forge forge = sample;
    for (int slot = 0; slot < slots; ++slot) {
      forge.ChangeRoot(slot, [&](std::span<std::byte> root) { StoreFixed(root.data() + offset, value); });
    }
    Must(PutFile(PosixFileSystem(), path, forge.bytes()));
  };
  with(4, storage::kFileFormatVersion + 1, 2);
  Refused(path, "file format " + std::to_string(storage::kFileFormatVersion + 1));
  with(4, storage::kFileFormatVersion + 1, 1);   // one slot is enough: a newer version was writing
  Refused(path, "file format");
  with(4, 0, 2);
  Refused(path, "file format 0");
  for (int bit = 1; bit < 32; ++bit) {           // the first one is ours
    with(96, uint32_t{1} << bit, 2);
    Refused(path, "features of a newer version");
  }
}

TEST_CASE("two bad headers are named both") {
  const Folder folder;
  Forge forge = ClosedSample();
  forge.bytes()[100] ^= std::byte{1};
  forge.bytes()[storage::kRootSlotBytes + 200] ^= std::byte{1};
  Must(PutFile(PosixFileSystem(), folder / "x", forge.bytes()));
  Refused(folder / "x", "offset 0");
  Refused(folder / "x", "offset 4096");
}

TEST_CASE("root slots with right checksums over any number: an error, or an answer") {
  const Forge sample = ClosedSample();
  const uint64_t wrong[] = {0, ~uint64_t{0}, uint64_t{1} << 32, 1, 0x7FFFFFFF, 0xFFFFFFFF, uint64_t{1} << 61, uint64_t{1} << 63};
  for (size_t offset = 24; offset < 144; offset += Step(2) == 1 ? 4 : 8) {
    for (const uint64_t value : std::span(wrong).first(Step(2) == 1 ? 8 : 3)) {
      Forge forge = sample;
      for (int slot = 0; slot < 2; ++slot) {
        forge.ChangeRoot(slot, [&](std::span<std::byte> root) { StoreFixed(root.data() + offset, value); });
      }
      Survives(forge.bytes(), "root at " + std::to_string(offset) + " = " + std::to_string(value));
    }
  }
}

TEST_CASE("right checksums over counts, lengths and references that can't be: an error, or an answer") {
  SampleSize size;
  size.nodes = 12;
  size.text_bytes = 5000;
  const Forge sample = ClosedSample(nullptr, size);
  REQUIRE(!sample.extents().empty());
  const std::string long_varint = std::string(9, '\x80') + "\x01";   // 2^63
  const std::vector<std::vector<std::byte>> wrong = {
      Bytes(std::string(4, '\xFF')),                                   // 2^32 - 1, fixed
      Bytes(std::string(7, '\0') + "\x80"),                            // 2^63, fixed
      Bytes(std::string(8, '\xFF')), Bytes(std::string("\xFF\xFF\xFF\xFF\x0F")), Bytes(long_varint),   // and as varints
      Bytes(std::string(1, '\0')), Bytes(std::string(1, '\x7F'))};
  uint64_t cases = 0;
  for (size_t extent = 0; extent < sample.extents().size(); ++extent) {
    const std::vector<std::byte> payload = sample.Payload(extent);
    for (size_t at = extent % Step(23); at < payload.size(); at += Step(at < 64 ? 5 : 97)) {
      const std::vector<std::byte>& bytes = wrong[(at + extent) % wrong.size()];
      for (size_t k = 0; k < (Step(2) == 1 ? wrong.size() : 1); ++k) {
        const std::vector<std::byte>& change = Step(2) == 1 ? wrong[k] : bytes;
        std::vector<std::byte> forged = payload;
        for (size_t i = 0; i < change.size() && at + i < forged.size(); ++i) forged[at + i] = change[i];
        Forge forge = sample;
        if (!forge.SetPayload(extent, forged)) continue;
        Survives(forge.bytes(), "extent " + std::to_string(extent) + " payload at " + std::to_string(at));
        ++cases;
      }
    }
  }
  std::cout << cases << " forged payloads\n";
  CHECK(cases > 100);
}

TEST_CASE("extent headers with right checksums over any kind, codec, length, owner and checkpoint: an error") {
  std::string content;
  const Forge sample = ClosedSample(&content);
  for (size_t extent = 0; extent < sample.extents().size(); ++extent) {
    const storage::ExtentHeader header = sample.extents()[extent].header;
    std::vector<storage::ExtentHeader> wrong(8, header);
    wrong[0].kind = static_cast<ExtentKind>(static_cast<uint8_t>(header.kind) + 1);
    wrong[1].codec = static_cast<storage::ExtentCodec>(7);
    wrong[2].raw_bytes = ~uint32_t{0};
    wrong[3].stored_bytes = ~uint32_t{0};
    wrong[4].stored_bytes = header.stored_bytes - 1;
    wrong[5].owner ^= 1;
    wrong[6].seq += 1;
    wrong[7].seq = ~uint64_t{0};
    for (size_t i = 0; i < wrong.size(); ++i) {
      Forge forge = sample;
      forge.SetHeader(extent, wrong[i]);
      const auto visit = Read(forge.bytes());
      INFO("extent " << extent << " case " << i << ": " << visit.status().ToString());
      // The free map is read by a checkpoint alone.
      if (header.kind == ExtentKind::kFreeMap) CHECK((!visit.ok() || visit->content == content));
      else CHECK(!visit.ok());
      Survives(forge.bytes(), "extent " + std::to_string(extent) + " header " + std::to_string(i));
    }
  }
}

TEST_CASE("links of the catalog and of the free map that run in a circle are damage") {
  // Several checkpoints, so that there is a free map.
  const auto disk = EmptyDisk();
  (void)NewSample(*disk, kSamplePath);
  for (int i = 0; i < 3; ++i) Must(WriteDatabase(*disk, kSamplePath, SampleOptions()).status());
  const Forge sample(Must(FileBytes(*disk, kSamplePath)));
  for (const ExtentKind kind : {ExtentKind::kCatalog, ExtentKind::kFreeMap}) {
    const auto places = sample.Of(kind);
    REQUIRE(!places.empty());
    Forge forge = sample;
    for (const size_t place : places) {          // the first field of a link names the next one: here itself
      std::vector<std::byte> payload = forge.Payload(place);
      const PlacedExtent& extent = forge.extents()[place];
      StoreFixed<uint32_t>(payload.data(), extent.page);
      StoreFixed<uint32_t>(payload.data() + 4, storage::PagesFor(storage::kExtentHeaderBytes + extent.header.stored_bytes));
      StoreFixed<uint64_t>(payload.data() + 8, extent.header.seq);
      REQUIRE(forge.SetPayload(place, payload));
    }
    const auto copy = EmptyDisk();
    Must(PutFile(*copy, kSamplePath, forge.bytes()));
    const auto visit = WriteDatabase(*copy, kSamplePath, SampleOptions());
    INFO(visit.status().ToString());
    CHECK(visit.status().code() == Code::kCorruption);
  }
}

TEST_CASE("garbage behind the file's pages changes nothing") {
  std::string content;
  Forge forge = ClosedSample(&content);
  for (const size_t n : {1, 511, 4096, 100'000}) {
    std::vector<std::byte> longer = forge.bytes();
    longer.resize(longer.size() + n, std::byte{0xAB});
    const auto disk = EmptyDisk();
    Must(PutFile(*disk, kSamplePath, longer));
    CHECK(Must(ReadDatabase(*disk, kSamplePath, SampleOptions())).content == content);
    const Visit visit = Must(WriteDatabase(*disk, kSamplePath, SampleOptions()));
    CHECK(visit.content == content);
    CHECK(visit.after == content);
  }
}

TEST_CASE("a file whose end was cut off, or whose root claims more pages than it has, is refused for writing and not made longer") {
  Forge whole = ClosedSample();
  const size_t pages = whole.bytes().size() / kPageBytes;
  std::vector<std::vector<std::byte>> files(2, whole.bytes());
  files[0].resize((pages - 1) * kPageBytes);
  files[1].resize(pages * kPageBytes - 1);
  for (const uint64_t claimed : {uint64_t{pages} + 1, uint64_t{pages} + 451'000, uint64_t{1} << 32}) {
    Forge forge = whole;
    for (int slot = 0; slot < 2; ++slot) {
      forge.ChangeRoot(slot, [&](std::span<std::byte> root) { StoreFixed(root.data() + 136, claimed); });
    }
    files.push_back(forge.bytes());
  }
  for (const std::vector<std::byte>& bytes : files) {
    const auto disk = EmptyDisk();
    Must(PutFile(*disk, kSamplePath, bytes));
    const auto visit = WriteDatabase(*disk, kSamplePath, SampleOptions());
    INFO(visit.status().ToString());
    REQUIRE(visit.status().code() == Code::kCorruption);
    CHECK(visit.status().message().find("its end was cut off") != std::string::npos);
    CHECK(Must(FileBytes(*disk, kSamplePath)).size() == bytes.size());
  }
}

TEST_CASE("a hole where an extent was is damage, and a hole of a terabyte behind the file nobody's") {
  const Folder folder;
  std::string content;
  Forge forge = ClosedSample(&content);
  const std::string path = folder / "x";
  size_t errors = 0;
  for (const PlacedExtent& extent : forge.extents()) {
    Must(PutFile(PosixFileSystem(), path, forge.bytes()));
    const int fd = open(path.c_str(), O_RDWR);
    REQUIRE(fd >= 0);
    const int punched = fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(uint64_t{extent.page} * kPageBytes), kPageBytes);
    close(fd);
    if (punched != 0) {
      std::cout << "SKIPPED holes: the file system of " << path << " makes none\n";
      break;
    }
    const auto visit = ReadDatabase(PosixFileSystem(), path, SampleOptions());
    INFO(visit.status().ToString());
    CHECK((!visit.ok() || visit->content == content));
    errors += !visit.ok();
  }
  CHECK(errors > 0);
  Must(PutFile(PosixFileSystem(), path, forge.bytes()));
  if (truncate(path.c_str(), off_t{1} << 40) == 0) {
    CHECK(Must(ReadDatabase(PosixFileSystem(), path, SampleOptions())).content == content);
    CHECK(Must(WriteDatabase(PosixFileSystem(), path, SampleOptions())).after == content);
  }
}

TEST_CASE("a file that another process makes longer while it is open stays right") {
  const Folder folder;
  const std::string path = folder / "x";
  const std::string content = NewSample(PosixFileSystem(), path);
  {
    const auto store = Must(Store::Open(PosixFileSystem(), path, SampleOptions()));
    std::ofstream(path, std::ios::binary | std::ios::app) << std::string(50'000, 'z');
    CHECK(Must(Content(*store)) == content);
    Must(ChangeSample(*store, [] { return Status::Ok(); }));
    const std::string changed = Must(Content(*store));
    Must(store->Close());
    CHECK(Must(ReadDatabase(PosixFileSystem(), path, SampleOptions())).content == changed);
  }
}

TEST_CASE("a database copied while it is open: the copy shows a state that was, or says what it lacks") {
  const Folder folder;
  const std::string path = folder / "x", copy = folder / "copy";
  const std::string before = NewSample(PosixFileSystem(), path);
  std::vector<std::string> states = {before};
  const auto store = Must(Store::Open(PosixFileSystem(), path, SampleOptions()));
  size_t right = 0;
  Must(ChangeSample(*store, [&]() -> Status {
    ASSIGN_OR_RETURN(std::string content, Content(*store));
    states.push_back(std::move(content));
    // The file alone, as somebody copies it who doesn't know of the log; then the file and its log.
    fs::remove_all(copy + "-log");
    fs::remove(copy + "-lock");
    fs::copy_file(path, copy, fs::copy_options::overwrite_existing);
    const auto alone = ReadDatabase(PosixFileSystem(), copy, SampleOptions());
    INFO(alone.status().ToString());
    CHECK((!alone.ok() || alone->content == before));
    if (fs::exists(path + "-log")) fs::copy(path + "-log", copy + "-log", fs::copy_options::recursive);
    const Visit both = Must(ReadDatabase(PosixFileSystem(), copy, SampleOptions()));
    CHECK(both.content == states.back());
    ++right;
    return Status::Ok();
  }));
  CHECK(right == 5);
  Must(store->Close());
  // A log of another database beside the copy.
  CHECK(Must(ReadDatabase(PosixFileSystem(), path, SampleOptions())).content == states.back());
}

}  // namespace fornix::corrupt
