// The fuzzers' inputs as tests: what the generator made, and every input that ever was a finding.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/fuzz/target.h"

namespace fornix::fuzz {
namespace {

size_t Run(const std::string& target, void (*function)(std::span<const uint8_t>)) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(FORNIX_SOURCE_DIR) / "tests/fuzz/corpus" / target)) {
    INFO(entry.path().string());
    std::ifstream in(entry.path(), std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    function({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
    ++files;
  }
  return files;
}

}  // namespace

TEST_CASE("no input that was found by the fuzzer of logs is a finding any more") { CHECK(Run("log", FuzzLog) > 10); }
TEST_CASE("no input that was found by the fuzzer of statements is a finding any more") { CHECK(Run("query", FuzzQuery) > 5); }
TEST_CASE("no input that was found by the fuzzer of parameters is a finding any more") { CHECK(Run("parameters", FuzzParameters) > 5); }
TEST_CASE("no bytes of a client before its logon are a finding") { CHECK(Run("bolt", FuzzBolt) > 5); }
TEST_CASE("no bytes of a client behind its logon are a finding") { CHECK(Run("bolt_session", FuzzBoltSession) > 30); }
TEST_CASE("no input that was found by the fuzzer of data files is a finding any more") { CHECK(Run("database", FuzzDatabase) > 5); }

}  // namespace fornix::fuzz
