// Rows as an aligned table of text: columns as wide as their content up to a limit, numbers to the right, long cells cut
// with an ellipsis on a terminal, whole when piped.
#pragma once

#include <string>
#include <vector>

#include "fornix/result.h"

namespace fornix::shell {

struct TableStyle {
  bool colour = false;
  size_t width_max = 0;        // of the whole table in columns of the terminal; 0: no limit
};

std::string FormatTable(const std::vector<std::string>& columns, const std::vector<Row>& rows, const TableStyle& style);
// Columns of a terminal that the text takes; wide characters take two.
size_t DisplayWidth(std::string_view text);

}  // namespace fornix::shell
