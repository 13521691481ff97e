// The social graphs of FORNIX_SHARED/data, made into databases: graph-lsqb-sf0.003 and graph-ldbc-sf0.1-topology, with the nine
// patterns that are counted in them. Shared by tests/lsqb (the counts) and bench/query (the times).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fornix/status.h"

namespace fornix::bench {

struct CountQuery {
  int number;                    // 1 to 9
  std::string text;
};
// The patterns, each one statement that returns count(*).
const std::vector<CountQuery>& CountQueries();

// Imports the CSV files of `folder` (plain or gzipped, parts NAME and NAME_1 joined) into a new database at `path`, by way of files
// in `temporary`, which must exist.
Status ImportSocialGraph(const std::string& folder, const std::string& temporary, const std::string& path);

// expected_counts.csv: count by number of pattern.
Result<std::map<int, int64_t>> ExpectedCounts(const std::string& folder);

}  // namespace fornix::bench
