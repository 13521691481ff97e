// Temporary files of a bulk load; see temp_files.h.
#include "storage/bulk/temp_files.h"

#include <algorithm>

namespace fornix::storage {

Result<std::unique_ptr<TempFiles>> TempFiles::Create(FileSystem& files, const std::string& dir) {
  RETURN_IF_ERROR(files.CreateDir(dir));
  std::unique_ptr<TempFiles> temp(new TempFiles(files, dir));
  RETURN_IF_ERROR(temp->Empty());
  return temp;
}

TempFiles::~TempFiles() {
  if (Empty().ok()) (void)files_.RemoveDir(dir_);
}

Status TempFiles::Empty() {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, files_.List(dir_));
  for (const std::string& name : names) RETURN_IF_ERROR(files_.RemoveFile(JoinPath(dir_, name)));
  return Status::Ok();
}

Result<std::unique_ptr<TempFile>> TempFiles::NewFile(const std::string& name) {
  ASSIGN_OR_RETURN(auto file, files_.Open(JoinPath(dir_, name), {.write = true, .create = true, .exclusive = true}));
  return std::make_unique<TempFile>(std::move(file));
}

Status TempFiles::Remove(std::unique_ptr<TempFile> file, const std::string& name) {
  file.reset();
  return files_.RemoveFile(JoinPath(dir_, name));
}

Status SequentialReader::Refill(size_t n) {
  const size_t left = buffer_.size() - position_;
  std::vector<std::byte> buffer(std::min<uint64_t>(std::max(buffer_bytes_, n), left + (end_ - next_)));
  std::copy(buffer_.begin() + static_cast<ptrdiff_t>(position_), buffer_.end(), buffer.begin());
  RETURN_IF_ERROR(file_->Read(next_, std::span(buffer).subspan(left)));
  next_ += buffer.size() - left;
  buffer_ = std::move(buffer);
  position_ = 0;
  return Status::Ok();
}

}  // namespace fornix::storage
