// CSV rows into row bytes; see row_maker.h.
#include "engine/import/row_maker.h"

#include <algorithm>
#include <charconv>

#include "base/utf8.h"

namespace fornix::engine {

bool HasIntegerIds(const CsvColumn& column, const ImportOptions& options) {
  auto option = column.options.find("id-type");
  return option == column.options.end() ? options.integer_ids : option->second == "integer";
}

std::optional<std::string> NormalInteger(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::to_string(number);
}

Result<RowMaker> RowMaker::Make(ImportJob* job, const std::vector<CsvColumn>& columns) {
  RowMaker maker;
  maker.columns_ = columns.size();
  maker.ignore_extra_ = job->options().ignore_extra_columns;
  for (size_t i = 0; i < columns.size(); ++i) {
    CsvColumn column = columns[i];
    const bool kept_id = column.role == ColumnRole::kId && !column.name.empty();
    if (column.role != ColumnRole::kProperty && !kept_id) continue;
    if (kept_id) column.type = HasIntegerIds(column, job->options()) ? ColumnType::kLong : ColumnType::kString;
    if (!IsUtf8(column.name)) return Status(Code::kArgumentError, "the name of column " + std::to_string(i + 1) + " isn't UTF-8");
    ASSIGN_OR_RETURN(const PropertyId key, job->loader().tokens().properties.Intern(column.name));
    maker.parts_.push_back({i, key, CsvConverter(column, key, job->options().array_delimiter)});
  }
  std::sort(maker.parts_.begin(), maker.parts_.end(), [](const Part& a, const Part& b) { return a.key < b.key; });
  return maker;
}

bool RowMaker::Make(const CsvBatch& batch, const CsvRow& row, std::string* scratch, storage::RowBytes* out, std::string* reason) const {
  if (row.problem != CsvProblem::kNone) {
    *reason = row.problem == CsvProblem::kOpenQuote ? "a quote that opens in this row never closes" : "text behind a closing quote";
    return false;
  }
  if (row.fields > columns_ && !ignore_extra_) {
    *reason = "the row has " + std::to_string(row.fields) + " fields, the header " + std::to_string(columns_);
    return false;
  }
  for (const Part& part : parts_) {
    if (part.field >= row.fields) continue;    // a short row has no value there
    const CsvField& field = batch.field(row, part.field);
    if (!part.converter.Append(batch.Text(field, scratch), field.quoted, out, reason)) return false;
  }
  return true;
}

}  // namespace fornix::engine
