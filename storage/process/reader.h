// Reader: keeps what was opened read-only at the last durable commit, while another process may be writing the same file.
//
//   Refresh, at each transaction's begin:
//     pin anything -> read the root -> another base or log than before?  Reset(root), then the whole log from its floor
//                                      the same?                        the records that came since
//     -> pin the root that is still in use, and no log
// The protocol that lets the writer free pages and segments meanwhile is in storage/process/lock_file.h. Without a slot the
// root is read again behind the log, and if it has changed everything is done once more.
// A root that only a writer's opening or closing has written again (seq, clean end, next ids) is the same base and log.
// What Refresh shows never goes back: a root holds only what was durable in the log, the log is followed in order, and
// only a disk that takes back what it said was written can make it rewritten; then everything is read again from the root.
// Threads: one at a time; the target is called from inside Refresh.
#pragma once

#include <memory>
#include <string>

#include "base/file.h"
#include "storage/page/root_slots.h"
#include "storage/process/lock_file.h"
#include "wal/follower.h"

namespace fornix::storage {

// Whom the reader brings up to date: the store's layers.
class ReaderTarget : public wal::LogApplier {
 public:
  // Everything before is void: from here on `root` and the records that follow.
  virtual Status Reset(const Root& root) = 0;
};

class Reader {
 public:
  // Takes a slot if it can. Errors as RootSlots::Open; nothing is given to a target yet.
  static Result<std::unique_ptr<Reader>> Open(FileSystem& files, const std::string& path);

  // True if something new was given to the target. `oldest_root_seq`: of the oldest root that the target still reads after
  // this (its snapshots; kNever if there are none but those of the newest). After an error the next Refresh begins with Reset.
  Result<bool> Refresh(ReaderTarget& target, uint64_t oldest_root_seq = kNever);
  // What is in use has changed: pins roots from this one on; kNever if nothing is read until the next Refresh.
  Status Pin(uint64_t oldest_root_seq);

  const Root& root() const { return root_; }      // that the last Refresh was about
  bool registered() const { return slot_ != nullptr; }
  // For a read that found damage where the writer may have written over what was read: a retryable error if that can be.
  Status Explain(const Status& damage);

 private:
  Reader(FileSystem& files, std::string path) : files_(files), path_(std::move(path)) {}
  Result<bool> Follow(ReaderTarget& target);

  FileSystem& files_;
  const std::string path_;
  std::unique_ptr<ReaderSlot> slot_;              // null: can't register
  Root root_;
  std::unique_ptr<wal::LogFollower> log_;         // null: nothing was given yet, or it must be given anew
};

}  // namespace fornix::storage
