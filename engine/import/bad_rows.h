// BadRows: rows of the CSV files that an import puts aside: counted against the tolerance, and written to a CSV file of their own
// with file, line, reason and the row as it was.
// Threads: any; one mutex.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/file.h"
#include "engine/import/csv_reader.h"

namespace fornix::engine {

class BadRows {
 public:
  // `path` may be empty: nothing is written. The file is made with the first row.
  BadRows(FileSystem& files, std::string path, uint64_t tolerance) : files_(files), path_(std::move(path)), tolerance_(tolerance) {}
  // An error once there are more than the tolerance.
  Status Add(const CsvBatch& batch, const CsvRow& row, std::string_view reason) {
    return Add(batch.file(), batch.LineOf(row), batch.Raw(row), reason);
  }
  Status Add(std::string_view file, uint64_t line, std::string_view row, std::string_view reason);
  Status Close();
  uint64_t count() const;

 private:
  Status Write();
  FileSystem& files_;
  const std::string path_;
  const uint64_t tolerance_;
  mutable std::mutex mutex_;
  std::unique_ptr<File> file_;
  uint64_t written_ = 0, count_ = 0;
  std::string buffer_;
};

// "file, line N": how messages name a row.
std::string WhereIs(std::string_view file, uint64_t line);
inline std::string WhereIs(const CsvBatch& batch, const CsvRow& row) { return WhereIs(batch.file(), batch.LineOf(row)); }

}  // namespace fornix::engine
