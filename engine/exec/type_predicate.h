// TypePredicate: the type on the right of `IS ::`, as a test of values. Reads the normalised text of the parser:
// alternatives joined by '|', LIST<...>, NOT NULL. A type without NOT NULL takes null too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/type_set.h"
#include "fornix/status.h"

namespace fornix::engine {

class TypePredicate {
 public:
  // SyntaxError for a type that doesn't exist, naming it.
  static Result<TypePredicate> Parse(std::string_view text);
  bool Accepts(const Value& value) const;

 private:
  struct Alternative {
    TypeSet types{0};                  // without kList when there is an element type
    bool nullable = true;
    bool any = false;
    std::vector<TypePredicate> element;   // one entry: LIST<that>
  };
  static Result<TypePredicate> ParseUnion(std::string_view* text);
  std::vector<Alternative> alternatives_;
};

}  // namespace fornix::engine
