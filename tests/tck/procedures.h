// The procedures that a scenario declares: a signature, and a table that is the procedure's whole behaviour.
#pragma once

#include <string_view>
#include <vector>

#include "engine/procedure/procedure_catalog.h"
#include "tests/tck/cell.h"

namespace fornix::tck {

// "test.my.proc(in :: INTEGER?) :: (out :: STRING?):"; the table's header names inputs, then outputs.
inline Status RegisterProcedure(engine::ProcedureCatalog* catalog, std::string_view signature,
                                const std::vector<std::vector<std::string>>& table) {
  while (!signature.empty() && (signature.back() == ':' || signature.back() == ' ')) signature.remove_suffix(1);
  std::vector<List> rows;
  for (size_t i = 1; i < table.size(); ++i) {
    List row;
    for (const std::string& cell : table[i]) {
      ASSIGN_OR_RETURN(Expected expected, ParseCell(cell));
      ASSIGN_OR_RETURN(Value value, ToParameter(expected));
      row.push_back(std::move(value));
    }
    rows.push_back(std::move(row));
  }
  return catalog->RegisterTable(signature, std::move(rows));
}

}  // namespace fornix::tck
