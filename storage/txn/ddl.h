// Filling what a new schema brings: shared by the commit of schema changes and by recovery.
#pragma once

#include "storage/graph/overlay.h"
#include "storage/schema_state.h"

namespace fornix::storage {

// Fills the indexes of `after` that `before` doesn't have from the newest state, as of `ts`, and tests the rules that are
// new (recovery doesn't: they were tested). Only `after`'s new indexes are written; after an error they are thrown away.
Status FillSchema(const SchemaState& before, const SchemaState& after, const Tokens& tokens, const Overlay& head, Timestamp ts,
                  bool test_rules);

}  // namespace fornix::storage
