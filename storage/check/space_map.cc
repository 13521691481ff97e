#include "storage/check/space_map.h"

#include <algorithm>

namespace fornix::storage {
namespace {

std::string PagesText(uint64_t first, uint64_t pages) {
  return pages == 1 ? "page " + std::to_string(first) : "pages " + std::to_string(first) + " to " + std::to_string(first + pages - 1);
}

}  // namespace

const char* ExtentKindName(ExtentKind kind) {
  switch (kind) {
    case ExtentKind::kCatalog: return "catalog";
    case ExtentKind::kFreeMap: return "free map";
    case ExtentKind::kDirectoryRoot: return "directory root";
    case ExtentKind::kDirectoryLeaf: return "directory leaf";
    case ExtentKind::kTokenLists: return "label and type lists";
    case ExtentKind::kChunk: return "chunk";
    case ExtentKind::kPiece: return "piece of a chunk";
    case ExtentKind::kHubRoot: return "hub root";
    case ExtentKind::kHubLeaf: return "hub leaf";
    case ExtentKind::kBlob: return "large value";
    case ExtentKind::kFloats: return "float lists";
    case ExtentKind::kTreeInner: return "index inner page";
    case ExtentKind::kTreeLeaf: return "index leaf";
    case ExtentKind::kVectorDirectory: return "vector index's directory";
    case ExtentKind::kVectorCodes: return "codes of vectors";
    case ExtentKind::kVectorFineCodes: return "fine codes of vectors";
    case ExtentKind::kVectorBaseLinks: return "base links of vectors";
    case ExtentKind::kVectorUpperLinks: return "upper links of vectors";
    case ExtentKind::kVectorSlots: return "slots of vectors";
    case ExtentKind::kVectorElements: return "elements of vectors";
  }
  return "unknown";
}

void SpaceMap::Reach(const ExtentRef& ref, ExtentKind kind) {
  if (ref.none()) return;
  ++extents_;
  ++kinds_[static_cast<uint8_t>(kind)].extents;
  kinds_[static_cast<uint8_t>(kind)].pages += ref.pages;
  bool told = false;
  for (uint64_t page = ref.page; page < uint64_t{ref.page} + ref.pages; ++page) {
    const bool outside = page >= pages_.size() || page < 2;
    if ((outside || pages_[page] != State::kUnknown) && !told) {
      const char* what = outside                          ? "lies outside of the file"
                         : pages_[page] == State::kFree ? "is free as well, by the free map"
                                                          : "is part of another extent too";
      problem_(std::string(ExtentKindName(kind)) + " at " + PagesText(ref.page, ref.pages) + ": page " + std::to_string(page) + " " + what);
      told = true;
    }
    if (!outside) pages_[page] = State::kReached;
  }
}

void SpaceMap::Free(uint32_t first, uint32_t pages) {
  free_ += pages;
  bool told = false;
  for (uint64_t page = first; page < uint64_t{first} + pages; ++page) {
    const bool wrong = page >= pages_.size() || page < 2 || pages_[page] != State::kUnknown;
    if (wrong && !told) problem_("free map: " + PagesText(first, pages) + ": page " + std::to_string(page) + " can't be free: it is in use, named twice, or outside of the file");
    told |= wrong;
    if (!wrong) pages_[page] = State::kFree;
  }
}

void SpaceMap::TellLost() {
  for (uint64_t page = 2; page < pages_.size();) {
    if (pages_[page] != State::kUnknown) {
      ++page;
      continue;
    }
    uint64_t end = page + 1;
    while (end < pages_.size() && pages_[end] == State::kUnknown) ++end;
    problem_(PagesText(page, end - page) + ": in use by nothing that was reached, and not free");
    page = end;
  }
}

}  // namespace fornix::storage
