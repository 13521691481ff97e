// What SUCCESS and FAILURE say of a statement: counters, plans, notifications, errors, in the shapes of each version of Bolt
// (neo4j.com/docs/bolt/current/bolt/message and .../errors). Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fornix/result.h"
#include "tools/server/bolt/packstream.h"

namespace fornix::bolt {

// Which notifications a client wants: as it said of the transaction, else of the connection.
struct Filters {
  const std::string* severity;               // "OFF", "WARNING", "INFORMATION" or empty
  const std::string* connection_severity;
  const std::vector<std::string>* disabled;  // categories, as "PERFORMANCE"
  const std::vector<std::string>* connection_disabled;
};

// type, stats, plan or profile, notifications (before 5.6) or statuses.
Map SummaryMap(const Summary& summary, Version version, const Filters& filters, bool no_columns);
// {code, message}, from 5.7 on with the GQLSTATUS.
Map FailureMap(const Status& status, Version version);
// The status with its place in its first line, as people know it from the original: "... (line 1, column 8 (offset: 7))".
Status WithText(const Status& status, std::string_view text);

// The client's side of both. A server of ours says more than GQLSTATUS of an error (diagnostic_record: _fornix_code, _detail, _compile_time).
Summary SummaryOf(const Map& metadata);
Status StatusOfFailure(const Map& failure);

std::string BookmarkOf(uint64_t commit);
bool IsBookmark(std::string_view text);
uint64_t CommitOf(std::string_view bookmark);   // 0 for one that isn't ours
// Whether the statement begins with EXPLAIN, behind blanks, comments and a CYPHER prefix.
bool IsExplain(std::string_view text);

}  // namespace fornix::bolt
