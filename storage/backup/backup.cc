// Copies of databases; see backup.h.
#include "storage/backup/backup.h"

#include <algorithm>

#include "base/errors.h"
#include "storage/page/extent_file.h"
#include "storage/page/root_slots.h"
#include "storage/process/lock_file.h"
#include "storage/store.h"
#include "wal/writer.h"

namespace fornix::storage {
namespace {

constexpr size_t kCopyBytes = size_t{1} << 20;
constexpr uint64_t kReplayMemory = uint64_t{256} << 20;   // of the copy's opening: cache, and the log's changes

class Copier {
 public:
  Copier(FileSystem& files, const std::string& path, const std::string& to, const BackupProgress& progress)
      : files_(files), path_(path), draft_(to + ".new"), to_(to), progress_(progress) {}

  Status Run() {
    ASSIGN_OR_RETURN(const FileKind from_kind, files_.Kind(path_));
    if (from_kind == FileKind::kNone) return IoError(path_ + ": there is no such database");
    ASSIGN_OR_RETURN(const FileKind to_kind, files_.Kind(to_));
    if (to_kind != FileKind::kNone) return UsageError(to_ + " exists; a backup makes a new file");
    RETURN_IF_ERROR(RemoveDraft());            // of a backup that was cut short
    Status status = Copy();
    if (status.ok()) status = files_.Rename(draft_, to_);
    if (status.ok()) return files_.SyncDir(DirName(to_));
    (void)RemoveDraft();
    return status;
  }

 private:
  Status RemoveDraft() {
    ASSIGN_OR_RETURN(const FileKind kind, files_.Kind(draft_));
    if (kind == FileKind::kFile) RETURN_IF_ERROR(files_.RemoveFile(draft_));
    ASSIGN_OR_RETURN(const FileKind log_kind, files_.Kind(draft_ + "-log"));
    return log_kind == FileKind::kNone ? Status::Ok() : wal::RemoveLog(files_, draft_ + "-log");
  }

  Status Copy() {
    ASSIGN_OR_RETURN(const auto slot, ReaderSlot::Take(files_, path_));
    Root root;
    {
      ASSIGN_OR_RETURN(const auto slots, RootSlots::Open(files_, path_, /*read_only=*/true));
      root = slots->root();
    }
    Root empty;
    empty.uuid = root.uuid;                    // the log's segments carry it
    ASSIGN_OR_RETURN(const auto copy, RootSlots::Create(files_, draft_, empty));
    if (!root.closed) RETURN_IF_ERROR(CopyLog());
    if (slot) RETURN_IF_ERROR(slot->Set({root.seq, false}));
    RETURN_IF_ERROR(CopyPages(root));
    if (slot) {
      RETURN_IF_ERROR(slot->Set(Pin::Nothing()));
    } else {
      // Nobody knew of us: what was copied counts only if nothing was written over meanwhile.
      ASSIGN_OR_RETURN(const auto slots, RootSlots::Open(files_, path_, /*read_only=*/true));
      if (slots->root().seq != root.seq) {
        return Busy(path_ + ": a checkpoint came while it was being copied, and " + LockPath(path_) + " can't be written to hold it off; try again");
      }
    }
    RETURN_IF_ERROR(copy->Write(root));
    if (!root.closed) RETURN_IF_ERROR(Replay());
    ASSIGN_OR_RETURN(const auto slots, RootSlots::Open(files_, draft_));
    slots->set_uuid(NewUuid());
    return slots->Write(slots->root());
  }

  Status CopyLog() {
    const std::string from = path_ + "-log", log = draft_ + "-log";
    RETURN_IF_ERROR(files_.CreateDir(log));
    ASSIGN_OR_RETURN(const std::vector<std::string> names, files_.List(from));
    for (const std::string& name : names) {
      ASSIGN_OR_RETURN(const auto in, files_.Open(JoinPath(from, name), {}));
      ASSIGN_OR_RETURN(const auto out, files_.Open(JoinPath(log, name), {.write = true, .create = true}));
      ASSIGN_OR_RETURN(const uint64_t size, in->Size());
      RETURN_IF_ERROR(CopyRange(in.get(), out.get(), 0, size));
      RETURN_IF_ERROR(out->Sync());
    }
    return files_.SyncDir(log);
  }

  Status CopyRange(File* in, File* out, uint64_t begin, uint64_t end) {
    buffer_.resize(kCopyBytes);
    for (uint64_t at = begin; at < end;) {
      const auto part = std::span(buffer_).first(static_cast<size_t>(std::min<uint64_t>(kCopyBytes, end - at)));
      ASSIGN_OR_RETURN(const size_t n, in->ReadAt(at, part));
      if (n == 0) break;                       // the file's last pages may never have been written
      RETURN_IF_ERROR(out->WriteAt(at, part.first(n)));
      at += n;
    }
    return Status::Ok();
  }

  Status CopyPages(const Root& root) {
    ASSIGN_OR_RETURN(auto in, files_.Open(path_, {}));
    ASSIGN_OR_RETURN(const auto out, files_.Open(draft_, {.write = true}));
    std::vector<std::pair<uint32_t, uint32_t>> free;
    if (!root.free_map.none()) {
      ASSIGN_OR_RETURN(auto map_file, files_.Open(path_, {}));
      const auto extents = ExtentFile::Open(std::move(map_file), root.free_map, root.file_pages);
      ASSIGN_OR_RETURN(free, extents->FreeRanges());
    }
    free.emplace_back(static_cast<uint32_t>(root.file_pages), 0);
    uint64_t page = 2;
    for (const auto& [first, pages] : free) {
      for (; page < first; page = std::min<uint64_t>(first, page + kCopyBytes / kPageBytes)) {
        const uint64_t end = std::min<uint64_t>(first, page + kCopyBytes / kPageBytes);
        RETURN_IF_ERROR(CopyRange(in.get(), out.get(), page * kPageBytes, end * kPageBytes));
        if (progress_) progress_("copying", end, root.file_pages);
      }
      page = std::max<uint64_t>(page, uint64_t{first} + pages);
    }
    RETURN_IF_ERROR(out->Truncate(root.file_pages * kPageBytes));   // free pages at the end aren't copied, but the file has them
    return out->Sync();
  }

  Status Replay() {
    if (progress_) progress_("replaying the log", 0, 1);
    MemoryBudget budget(kReplayMemory);
    StoreOptions options;
    options.budget = &budget;
    ASSIGN_OR_RETURN(const auto store, Store::Open(files_, draft_, options));
    return store->Close();
  }

  FileSystem& files_;
  const std::string& path_;
  const std::string draft_;
  const std::string& to_;
  const BackupProgress& progress_;
  std::vector<std::byte> buffer_;
};

}  // namespace

Status Backup(FileSystem& files, const std::string& path, const std::string& to, const BackupProgress& progress) {
  return Copier(files, path, to, progress).Run();
}

}  // namespace fornix::storage
