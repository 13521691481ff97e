// Backup: a consistent copy of a database that may be in use.
//
// It registers as a reader of the newest root (storage/process/lock_file.h). Extents never change while a root that reaches them is
// registered, and the log only grows; so the root, the extents and the log as they are found make a database: the one that a
// crash at this moment would leave. The copy is opened, which replays the log, and closed, which puts all into its one file; it gets
// an identity of its own, so that a log of the original beside it is told apart. Free pages are left out, as holes.
// Threads: any.
#pragma once

#include <functional>
#include <string>

#include "base/file.h"

namespace fornix::storage {

using BackupProgress = std::function<void(std::string_view stage, uint64_t done, uint64_t all)>;

Status Backup(FileSystem& files, const std::string& path, const std::string& to, const BackupProgress& progress);

}  // namespace fornix::storage
