// Literals that a statement's plan need not know: texts that differ in them alone can share one plan.
//
// Only literals are taken of which it is sure that nothing but a run asks for their value:
// - `key: 1` in the property map of a pattern's node or relationship (MATCH, CREATE, MERGE);
// - `x.key < 1`, `f(x) = 1`, `x.key STARTS WITH 'a'` (ENDS WITH, CONTAINS) as a whole term of a MATCH's WHERE;
// - `x.key = 1` as a whole item of SET.
// Everything else stays in the key byte by byte: what stands in a projection is a column's name, what stands in LIMIT, a list, a
// hop count or a map of options is looked at while planning. EXPLAIN and PROFILE show literals, so nothing is taken from them.
// Only integers, floats and strings are taken; their type stays in the key, their sign too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fornix/status.h"
#include "fornix/value.h"

namespace fornix::grammar {

struct LiteralSpan {
  uint32_t offset = 0, length = 0;               // bytes
};

struct LiftedText {
  std::string key;                               // the text with a NUL and a letter for each literal taken; no text holds a NUL
  std::vector<Value> values;                     // in the order of the text
  std::vector<LiteralSpan> spans;
};

// Nothing taken (empty values) also for texts that are no statement.
LiftedText LiftLiterals(std::string_view text);

// The place in `text` of what stood at `offset` of a text with the same key.
SourcePosition MovePosition(SourcePosition position, const std::vector<LiteralSpan>& there, const std::vector<LiteralSpan>& here,
                            std::string_view text);

}  // namespace fornix::grammar
