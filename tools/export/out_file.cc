#include "tools/export/out_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/errors.h"

namespace fornix::tools {

Result<std::unique_ptr<OutFile>> OutFile::Open(const std::string& path) {
  if (path == "-") return std::unique_ptr<OutFile>(new OutFile(stdout, ""));
  std::FILE* file = std::fopen((path + ".new").c_str(), "wb");
  if (file == nullptr) return IoError(path + ".new: can't be made: " + std::strerror(errno));
  std::setvbuf(file, nullptr, _IOFBF, size_t{1} << 16);
  return std::unique_ptr<OutFile>(new OutFile(file, path));
}

OutFile::~OutFile() {
  if (file_ == nullptr || path_.empty()) return;
  std::fclose(file_);
  std::remove((path_ + ".new").c_str());
}

Status OutFile::Failed(const char* what) const {
  return IoError((path_.empty() ? "standard output" : path_ + ".new") + ": " + what + ": " + std::strerror(errno));
}

Status OutFile::Write(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), file_) == text.size() ? Status::Ok() : Failed("can't be written");
}

Status OutFile::Close() {
  if (std::fflush(file_) != 0) return Failed("can't be written");
  if (path_.empty()) return Status::Ok();
  if (fsync(fileno(file_)) != 0) return Failed("can't be synced");
  std::FILE* file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) return Failed("can't be closed");
  if (std::rename((path_ + ".new").c_str(), path_.c_str()) != 0) return Failed("can't be renamed");
  return Status::Ok();
}

}  // namespace fornix::tools
