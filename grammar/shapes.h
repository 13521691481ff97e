// Looks over the tokens once, before the parser, where a few brackets of lookahead say what a grammar would have to guess:
// - words of clauses that stand where only a name can (match.name, AS set, (order:Order)) become identifiers;
// - a parenthesis that begins a pattern (a)-[..]-(b), a bracket that begins a comprehension, and a comprehension's bar get
//   types of their own (see Cypher.g4);
// - nesting is counted over everything that nests (brackets, CASE, NOT, signs) and refused beyond kNestingMax: the parser
//   and every reader of the tree recurse, and threads may have small stacks;
// - long lists of constants become one token with its value.
// Time is linear in the number of tokens.
#pragma once

#include <string_view>

#include "fornix/status.h"
#include "grammar/lexer.h"

namespace fornix::grammar {

Status FindShapes(std::string_view text, TokenList* list);

// The second half of FindShapes, in constant_list.cc: `match[i]` is the partner of the bracket at i, or 0.
Status FoldConstantLists(std::string_view text, const std::vector<uint32_t>& match, TokenList* list);

}  // namespace fornix::grammar
