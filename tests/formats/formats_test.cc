// Every format that was ever released is opened: a copy of its file is read, written to, read again and checked, and must hold what
// content.txt says. A new format gets a folder of its own (make.cc); the old ones stay.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "storage/check/check.h"
#include "storage/page/root_slots.h"
#include "tests/corrupt/content.h"
#include "tests/corrupt/sample.h"

namespace fornix::formats {
namespace {

namespace fs = std::filesystem;

std::string Text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// A copy of the folder of one format, for as long as the test takes.
struct Copy {
  fs::path folder = fs::temp_directory_path() / ("fornix-formats-" + std::to_string(getpid()));
  explicit Copy(const fs::path& from) {
    fs::remove_all(folder);
    fs::copy(from, folder, fs::copy_options::recursive);
    for (const auto& entry : fs::recursive_directory_iterator(folder)) fs::permissions(entry.path(), fs::perms::owner_write, fs::perm_options::add);
  }
  ~Copy() { fs::remove_all(folder); }
  std::string file() const { return (folder / "sample.fornix").string(); }
};

const fs::path kFolder = fs::path(FORNIX_SOURCE_DIR) / "tests/formats";

void OpensAs(const std::string& format, const std::string& state) {
  INFO(format << ", " << state);
  const std::string expected = Text(kFolder / "content.txt");
  REQUIRE(!expected.empty());
  REQUIRE(expected.find("DISAGREES") == std::string::npos);
  const Copy copy(kFolder / format / state);

  const auto read = corrupt::ReadDatabase(PosixFileSystem(), copy.file(), corrupt::SampleOptions());
  INFO(read.status().ToString());
  REQUIRE(read.ok());
  CHECK(read->content == expected);
  const auto written = corrupt::WriteDatabase(PosixFileSystem(), copy.file(), corrupt::SampleOptions());
  INFO(written.status().ToString());
  REQUIRE(written.ok());
  CHECK(written->content == expected);
  CHECK(written->after == expected);

  storage::CheckResult result;
  const Status checked = storage::CheckFiles(PosixFileSystem(), copy.file(), {}, &result);
  INFO(checked.ToString() << (result.problems.empty() ? "" : "\n" + result.problems[0]));
  CHECK(checked.ok());
  CHECK(result.problem_count == 0);
}

}  // namespace

TEST_CASE("a closed file of format 2 is read, written and whole") { OpensAs("format-2", "closed"); }
TEST_CASE("a file of format 2 with the log of a crash is read, written and whole") { OpensAs("format-2", "unclosed"); }
TEST_CASE("a file of format 1, whose log is the database, is read, written and whole") { OpensAs("format-1", "unclosed"); }
TEST_CASE("the newest format has files here") {
  const fs::path newest = kFolder / ("format-" + std::to_string(storage::kFileFormatVersion));
  CHECK(fs::exists(newest / "closed/sample.fornix"));
  CHECK(fs::exists(newest / "unclosed/sample.fornix"));
}

}  // namespace fornix::formats
