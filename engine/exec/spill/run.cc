#include "engine/exec/spill/run.h"

#include <utility>

namespace fornix::engine {
namespace {

constexpr size_t kReadBytes = size_t{64} << 10;   // rows read at once end here, or a piece of large rows would be a second block

}  // namespace

Run& Run::operator=(Run&& other) noexcept {
  if (this == &other) return *this;
  Drop();
  file_ = std::exchange(other.file_, nullptr);
  blocks_ = std::exchange(other.blocks_, {});
  rows_ = std::exchange(other.rows_, 0);
  return *this;
}

void Run::Drop() {
  for (const SpillBlock& block : blocks_) file_->Drop(block);
  blocks_.clear();
  rows_ = 0;
}

RunWriter::~RunWriter() {
  if (file_ != nullptr) file_->memory().Release(charged_);
}

RunWriter& RunWriter::operator=(RunWriter&& other) noexcept {
  if (this == &other) return *this;
  if (file_ != nullptr) file_->memory().Release(charged_);
  file_ = std::exchange(other.file_, nullptr);
  counts_ = other.counts_;
  run_ = std::move(other.run_);
  bytes_ = std::move(other.bytes_);
  charged_ = std::exchange(other.charged_, 0);
  return *this;
}

Status RunWriter::AddValues(std::span<const Value> values) {
  for (const Value& v : values) WriteValue(v, &bytes_);
  return EndRow();
}

Status RunWriter::EndRow() {
  run_.rows_++;
  if (charged_ == 0) {
    charged_ = file_->block_bytes();
    file_->memory().Force(charged_);
  }
  return bytes_.size() >= file_->block_bytes() ? Flush() : Status::Ok();
}

Status RunWriter::Flush() {
  if (bytes_.size() == 0) return Status::Ok();
  ASSIGN_OR_RETURN(const SpillBlock block, file_->Append(bytes_.bytes()));
  run_.blocks_.push_back(block);
  counts_->bytes += block.stored_bytes;
  if (bytes_.size() > 4 * file_->block_bytes()) {
    bytes_ = ByteWriter();
  } else {
    bytes_.Clear();
  }
  return Status::Ok();
}

Result<Run> RunWriter::Finish() {
  RETURN_IF_ERROR(Flush());
  if (!run_.empty()) counts_->runs++;
  bytes_ = ByteWriter();
  file_->memory().Release(std::exchange(charged_, 0));
  return std::move(run_);
}

RunReader::~RunReader() {
  if (charged_ > 0) file_->memory().Release(charged_);
}

RunReader& RunReader::operator=(RunReader&& other) noexcept {
  if (this == &other) return *this;
  if (charged_ > 0) file_->memory().Release(charged_);
  run_ = other.run_;
  file_ = other.file_;
  next_block_ = other.next_block_;
  raw_ = std::move(other.raw_);
  position_ = other.position_;
  charged_ = std::exchange(other.charged_, 0);
  return *this;
}

Result<bool> RunReader::Fill() {
  while (position_ >= raw_.size()) {
    if (run_ == nullptr || next_block_ >= run_->blocks_.size()) {
      std::vector<std::byte>().swap(raw_);
      position_ = 0;
      if (charged_ > 0) file_->memory().Release(std::exchange(charged_, 0));
      return false;
    }
    if (charged_ == 0) {
      charged_ = file_->block_bytes();
      file_->memory().Force(charged_);
    }
    RETURN_IF_ERROR(file_->Read(run_->blocks_[next_block_++], &raw_));
    position_ = 0;
  }
  return true;
}

Result<size_t> RunReader::Read(std::span<Column* const> columns, size_t rows_max) {
  size_t rows = 0, bytes = 0;
  while (rows < rows_max && bytes < kReadBytes) {
    ASSIGN_OR_RETURN(const bool more, Fill());
    if (!more) break;
    ByteReader in = Rest();
    while (rows < rows_max && bytes + in.position() < kReadBytes && !in.empty()) {
      for (Column* column : columns) RETURN_IF_ERROR(ReadEntry(&in, column));
      if (columns.empty()) RETURN_IF_ERROR(in.Skip(1));
      rows++;
    }
    position_ += in.position();
    bytes += in.position();
  }
  return rows;
}

Result<bool> RunReader::ReadValues(size_t count, std::vector<Value>* values) {
  ASSIGN_OR_RETURN(const bool more, Fill());
  if (!more) return false;
  ByteReader in = Rest();
  values->clear();
  for (size_t i = 0; i < count; i++) {
    ASSIGN_OR_RETURN(Value v, ReadValue(&in));
    values->push_back(std::move(v));
  }
  position_ += in.position();
  return true;
}

}  // namespace fornix::engine
