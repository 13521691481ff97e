// CsvReader: CSV files as batches of rows, a block of the file at a time.
//
// RFC 4180 with what real files bring: a byte order mark, CRLF or LF, quotes, doubled quotes and line breaks inside quotes,
// a last line without an end. A quote in the middle of a plain field is a character like any other. Lines without any
// character are skipped. Several files are read as one after the other; the first row of the first one is the header.
//
// A block is looked through 64 bytes at a time for the three characters that matter, and nothing is copied: a field is a place
// in its batch. What a row's structure breaks (text behind a closing quote, a quote that never closes) makes that one row a
// problem, and reading goes on at the next line.
// Threads: one at a time; a batch belongs to who asked for it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace fornix::engine {

struct CsvFormat {
  char delimiter = ',';
  char quote = '"';
};

struct CsvField {
  uint32_t begin = 0;                          // in the batch, inside the quotes
  uint32_t size : 30 = 0;
  uint32_t quoted : 1 = 0;
  uint32_t doubled : 1 = 0;                    // holds doubled quotes
};

enum class CsvProblem : uint8_t { kNone, kTextBehindQuote, kOpenQuote };

struct CsvRow {
  uint32_t begin = 0, end = 0;                 // in the batch, without the line's end
  uint32_t first_field = 0, fields = 0;
  uint32_t line = 0;                           // counted from the batch's
  CsvProblem problem = CsvProblem::kNone;
};

class CsvBatch {
 public:
  const std::vector<CsvRow>& rows() const { return rows_; }
  const CsvField& field(const CsvRow& row, size_t i) const { return fields_[row.first_field + i]; }
  // A field's text; doubled quotes are made single in `scratch`.
  std::string_view Text(const CsvField& field, std::string* scratch) const;
  std::string_view Raw(const CsvRow& row) const { return {bytes_.data() + row.begin, row.end - row.begin}; }
  uint64_t LineOf(const CsvRow& row) const { return line_ + row.line; }
  const std::string& file() const { return *file_; }
  uint64_t number() const { return number_; }  // 0, 1, ... in the order of the files

 private:
  friend class CsvReader;
  friend class CsvScanner;
  std::vector<char> bytes_;                    // 64 more than are filled, so that a look of 64 stays inside
  std::vector<CsvField> fields_;
  std::vector<CsvRow> rows_;
  const std::string* file_ = nullptr;
  uint64_t line_ = 1, number_ = 0;
  char quote_ = '"';
};

class CsvReader {
 public:
  // Reads the header. `block_bytes` is what is read at once; a longer row is read whole all the same.
  static Result<std::unique_ptr<CsvReader>> Open(FileSystem& files, std::vector<std::string> paths, const CsvFormat& format,
                                                 size_t block_bytes = size_t{1} << 20);
  ~CsvReader();
  const std::vector<std::string>& header() const { return header_; }
  const std::string& header_file() const { return paths_[0]; }
  // The next rows, at least one; false at the end.
  Result<bool> Next(CsvBatch* batch);
  uint64_t bytes_read() const { return bytes_read_; }
  uint64_t bytes_total() const { return bytes_total_; }

 private:
  CsvReader(FileSystem& files, std::vector<std::string> paths, const CsvFormat& format, size_t block_bytes);
  Status NextFile();
  Result<bool> ReadBatch(CsvBatch* batch);
  Status Fill(CsvBatch* batch, size_t* filled, size_t bytes);

  FileSystem& files_;
  const std::vector<std::string> paths_;
  const CsvFormat format_;
  const size_t block_bytes_;
  std::vector<std::string> header_;
  std::unique_ptr<File> file_;
  size_t next_path_ = 0;
  uint64_t offset_ = 0, line_ = 1, batches_ = 0;
  bool at_end_ = true;                         // of the open file
  std::vector<char> rest_;                     // the begun row behind the last batch
  std::unique_ptr<CsvBatch> pending_;          // rows that were read together with the header
  uint64_t bytes_read_ = 0, bytes_total_ = 0;
};

}  // namespace fornix::engine
