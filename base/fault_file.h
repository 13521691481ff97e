// A disk in memory that can lose power and fail: the test twin of PosixFileSystem, behind the same door.
//
// Record once, cut everywhere. The disk keeps the ordered list of all that changed it (writes, syncs, sizes, names);
// ImageAt(n, ...) builds the disk as a machine could find it if the power had gone between operation n-1 and n. What was
// synced is there; each unsynced 512-byte piece, size and name is drawn by the damage mode from what a disk may do:
//   kDropUnsynced  nothing that wasn't synced arrived
//   kPrefix        all up to some moment arrived, nothing after it
//   kSubset        every piece, size and name on its own: as of any moment between its last sync and now
//   kGarbage       kSubset, and an unsynced piece may hold rubbish
// Names created, renamed or removed without SyncDir are lost or kept, drawn alike. The same (n, damage, seed) gives the
// same image. An image is a FaultFileSystem itself: recovery on it can be cut and failed again.
//
// Failures: FailCall(n, fault, for_ever) makes the n-th call from now (0 = the next) of the kinds the fault can hit fail.
// After a failed sync the bytes can be read, yet no later sync makes them durable unless they are written again: what
// Linux does.
//
// Threads: all calls may come from any thread; one mutex. Locks are held by the disk, not by its images;
// what is written into lock files is not recorded, since it means nothing after a cut.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/file.h"

namespace fornix {

enum class Damage : uint8_t { kDropUnsynced, kPrefix, kSubset, kGarbage };
inline constexpr Damage kAllDamage[] = {Damage::kDropUnsynced, Damage::kPrefix, Damage::kSubset, Damage::kGarbage};

enum class Fault : uint8_t {
  kIoError,     // any call: nothing happens, EIO
  kNoSpace,     // writes, creates, preallocation: nothing happens, ENOSPC
  kShortWrite,  // writes: the first half arrives, then EIO
  kFailedSync,  // syncs, SyncDir and dsync writes: EIO after the bytes reached the cache
};

class FaultFileSystem : public FileSystem {
 public:
  FaultFileSystem();
  ~FaultFileSystem() override;

  Result<std::unique_ptr<File>> Open(const std::string& path, const OpenOptions& options) override;
  Result<FileKind> Kind(const std::string& path) override;
  Status CreateDir(const std::string& path) override;
  Result<std::vector<std::string>> List(const std::string& dir) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status RemoveFile(const std::string& path) override;
  Status RemoveDir(const std::string& path) override;
  Status SyncDir(const std::string& dir) override;
  Result<std::unique_ptr<LockFile>> OpenLockFile(const std::string& path, bool create) override;

  // How many operations are recorded: the cut points are 0 .. op_count(). Take it when a commit is acknowledged; every
  // image with n >= that must hold the commit.
  uint64_t op_count() const;
  // "write X.fornix-log/1 [4096, 4608) dsync": for messages of failed tests.
  std::string DescribeOp(uint64_t op) const;
  std::unique_ptr<FaultFileSystem> ImageAt(uint64_t op_count, Damage damage, uint64_t seed);
  // The disk after a clean shutdown of the machine: all that was written, and nothing pending.
  std::unique_ptr<FaultFileSystem> Copy();

  // How many calls have been counted that `fault` could have hit; for loops over every call of a run.
  uint64_t call_count(Fault fault) const;
  void FailCall(uint64_t nth, Fault fault, bool for_ever);
  void StopFailing();
  // While paused nothing fails and nothing is counted: for a test that looks between two steps.
  void Pause(bool paused);
  // Every attempt to lock a byte of a lock file fails, as where the network's file system has no locks.
  void FailLocks(bool fail);
  // True once a call was made to fail.
  bool fault_hit() const;

 private:
  struct Impl;
  friend class FaultFile;
  friend class FaultLockFile;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fornix
