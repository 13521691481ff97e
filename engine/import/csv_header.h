// The header of a CSV file: what each column is, in the words of neo4j-admin import.
//
//   nodes          [name]:ID[(space)]   :LABEL   name[:type][[]]   :IGNORE
//   relationships  :START_ID[(space)]   :END_ID[(space)]   :TYPE   name[:type][[]]   :IGNORE
//   types          string (the default) int long short byte float double boolean char date localtime time localdatetime
//                  datetime duration point vector, each but vector with [] for a list; and two of our own for what export has to
//                  say: bytes (hexadecimal) and any (typed JSON)
//   options        behind the type: {id-type: integer}, {timezone: Europe/Stockholm}, {crs: wgs-84}, {label: Person}
// The name ends at the last ':' outside of () and {}. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fornix/status.h"
#include "fornix/value.h"

namespace fornix::engine {

enum class ColumnRole : uint8_t { kProperty, kId, kLabels, kStart, kEnd, kType, kIgnore };
enum class ColumnType : uint8_t {
  kString, kChar, kLong, kInt, kShort, kByte, kFloat, kBoolean, kDate, kLocalTime, kTime, kLocalDateTime, kDateTime, kDuration, kPoint,
  kVector, kBytes, kAny,
};

struct CsvColumn {
  ColumnRole role = ColumnRole::kProperty;
  std::string name;                            // of the property; empty for an ID that isn't kept, and for the other roles
  std::string space;                           // of ids; empty: the global one
  ColumnType type = ColumnType::kString;
  bool list = false;
  std::map<std::string, std::string> options;
};

// `nodes`: else relationships. Errors name the file and the column.
Result<std::vector<CsvColumn>> ParseCsvHeader(const std::vector<std::string>& fields, bool nodes, std::string_view file);

}  // namespace fornix::engine
