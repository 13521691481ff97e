// FaultFileSystem: the live half. It keeps the present content of every file, writes down each change as an operation and
// counts calls so that any of them can be made to fail. What a power cut leaves is drawn by base/fault_disk.cc.
#include "base/fault_file.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/errors.h"
#include "base/fault_disk.h"

namespace fornix {

using fault::Disk;
using fault::Op;
using fault::OpKind;
using fault::Replay;

namespace {

struct Inode {
  uint64_t id;
  std::vector<std::byte> bytes;
};

// Outlives the disk, for handles that are closed late.
struct Locks {
  struct Range {
    const void* holder;
    uint64_t inode, begin, end;
  };
  std::mutex mutex;
  std::vector<Range> held;

  bool Taken(const void* by, uint64_t inode, uint64_t begin, uint64_t end) const {
    return std::any_of(held.begin(), held.end(), [&](const Range& r) {
      return r.holder != by && r.inode == inode && r.begin < end && begin < r.end;
    });
  }
  void Free(const void* holder, uint64_t begin, uint64_t end) {  // ranges are freed as they were taken
    std::erase_if(held, [&](const Range& r) { return r.holder == holder && begin <= r.begin && r.end <= end; });
  }
};

constexpr uint8_t Bit(Fault fault) { return static_cast<uint8_t>(1u << static_cast<unsigned>(fault)); }
constexpr uint8_t kReadFaults = Bit(Fault::kIoError);
constexpr uint8_t kCreateFaults = Bit(Fault::kIoError) | Bit(Fault::kNoSpace);
constexpr uint8_t kWriteFaults = kCreateFaults | Bit(Fault::kShortWrite);
constexpr uint8_t kSyncFaults = Bit(Fault::kIoError) | Bit(Fault::kFailedSync);

}  // namespace

struct FaultFileSystem::Impl {
  mutable std::mutex mutex;
  std::map<std::string, std::shared_ptr<Inode>> names;
  std::set<std::string> dirs{".", "/", ""};
  uint64_t next_inode = 1;
  Disk base;                       // the disk before the first operation
  std::vector<Op> ops;
  std::unique_ptr<Replay> replay;  // kept between images that go forward
  std::shared_ptr<Locks> locks = std::make_shared<Locks>();

  // The armed failure.
  bool armed = false, for_ever = false, hit = false, paused = false, no_locks = false;
  Fault fault = Fault::kIoError;
  uint64_t countdown = 0;
  uint64_t calls[4] = {};

  // Counts a call that the faults in `mask` can hit. True if it is to fail, with *which set.
  bool Hit(uint8_t mask, Fault* which) {
    if (paused) return false;
    for (unsigned i = 0; i < 4; ++i) calls[i] += (mask >> i) & 1;
    if (!armed || (mask & Bit(fault)) == 0) return false;
    if (countdown > 0) {
      --countdown;
      return false;
    }
    armed = for_ever;
    hit = true;
    *which = fault;
    return true;
  }
  // For calls that fail without any effect.
  Status Gate(uint8_t mask, const std::string& path, const char* what) {
    Fault which;
    if (!Hit(mask, &which)) return Status::Ok();
    return IoError(path + ": " + what + ": " +
                   (which == Fault::kNoSpace ? "No space left on device" : "Input/output error") + " (injected)");
  }
  Status Missing(const std::string& path, const char* what) const {
    return IoError(path + ": " + what + ": No such file or directory");
  }
  void Record(Op op) { ops.push_back(std::move(op)); }

  Status Write(Inode& inode, const std::string& path, uint64_t offset, std::span<const std::byte> bytes, uint64_t zeros,
               bool dsync, bool record, IoCounters* counters);
};

Status FaultFileSystem::Impl::Write(Inode& inode, const std::string& path, uint64_t offset,
                                    std::span<const std::byte> bytes, uint64_t zeros, bool dsync, bool record,
                                    IoCounters* counters) {
  const bool zero = zeros > 0;
  uint64_t size = zero ? zeros : bytes.size();
  Fault which = Fault::kIoError;
  const uint8_t mask = static_cast<uint8_t>(kWriteFaults | (dsync ? Bit(Fault::kFailedSync) : 0));
  const bool failing = Hit(mask, &which);
  Status status;
  if (failing) {
    status = IoError(path + ": write of " + std::to_string(size) + " bytes at offset " + std::to_string(offset) + ": " +
                     (which == Fault::kNoSpace ? "No space left on device" : "Input/output error") + " (injected)");
    if (which == Fault::kIoError || which == Fault::kNoSpace) return status;
    if (which == Fault::kShortWrite) size /= 2;
  }
  if (size > 0) {
    if (inode.bytes.size() < offset + size) inode.bytes.resize(offset + size);
    if (zero) {
      std::memset(inode.bytes.data() + offset, 0, size);
    } else {
      std::memcpy(inode.bytes.data() + offset, bytes.data(), size);
    }
    Op op{zero ? OpKind::kZero : OpKind::kWrite, inode.id, offset, size, dsync, failing, path, {}, {}};
    if (!zero) op.data.assign(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
    if (record) Record(std::move(op));
  }
  counters->bytes_written += size;
  counters->writes += 1;
  counters->syncs += dsync ? 1 : 0;
  return status;
}

// A handle; the inode lives on while it is open, named or not.
class FaultFile : public File {
 public:
  FaultFile(FaultFileSystem::Impl* disk, IoCounters* counters, std::string path, std::shared_ptr<Inode> inode,
            const OpenOptions& options, bool record = true)
      : disk_(disk), counters_(counters), path_(std::move(path)), inode_(std::move(inode)), options_(options), record_(record) {}

  const std::string& path() const override { return path_; }

  Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) override {
    std::lock_guard lock(disk_->mutex);
    RETURN_IF_ERROR(disk_->Gate(kReadFaults, path_, "read"));
    if (offset >= inode_->bytes.size() || out.empty()) return size_t{0};
    const size_t n = std::min<uint64_t>(out.size(), inode_->bytes.size() - offset);
    std::memcpy(out.data(), inode_->bytes.data() + offset, n);
    counters_->bytes_read += n;
    return n;
  }
  Status WriteAt(uint64_t offset, std::span<const std::byte> bytes) override {
    RETURN_IF_ERROR(Writable());
    std::lock_guard lock(disk_->mutex);
    return disk_->Write(*inode_, path_, offset, bytes, 0, options_.dsync, record_, counters_);
  }
  Status WriteZeros(uint64_t offset, uint64_t size) override {
    RETURN_IF_ERROR(Writable());
    if (size == 0) return Status::Ok();
    std::lock_guard lock(disk_->mutex);
    return disk_->Write(*inode_, path_, offset, {}, size, options_.dsync, record_, counters_);
  }
  Status Sync() override {
    std::lock_guard lock(disk_->mutex);
    const Status status = disk_->Gate(kSyncFaults, path_, "sync");
    disk_->Record({OpKind::kSync, inode_->id, 0, 0, false, !status.ok(), path_, {}, {}});
    counters_->syncs += 1;
    return status;
  }
  Result<uint64_t> Size() override {
    std::lock_guard lock(disk_->mutex);
    RETURN_IF_ERROR(disk_->Gate(kReadFaults, path_, "stat"));
    return inode_->bytes.size();
  }
  Status Truncate(uint64_t size) override {
    RETURN_IF_ERROR(Writable());
    std::lock_guard lock(disk_->mutex);
    RETURN_IF_ERROR(disk_->Gate(kCreateFaults, path_, "truncate"));
    inode_->bytes.resize(size);
    disk_->Record({OpKind::kTruncate, inode_->id, 0, size, false, false, path_, {}, {}});
    return Status::Ok();
  }
  Status Preallocate(uint64_t size) override {
    {
      std::lock_guard lock(disk_->mutex);
      if (inode_->bytes.size() >= size) return disk_->Gate(kCreateFaults, path_, "preallocate");
    }
    return Truncate(size);
  }

 private:
  Status Writable() const {
    return options_.write ? Status::Ok() : IoError(path_ + ": write: Bad file descriptor");
  }
  FaultFileSystem::Impl* const disk_;
  IoCounters* const counters_;
  const std::string path_;
  const std::shared_ptr<Inode> inode_;
  const OpenOptions options_;
  const bool record_;            // false: a power cut knows nothing of the writes
};

class FaultLockFile : public LockFile {
 public:
  FaultLockFile(FaultFileSystem::Impl* disk, std::unique_ptr<FaultFile> file, std::shared_ptr<Inode> inode)
      : disk_(disk), locks_(disk->locks), file_(std::move(file)), inode_(std::move(inode)) {}
  ~FaultLockFile() override { Unlock(0, ~uint64_t{0}); }

  File& file() override { return *file_; }
  Result<bool> TryLock(uint64_t begin, uint64_t size) override {
    {
      std::lock_guard lock(disk_->mutex);
      if (disk_->no_locks) return IoError(file_->path() + ": lock: No locks available (injected)");
    }
    std::lock_guard lock(locks_->mutex);
    if (locks_->Taken(this, inode_->id, begin, begin + size)) return false;
    locks_->held.push_back({this, inode_->id, begin, begin + size});
    return true;
  }
  void Unlock(uint64_t begin, uint64_t size) override {
    std::lock_guard lock(locks_->mutex);
    locks_->Free(this, begin, begin + size);
  }
  Result<bool> IsLocked(uint64_t begin, uint64_t size) override {
    std::lock_guard lock(locks_->mutex);
    return locks_->Taken(this, inode_->id, begin, begin + size);
  }
  Result<bool> HasName() override {
    std::lock_guard lock(disk_->mutex);
    const auto it = disk_->names.find(file_->path());
    return it != disk_->names.end() && it->second == inode_;
  }

 private:
  FaultFileSystem::Impl* const disk_;
  const std::shared_ptr<Locks> locks_;
  const std::unique_ptr<FaultFile> file_;
  const std::shared_ptr<Inode> inode_;
};

FaultFileSystem::FaultFileSystem() : impl_(std::make_unique<Impl>()) { impl_->base.dirs = impl_->dirs; }
FaultFileSystem::~FaultFileSystem() = default;

Result<std::unique_ptr<File>> FaultFileSystem::Open(const std::string& path, const OpenOptions& options) {
  std::lock_guard lock(impl_->mutex);
  const auto it = impl_->names.find(path);
  const bool found = it != impl_->names.end();
  RETURN_IF_ERROR(impl_->Gate(found || !options.create ? kReadFaults : kCreateFaults, path, "open"));
  if (impl_->dirs.contains(path)) return IoError(path + ": is a directory, not a file");
  std::shared_ptr<Inode> inode;
  if (found) {
    if (options.create && options.exclusive) return IoError(path + ": open: File exists");
    inode = it->second;
  } else {
    if (!options.create || !impl_->dirs.contains(DirName(path))) return impl_->Missing(path, "open");
    inode = std::make_shared<Inode>(Inode{impl_->next_inode++, {}});
    impl_->names[path] = inode;
    impl_->Record({OpKind::kCreate, inode->id, 0, 0, false, false, path, {}, {}});
  }
  return std::unique_ptr<File>(std::make_unique<FaultFile>(impl_.get(), &counters_, path, inode, options));
}

Result<FileKind> FaultFileSystem::Kind(const std::string& path) {
  std::lock_guard lock(impl_->mutex);
  RETURN_IF_ERROR(impl_->Gate(kReadFaults, path, "stat"));
  if (impl_->names.contains(path)) return FileKind::kFile;
  return impl_->dirs.contains(path) ? FileKind::kDirectory : FileKind::kNone;
}

Status FaultFileSystem::CreateDir(const std::string& path) {
  std::lock_guard lock(impl_->mutex);
  RETURN_IF_ERROR(impl_->Gate(kCreateFaults, path, "create directory"));
  if (impl_->names.contains(path)) return IoError(path + ": create directory: File exists");
  if (!impl_->dirs.contains(DirName(path))) return impl_->Missing(path, "create directory");
  if (impl_->dirs.insert(path).second) impl_->Record({OpKind::kCreateDir, 0, 0, 0, false, false, path, {}, {}});
  return Status::Ok();
}

Result<std::vector<std::string>> FaultFileSystem::List(const std::string& dir) {
  std::lock_guard lock(impl_->mutex);
  RETURN_IF_ERROR(impl_->Gate(kReadFaults, dir, "list directory"));
  if (!impl_->dirs.contains(dir)) return impl_->Missing(dir, "list directory");
  std::vector<std::string> names;
  const auto add = [&](const std::string& path) {
    if (path.size() > 1 && DirName(path) == dir) names.push_back(path.substr(path.rfind('/') + 1));
  };
  for (const auto& [path, inode] : impl_->names) add(path);
  for (const std::string& path : impl_->dirs) add(path);
  std::sort(names.begin(), names.end());
  return names;
}

Status FaultFileSystem::Rename(const std::string& from, const std::string& to) {
  std::lock_guard lock(impl_->mutex);
  RETURN_IF_ERROR(impl_->Gate(kCreateFaults, from, "rename"));
  const auto it = impl_->names.find(from);
  if (it == impl_->names.end()) return impl_->Missing(from, "rename");
  const std::shared_ptr<Inode> inode = it->second;
  impl_->names.erase(it);
  impl_->names[to] = inode;
  impl_->Record({OpKind::kRename, inode->id, 0, 0, false, false, from, to, {}});
  return Status::Ok();
}

Status FaultFileSystem::RemoveFile(const std::string& path) {
  std::lock_guard lock(impl_->mutex);
  RETURN_IF_ERROR(impl_->Gate(Bit(Fault::kIoError), path, "remove"));
  if (impl_->names.erase(path) == 0) return impl_->Missing(path, "remove");
  impl_->Record({OpKind::kRemove, 0, 0, 0, false, false, path, {}, {}});
  return Status::Ok();
}

Status FaultFileSystem::RemoveDir(const std::string& path) {
  ASSIGN_OR_RETURN(const auto names, List(path));
  std::lock_guard lock(impl_->mutex);
  RETURN_IF_ERROR(impl_->Gate(Bit(Fault::kIoError), path, "remove directory"));
  if (!names.empty()) return IoError(path + ": remove directory: Directory not empty");
  impl_->dirs.erase(path);
  impl_->Record({OpKind::kRemoveDir, 0, 0, 0, false, false, path, {}, {}});
  return Status::Ok();
}

Status FaultFileSystem::SyncDir(const std::string& dir) {
  std::lock_guard lock(impl_->mutex);
  RETURN_IF_ERROR(impl_->Gate(kSyncFaults, dir, "sync directory"));
  if (!impl_->dirs.contains(dir)) return impl_->Missing(dir, "sync directory");
  impl_->Record({OpKind::kSyncDir, 0, 0, 0, false, false, dir, {}, {}});
  counters_.syncs += 1;
  return Status::Ok();
}

Result<std::unique_ptr<LockFile>> FaultFileSystem::OpenLockFile(const std::string& path, bool create) {
  OpenOptions options;
  options.write = true;
  options.create = create;
  ASSIGN_OR_RETURN(const auto file, Open(path, options));
  std::lock_guard lock(impl_->mutex);
  const std::shared_ptr<Inode> inode = impl_->names[path];
  auto unrecorded = std::make_unique<FaultFile>(impl_.get(), &counters_, path, inode, options, /*record=*/false);
  return std::unique_ptr<LockFile>(std::make_unique<FaultLockFile>(impl_.get(), std::move(unrecorded), inode));
}

uint64_t FaultFileSystem::op_count() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->ops.size();
}

std::string FaultFileSystem::DescribeOp(uint64_t index) const {
  static constexpr const char* kWords[] = {"write",  "zero",   "truncate", "sync",       "create",
                                           "create directory", "rename", "remove", "remove directory", "sync directory"};
  std::lock_guard lock(impl_->mutex);
  if (index >= impl_->ops.size()) return "the end";
  const Op& op = impl_->ops[index];
  std::string text = std::string(kWords[static_cast<size_t>(op.kind)]) + " " + op.path;
  if (!op.to.empty()) text += " to " + op.to;
  if (op.kind <= OpKind::kZero) {
    text += " [" + std::to_string(op.offset) + ", " + std::to_string(op.offset + op.size) + ")";
  }
  if (op.kind == OpKind::kTruncate) text += " to " + std::to_string(op.size) + " bytes";
  return text + (op.dsync ? " dsync" : "") + (op.failed ? " failed" : "");
}

namespace {
void Load(Disk disk, std::map<std::string, std::shared_ptr<Inode>>* names, uint64_t* next_inode) {
  std::map<uint64_t, std::shared_ptr<Inode>> inodes;
  for (auto& [id, bytes] : disk.inodes) {
    inodes[id] = std::make_shared<Inode>(Inode{id, std::move(bytes)});
    *next_inode = std::max(*next_inode, id + 1);
  }
  for (const auto& [path, id] : disk.names) (*names)[path] = inodes[id];
}
}  // namespace

std::unique_ptr<FaultFileSystem> FaultFileSystem::ImageAt(uint64_t op_count, Damage damage, uint64_t seed) {
  std::lock_guard lock(impl_->mutex);
  if (impl_->replay == nullptr || impl_->replay->position() > op_count) impl_->replay = std::make_unique<Replay>(impl_->base);
  for (uint64_t i = impl_->replay->position(); i < op_count && i < impl_->ops.size(); ++i) {
    impl_->replay->Advance(impl_->ops[i]);
  }
  auto image = std::make_unique<FaultFileSystem>();
  image->impl_->base = impl_->replay->Cut(damage, seed);
  image->impl_->dirs = image->impl_->base.dirs;
  Load(image->impl_->base, &image->impl_->names, &image->impl_->next_inode);
  return image;
}

std::unique_ptr<FaultFileSystem> FaultFileSystem::Copy() {
  std::lock_guard lock(impl_->mutex);
  auto copy = std::make_unique<FaultFileSystem>();
  Disk& base = copy->impl_->base;
  base.dirs = copy->impl_->dirs = impl_->dirs;
  for (const auto& [path, inode] : impl_->names) {
    base.names[path] = inode->id;
    base.inodes[inode->id] = inode->bytes;
  }
  Load(base, &copy->impl_->names, &copy->impl_->next_inode);
  return copy;
}

uint64_t FaultFileSystem::call_count(Fault fault) const {
  std::lock_guard lock(impl_->mutex);
  return impl_->calls[static_cast<size_t>(fault)];
}

void FaultFileSystem::FailCall(uint64_t nth, Fault fault, bool for_ever) {
  std::lock_guard lock(impl_->mutex);
  impl_->armed = true;
  impl_->for_ever = for_ever;
  impl_->hit = false;
  impl_->fault = fault;
  impl_->countdown = nth;
}

void FaultFileSystem::StopFailing() {
  std::lock_guard lock(impl_->mutex);
  impl_->armed = false;
}

void FaultFileSystem::Pause(bool paused) {
  std::lock_guard lock(impl_->mutex);
  impl_->paused = paused;
}

void FaultFileSystem::FailLocks(bool fail) {
  std::lock_guard lock(impl_->mutex);
  impl_->no_locks = fail;
}

bool FaultFileSystem::fault_hit() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->hit;
}

}  // namespace fornix
