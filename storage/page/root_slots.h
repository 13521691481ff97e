// X.fornix's two root slots, at 0 and 4 KiB: the database's identity and where everything begins.
//
// Invariant: at every moment one slot holds a whole root. A new root goes into the slot that is not the newest one, with
// seq + 1, and is synced before anything relies on it; open takes the valid slot with the larger seq. Both damaged is
// Corruption. Layout: docs/format.md, "Root slots". One thread at a time (the checkpoint, or open and close).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/file.h"
#include "base/ids.h"
#include "base/uuid.h"
#include "wal/record.h"

namespace fornix::storage {

inline constexpr uint32_t kFileFormatVersion = 1;
inline constexpr uint64_t kRootSlotBytes = 4096;

struct Root {
  Uuid uuid;
  uint64_t seq = 0;               // set by RootSlots::Write
  Timestamp checkpoint_ts = 0;    // the base holds every commit up to it
  wal::LogPosition log;           // where replay begins
  Lsn clean_end_lsn = 0;          // after a clean close: the last record's LSN; 0 while open
  uint64_t next_node_id = 0;
  uint64_t next_rel_id = 0;
  uint64_t next_timestamp = 1;
  friend bool operator==(const Root&, const Root&) = default;
};

class RootSlots {
 public:
  // Makes the file with both slots valid, durable and under its name in one step: a crash leaves no file or a whole one.
  static Result<std::unique_ptr<RootSlots>> Create(FileSystem& fs, const std::string& path, const Root& root);
  // Clear errors for: nothing there, empty, a directory or FIFO, a foreign file, a newer format, both slots damaged.
  static Result<std::unique_ptr<RootSlots>> Open(FileSystem& fs, const std::string& path, bool read_only = false);

  const Root& root() const { return root_; }
  // Makes `root` the newest, durably; sets its seq. After an error the old root stands and the slots take no more writes.
  Status Write(const Root& root);

 private:
  RootSlots(std::unique_ptr<File> file, const Root& root, int slot) : file_(std::move(file)), root_(root), slot_(slot) {}

  std::unique_ptr<File> file_;
  Root root_;
  int slot_;        // that holds root_
  Status failed_;   // after a failed write the other slot's content is unknown
};

}  // namespace fornix::storage
