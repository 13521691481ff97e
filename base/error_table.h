// The one table from Code to the names that Neo4j drivers and GQL use for it. See Status::neo4j_code.
#pragma once

#include <string_view>

#include "fornix/status.h"

namespace fornix {

struct ErrorNames {
  std::string_view name;        // our own, e.g. "SyntaxError"
  std::string_view neo4j_code;  // e.g. "Neo.ClientError.Statement.SyntaxError"
  std::string_view gql_status;  // e.g. "42001"
};

const ErrorNames& NamesOf(Code code);

}  // namespace fornix
