// Blocks of files into batches; see csv_reader.h.
#include "engine/import/csv_reader.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "base/errors.h"
#include "base/limits.h"
#include "engine/import/csv_scanner.h"

namespace fornix::engine {
namespace {

constexpr size_t kSlack = 64;                  // the scanner looks at 64 bytes at once

}  // namespace

std::string_view CsvBatch::Text(const CsvField& field, std::string* scratch) const {
  std::string_view text(bytes_.data() + field.begin, field.size);
  if (!field.doubled) return text;
  scratch->clear();
  for (size_t i = 0; i < text.size(); ++i) {
    scratch->push_back(text[i]);
    if (text[i] == quote_ && i + 1 < text.size() && text[i + 1] == quote_) ++i;
  }
  return *scratch;
}

CsvReader::CsvReader(FileSystem& files, std::vector<std::string> paths, const CsvFormat& format, size_t block_bytes)
    : files_(files), paths_(std::move(paths)), format_(format), block_bytes_(std::max<size_t>(block_bytes, 1)) {}
CsvReader::~CsvReader() = default;

Result<std::unique_ptr<CsvReader>> CsvReader::Open(FileSystem& files, std::vector<std::string> paths, const CsvFormat& format,
                                                   size_t block_bytes) {
  if (paths.empty()) return UsageError("no CSV file was named");
  std::unique_ptr<CsvReader> reader(new CsvReader(files, std::move(paths), format, block_bytes));
  for (const std::string& path : reader->paths_) {
    ASSIGN_OR_RETURN(auto file, files.Open(path, {}));
    ASSIGN_OR_RETURN(const uint64_t size, file->Size());
    reader->bytes_total_ += size;
  }
  auto first = std::make_unique<CsvBatch>();
  ASSIGN_OR_RETURN(const bool any, reader->ReadBatch(first.get()));
  if (!any) return Status(Code::kArgumentError, reader->paths_[0] + " is empty; its first line should be the header");
  const CsvRow& row = first->rows_[0];
  if (row.problem != CsvProblem::kNone) return Status(Code::kArgumentError, reader->paths_[0] + ": the quotes of the header don't match");
  std::string scratch;
  for (size_t i = 0; i < row.fields; ++i) reader->header_.emplace_back(first->Text(first->field(row, i), &scratch));
  first->rows_.erase(first->rows_.begin());
  if (!first->rows_.empty()) reader->pending_ = std::move(first);
  else reader->batches_ = 0;                   // numbers of batches with rows begin at 0
  return reader;
}

Status CsvReader::NextFile() {
  ASSIGN_OR_RETURN(file_, files_.Open(paths_[next_path_++], {}));
  offset_ = 0;
  line_ = 1;
  at_end_ = false;
  std::byte mark[3] = {};
  ASSIGN_OR_RETURN(const size_t n, file_->ReadAt(0, mark));
  const std::string_view text = AsText(std::span(mark, n));
  if (text == "\xef\xbb\xbf") {
    offset_ = 3;
    bytes_read_ += 3;
  } else if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    return Status(Code::kArgumentError, file_->path() + " is UTF-16; make it UTF-8 first, as with: iconv -f UTF-16 -t UTF-8");
  }
  return Status::Ok();
}

Status CsvReader::Fill(CsvBatch* batch, size_t* filled, size_t bytes) {
  batch->bytes_.resize(*filled + bytes + kSlack);
  ASSIGN_OR_RETURN(const size_t n, file_->ReadAt(offset_, std::as_writable_bytes(std::span(batch->bytes_.data() + *filled, bytes))));
  *filled += n;
  offset_ += n;
  bytes_read_ += n;
  at_end_ = n < bytes;
  return Status::Ok();
}

Result<bool> CsvReader::ReadBatch(CsvBatch* batch) {
  batch->fields_.clear();
  batch->rows_.clear();
  batch->quote_ = format_.quote;
  const CsvScanner scanner(format_);
  while (true) {
    if (at_end_ && rest_.empty()) {
      if (next_path_ == paths_.size()) return false;
      RETURN_IF_ERROR(NextFile());
    }
    size_t filled = rest_.size(), more = block_bytes_;
    batch->bytes_.resize(filled + kSlack);
    std::copy(rest_.begin(), rest_.end(), batch->bytes_.begin());
    rest_.clear();
    batch->file_ = &paths_[next_path_ - 1];
    batch->line_ = line_;
    CsvScanner::Outcome outcome;
    while (true) {
      RETURN_IF_ERROR(Fill(batch, &filled, more));
      batch->fields_.clear();
      batch->rows_.clear();
      outcome = scanner.Scan(batch, filled, at_end_);
      if (outcome.consumed > 0 || at_end_) break;
      if (filled > kImportRowBytesMax) {
        return Status(Code::kLimitExceeded, file_->path() + ", line " + std::to_string(line_) + ": the row is longer than " +
                                                std::to_string(kImportRowBytesMax >> 20) +
                                                " MiB (import-row-bytes-max); perhaps a quote in it never closes");
      }
      more = filled;                           // twice as much, so that a long row isn't looked through too often
    }
    line_ += outcome.lines;
    rest_.assign(batch->bytes_.begin() + static_cast<ptrdiff_t>(outcome.consumed), batch->bytes_.begin() + static_cast<ptrdiff_t>(filled));
    if (batch->rows_.empty()) continue;        // blank lines alone
    batch->number_ = batches_++;
    return true;
  }
}

Result<bool> CsvReader::Next(CsvBatch* batch) {
  if (pending_) {
    *batch = std::move(*pending_);
    pending_.reset();
    return true;
  }
  return ReadBatch(batch);
}

}  // namespace fornix::engine
