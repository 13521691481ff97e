// CommitLog: what the sequencer needs of a log, so that it is tested without one. wal/ does the work (store_log.cc).
//
// Append is called under the sequencer's mutex, in commit order; `done` is called once, in the same order, from the
// log's thread, when the record is durable or is known not to be. After a failure every later Append fails.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "base/ids.h"
#include "fornix/status.h"

namespace fornix::storage {

class CommitLog {
 public:
  virtual ~CommitLog() = default;
  virtual Result<Lsn> Append(Timestamp ts, std::span<const std::byte> record, std::function<void(Status)> done) = 0;
};

}  // namespace fornix::storage
