// A syntax tree as indented text, for people and for golden tests.
#pragma once

#include <string>

#include "grammar/ast/ast.h"

namespace fornix::grammar {

std::string ToString(const ast::Statement& statement);
std::string ToString(const ast::Expr& expr);

}  // namespace fornix::grammar
