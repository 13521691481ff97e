// The root slots: the newer whole one wins, a cut at any write leaves one, bad files get clear errors.
#include "storage/page/root_slots.h"

#include <catch2/catch.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "base/fault_file.h"

namespace fornix::storage {
namespace {

Root TestRoot() {
  Root root;
  root.uuid = NewUuid();
  root.next_node_id = 7;
  root.log = {3, 4, 5};
  return root;
}

TEST_CASE("the newest root is found again after each write") {
  FaultFileSystem fs;
  Root root = TestRoot();
  auto slots = RootSlots::Create(fs, "x.fornix", root).value();
  for (uint64_t i = 0; i < 5; ++i) {
    root.next_node_id = 100 + i;
    REQUIRE(slots->Write(root).ok());
    auto again = RootSlots::Open(fs, "x.fornix", true).value();
    CHECK(again->root() == slots->root());
    CHECK(again->root().next_node_id == 100 + i);
    CHECK(again->root().log == wal::LogPosition{3, 4, 5});
  }
}

TEST_CASE("a power cut at any operation of creating and writing leaves no file or the last or the next root") {
  FaultFileSystem fs;
  Root root = TestRoot();
  auto slots = RootSlots::Create(fs, "x.fornix", root).value();
  const uint64_t created = fs.op_count();
  std::vector<uint64_t> acknowledged;  // op_count when root i was durable
  for (uint64_t i = 1; i <= 4; ++i) {
    root.next_rel_id = i;
    REQUIRE(slots->Write(root).ok());
    acknowledged.push_back(fs.op_count());
  }
  for (uint64_t cut = 0; cut <= fs.op_count(); ++cut) {
    for (const Damage damage : kAllDamage) {
      for (uint64_t seed = 0; seed < 10; ++seed) {
        INFO("cut=" << cut << " before " << fs.DescribeOp(cut) << " damage=" << static_cast<int>(damage) << " seed=" << seed);
        auto image = fs.ImageAt(cut, damage, seed);
        auto opened = RootSlots::Open(*image, "x.fornix");
        if (!opened.ok()) {
          CHECK(cut < created);
          CHECK(image->Kind("x.fornix").value() == FileKind::kNone);
          continue;
        }
        const uint64_t found = (*opened)->root().next_rel_id;
        const auto durable = static_cast<uint64_t>(
            std::count_if(acknowledged.begin(), acknowledged.end(), [&](uint64_t ops) { return ops <= cut; }));
        CHECK((found == durable || found == durable + 1));
      }
    }
  }
}

TEST_CASE("a flipped bit anywhere in the file changes nothing: the other slot has the same root") {
  FaultFileSystem fs;
  Root root = TestRoot();
  auto slots = RootSlots::Create(fs, "x.fornix", root).value();
  root.next_node_id = 8;
  REQUIRE(slots->Write(root).ok());
  OpenOptions options;
  options.write = true;
  auto file = fs.Open("x.fornix", options).value();
  for (uint64_t byte = 0; byte < 2 * kRootSlotBytes; ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      std::byte value;
      REQUIRE(file->ReadExactAt(byte, {&value, 1}).ok());
      const std::byte flipped = value ^ static_cast<std::byte>(1 << bit);
      REQUIRE(file->WriteAt(byte, {&flipped, 1}).ok());
      auto opened = RootSlots::Open(fs, "x.fornix", true);
      REQUIRE(opened.ok());
      CHECK((*opened)->root().next_node_id == 8);
      REQUIRE(file->WriteAt(byte, {&value, 1}).ok());
    }
    if (byte % kRootSlotBytes == 511) byte += kRootSlotBytes - 512;  // behind the root nothing is read
  }
}

TEST_CASE("a root that a failed sync left in the cache alone is durable before anyone builds on it") {
  for (uint64_t nth = 0; nth < 2; ++nth) {
    FaultFileSystem fs;
    Root root = TestRoot();
    {
      auto slots = RootSlots::Create(fs, "x.fornix", root).value();
      fs.FailCall(nth, Fault::kFailedSync, false);
      root.next_node_id = 8;
      REQUIRE_FALSE(slots->Write(root).ok());
    }
    const uint64_t before = fs.op_count();
    const uint64_t found = RootSlots::Open(fs, "x.fornix").value()->root().next_node_id;
    CHECK(found == 8);  // the cache shows it
    for (uint64_t cut = before; cut <= fs.op_count(); ++cut) {
      for (const Damage damage : kAllDamage) {
        for (uint64_t seed = 0; seed < 20; ++seed) {
          auto image = fs.ImageAt(cut, damage, seed);
          auto opened = RootSlots::Open(*image, "x.fornix");
          REQUIRE(opened.ok());
          if (cut == fs.op_count()) CHECK((*opened)->root().next_node_id == found);
        }
      }
    }
  }
}

TEST_CASE("opening is safe against cuts, and against cuts of the opening after them") {
  FaultFileSystem fs;
  Root root = TestRoot();
  auto slots = RootSlots::Create(fs, "x.fornix", root).value();
  root.next_node_id = 8;
  const uint64_t begin = fs.op_count();
  REQUIRE(slots->Write(root).ok());
  for (uint64_t cut = begin; cut <= fs.op_count(); ++cut) {
    for (const Damage damage : kAllDamage) {
      for (uint64_t seed = 0; seed < 10; ++seed) {
        auto image = fs.ImageAt(cut, damage, seed);
        const uint64_t found = RootSlots::Open(*image, "x.fornix").value()->root().next_node_id;
        for (uint64_t cut2 = 0; cut2 <= image->op_count(); ++cut2) {
          auto second = image->ImageAt(cut2, damage, seed + 1);
          auto opened = RootSlots::Open(*second, "x.fornix");
          REQUIRE(opened.ok());
          const uint64_t now = (*opened)->root().next_node_id;
          // A root that nobody was promised may go while it is made durable, not after.
          const bool promised = cut == fs.op_count() || cut2 == image->op_count();
          CHECK((now == found || (now == 7 && !promised)));
        }
      }
    }
  }
}

TEST_CASE("files that are no database get an error that says so") {
  FaultFileSystem fs;
  const auto put = [&](const std::string& path, std::string_view text) {
    OpenOptions options;
    options.write = options.create = true;
    REQUIRE(fs.Open(path, options).value()->WriteAt(0, AsBytes(text)).ok());
  };
  put("empty", "");
  put("text", "hello, this is a letter and not a database");
  put("long", std::string(10000, 'x'));
  const auto message = [&](const std::string& path) { return RootSlots::Open(fs, path).status().ToString(); };
  CHECK(message("empty") == "Corruption: empty: the file is empty, not a Fornix database");
  CHECK(message("text").find("text: offset 0: not a Fornix database") != std::string::npos);
  CHECK(message("long").find("long: offset 0: not a Fornix database") != std::string::npos);
  CHECK(message("none").find("No such file") != std::string::npos);
  CHECK(RootSlots::Create(fs, "text", TestRoot()).status().message().find("File exists") != std::string::npos);
}

TEST_CASE("both slots damaged is corruption that names the file and both offsets") {
  FaultFileSystem fs;
  static_cast<void>(RootSlots::Create(fs, "x.fornix", TestRoot()).value());
  OpenOptions options;
  options.write = true;
  auto file = fs.Open("x.fornix", options).value();
  const std::byte rubbish{0xff};
  REQUIRE(file->WriteAt(40, {&rubbish, 1}).ok());
  REQUIRE(file->WriteAt(kRootSlotBytes + 40, {&rubbish, 1}).ok());
  const Status status = RootSlots::Open(fs, "x.fornix").status();
  CHECK(status.code() == Code::kCorruption);
  CHECK(status.message().find("x.fornix: offset 0") != std::string::npos);
  CHECK(status.message().find("x.fornix: offset 4096") != std::string::npos);
}

TEST_CASE("a file of a newer format is refused, even if the other slot is ours") {
  FaultFileSystem fs;
  static_cast<void>(RootSlots::Create(fs, "x.fornix", TestRoot()).value());
  OpenOptions options;
  options.write = true;
  auto file = fs.Open("x.fornix", options).value();
  std::vector<std::byte> slot(512);
  REQUIRE(file->ReadExactAt(0, slot).ok());
  StoreFixed(slot.data() + 4, kFileFormatVersion + 1);
  StoreFixed(slot.data() + 508, Crc32c(std::span(slot).first(508)));
  REQUIRE(file->WriteAt(0, slot).ok());
  CHECK(RootSlots::Open(fs, "x.fornix").status().message().find("file format " + std::to_string(kFileFormatVersion + 1)) != std::string::npos);
}

TEST_CASE("after a failed root write the old root stands and no further write is tried") {
  for (const Fault fault : {Fault::kIoError, Fault::kNoSpace, Fault::kShortWrite, Fault::kFailedSync}) {
    FaultFileSystem fs;
    Root root = TestRoot();
    auto slots = RootSlots::Create(fs, "x.fornix", root).value();
    fs.FailCall(0, fault, false);
    root.next_node_id = 9;
    REQUIRE_FALSE(slots->Write(root).ok());
    CHECK(slots->root().next_node_id == 7);
    CHECK_FALSE(slots->Write(root).ok());
    const uint64_t found = RootSlots::Open(fs, "x.fornix").value()->root().next_node_id;
    CHECK((found == 7 || found == 9));
  }
}

TEST_CASE("a directory, a FIFO, a device and a link to itself are refused at once") {
  char dir[] = "/tmp/fornix-root-XXXXXX";
  REQUIRE(mkdtemp(dir) != nullptr);
  const std::string base = dir;
  REQUIRE(mkfifo((base + "/fifo").c_str(), 0600) == 0);
  REQUIRE(symlink("loop", (base + "/loop").c_str()) == 0);
  FileSystem& fs = PosixFileSystem();
  const auto message = [&](const std::string& path) {
    const Status status = RootSlots::Open(fs, path, true).status();
    CHECK(status.code() == Code::kIoError);
    return status.message();
  };
  CHECK(message(base).find("is a directory, not a file") != std::string::npos);
  CHECK(message(base + "/fifo").find("is a FIFO, not a file") != std::string::npos);
  CHECK(message("/dev/null").find("is a device, not a file") != std::string::npos);
  CHECK(message(base + "/loop").find("symbolic links") != std::string::npos);
  std::filesystem::remove_all(base);
}

}  // namespace
}  // namespace fornix::storage
