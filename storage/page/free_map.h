// The free map as it is stored: the free and the pending ranges of pages, in a chain of extents. docs/format.md, "Free map".
//
//   part    ExtentRef of the next part (none: the last), u32 entries, u32 0, entries, zeros to the part's length
//   entry   u32 first page, u32 pages, u64 the checkpoint that freed it (0: free already)
// A map lists what is free after its own pages were taken. Since taking pages from the front of a range makes no range more, the
// number of entries is bounded before, and so the map's size: what it then doesn't need is zeros.
#pragma once

#include <vector>

#include "storage/page/extent_file.h"
#include "storage/page/page_space.h"

namespace fornix::storage {

constexpr uint64_t FreeMapOwner(size_t part) { return ExtentOwner(OwnerSpace::kNone, 0, static_cast<uint32_t>(part)); }

// The payload bytes of the parts that `ranges` entries need. None needs no part.
std::vector<size_t> FreeMapParts(size_t ranges);
// Payloads of the parts, which will lie at `refs` and have the sizes of FreeMapParts.
std::vector<std::vector<std::byte>> EncodeFreeMap(const PageSpace& space, const std::vector<ExtentRef>& refs,
                                                  const std::vector<size_t>& sizes);
// Fills an empty space from the chain that begins at `first`; `extents` gets its parts.
Status LoadFreeMap(const ExtentFile& file, const ExtentRef& first, PageSpace* space, std::vector<ExtentRef>* extents);

}  // namespace fornix::storage
