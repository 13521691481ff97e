// CsvConverter: the text of one column into values, straight into the bytes of a row. See csv_header.h for the types.
//
// An empty field is no value; an empty field in quotes is the empty string (and no value for other types). Numbers, booleans and
// times may have blanks around them. Text must be UTF-8. Threads: any; nothing changes.
#pragma once

#include <string>
#include <string_view>

#include "base/ids.h"
#include "engine/import/csv_header.h"
#include "storage/bulk/row_codec.h"

namespace fornix::engine {

class CsvConverter {
 public:
  CsvConverter(const CsvColumn& column, PropertyId key, char array_delimiter)
      : column_(column), key_(key), array_delimiter_(array_delimiter) {}
  // False: the field doesn't say such a value, *reason why; nothing was appended.
  bool Append(std::string_view text, bool quoted, storage::RowBytes* row, std::string* reason) const;

 private:
  Result<Value> Scalar(std::string_view text) const;
  Result<Value> Several(std::string_view text) const;

  CsvColumn column_;
  PropertyId key_;
  char array_delimiter_;
};

}  // namespace fornix::engine
