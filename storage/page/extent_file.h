// ExtentFile: the data file behind its root slots: reads extents, and for the one checkpoint at a time allocates, writes and
// frees them.
//
// Space. A page is in use, pending or free. Free() makes an extent pending: it may still be read through the root before,
// by our own snapshots or by other processes. It becomes free, and may be written over, when a root without it is durable
// (Committed) and no reader of an older root is left (the caller says so: `oldest_root_seq`). Nothing that a root in a slot
// reaches is ever overwritten. The free map (free and pending ranges) is itself an extent of the root.
// Writes are gathered into runs of up to 256 KiB of neighbouring pages and paced by the caller's function. What was written is
// read back from the run before it reaches the file.
// Threads: Read from any; the rest by one thread, the checkpoint's.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "storage/page/extent.h"

namespace fornix::storage {

struct ExtentBytes {
  std::vector<std::byte> bytes;   // the payload, decompressed
};

enum class Compress : uint8_t { kNever, kIfSmaller };   // LZ4, kept where it saves an eighth of the pages or more

// A float list's table lies with the header in the first page of its extent, and its lists fill whole pages behind it.
inline constexpr size_t kFloatsTableMax = kPageBytes - kExtentHeaderBytes;
inline constexpr uint32_t kFloatsPagesMax = (kFloatsTableMax - 64) / 4;   // 1,000: room for a CRC a page and 64 bytes of the writer's own

class ExtentFile {
 public:
  // A file without extents: pages 0 and 1 are the root slots.
  static std::unique_ptr<ExtentFile> New(std::unique_ptr<File> file);
  // `free_map` and `file_pages` of the root that was chosen. Nothing is read before it is needed: the free map is loaded
  // by the first allocation.
  static std::unique_ptr<ExtentFile> Open(std::unique_ptr<File> file, const ExtentRef& free_map, uint64_t file_pages);
  virtual ~ExtentFile() = default;

  // Corruption (file, offset, expected, found) unless everything fits; any length, CRC and LZ4 stream is checked.
  virtual Result<ExtentBytes> Read(const ExtentRef& ref, ExtentKind kind, uint64_t owner) const = 0;
  // An extent of kFloats: its table, for Read reads only the first page of one.
  // Pages [first, first + out.size()/4096) of an extent of kFloats, each tested against the CRC given; no header is read.
  // `first` counts in the extent: 0 is the page with header and table, 1 the first page of floats.
  virtual Status ReadPages(const ExtentRef& ref, uint32_t first, std::span<const uint32_t> crcs,
                           std::span<std::byte> out) const = 0;
  virtual uint64_t file_pages() const = 0;                 // that extents may use; a reference beyond is damage
  virtual const std::string& path() const = 0;

  // The checkpoint. Begin names its number (the seq of the root that will be written) and the oldest root that anybody
  // still reads: what was freed at or before it becomes free. One process gives no number twice, even after Abandon:
  // page and number together name one content for ever, which is how caches tell an extent from a later one in its place.
  virtual Status BeginWriting(uint64_t seq, uint64_t oldest_root_seq) = 0;
  virtual Result<ExtentRef> Write(ExtentKind kind, uint64_t owner, std::span<const std::byte> payload, Compress compress) = 0;
  // `pages` as they are, whole ones (at most kFloatsPagesMax), behind one page of header and `table`. The table is the
  // caller's, at most kFloatsTableMax bytes, and holds what the reader gives to ReadPages: PageCrcs(pages).
  virtual Result<ExtentRef> WriteFloats(uint64_t owner, std::span<const std::byte> table, std::span<const std::byte> pages) = 0;
  virtual void Free(const ExtentRef& ref) = 0;
  // Writes the free map as it will be after this checkpoint; then everything is written and synced. The reference and
  // file_pages() go into the root.
  virtual Result<ExtentRef> FinishWriting() = 0;
  // The root is durable.
  virtual void Committed() = 0;
  // The checkpoint failed, at BeginWriting or later, or was given up: what it wrote is free again, what it freed is in use
  // again. Where the write of its root failed, that root may stand after all and reach those pages: then nobody begins another
  // checkpoint in this process.
  virtual void Abandon() = 0;
  virtual void set_pace(std::function<void(size_t bytes)> pace) = 0;   // called before each write of a run
  virtual void Pace() = 0;                     // calls it with 0, where waiting holds nobody up: not under an EpochGuard
  virtual uint64_t free_pages() const = 0;
  // For the integrity check: [first page, pages) of what is free or pending, ascending.
  virtual Result<std::vector<std::pair<uint32_t, uint32_t>>> FreeRanges() const = 0;
  virtual Result<std::vector<ExtentRef>> FreeMapExtents() const = 0;   // those that the free map itself lies in
};

// The CRC32C of each page.
std::vector<uint32_t> PageCrcs(std::span<const std::byte> pages);

}  // namespace fornix::storage
