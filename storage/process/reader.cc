#include "storage/process/reader.h"

#include "base/errors.h"
#include "base/limits.h"

namespace fornix::storage {
namespace {

// Whether the base and the beginning of the log are the same.
bool SameState(Root a, const Root& b) {
  a.seq = b.seq;
  a.clean_end_lsn = b.clean_end_lsn;
  a.next_node_id = b.next_node_id;
  a.next_rel_id = b.next_rel_id;
  a.next_timestamp = b.next_timestamp;
  return a == b;
}

// The slots may be written just now, one after the other: at any moment one of them is whole, so a second look helps.
Result<Root> ReadRoot(FileSystem& files, const std::string& path) {
  for (int round = 1;; ++round) {
    auto slots = RootSlots::Open(files, path, /*read_only=*/true);
    if (slots.ok()) return (*slots)->root();
    if (slots.status().code() != Code::kCorruption || round == kRootReadsMax) return slots.status();
  }
}

}  // namespace

Result<std::unique_ptr<Reader>> Reader::Open(FileSystem& files, const std::string& path) {
  std::unique_ptr<Reader> reader(new Reader(files, path));
  ASSIGN_OR_RETURN(reader->root_, ReadRoot(files, path));   // first: a file that isn't ours gets no lock file beside it
  ASSIGN_OR_RETURN(reader->slot_, ReaderSlot::Take(files, path));
  return reader;
}

Status Reader::Pin(uint64_t oldest_root_seq) { return slot_ == nullptr ? Status::Ok() : slot_->Set({oldest_root_seq, false}); }

Result<bool> Reader::Follow(ReaderTarget& target) {
  ASSIGN_OR_RETURN(const Root root, ReadRoot(files_, path_));
  if (root.uuid != root_.uuid) {
    return Corruption(path_ + ": this is another database than the one that was opened (id " + root.uuid.ToString() +
                      ", before " + root_.uuid.ToString() + "); open it anew");
  }
  const bool anew = log_ == nullptr || !SameState(root, root_);
  root_ = root;
  if (anew) {
    wal::ReadOptions options;
    options.floor = root.log;
    options.known_end_lsn = root.clean_end_lsn;
    log_.reset();
    RETURN_IF_ERROR(target.Reset(root));
    log_ = std::make_unique<wal::LogFollower>(files_, path_ + "-log", root.uuid, options);
  }
  // After a clean close there need not be a log: the base holds everything.
  if (root.closed) return anew;
  if (root.clean_end_lsn != 0 && root.clean_end_lsn + 1 == log_->next_lsn()) return anew;
  ASSIGN_OR_RETURN(const wal::Progress progress, log_->Poll(target));
  if (progress == wal::Progress::kRewritten) {
    log_.reset();
    return Follow(target);
  }
  return anew || progress == wal::Progress::kAdvanced;
}

Result<bool> Reader::Refresh(ReaderTarget& target, uint64_t oldest_root_seq) {
  if (slot_ != nullptr) RETURN_IF_ERROR(slot_->Set(Pin::Anything()));
  bool changed = false;
  for (int round = 1;; ++round) {
    auto followed = Follow(target);
    changed = changed || !followed.ok() || *followed;
    if (followed.ok() && slot_ != nullptr) break;
    // Was it the writer that took away what we read?
    ASSIGN_OR_RETURN(const Root now, ReadRoot(files_, path_));
    if (now.uuid == root_.uuid && SameState(now, root_)) {
      if (followed.ok()) break;
      log_.reset();
      if (slot_ != nullptr) static_cast<void>(slot_->Set(Pin::Nothing()).ok());
      return followed.status();
    }
    if (!followed.ok()) log_.reset();
    if (round == kReaderRoundsMax) {
      return Status(Code::kTransactionConflict, path_ + ": the writer made a new checkpoint " + std::to_string(round) +
                                                    " times while its log was being read; begin the transaction again");
    }
  }
  RETURN_IF_ERROR(Pin(std::min(root_.seq, oldest_root_seq)));
  return changed;
}

Status Reader::Explain(const Status& damage) {
  if (slot_ != nullptr) return damage;
  const auto now = ReadRoot(files_, path_);
  if (!now.ok() || SameState(*now, root_)) return damage;
  return Status(Code::kTransactionConflict, path_ + ": a writer has made a new checkpoint, and what this transaction reads may be "
                                                "overwritten, since its lock file can't be written here; begin the transaction again (" +
                                                damage.message() + ")");
}

}  // namespace fornix::storage
