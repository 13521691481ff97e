// The chunk directory and the token lists: where each chunk's main extent is, and which chunks hold a label or a type.
//
// The directory has two levels: a root that names the leaves there are, and leaves of 512 chunks. A chunk without elements has no
// reference. Token lists are one byte stream over a chain of extents (nearly always one): per label and per type its chunks in
// order with counts, so that a scan of a label reads no other chunk and counts need no scan. Layout: docs/format.md, "Base".
// Threads: any.
#pragma once

#include <array>
#include <map>

#include "storage/base/paged_base.h"

namespace fornix::storage {

inline constexpr uint64_t kChunksMax = uint64_t{1} << 28;           // ids of 40 bits, 4,096 a chunk
inline constexpr unsigned kLeafChunks = 512;
inline constexpr uint64_t kDirectoryLeavesMax = kChunksMax / kLeafChunks;

struct DirectoryRoot : Frame {
  std::vector<std::pair<uint32_t, ExtentRef>> leaves;                // (number, leaf) ascending; none of them none()
  const ExtentRef* Find(uint64_t number) const;                      // null: no such leaf
};
struct DirectoryLeaf : Frame {
  std::array<ExtentRef, kLeafChunks> chunks;                         // none(): no such chunk
};
void EncodeDirectoryRoot(std::span<const std::pair<uint32_t, ExtentRef>> leaves, ByteWriter* out);
void EncodeDirectoryLeaf(std::span<const ExtentRef, kLeafChunks> chunks, ByteWriter* out);
Status DecodeDirectoryRoot(ByteReader* in, uint64_t file_pages, DirectoryRoot* out);
Status DecodeDirectoryLeaf(ByteReader* in, uint64_t file_pages, DirectoryLeaf* out);

enum class TokenSpace : uint8_t { kLabel = 0, kType = 1 };
struct TokenChunk {
  uint32_t chunk = 0, count = 0;                                     // elements with the token, 1 to 4,096
};
struct TokenList {
  uint64_t total = 0;
  std::vector<TokenChunk> chunks;                                    // ascending
};
using TokenKey = std::pair<TokenSpace, uint32_t>;
struct TokenLists : Frame {
  std::map<TokenKey, TokenList> lists;                               // no list is empty
  std::vector<ExtentRef> extents;                                    // behind the first one
  const TokenList* Find(TokenSpace space, uint32_t token) const;
};

// Reading through the cache; `context` must outlive the call only. Throw ReadFailure. REQUIRE an EpochGuard.
const DirectoryRoot& ReadDirectoryRoot(const BaseContext& context, OwnerSpace space, const ExtentRef& ref);
const DirectoryLeaf& ReadDirectoryLeaf(const BaseContext& context, OwnerSpace space, uint64_t number, const ExtentRef& ref);
const TokenLists& ReadTokenLists(const BaseContext& context, const ExtentRef& ref);
Result<ExtentRef> WriteTokenLists(ExtentFile* file, const std::map<TokenKey, TokenList>& lists);

// Owners of what belongs to no chunk: part 0 of a number that no chunk has.
constexpr uint64_t DirectoryRootOwner(OwnerSpace space) { return ExtentOwner(space, kChunksMax, 0); }
constexpr uint64_t DirectoryLeafOwner(OwnerSpace space, uint64_t number) { return ExtentOwner(space, kChunksMax + 1 + number, 0); }
constexpr uint64_t TokenListsOwner(uint32_t part) { return ExtentOwner(OwnerSpace::kToken, 0, part); }

}  // namespace fornix::storage
