// The counts of nine patterns in two social graphs, against numbers that were found without this database. They are the test of the
// planner's choices that matter most: joins, cycles, anti-joins and counts by degree must all give the same as nested loops.
// Needs FORNIX_SHARED; without it every case says SKIPPED, and fails under CI=true.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "bench/common/social_graph.h"
#include "fornix/database.h"

namespace {

using namespace fornix;
namespace fs = std::filesystem;

std::string Shared() {
  const char* shared = std::getenv("FORNIX_SHARED");
  return shared != nullptr ? shared : "../shared";
}

struct Folder {
  std::string path;
  Folder() {
    const fs::path parent = fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
    std::string pattern = (parent / "fornix-lsqb-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

void CheckCounts(const std::string& data, size_t patterns) {
  const std::string folder = Shared() + "/data/" + data;
  if (!fs::is_directory(folder)) {
    const char* ci = std::getenv("CI");
    std::cout << "SKIPPED lsqb: there is no " << folder << " (set FORNIX_SHARED)\n";
    REQUIRE_FALSE((ci != nullptr && std::string(ci) == "true"));
    return;
  }
  Folder temporary;
  const std::string path = temporary.path + "/graph.fornix";
  const Status imported = bench::ImportSocialGraph(folder, temporary.path, path);
  INFO(imported.ToString());
  REQUIRE(imported.ok());
  auto expected = bench::ExpectedCounts(folder);
  REQUIRE(expected.ok());
  REQUIRE(expected->size() == patterns);
  auto database = Database::Open(path);
  INFO(database.status().ToString());
  REQUIRE(database.ok());
  {
    auto connection = (*database)->Connect();
    for (const bench::CountQuery& query : bench::CountQueries()) {
      if (expected->count(query.number) == 0) continue;
      INFO("pattern " << query.number);
      auto rows = connection->Query(query.text);
      INFO(rows.status().ToString());
      REQUIRE(rows.ok());
      CHECK((*rows)[0][0].AsInteger() == expected->at(query.number));
    }
  }
  REQUIRE((*database)->Close().ok());
}

}  // namespace

TEST_CASE("the nine patterns of the small graph have the counts that were found independently") { CheckCounts("graph-lsqb-sf0.003", 9); }

TEST_CASE("so have the eight of the graph of 1.4 million rows") { CheckCounts("graph-ldbc-sf0.1-topology", 8); }

TEST_CASE("and the nine of the example that is counted by hand") { CheckCounts("graph-lsqb-sf0.003/example", 9); }
