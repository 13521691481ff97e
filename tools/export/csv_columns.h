// CsvColumns: which columns a CSV file needs for the elements of one shape (label set or type), and its rows.
//
// Looks at all elements first. A property whose values are all of one type gets a column of that type; lists of one type a
// list column where their elements can be told apart; what is mixed, or what a CSV field can't say (an empty list, empty bytes, a
// string with the list's delimiter in it), a column of type `any`, in typed JSON.
#pragma once

#include <map>
#include <string>

#include "fornix/value.h"

namespace fornix::tools {

class CsvColumns {
 public:
  void Look(const Map& properties);
  // ",name:string,age:long": as they follow the columns of ids and labels.
  std::string Header() const;
  void AppendRow(const Map& properties, std::string* row) const;

 private:
  std::map<std::string, std::string> types_;   // by property: the column's type
};

// A field of CSV, quoted where needed; a string that is empty is always quoted, so that it isn't taken for none.
void AppendField(std::string_view text, std::string* row);

}  // namespace fornix::tools
