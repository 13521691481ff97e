// RowMaker: the property columns of a file as converters, in the order of their tokens; turns one CSV row into the bytes of a row.
// Threads: any; nothing changes after construction.
#pragma once

#include "engine/import/csv_convert.h"
#include "engine/import/import_job.h"

namespace fornix::engine {

class RowMaker {
 public:
  // Interns the names of the properties. An id that is kept is a property too: a string, or an integer if the ids are.
  static Result<RowMaker> Make(ImportJob* job, const std::vector<CsvColumn>& columns);

  // False: the row can't be taken, *reason says why (its structure, its number of fields, or a value).
  bool Make(const CsvBatch& batch, const CsvRow& row, std::string* scratch, storage::RowBytes* out, std::string* reason) const;

 private:
  struct Part {
    size_t field;
    PropertyId key;
    CsvConverter converter;
  };
  std::vector<Part> parts_;
  size_t columns_ = 0;
  bool ignore_extra_ = false;
};

// Whether ids of this column are integers: by its option {id-type: ...}, else as the import says.
bool HasIntegerIds(const CsvColumn& column, const ImportOptions& options);
// An integer id as every file writes it ("007" and "+7" are "7"); nullopt if it is none.
std::optional<std::string> NormalInteger(std::string_view text);

// The field of a row, or an empty one where the row is too short.
inline std::string_view FieldText(const CsvBatch& batch, const CsvRow& row, size_t field, std::string* scratch) {
  return field < row.fields ? batch.Text(batch.field(row, field), scratch) : std::string_view();
}

}  // namespace fornix::engine
