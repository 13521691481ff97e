// A log in words, whole and damaged.
#include "wal/describe.h"

#include <catch2/catch.hpp>

#include "tests/unit/wal/log_harness.h"

namespace fornix::wal {
namespace {

TEST_CASE("a log is described file by file and frame by frame, also around damage") {
  FaultFileSystem fs;
  auto log = NewLog(fs);
  REQUIRE(Commit(*log, "one").ok());
  REQUIRE(Commit(*log, std::string(1000, '2')).ok());
  REQUIRE(Commit(*log, std::string(70000, '3')).ok());
  std::string text = DescribeLog(fs, kDir).value();
  INFO(text);
  CHECK(text.find(SegmentPath(1) + "  uuid " + TestUuid().ToString() + "  65536 bytes, salt ") == 0);
  CHECK(text.find("      4096  record 1 whole, 3 bytes, durable below 1\n") != std::string::npos);
  CHECK(text.find("      4608  record 2 whole, 1000 bytes, durable below 2\n") != std::string::npos);
  CHECK(text.find("      5632  record 3 first part, 59880 bytes, durable below 3\n") != std::string::npos);
  CHECK(text.find("first record 3, continued from the segment before\n      4096  record 3 last part") != std::string::npos);
  CHECK(text.find("  nothing written: ") != std::string::npos);
  const std::byte rubbish{0x77};
  REQUIRE(Overwrite(fs, SegmentPath(1), 4700, {&rubbish, 1}).ok());
  text = DescribeLog(fs, kDir).value();
  CHECK(text.find("      4608  no frame: 1024 bytes, torn, damaged") != std::string::npos);
  CHECK(text.find("      5632  record 3 first part") != std::string::npos);
  REQUIRE(Overwrite(fs, SegmentPath(1), 8, {&rubbish, 1}).ok());
  CHECK(DescribeLog(fs, kDir).value().find("segment header damaged") != std::string::npos);
  CHECK_FALSE(DescribeLog(fs, "nowhere").ok());
}

}  // namespace
}  // namespace fornix::wal
