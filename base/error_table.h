// The one table from errors to the names that Neo4j drivers and GQL use for them. See Status::neo4j_code.
//
// A row stands for a Code, or for a Code with a detail where that is known more exactly. GQLSTATUS comes in two parts as in Neo4j since
// 5.25: the general one ("42001", invalid syntax) and, where there is one, that of its cause ("42N62", the variable isn't defined).
#pragma once

#include <string_view>

#include "fornix/status.h"

namespace fornix {

struct ErrorNames {
  std::string_view name;        // our own, e.g. "SyntaxError"
  std::string_view neo4j_code;  // e.g. "Neo.ClientError.Statement.SyntaxError"
  std::string_view gql_status;  // e.g. "42001"
  std::string_view gql_cause;   // e.g. "42N62", or ""
};

const ErrorNames& NamesOf(Code code);
ErrorNames NamesOf(const Status& status);   // what the detail says included

}  // namespace fornix
