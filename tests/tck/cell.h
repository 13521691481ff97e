// A cell of a TCK table: the value it denotes, and how a value of ours is compared with it.
//
// The syntax is that of the TCK's README: null, booleans, numbers, 'strings', [lists], {maps}, (:Node {p: 1}), [:REL {p: 1}],
// <(path)-[:T]->(path)>. Elements compare by labels or type and properties only. Temporal values, points and vectors stand
// in cells as strings and compare by their text. Integers never equal floats; NaN equals NaN.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fornix/status.h"
#include "fornix/value.h"

namespace fornix::tck {

struct Expected {
  enum class Kind : uint8_t { kNull, kBoolean, kInteger, kFloat, kString, kList, kMap, kNode, kRelationship, kPath };
  Kind kind = Kind::kNull;
  bool boolean = false;
  int64_t integer = 0;
  double real = 0;
  std::string text;                                            // string; type of a relationship
  std::vector<Expected> items;                                 // list; of a path: node, relationship, node, ...
  std::vector<std::pair<std::string, Expected>> entries;       // map; properties, sorted by key
  std::vector<std::string> labels;                             // sorted
  std::vector<bool> backwards;                                 // of a path's steps
};

// Undoes Gherkin's escapes (\| \\ \n) and blanks at both ends, then reads the value.
Result<Expected> ParseCell(std::string_view cell);
// The value as a parameter; elements can't be parameters.
Result<Value> ToParameter(const Expected& expected);
bool Matches(const Expected& expected, const Value& actual, bool ignore_list_order);

}  // namespace fornix::tck
