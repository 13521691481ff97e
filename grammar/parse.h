// From text to syntax tree: the only place that knows the parser generator.
//
// Parse checks the text before the parser sees it (valid UTF-8, no NUL, length, nesting by a token count over all
// bracket-like constructs: kNestingMax), then parses in SLL mode with a bail strategy and falls back to LL after an error.
// Errors are SyntaxError with position, the line of text with a caret, what was expected, and a detail word of the
// openCypher TCK where one applies (UnexpectedSyntax, InvalidNumberLiteral, IntegerOverflow, FloatingPointOverflow,
// InvalidUnicodeLiteral, InvalidUnicodeCharacter, InvalidRelationshipPattern ...).
// Thread safety: callable from any thread; the prediction cache is shared and bounded.
#pragma once

#include <string_view>

#include "fornix/status.h"
#include "grammar/ast/ast.h"

namespace fornix::grammar {

// One statement, a trailing ';' allowed.
Result<std::unique_ptr<ast::Statement>> Parse(std::string_view text);

// Cuts a script at semicolons outside strings, comments, backticks. Returns the length in bytes of the first statement
// including its ';', or 0 when none is complete yet (the shell then asks for more).
size_t FirstStatementLength(std::string_view text);

// Warms the prediction cache with a built-in corpus, so that the first real statement is not the slowest.
void WarmUp();

}  // namespace fornix::grammar
