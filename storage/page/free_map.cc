// Reading and writing the free map.
#include "storage/page/free_map.h"

#include "base/check.h"
#include "storage/page/extent_header.h"

namespace fornix::storage {
namespace {

constexpr size_t kPartHeadBytes = kExtentRefBytes + 8;
constexpr size_t kEntryBytes = 16;
constexpr size_t kPartEntriesMax = (kExtentPayloadMax - kPartHeadBytes) / kEntryBytes;   // 262,138

}  // namespace

std::vector<size_t> FreeMapParts(size_t ranges) {
  std::vector<size_t> sizes;
  for (size_t left = ranges; left > 0;) {
    const size_t n = std::min(left, kPartEntriesMax);
    sizes.push_back(kPartHeadBytes + n * kEntryBytes);
    left -= n;
  }
  return sizes;
}

std::vector<std::vector<std::byte>> EncodeFreeMap(const PageSpace& space, const std::vector<ExtentRef>& refs,
                                                  const std::vector<size_t>& sizes) {
  struct Entry {
    PageRange range;
    uint64_t seq;
  };
  std::vector<Entry> entries;
  for (const auto& [first, pages] : space.free().by_first()) entries.push_back({{first, pages}, 0});
  for (const auto& [seq, ranges] : space.pending()) {
    for (const auto& [first, pages] : ranges.by_first()) entries.push_back({{first, pages}, seq});
  }
  std::vector<std::vector<std::byte>> parts;
  size_t at = 0;
  for (size_t part = 0; part < sizes.size(); ++part) {
    const size_t room = (sizes[part] - kPartHeadBytes) / kEntryBytes, n = std::min(room, entries.size() - at);
    ByteWriter out;
    out.Reserve(sizes[part]);
    EncodeExtentRef(part + 1 < refs.size() ? refs[part + 1] : ExtentRef{}, &out);
    out.U32(static_cast<uint32_t>(n));
    out.U32(0);
    for (const size_t end = at + n; at < end; ++at) {
      out.U32(entries[at].range.first);
      out.U32(entries[at].range.pages);
      out.U64(entries[at].seq);
    }
    out.Zeros(sizes[part] - out.size());
    parts.push_back(out.Take());
  }
  CHECK(at == entries.size());
  return parts;
}

Status LoadFreeMap(const ExtentFile& file, const ExtentRef& first, PageSpace* space, std::vector<ExtentRef>* extents) {
  PageRanges own;
  for (ExtentRef ref = first; !ref.none();) {
    if (own.Overlaps({ref.page, ref.pages})) return ExtentDamage(file.path(), ref, "the free map's chain meets itself");
    own.Add({ref.page, ref.pages});
    ASSIGN_OR_RETURN(const ExtentBytes extent, file.Read(ref, ExtentKind::kFreeMap, FreeMapOwner(extents->size())));
    extents->push_back(ref);
    ByteReader in(extent.bytes, file.path(), uint64_t{ref.page} * kPageBytes + kExtentHeaderBytes);
    ASSIGN_OR_RETURN(const ExtentRef next, DecodeExtentRef(&in, space->file_pages()));
    ASSIGN_OR_RETURN(const uint32_t count, in.ReadU32());
    RETURN_IF_ERROR(in.Skip(4));
    if (count > in.remaining() / kEntryBytes) return in.Damaged("a count of " + std::to_string(count) + " entries of the free map");
    for (uint32_t i = 0; i < count; ++i) {
      PageRange range;
      ASSIGN_OR_RETURN(range.first, in.ReadU32());
      ASSIGN_OR_RETURN(range.pages, in.ReadU32());
      ASSIGN_OR_RETURN(const uint64_t seq, in.ReadU64());
      const bool fits = seq <= first.seq && (seq == 0 ? space->PutFree(range) : space->PutPending(seq, range));
      if (!fits) {
        return in.Damaged("an entry of the free map that contradicts another or the file's size: " + std::to_string(range.pages) +
                          " pages at page " + std::to_string(range.first) + ", freed by " + std::to_string(seq));
      }
    }
    ref = next;
  }
  for (const auto& [page, pages] : own.by_first()) {
    if (space->Holds({page, pages})) return ExtentDamage(file.path(), {page, pages, first.seq}, "the free map calls its own pages free");
  }
  return Status::Ok();
}

}  // namespace fornix::storage
