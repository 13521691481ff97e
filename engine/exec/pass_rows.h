// PassRows: what operators that make several rows of one, or none, hand on of the row they came from.
#pragma once

#include <vector>

#include "engine/exec/batch.h"

namespace fornix::engine {

// out's columns of the live slots become those of in, out's row i of in's row rows[i]; a column that is filled already is the operator's own.
inline void PassRows(const std::vector<Slot>& live, const Batch& in, const std::vector<uint32_t>& rows, Batch* out) {
  for (Slot slot : live) {
    Column& to = out->column(slot);
    if (!to.filled() && in.column(slot).filled()) to.AppendRows(in.column(slot), rows);
  }
  out->set_rows(rows.size());
}

}  // namespace fornix::engine
