// Replaying operations into durable and pending state, and drawing the disk after a cut from it.
#include "base/fault_disk.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace fornix::fault {

Replay::Replay(const Disk& base) {
  for (const auto& [id, bytes] : base.inodes) {
    Inode& inode = inodes_[id];
    inode.current = inode.durable = bytes;
    inode.durable_size = bytes.size();
  }
  names_.names = base.names;
  names_.dirs = base.dirs;
}

void Replay::CopyPiece(const std::vector<std::byte>& from, uint64_t piece, std::vector<std::byte>* to) {
  const uint64_t begin = piece * kPieceBytes;
  const uint64_t end = std::min<uint64_t>(begin + kPieceBytes, from.size());
  if (begin >= end) return;
  if (to->size() < end) to->resize(end);
  std::memcpy(to->data() + begin, from.data() + begin, end - begin);
}

// The range has new content in `current`: durable at once, or one more version of each of its pieces.
void Replay::Snapshot(Inode& inode, uint64_t begin, uint64_t end, bool durable, bool stuck) {
  if (begin >= end) return;
  for (uint64_t piece = begin / kPieceBytes; piece <= (end - 1) / kPieceBytes; ++piece) {
    if (durable) {
      CopyPiece(inode.current, piece, &inode.durable);
      inode.pieces.erase(piece);
      continue;
    }
    Version version{position_, stuck, {}};
    const uint64_t at = piece * kPieceBytes;
    if (at < inode.current.size()) {
      std::memcpy(version.bytes.data(), inode.current.data() + at, std::min(kPieceBytes, inode.current.size() - at));
    }
    inode.pieces[piece].push_back(version);
  }
}

void Replay::Resize(Inode& inode, uint64_t size) {
  const uint64_t before = inode.current.size();
  if (size == before) return;
  inode.current.resize(size);
  inode.sizes.emplace_back(position_, size);
  // What was cut off reads as zeros if the file grows again.
  if (size < before) Snapshot(inode, size, before, false, false);
}

void Replay::Write(Inode& inode, const Op& op) {
  const uint64_t end = op.offset + op.size;
  if (end > inode.current.size()) Resize(inode, end);
  if (op.size == 0) return;
  if (op.kind == OpKind::kZero) {
    std::memset(inode.current.data() + op.offset, 0, op.size);
  } else {
    std::memcpy(inode.current.data() + op.offset, op.data.data(), op.size);
  }
  const bool durable = op.dsync && !op.failed;
  Snapshot(inode, op.offset, end, durable, op.failed);
  if (durable) {
    inode.durable_size = inode.current.size();
    inode.sizes.clear();
  }
}

void Replay::Apply(const NameOp& op, Disk* disk) {
  switch (op.kind) {
    case OpKind::kCreate: disk->names[op.path] = op.inode; break;
    case OpKind::kCreateDir: disk->dirs.insert(op.path); break;
    case OpKind::kRemove: disk->names.erase(op.path); break;
    case OpKind::kRemoveDir: disk->dirs.erase(op.path); break;
    case OpKind::kRename:
      disk->names.erase(op.path);
      disk->names[op.to] = op.inode;
      break;
    default: break;
  }
}

void Replay::Advance(const Op& op) {
  switch (op.kind) {
    case OpKind::kWrite:
    case OpKind::kZero: Write(inodes_[op.inode], op); break;
    case OpKind::kTruncate: Resize(inodes_[op.inode], op.size); break;
    case OpKind::kSync: {
      Inode& inode = inodes_[op.inode];
      if (op.failed) {
        for (auto& [piece, versions] : inode.pieces) {
          for (Version& version : versions) version.stuck = true;
        }
        break;
      }
      for (auto it = inode.pieces.begin(); it != inode.pieces.end();) {
        if (it->second.back().stuck) {
          ++it;
          continue;
        }
        CopyPiece(inode.current, it->first, &inode.durable);
        it = inode.pieces.erase(it);
      }
      inode.durable_size = inode.current.size();
      inode.sizes.clear();
      break;
    }
    case OpKind::kSyncDir: {
      std::vector<NameOp> rest;
      for (NameOp& name : pending_names_) {
        if (DirName(name.path) == op.path) {
          Apply(name, &names_);
        } else {
          rest.push_back(std::move(name));
        }
      }
      pending_names_ = std::move(rest);
      break;
    }
    case OpKind::kCreate: inodes_[op.inode]; [[fallthrough]];
    default: pending_names_.push_back({position_, op.kind, op.path, op.to, op.inode});
  }
  ++position_;
}

Disk Replay::Cut(Damage damage, uint64_t seed) const {
  Random random(seed);
  // In prefix mode one moment for all: an operation is in if its index is below `moment`.
  uint64_t moment = 0;
  if (damage == Damage::kPrefix) {
    std::vector<uint64_t> moments{position_};
    for (const auto& [id, inode] : inodes_) {
      for (const auto& [piece, versions] : inode.pieces) {
        for (const Version& version : versions) moments.push_back(version.op);
      }
      for (const auto& [op, size] : inode.sizes) moments.push_back(op);
    }
    for (const NameOp& name : pending_names_) moments.push_back(name.index);
    std::sort(moments.begin(), moments.end());
    moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
    moment = moments[random.Below(moments.size())];
  }
  // How many of n pending things, whose indices `index(i)` gives, have arrived.
  const auto arrived = [&](size_t n, auto index) -> size_t {
    if (damage == Damage::kDropUnsynced) return 0;
    if (damage != Damage::kPrefix) return random.Below(n + 1);
    size_t k = 0;
    while (k < n && index(k) < moment) ++k;
    return k;
  };

  Disk disk;
  for (const auto& [id, inode] : inodes_) {
    const auto& sizes = inode.sizes;
    const size_t k = arrived(sizes.size(), [&](size_t i) { return sizes[i].first; });
    const uint64_t size = k == 0 ? inode.durable_size : sizes[k - 1].second;
    std::vector<std::byte> bytes(inode.durable.begin(),
                                 inode.durable.begin() + std::min<uint64_t>(inode.durable_size, inode.durable.size()));
    bytes.resize(size);
    for (const auto& [piece, pending] : inode.pieces) {
      const std::vector<Version>& versions = pending;   // C++20 lets no lambda take a structured binding by reference in clang 14
      const size_t v = arrived(versions.size(), [&](size_t i) { return versions[i].op; });
      const uint64_t at = piece * kPieceBytes;
      if (at >= size) continue;
      const uint64_t n = std::min(kPieceBytes, size - at);
      if (damage == Damage::kGarbage && random.OneIn(3)) {
        for (uint64_t i = 0; i < n; ++i) bytes[at + i] = static_cast<std::byte>(random.Next());
      } else if (v > 0) {
        std::memcpy(bytes.data() + at, versions[v - 1].bytes.data(), n);
      }
    }
    disk.inodes.emplace(id, std::move(bytes));
  }

  disk.names = names_.names;
  disk.dirs = names_.dirs;
  for (const NameOp& name : pending_names_) {
    const bool in = damage == Damage::kPrefix ? name.index < moment : damage != Damage::kDropUnsynced && random.OneIn(2);
    // A name that moved on can't arrive at its second place without having been at its first.
    if (name.kind == OpKind::kRename) {
      const auto it = disk.names.find(name.path);
      if (it == disk.names.end() || it->second != name.inode) continue;
    }
    if (in) Apply(name, &disk);
  }
  std::erase_if(disk.names, [&](const auto& entry) { return !disk.dirs.contains(DirName(entry.first)); });
  std::set<uint64_t> named;
  for (const auto& [path, id] : disk.names) named.insert(id);
  std::erase_if(disk.inodes, [&](const auto& entry) { return !named.contains(entry.first); });
  return disk;
}

}  // namespace fornix::fault
