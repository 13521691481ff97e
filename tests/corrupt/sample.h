// The database that tests damage: small, and with one of everything: all kinds of values, label sets, constraints, a range, a relationship
// and a vector index, a value too large for its chunk, a hub, loops, parallel relationships, deleted elements. One thread.
#pragma once

#include "base/fault_file.h"
#include "storage/store.h"

namespace fornix::corrupt {

inline constexpr char kSamplePath[] = "db/x.fornix";

// Everything in the caller's thread, small segments, a small budget.
storage::StoreOptions SampleOptions();

struct SampleSize {
  uint32_t nodes = 60;
  uint32_t hub = 0;                // relationships at one node
  bool hub_outgoing = false;       // all from it; else half of them to it
  uint32_t text_bytes = 0;         // of one long text; 0: none
};
// Several commits.
Status FillSample(storage::Store& store, const SampleSize& size);
// A few more commits, the last one of several operations. `after_each` is called behind each.
Status ChangeSample(storage::Store& store, const std::function<Status()>& after_each);
// A disk with the folder of kSamplePath.
std::unique_ptr<FaultFileSystem> EmptyDisk();

// A file as bytes, and bytes as a file.
Result<std::vector<std::byte>> FileBytes(FileSystem& files, const std::string& path);
Status PutFile(FileSystem& files, const std::string& path, std::span<const std::byte> bytes);

}  // namespace fornix::corrupt
