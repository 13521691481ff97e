// Rows put aside; see bad_rows.h.
#include "engine/import/bad_rows.h"

#include "base/bytes.h"

namespace fornix::engine {
namespace {

constexpr size_t kBufferBytes = size_t{64} << 10;

void AppendQuoted(std::string_view text, std::string* out) {
  *out += '"';
  for (char c : text) {
    if (c == '"') *out += '"';
    *out += c;
  }
  *out += '"';
}

}  // namespace

std::string WhereIs(std::string_view file, uint64_t line) { return std::string(file) + ", line " + std::to_string(line); }

Status BadRows::Add(std::string_view file, uint64_t line, std::string_view row, std::string_view reason) {
  std::lock_guard lock(mutex_);
  ++count_;
  if (!path_.empty()) {
    if (count_ == 1) buffer_ = "file,line,reason,row\n";
    AppendQuoted(file, &buffer_);
    buffer_ += "," + std::to_string(line) + ",";
    AppendQuoted(reason, &buffer_);
    buffer_ += ",";
    AppendQuoted(row, &buffer_);
    buffer_ += "\n";
    if (buffer_.size() >= kBufferBytes) RETURN_IF_ERROR(Write());
  }
  if (count_ <= tolerance_) return Status::Ok();
  if (!path_.empty()) RETURN_IF_ERROR(Write());
  const std::string text = std::string(reason) + " (" + WhereIs(file, line) + ")";
  if (tolerance_ == 0) return Status(Code::kArgumentError, text);
  return Status(Code::kArgumentError, "more than " + std::to_string(tolerance_) + " rows can't be imported (bad-tolerance); the last one: " + text +
                                          (path_.empty() ? "" : "; all are in " + path_));
}

Status BadRows::Write() {
  if (!file_) {
    ASSIGN_OR_RETURN(file_, files_.Open(path_, {.write = true, .create = true}));
    RETURN_IF_ERROR(file_->Truncate(0));
  }
  RETURN_IF_ERROR(file_->WriteAt(written_, AsBytes(buffer_)));
  written_ += buffer_.size();
  buffer_.clear();
  return Status::Ok();
}

Status BadRows::Close() {
  std::lock_guard lock(mutex_);
  return buffer_.empty() ? Status::Ok() : Write();
}

uint64_t BadRows::count() const {
  std::lock_guard lock(mutex_);
  return count_;
}

}  // namespace fornix::engine
