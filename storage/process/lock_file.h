// X.fornix-lock: who writes a database, and what its readers in all processes still need. docs/format.md, "Lock file".
//
//   byte 0           held by the writer; from there on the text that names it
//   byte of slot i   held by one reader, i < kReaderSlotsMax; its record stands there: what it needs (Pin)
//
// The locks are the kernel's, so the death of a process frees them; what stands in the file means nothing without its lock.
//
// Protocol. A reader (1) locks a slot, (2) writes the record "anything", (3) reads the root, (4) reads the log, (5) writes
// what it still needs: that root and no log. To move on it starts again at (2). The writer frees pages and log segments
// by root R only (a) after R is durable in the file, (b) having looked at the slots after (a).
// Nothing that a reader uses is freed: if the writer looked before (2), the reader's (3) comes after R was in the file, so it reads R
// or a later root and needs nothing that R gave up. If it looked after (2), it saw "anything", or a record of a root that
// the reader had read and not yet left; it frees nothing then. Between (1) and (2) the record is a dead reader's: of an older
// root, hence asking for more; and the writer wipes dead records when it opens, in case the file beside was replaced by
// an older one. The fences make the order hold between processes, as between threads.
// A reader that needs nothing (no snapshot) says so, and then holds up nobody.
//
// Who closes last removes the file, holding all its bytes while it does; whoever locks looks whether the file still has its
// name. A killed process may leave it, which does no harm.
//
// Where the lock file can't be written (a read-only directory or medium, another user's file) a reader has no slot. It takes
// what it finds: every extent and frame tells whether it is the one that was meant, so what the writer has written over
// since shows as an error that asks to run the transaction again, and never as a wrong answer.
// Threads: a WriterLock by one at a time; a ReaderSlot by one at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/ids.h"
#include "wal/record.h"

namespace fornix::storage {

// What a reader needs to stay.
struct Pin {
  uint64_t root_seq = kNever;           // extents of the root with this seq and of later ones; 0: of any
  bool log = false;                     // the log: all its segments, while they are being read
  static Pin Anything() { return {0, true}; }
  static Pin Nothing() { return {}; }
};

std::string LockPath(const std::string& path);

class WriterLock {
 public:
  // Busy, naming the holder, if another handle of any process has the database open for writing.
  static Result<std::unique_ptr<WriterLock>> Take(FileSystem& files, const std::string& path);

  // The least of all readers' pins: kNever if no root but the newest is in use.
  Result<Pin> Pinned();
  // Waits a moment (kLockRoundsMax x kLockRetryMicros) for a time at which no reader reads the log: false if none came. Readers that
  // begin later take the root that is in the file now.
  Result<bool> AwaitLogUnread();
  // "process 4711 (fornix) since ..." of each live reader.
  Result<std::vector<std::string>> Readers();
  // After a clean close: removes the file unless a reader is there.
  void RemoveIfUnused();

 private:
  WriterLock(FileSystem& files, std::unique_ptr<LockFile> lock) : files_(files), lock_(std::move(lock)) {}
  FileSystem& files_;
  std::unique_ptr<LockFile> lock_;
};

class ReaderSlot {
 public:
  // A slot that pins Anything(). Null where the lock file can't be opened for writing. Busy if all slots are taken.
  static Result<std::unique_ptr<ReaderSlot>> Take(FileSystem& files, const std::string& path);
  ~ReaderSlot();                        // gives the slot back; the last one removes the file

  Status Set(const Pin& pin);

 private:
  ReaderSlot(FileSystem& files, std::unique_ptr<LockFile> lock, uint32_t slot);
  FileSystem& files_;
  std::unique_ptr<LockFile> lock_;
  const uint32_t slot_;
  const int64_t process_;               // a child of fork has no slot
  const std::string words_;
};

}  // namespace fornix::storage
