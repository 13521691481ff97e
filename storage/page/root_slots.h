// X.fornix's two root slots, at 0 and 4 KiB: the database's identity and where everything begins.
//
// Invariant: the slot with the smaller seq is whole and durable, and all that its root needs is still there; the other one may
// be in doubt (being written, or written by a sync that failed). Write therefore puts a root into both slots, each synced
// before the next, and only when it has returned may files be removed that the root before needed. Open for writing takes
// the whole slot with the larger seq and makes it durable in both again before anyone builds on it: after a failed sync
// the cache may show a root that the disk doesn't have. Layout: docs/format.md, "Root slots". One thread at a time (the
// checkpoint, or open and close).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/ids.h"
#include "base/uuid.h"
#include "storage/page/extent.h"
#include "wal/record.h"

namespace fornix::storage {

inline constexpr uint32_t kFileFormatVersion = 2;   // 1, without a base, is read too
inline constexpr uint64_t kRootSlotBytes = 4096;

struct Root {
  Uuid uuid;
  uint64_t seq = 0;               // set by RootSlots::Write
  Timestamp checkpoint_ts = 0;    // the base holds every commit up to it
  wal::LogPosition log;           // where replay begins
  Lsn clean_end_lsn = 0;          // after a clean close: the last record's LSN; 0 while open
  bool closed = false;            // by a checkpoint: all is in the base, there is no log, its numbers go on behind `log.generation`
  ExtentRef catalog;              // none: no checkpoint yet
  ExtentRef free_map;
  bool vector_images = false;     // the catalog has some; a feature that an earlier version must not pass over
  uint64_t file_pages = 2;        // that extents may use, the slots' two included
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
  // A copy becomes a database of its own with the next Write.
  void set_uuid(const Uuid& uuid) { root_.uuid = uuid; }
  // What each slot holds, or what is wrong with it; for people who look at a file that doesn't open.
  static std::vector<Result<Root>> ReadEach(FileSystem& fs, const std::string& path);
  // Makes `root` the newest, durably and in both slots. Its seq becomes the next one, or root.seq where that is later. After an error the old root stands (though the next
  // open may find the new one) and the slots take no more writes.
  Status Write(const Root& root);

 private:
  RootSlots(std::unique_ptr<File> file, const Root& root, int slot) : file_(std::move(file)), root_(root), slot_(slot) {}
  Status WriteSlot(int slot, const Root& root);

  std::unique_ptr<File> file_;
  Root root_;
  int slot_;        // that holds the larger seq
  Status failed_;   // after a failed write its slot's content is unknown
};

}  // namespace fornix::storage
