// Property types as constraints write them, parsed once: STRING, LIST<INTEGER NOT NULL>, INTEGER | FLOAT,
// ZONED DATETIME, VECTOR<FLOAT32>(384). Neo4j's synonyms are understood (BOOL, VARCHAR, INT, TIMESTAMP WITH TIME ZONE).
// Pure; a parsed type never changes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fornix/status.h"
#include "fornix/value.h"

namespace fornix::storage {

struct ParsedType {
  struct Alternative {
    bool any = false;                          // ANY: whatever can be stored
    Type type = Type::kNull;
    std::shared_ptr<const ParsedType> element; // of a LIST; null: any
    uint32_t dimensions = 0;                   // of a VECTOR; 0: any
  };
  std::vector<Alternative> alternatives;
  bool Accepts(const Value& value) const;      // null is not accepted here
  std::string ToString() const;                // in Neo4j's normal spelling
};

// SyntaxError that names what was not understood and what is.
Result<std::shared_ptr<const ParsedType>> ParsePropertyType(std::string_view text);

}  // namespace fornix::storage
