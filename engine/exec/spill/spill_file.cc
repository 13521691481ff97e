#include "engine/exec/spill/spill_file.h"

#include <lz4.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/coding.h"
#include "base/crc32c.h"
#include "base/errors.h"
#include "base/limits.h"
#include "base/random.h"

namespace fornix::engine {
namespace {

constexpr size_t kHeaderBytes = 12;

std::string TemporaryFolder() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::temp_directory_path(error);
  return error ? std::string("/tmp") : path.string();
}

Status CannotWrite(const Status& cause) {
  return {cause.code(), "the statement holds more than its memory limit and can't put the rest on disk: " + cause.message() +
                            "; free space there, take fewer rows, or raise the memory limit"};
}
Status CannotRead(const Status& cause) { return {cause.code(), "what the statement had put on disk can't be read back: " + cause.message()}; }

// Over the place as well: a block that lies elsewhere is as wrong as one with other bytes.
uint32_t Checksum(uint64_t offset, uint32_t stored, uint32_t raw, std::span<const std::byte> bytes) {
  std::byte head[16];
  StoreFixed<uint64_t>(head, offset);
  StoreFixed<uint32_t>(head + 8, stored);
  StoreFixed<uint32_t>(head + 12, raw);
  return Crc32c(bytes, Crc32c(head));
}

}  // namespace

SpillFolder::SpillFolder(FileSystem& files, const std::string& data_path)
    : files_(files), path_(data_path.empty() ? TemporaryFolder() : data_path + "-spill"), temporary_(data_path.empty()) {}

SpillFolder::~SpillFolder() {
  if (made_ && !temporary_) (void)files_.RemoveDir(path_);
}

Status SpillFolder::RemoveLeftOvers() {
  if (temporary_) return Status::Ok();
  ASSIGN_OR_RETURN(const FileKind kind, files_.Kind(path_));
  if (kind != FileKind::kDirectory) return Status::Ok();
  ASSIGN_OR_RETURN(const std::vector<std::string> names, files_.List(path_));
  for (const std::string& name : names) RETURN_IF_ERROR(files_.RemoveFile(JoinPath(path_, name)));
  return files_.RemoveDir(path_);
}

Result<std::unique_ptr<File>> SpillFolder::NewFile() {
  if (Status status = files_.CreateDir(path_); !status.ok()) return CannotWrite(status);
  made_ = true;
  OpenOptions options;
  options.write = options.create = options.exclusive = options.owner_only = true;
  char name[64];
  std::snprintf(name, sizeof(name), "fornix-spill-%d-%016llx", static_cast<int>(getpid()), static_cast<unsigned long long>(SystemRandom64()));
  const std::string path = JoinPath(path_, name);
  Result<std::unique_ptr<File>> file = files_.Open(path, options);
  if (!file.ok()) return CannotWrite(file.status());
  if (Status status = files_.RemoveFile(path); !status.ok()) return CannotWrite(status);
  return file;
}

SpillFile::SpillFile(std::unique_ptr<File> file, MemoryTracker& memory) : file_(std::move(file)), memory_(memory) {
  const size_t limit = memory.limit();
  block_bytes_ = limit == 0 ? kSpillBlockBytesMax : std::clamp(limit / 128, kSpillBlockBytesMin, kSpillBlockBytesMax);
  // A run that is read holds a block and a few rows of it.
  fan_in_ = limit == 0 ? kSpillRunsMax : std::clamp<size_t>(limit / 4 / (2 * block_bytes_), 4, kSpillRunsMax);
  charged_ = 2 * block_bytes_;
  memory_.Force(charged_);
}

SpillFile::~SpillFile() { memory_.Release(charged_); }

Result<SpillBlock> SpillFile::Append(std::span<const std::byte> raw) {
  if (raw.size() > kSpillRowBytesMax) {
    return Status(Code::kResourceExhausted, "a row of " + std::to_string(raw.size()) + " bytes is too large to be put on disk (kSpillRowBytesMax); "
                                            "raise the memory limit or make lists smaller");
  }
  const int bound = LZ4_compressBound(static_cast<int>(raw.size()));
  if (stored_.size() < kHeaderBytes + static_cast<size_t>(bound)) stored_.resize(kHeaderBytes + static_cast<size_t>(bound));
  const char* from = reinterpret_cast<const char*>(raw.data());
  int bytes = LZ4_compress_default(from, reinterpret_cast<char*>(stored_.data() + kHeaderBytes), static_cast<int>(raw.size()), bound);
  if (bytes <= 0 || static_cast<size_t>(bytes) >= raw.size()) {
    std::copy(raw.begin(), raw.end(), stored_.begin() + kHeaderBytes);
    bytes = static_cast<int>(raw.size());
  }
  SpillBlock block{end_, static_cast<uint32_t>(kHeaderBytes + static_cast<size_t>(bytes)), static_cast<uint32_t>(raw.size())};
  StoreFixed<uint32_t>(stored_.data(), static_cast<uint32_t>(bytes));
  StoreFixed<uint32_t>(stored_.data() + 4, block.raw_bytes);
  const std::span<const std::byte> body{stored_.data() + kHeaderBytes, static_cast<size_t>(bytes)};
  StoreFixed<uint32_t>(stored_.data() + 8, Checksum(end_, static_cast<uint32_t>(bytes), block.raw_bytes, body));
  if (Status status = file_->WriteAt(end_, {stored_.data(), block.stored_bytes}); !status.ok()) return CannotWrite(status);
  end_ += block.stored_bytes;
  live_ += block.stored_bytes;
  bytes_written_ += block.stored_bytes;
  // A single huge row must not keep its buffer.
  if (stored_.size() > 4 * block_bytes_) std::vector<std::byte>().swap(stored_);
  return block;
}

Status SpillFile::Read(const SpillBlock& block, std::vector<std::byte>* raw) {
  if (stored_.size() < block.stored_bytes) stored_.resize(block.stored_bytes);
  if (Status status = file_->ReadExactAt(block.offset, {stored_.data(), block.stored_bytes}); !status.ok()) return CannotRead(status);
  const uint32_t bytes = LoadFixed<uint32_t>(stored_.data()), raw_bytes = LoadFixed<uint32_t>(stored_.data() + 4);
  const uint32_t crc = LoadFixed<uint32_t>(stored_.data() + 8);
  const std::span<const std::byte> body{stored_.data() + kHeaderBytes, block.stored_bytes - kHeaderBytes};
  bool good = bytes == body.size() && raw_bytes == block.raw_bytes && crc == Checksum(block.offset, bytes, raw_bytes, body);
  if (good) {
    raw->resize(raw_bytes);
    if (bytes == raw_bytes) {
      std::copy(body.begin(), body.end(), raw->begin());
    } else {
      good = LZ4_decompress_safe(reinterpret_cast<const char*>(body.data()), reinterpret_cast<char*>(raw->data()), static_cast<int>(bytes),
                                 static_cast<int>(raw_bytes)) == static_cast<int>(raw_bytes);
    }
  }
  if (stored_.size() > 4 * block_bytes_) std::vector<std::byte>().swap(stored_);
  if (good) return Status::Ok();
  return CannotRead(IoError(file_->path() + ": the block at " + std::to_string(block.offset) + " differs from what was written (checksum or size)"));
}

void SpillFile::Drop(const SpillBlock& block) {
  live_ -= block.stored_bytes;
  if (live_ > 0 || end_ == 0) return;
  end_ = 0;
  (void)file_->Truncate(0);   // the space is wanted by others; if it can't be given back now, it is when the file closes
}

}  // namespace fornix::engine
