// What a disk may look like after a power cut: replays a list of operations and keeps, for every 512-byte piece, size and
// name, what is durable and what is pending. Used by FaultFileSystem alone; see base/fault_file.h for the damage modes.
//
// One piece of a file holds, after a cut, one of: its durable bytes, its bytes after any of the pending writes, or (in
// garbage mode) rubbish. A sync makes the newest durable, unless a failed sync came between: then the cache believes the
// piece to be clean and no sync helps until it is written again. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/fault_file.h"
#include "base/random.h"

namespace fornix::fault {

inline constexpr uint64_t kPieceBytes = 512;

enum class OpKind : uint8_t {
  kWrite, kZero, kTruncate, kSync, kCreate, kCreateDir, kRename, kRemove, kRemoveDir, kSyncDir
};

struct Op {
  OpKind kind;
  uint64_t inode = 0;
  uint64_t offset = 0;
  uint64_t size = 0;             // bytes written, or the new size
  bool dsync = false;
  bool failed = false;           // of a sync, or of the sync half of a dsync write
  std::string path, to;
  std::vector<std::byte> data;
};

// A whole disk without history.
struct Disk {
  std::map<uint64_t, std::vector<std::byte>> inodes;
  std::map<std::string, uint64_t> names;
  std::set<std::string> dirs;
};

class Replay {
 public:
  explicit Replay(const Disk& base);
  uint64_t position() const { return position_; }
  void Advance(const Op& op);
  Disk Cut(Damage damage, uint64_t seed) const;

 private:
  struct Version {
    uint64_t op;
    bool stuck;                  // a sync failed on it
    std::array<std::byte, kPieceBytes> bytes;
  };
  struct Inode {
    std::vector<std::byte> current;
    std::vector<std::byte> durable;  // may be longer than durable_size; bytes behind it mean nothing
    uint64_t durable_size = 0;
    std::map<uint64_t, std::vector<Version>> pieces;         // pending, oldest first
    std::vector<std::pair<uint64_t, uint64_t>> sizes;        // pending: (op, size)
  };
  struct NameOp {
    uint64_t index;
    OpKind kind;
    std::string path, to;
    uint64_t inode;
  };

  void Write(Inode& inode, const Op& op);
  void Resize(Inode& inode, uint64_t size);
  void Snapshot(Inode& inode, uint64_t begin, uint64_t end, bool durable, bool stuck);
  static void CopyPiece(const std::vector<std::byte>& from, uint64_t piece, std::vector<std::byte>* to);
  static void Apply(const NameOp& op, Disk* disk);

  uint64_t position_ = 0;
  std::map<uint64_t, Inode> inodes_;
  Disk names_;                   // durable names and directories; its inodes stay empty
  std::vector<NameOp> pending_names_;
};

}  // namespace fornix::fault
