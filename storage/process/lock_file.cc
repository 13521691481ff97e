#include "storage/process/lock_file.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "base/errors.h"
#include "base/limits.h"
#include "base/process.h"

namespace fornix::storage {
namespace {

constexpr uint64_t kWriterByte = 0;
constexpr size_t kHolderBytes = 256;           // text of the writer, zeros behind it
constexpr uint64_t kSlotsOffset = 4096;
constexpr size_t kSlotBytes = 128;
constexpr size_t kSlotWordsOffset = 24;        // u32 CRC32C of the rest, u32 version, u64 root seq, u64 1 if it reads the log
constexpr uint64_t kAllBytes = kSlotsOffset + kReaderSlotsMax * kSlotBytes;
constexpr uint32_t kRecordVersion = 1;

constexpr uint64_t SlotOffset(uint32_t slot) { return kSlotsOffset + uint64_t{slot} * kSlotBytes; }
using SlotBytes = std::array<std::byte, kSlotBytes>;

SlotBytes Encode(const Pin& pin, const std::string& words) {
  SlotBytes bytes{};
  StoreFixed(bytes.data() + 4, kRecordVersion);
  StoreFixed(bytes.data() + 8, pin.root_seq);
  StoreFixed(bytes.data() + 16, uint64_t{pin.log ? 1u : 0u});
  const size_t n = std::min(words.size(), kSlotBytes - kSlotWordsOffset);
  std::memcpy(bytes.data() + kSlotWordsOffset, words.data(), n);
  StoreFixed(bytes.data(), Crc32c(std::span(bytes).subspan(4)));
  return bytes;
}

// A record that isn't whole is being written, or was never: whoever holds the slot may need anything.
Pin Decode(const SlotBytes& bytes, std::string* words) {
  if (LoadFixed<uint32_t>(bytes.data()) != Crc32c(std::span(bytes).subspan(4)) ||
      LoadFixed<uint32_t>(bytes.data() + 4) != kRecordVersion) {
    *words = "another process";
    return Pin::Anything();
  }
  const char* text = reinterpret_cast<const char*>(bytes.data() + kSlotWordsOffset);
  words->assign(text, strnlen(text, kSlotBytes - kSlotWordsOffset));
  return {LoadFixed<uint64_t>(bytes.data() + 8), LoadFixed<uint64_t>(bytes.data() + 16) != 0};
}

std::string Holder(LockFile& lock) {
  std::array<std::byte, kHolderBytes> bytes{};
  const auto n = lock.file().ReadAt(0, bytes);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), n.ok() ? *n : 0);
  const std::string_view line = text.substr(0, text.find_first_of(std::string_view("\n\0", 2)));
  if (!line.starts_with("process ")) return "another process";
  const std::string ours = "process " + std::to_string(ProcessId()) + " ";
  return (line.starts_with(ours) ? "this process itself, " : "") + std::string(line);
}

// For the message of whoever comes second. The lock is the kernel's, so a failure here costs a word only.
void WriteHolder(LockFile& lock) {
  std::array<std::byte, kHolderBytes> bytes{};
  const std::string text = ProcessWords() + "\n";
  std::memcpy(bytes.data(), text.data(), std::min(text.size(), bytes.size()));
  static_cast<void>(lock.file().WriteAt(0, bytes).ok());
}

// Removes the file if nobody else holds a byte of it. Holding all of it keeps others from locking what loses its name.
void RemoveUnused(FileSystem& files, LockFile& lock) {
  const auto all = lock.TryLock(kWriterByte, kAllBytes);
  if (!all.ok() || !*all) return;
  const auto named = lock.HasName();
  if (named.ok() && *named) static_cast<void>(files.RemoveFile(lock.file().path()).ok());
}

void Pause() { std::this_thread::sleep_for(std::chrono::microseconds(kLockRetryMicros)); }

Status WipeDeadSlots(LockFile& lock) {
  constexpr SlotBytes kNone{};
  for (uint32_t slot = 0; slot < kReaderSlotsMax; ++slot) {
    SlotBytes bytes;
    ASSIGN_OR_RETURN(const size_t n, lock.file().ReadAt(SlotOffset(slot), bytes));
    if (n < bytes.size()) break;               // no reader has been so far up yet
    if (bytes == kNone) continue;
    ASSIGN_OR_RETURN(const bool dead, lock.TryLock(SlotOffset(slot), 1));
    if (!dead) continue;
    const Status status = lock.file().WriteAt(SlotOffset(slot), kNone);
    lock.Unlock(SlotOffset(slot), 1);
    RETURN_IF_ERROR(status);
  }
  return Status::Ok();
}

template <typename Visit>                      // visit(pin, words)
Status VisitReaders(LockFile& lock, Visit&& visit) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  ASSIGN_OR_RETURN(const bool any, lock.IsLocked(kSlotsOffset, kAllBytes - kSlotsOffset));
  if (!any) return Status::Ok();
  for (uint32_t slot = 0; slot < kReaderSlotsMax; ++slot) {
    ASSIGN_OR_RETURN(const bool live, lock.IsLocked(SlotOffset(slot), 1));
    if (!live) continue;
    SlotBytes bytes{};
    ASSIGN_OR_RETURN(const size_t n, lock.file().ReadAt(SlotOffset(slot), bytes));
    if (n < bytes.size()) bytes = {};
    std::string words;
    const Pin pin = Decode(bytes, &words);
    visit(pin, words);
  }
  return Status::Ok();
}

}  // namespace

std::string LockPath(const std::string& path) { return path + "-lock"; }

Result<std::unique_ptr<WriterLock>> WriterLock::Take(FileSystem& files, const std::string& path) {
  // Each further round needs that somebody removed the file in between.
  for (int round = 0; round < kLockRoundsMax; ++round) {
    ASSIGN_OR_RETURN(auto lock, files.OpenLockFile(LockPath(path), true));
    ASSIGN_OR_RETURN(const bool ours, lock->TryLock(kWriterByte, 1));
    ASSIGN_OR_RETURN(const bool named, lock->HasName());
    if (!named) continue;
    if (!ours) {
      return Busy(lock->file().path() + ": the database is in use by " + Holder(*lock) +
                  "; close it there first, or open it read-only");
    }
    WriteHolder(*lock);
    RETURN_IF_ERROR(WipeDeadSlots(*lock));
    return std::unique_ptr<WriterLock>(new WriterLock(files, std::move(lock)));
  }
  return IoError(LockPath(path) + ": lock: the file is replaced again and again");
}

Result<Pin> WriterLock::Pinned() {
  Pin least = Pin::Nothing();
  RETURN_IF_ERROR(VisitReaders(*lock_, [&](const Pin& pin, const std::string&) {
    least.root_seq = std::min(least.root_seq, pin.root_seq);
    least.log = least.log || pin.log;
  }));
  return least;
}

Result<bool> WriterLock::AwaitLogUnread() {
  for (int round = 0; round < kLockRoundsMax; ++round) {
    ASSIGN_OR_RETURN(const Pin pin, Pinned());
    if (!pin.log) return true;
    Pause();
  }
  return false;
}

Result<std::vector<std::string>> WriterLock::Readers() {
  std::vector<std::string> all;
  RETURN_IF_ERROR(VisitReaders(*lock_, [&](const Pin&, const std::string& words) { all.push_back(words); }));
  return all;
}

void WriterLock::RemoveIfUnused() { RemoveUnused(files_, *lock_); }

ReaderSlot::ReaderSlot(FileSystem& files, std::unique_ptr<LockFile> lock, uint32_t slot)
    : files_(files), lock_(std::move(lock)), slot_(slot), process_(ProcessId()), words_(ProcessWords()) {}

Result<std::unique_ptr<ReaderSlot>> ReaderSlot::Take(FileSystem& files, const std::string& path) {
  for (int round = 0; round < kLockRoundsMax; ++round) {
    auto lock = files.OpenLockFile(LockPath(path), true);
    if (!lock.ok()) return std::unique_ptr<ReaderSlot>();
    uint32_t slot = 0;
    for (; slot < kReaderSlotsMax; ++slot) {
      const auto taken = (*lock)->TryLock(SlotOffset(slot), 1);
      if (!taken.ok()) return std::unique_ptr<ReaderSlot>();   // a file system without locks
      if (*taken) break;
    }
    ASSIGN_OR_RETURN(const bool named, (*lock)->HasName());
    if (!named) continue;
    if (slot == kReaderSlotsMax) {             // or somebody holds all of it, to remove it
      Pause();
      continue;
    }
    std::unique_ptr<ReaderSlot> reader(new ReaderSlot(files, std::move(lock).value(), slot));
    if (!reader->Set(Pin::Anything()).ok()) return std::unique_ptr<ReaderSlot>();   // a full disk: as if it couldn't be opened
    return reader;
  }
  return Busy(LockPath(path) + ": all " + std::to_string(kReaderSlotsMax) + " slots for readers are taken; close one first");
}

ReaderSlot::~ReaderSlot() {
  if (process_ != ProcessId()) return;
  static_cast<void>(lock_->file().WriteAt(SlotOffset(slot_), SlotBytes{}).ok());
  lock_->Unlock(SlotOffset(slot_), 1);
  RemoveUnused(files_, *lock_);
}

Status ReaderSlot::Set(const Pin& pin) {
  RETURN_IF_ERROR(CheckProcess(process_));
  RETURN_IF_ERROR(lock_->file().WriteAt(SlotOffset(slot_), Encode(pin, words_)));
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return Status::Ok();
}

}  // namespace fornix::storage
