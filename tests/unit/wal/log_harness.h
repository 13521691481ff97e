// What the log's tests share: a disk in memory, a log on it, and the list of strings that recovery gives back.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/fault_file.h"
#include "wal/reader.h"
#include "wal/writer.h"

namespace fornix::wal {

inline const std::string kDir = "db.fornix-log";

inline Uuid TestUuid(uint8_t n = 1) {
  Uuid uuid;
  uuid.bytes.fill(static_cast<std::byte>(n));
  return uuid;
}

// Small segments, and a sequence of file operations that depends on the calls alone.
inline WriterOptions TestOptions(uint64_t first = 64 << 10, uint64_t max = 64 << 10) {
  WriterOptions options;
  options.segment_bytes_first = first;
  options.segment_bytes_max = max;
  options.background_thread = false;
  return options;
}

inline std::unique_ptr<LogEntry> Entry(std::string_view text) {
  auto entry = std::make_unique<LogEntry>();
  const auto bytes = AsBytes(text);
  entry->body.assign(bytes.begin(), bytes.end());
  return entry;
}

// Appends and waits.
inline Status Commit(LogWriter& log, std::string_view text) {
  ASSIGN_OR_RETURN(const Lsn lsn, log.Append(Entry(text)));
  return log.WaitDurable(lsn);
}

class Texts : public LogApplier {
 public:
  Status Apply(Lsn lsn, std::span<const std::byte> body) override {
    lsns.push_back(lsn);
    texts.emplace_back(AsText(body));
    return Status::Ok();
  }
  std::vector<Lsn> lsns;
  std::vector<std::string> texts;
};

struct Recovered {
  Status status;
  std::vector<std::string> texts;
  LogEnd end;
};

inline Recovered Recover(FileSystem& fs, const ReadOptions& options = {}, const Uuid& uuid = TestUuid()) {
  Recovered result;
  Texts texts;
  auto end = ReadLog(fs, kDir, uuid, options, texts);
  result.status = end.status();
  result.texts = std::move(texts.texts);
  if (end.ok()) result.end = std::move(end).value();
  return result;
}

inline std::unique_ptr<LogWriter> NewLog(FileSystem& fs, const WriterOptions& options = TestOptions(),
                                         const LogPosition& start = {}) {
  auto log = LogWriter::Create(fs, kDir, TestUuid(), start, options);
  return log.ok() ? std::move(log).value() : nullptr;
}

inline std::vector<std::byte> ReadAll(FileSystem& fs, const std::string& path) {
  auto file = fs.Open(path, {});
  if (!file.ok()) return {};
  std::vector<std::byte> bytes((*file)->Size().value());
  return (*file)->ReadAt(0, bytes).ok() ? bytes : std::vector<std::byte>();
}

inline Status Overwrite(FileSystem& fs, const std::string& path, uint64_t offset, std::span<const std::byte> bytes) {
  OpenOptions options;
  options.write = true;
  ASSIGN_OR_RETURN(const auto file, fs.Open(path, options));
  return file->WriteAt(offset, bytes);
}

inline std::string SegmentPath(uint64_t number, uint64_t generation = 1) {
  return JoinPath(kDir, SegmentName(generation, number));
}

}  // namespace fornix::wal
