// Reading and writing the root slots. The layout is in docs/format.md.
#include "storage/page/root_slots.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/bytes.h"
#include "base/check.h"
#include "base/crc32c.h"
#include "base/errors.h"

namespace fornix::storage {
namespace {

constexpr uint32_t kMagic = 0x584e5246;  // "FRNX"
constexpr size_t kRootBytes = 512;       // one sector: it is written whole or not at all on every disk
constexpr size_t kCrcOffset = kRootBytes - 4;  // in every later format too
constexpr int kSlots = 2;
constexpr uint32_t kVectorImages = 1;    // bits of the required features
constexpr uint32_t kFeatures = kVectorImages;

using RootBytes = std::array<std::byte, kRootBytes>;

RootBytes Encode(const Root& root) {
  ByteWriter out;
  out.U32(kMagic);
  out.U32(kFileFormatVersion);
  out.Bytes(root.uuid.bytes);
  out.U64(root.seq);
  out.U64(root.checkpoint_ts);
  out.U64(root.log.generation);
  out.U64(root.log.segment);
  out.U64(root.log.lsn);
  out.U64(root.clean_end_lsn);
  out.U64(root.next_node_id);
  out.U64(root.next_rel_id);
  out.U64(root.next_timestamp);
  out.U32(root.vector_images ? kVectorImages : 0);  // required features: a reader that doesn't know one of them must not open the file
  out.U32(root.closed ? 1 : 0);
  EncodeExtentRef(root.catalog, &out);
  EncodeExtentRef(root.free_map, &out);
  out.U64(root.file_pages);
  CHECK(out.size() <= kCrcOffset);
  RootBytes bytes{};
  std::copy(out.bytes().begin(), out.bytes().end(), bytes.begin());
  StoreFixed(bytes.data() + kCrcOffset, Crc32c(std::span(bytes).first(kCrcOffset)));
  return bytes;
}

// What a slot holds, or what is wrong with it. `newer` is set if it is whole and only too new for us.
Result<Root> Decode(std::span<const std::byte> bytes, const std::string& path, int slot, bool* newer) {
  const uint64_t at = static_cast<uint64_t>(slot) * kRootSlotBytes;
  if (bytes.size() < kRootBytes) {
    return Corruption(path + ": offset " + std::to_string(at) + ": expected a root slot of " + std::to_string(kRootBytes) +
                      " bytes, found " + std::to_string(bytes.size()));
  }
  ByteReader in(bytes, path, at);
  ASSIGN_OR_RETURN(const uint32_t magic, in.ReadU32());
  if (magic != kMagic) return Corruption(path + ": offset " + std::to_string(at) + ": no root slot of Fornix");
  const uint32_t expected = Crc32c(bytes.first(kCrcOffset));
  const auto found = LoadFixed<uint32_t>(bytes.data() + kCrcOffset);
  if (found != expected) {
    return Corruption(path + ": offset " + std::to_string(at) + ": root slot damaged: checksum " + std::to_string(found) +
                      ", expected " + std::to_string(expected));
  }
  ASSIGN_OR_RETURN(const uint32_t version, in.ReadU32());
  if (version == 0 || version > kFileFormatVersion) {
    *newer = true;
    return Corruption(path + ": file format " + std::to_string(version) + ", this version of Fornix reads formats 1 to " +
                      std::to_string(kFileFormatVersion) + "; open it with the version that wrote it");
  }
  Root root;
  ASSIGN_OR_RETURN(const auto uuid, in.ReadBytes(root.uuid.bytes.size()));
  std::copy(uuid.begin(), uuid.end(), root.uuid.bytes.begin());
  for (uint64_t* field : {&root.seq, &root.checkpoint_ts, &root.log.generation, &root.log.segment, &root.log.lsn,
                          &root.clean_end_lsn, &root.next_node_id, &root.next_rel_id, &root.next_timestamp}) {
    ASSIGN_OR_RETURN(*field, in.ReadU64());
    // All are counted up by one; no database comes near, and a sum of two stays in 64 bits.
    if (*field >> 62 != 0) return in.Damaged("root slot: impossible number " + std::to_string(*field));
  }
  ASSIGN_OR_RETURN(const uint32_t features, in.ReadU32());
  if ((features & ~kFeatures) != 0) {
    *newer = true;
    return Corruption(path + ": the file needs features of a newer version of Fornix (bits " + std::to_string(features & ~kFeatures) + ")");
  }
  root.vector_images = (features & kVectorImages) != 0;
  if (version == 1) return root;  // written before there was a base: the rest of the slot is 0
  ASSIGN_OR_RETURN(const uint32_t closed, in.ReadU32());
  if (closed > 1) return in.Damaged("root slot: neither open nor closed");
  root.closed = closed == 1;
  ASSIGN_OR_RETURN(const auto refs, in.ReadBytes(2 * kExtentRefBytes));
  ASSIGN_OR_RETURN(root.file_pages, in.ReadU64());
  if (root.file_pages < 2 || root.file_pages > uint64_t{1} << 32) return in.Damaged("root slot: impossible number of pages");
  ByteReader extents(refs, path, at + in.position() - 2 * kExtentRefBytes - sizeof(uint64_t));
  ASSIGN_OR_RETURN(root.catalog, DecodeExtentRef(&extents, root.file_pages));
  ASSIGN_OR_RETURN(root.free_map, DecodeExtentRef(&extents, root.file_pages));
  return root;
}

}  // namespace

Result<std::unique_ptr<RootSlots>> RootSlots::Create(FileSystem& fs, const std::string& path, const Root& root) {
  // Written beside and renamed, so that a file under this name is never half a database.
  const std::string draft = path + ".new";
  ASSIGN_OR_RETURN(const FileKind kind, fs.Kind(path));
  if (kind != FileKind::kNone) return IoError(path + ": create: File exists");
  ASSIGN_OR_RETURN(const FileKind draft_kind, fs.Kind(draft));
  if (draft_kind == FileKind::kFile) RETURN_IF_ERROR(fs.RemoveFile(draft));
  OpenOptions options;
  options.write = options.create = options.exclusive = true;
  {
    ASSIGN_OR_RETURN(const auto file, fs.Open(draft, options));
    RETURN_IF_ERROR(file->WriteZeros(0, kSlots * kRootSlotBytes));
    for (int slot = 0; slot < kSlots; ++slot) {
      Root first = root;
      first.seq = static_cast<uint64_t>(slot) + 1;
      RETURN_IF_ERROR(file->WriteAt(static_cast<uint64_t>(slot) * kRootSlotBytes, Encode(first)));
    }
    RETURN_IF_ERROR(file->Sync());
  }
  RETURN_IF_ERROR(fs.Rename(draft, path));
  RETURN_IF_ERROR(fs.SyncDir(DirName(path)));
  return Open(fs, path);
}

Result<std::unique_ptr<RootSlots>> RootSlots::Open(FileSystem& fs, const std::string& path, bool read_only) {
  OpenOptions options;
  options.write = !read_only;
  ASSIGN_OR_RETURN(auto file, fs.Open(path, options));
  ASSIGN_OR_RETURN(const uint64_t size, file->Size());
  if (size == 0) return Corruption(path + ": the file is empty, not a Fornix database");

  std::optional<Root> best;
  int best_slot = 0;
  Status errors[kSlots];
  bool newer[kSlots] = {};
  bool magic_seen = false;
  for (int slot = 0; slot < kSlots; ++slot) {
    std::vector<std::byte> bytes(kRootBytes);
    ASSIGN_OR_RETURN(const size_t n, file->ReadAt(static_cast<uint64_t>(slot) * kRootSlotBytes, bytes));
    bytes.resize(n);
    magic_seen = magic_seen || (n >= 4 && LoadFixed<uint32_t>(bytes.data()) == kMagic);
    auto root = Decode(bytes, path, slot, &newer[slot]);
    errors[slot] = root.status();
    if (root.ok() && (!best || root->seq > best->seq)) {
      best = std::move(root).value();
      best_slot = slot;
    }
  }
  // A whole slot that is too new means that a newer version has written here, perhaps after our slot: it decides.
  for (int slot = 0; slot < kSlots; ++slot) {
    if (newer[slot]) return errors[slot];
  }
  if (!best) {
    if (!magic_seen) return Corruption(path + ": offset 0: not a Fornix database (another kind of file, or both root slots are damaged)");
    return Corruption("both root slots are damaged, restore a backup: " + errors[0].message() + "; " + errors[1].message());
  }
  std::unique_ptr<RootSlots> slots(new RootSlots(std::move(file), *best, best_slot));
  if (read_only) return slots;
  // If the other slot is damaged, a write into it was cut or failed, so ours is the durable one and must not be touched
  // first. If it is whole, ours is the one in doubt, and the other stands while ours is written again.
  if (errors[1 - best_slot].ok()) RETURN_IF_ERROR(slots->WriteSlot(best_slot, *best));
  Root again = *best;
  ++again.seq;
  RETURN_IF_ERROR(slots->WriteSlot(1 - best_slot, again));
  slots->root_ = again;
  slots->slot_ = 1 - best_slot;
  RETURN_IF_ERROR(fs.SyncDir(DirName(path)));  // the name too may be there without being durable
  return slots;
}

std::vector<Result<Root>> RootSlots::ReadEach(FileSystem& fs, const std::string& path) {
  std::vector<Result<Root>> out;
  auto file = fs.Open(path, {});
  for (int slot = 0; slot < kSlots; ++slot) {
    std::vector<std::byte> bytes(kRootBytes);
    bool newer = false;
    const Result<size_t> n = file.ok() ? (*file)->ReadAt(static_cast<uint64_t>(slot) * kRootSlotBytes, bytes) : Result<size_t>(file.status());
    if (n.ok()) bytes.resize(*n);
    out.push_back(n.ok() ? Decode(bytes, path, slot, &newer) : Result<Root>(n.status()));
  }
  return out;
}

Status RootSlots::WriteSlot(int slot, const Root& root) {
  RETURN_IF_ERROR(file_->WriteAt(static_cast<uint64_t>(slot) * kRootSlotBytes, Encode(root)));
  return file_->Sync();
}

Status RootSlots::Write(const Root& root) {
  RETURN_IF_ERROR(failed_);
  CHECK(root.uuid == root_.uuid);
  Root next = root;
  next.seq = std::max(root_.seq, root.seq == 0 ? 0 : root.seq - 1);
  for (int copy = 0; copy < kSlots; ++copy) {
    ++next.seq;
    slot_ = 1 - slot_;  // the slot with the smaller seq first
    failed_ = WriteSlot(slot_, next);
    RETURN_IF_ERROR(failed_);
  }
  root_ = next;
  return Status::Ok();
}

}  // namespace fornix::storage
