#include "storage/base/directory.h"

#include <string>

#include "base/limits.h"

namespace fornix::storage {
namespace {

constexpr size_t kTokenPartBytes = size_t{1} << 20;   // of the stream in one extent: what a checkpoint holds at once
constexpr uint32_t kTokenPartsMax = 4096;             // 4 GiB: 65,536 tokens in every chunk of a file stay below it

template <typename F>
Result<std::unique_ptr<Frame>> DecodeFrame(std::string_view what, Status (*decode)(ByteReader*, uint64_t, F*), const ExtentBytes& bytes,
                                           const BaseContext& context) {
  ByteReader in(bytes.bytes, what);
  auto frame = std::make_unique<F>();
  RETURN_IF_ERROR(decode(&in, context.file->file_pages(), frame.get()));
  return std::unique_ptr<Frame>(std::move(frame));
}

Result<std::unique_ptr<Frame>> DecodeRootFrame(ExtentBytes bytes, const ExtentRef&, const void* context) {
  return DecodeFrame<DirectoryRoot>("directory root", DecodeDirectoryRoot, bytes, *static_cast<const BaseContext*>(context));
}
Result<std::unique_ptr<Frame>> DecodeLeafFrame(ExtentBytes bytes, const ExtentRef&, const void* context) {
  return DecodeFrame<DirectoryLeaf>("directory leaf", DecodeDirectoryLeaf, bytes, *static_cast<const BaseContext*>(context));
}

Status DecodeTokenList(ByteReader* in, TokenList* list) {
  ASSIGN_OR_RETURN(const uint32_t chunks, in->ReadCount(2));
  if (chunks == 0) return in->Damaged("a token without chunks");
  list->chunks.resize(chunks);
  uint64_t next = 0;
  for (TokenChunk& chunk : list->chunks) {
    ASSIGN_OR_RETURN(const uint64_t step, in->ReadVarint());
    ASSIGN_OR_RETURN(chunk.count, in->ReadVarint32());
    if (next >= kChunksMax || step >= kChunksMax - next) return in->Damaged("a chunk beyond the ids");
    if (chunk.count == 0 || chunk.count > 4096) return in->Damaged("a chunk with " + std::to_string(chunk.count) + " elements of a token");
    chunk.chunk = static_cast<uint32_t>(next + step);
    next += step + 1;
    list->total += chunk.count;
  }
  return Status::Ok();
}

Status DecodeTokenStream(ByteReader* in, TokenLists* out) {
  ASSIGN_OR_RETURN(const uint32_t lists, in->ReadCount(5));
  TokenKey last{};
  for (uint32_t i = 0; i < lists; ++i) {
    ASSIGN_OR_RETURN(const uint8_t space, in->ReadU8());
    if (space > 1) return in->Damaged("tokens of the unknown kind " + std::to_string(space));
    ASSIGN_OR_RETURN(const uint32_t token, in->ReadVarint32());
    const TokenKey key{static_cast<TokenSpace>(space), token};
    if (token >= kTokensMax || (i > 0 && key <= last)) return in->Damaged("tokens out of order");
    last = key;
    TokenList& list = out->lists[key];
    RETURN_IF_ERROR(DecodeTokenList(in, &list));
    out->bytes += sizeof(list) + 64 + list.chunks.capacity() * sizeof(TokenChunk);
  }
  return in->ExpectEnd();
}

// Each part names the next one.
Result<std::unique_ptr<Frame>> DecodeTokenFrame(ExtentBytes first, const ExtentRef&, const void* context) {
  const BaseContext& base = *static_cast<const BaseContext*>(context);
  auto frame = std::make_unique<TokenLists>();
  frame->bytes = sizeof(TokenLists);
  std::vector<std::byte> stream;
  ExtentBytes part = std::move(first);
  for (uint32_t number = 0;; ++number) {
    ByteReader in(part.bytes, "token lists");
    ASSIGN_OR_RETURN(const ExtentRef next, DecodeExtentRef(&in, base.file->file_pages()));
    ASSIGN_OR_RETURN(const std::span<const std::byte> bytes, in.ReadBytes(in.remaining()));
    stream.insert(stream.end(), bytes.begin(), bytes.end());
    if (next.none()) break;
    if (number + 1 == kTokenPartsMax) return in.Damaged("more than " + std::to_string(kTokenPartsMax) + " parts");
    frame->extents.push_back(next);
    ASSIGN_OR_RETURN(part, base.file->Read(next, ExtentKind::kTokenLists, TokenListsOwner(number + 1)));
  }
  ByteReader in(stream, "token lists");
  RETURN_IF_ERROR(DecodeTokenStream(&in, frame.get()));
  return std::unique_ptr<Frame>(std::move(frame));
}

}  // namespace

const ExtentRef* DirectoryRoot::Find(uint64_t number) const {
  // Leaves are nearly always 0, 1, 2, ...
  if (number < leaves.size() && leaves[number].first == number) return &leaves[number].second;
  const auto it = std::lower_bound(leaves.begin(), leaves.end(), number, [](const auto& leaf, uint64_t n) { return leaf.first < n; });
  return it == leaves.end() || it->first != number ? nullptr : &it->second;
}

void EncodeDirectoryRoot(std::span<const std::pair<uint32_t, ExtentRef>> leaves, ByteWriter* out) {
  out->Varint(leaves.size());
  uint32_t next = 0;
  for (const auto& [number, ref] : leaves) {
    out->Varint(number - next);
    next = number + 1;
    EncodeExtentRef(ref, out);
  }
}

Status DecodeDirectoryRoot(ByteReader* in, uint64_t file_pages, DirectoryRoot* out) {
  ASSIGN_OR_RETURN(const uint32_t n, in->ReadCount(1 + kExtentRefBytes));
  out->leaves.resize(n);
  uint64_t next = 0;
  for (auto& [number, ref] : out->leaves) {
    ASSIGN_OR_RETURN(const uint64_t step, in->ReadVarint());
    if (next >= kDirectoryLeavesMax || step >= kDirectoryLeavesMax - next) return in->Damaged("a directory leaf beyond the ids");
    number = static_cast<uint32_t>(next + step);
    next += step + 1;
    ASSIGN_OR_RETURN(ref, DecodeExtentRef(in, file_pages));
    if (ref.none()) return in->Damaged("a directory leaf without an extent");
  }
  out->bytes = sizeof(DirectoryRoot) + out->leaves.capacity() * sizeof(out->leaves[0]);
  return in->ExpectEnd();
}

// A reference each, as they are: a leaf of a full directory compresses badly and is read for every cold chunk.
void EncodeDirectoryLeaf(std::span<const ExtentRef, kLeafChunks> chunks, ByteWriter* out) {
  size_t used = chunks.size();
  while (used > 0 && chunks[used - 1].none()) --used;
  out->Varint(used);
  for (size_t i = 0; i < used; ++i) EncodeExtentRef(chunks[i], out);
}

Status DecodeDirectoryLeaf(ByteReader* in, uint64_t file_pages, DirectoryLeaf* out) {
  ASSIGN_OR_RETURN(const uint32_t n, in->ReadCount(kExtentRefBytes));
  if (n > kLeafChunks) return in->Damaged("a directory leaf of " + std::to_string(n) + " chunks");
  for (uint32_t i = 0; i < n; ++i) {
    ASSIGN_OR_RETURN(out->chunks[i], DecodeExtentRef(in, file_pages));
  }
  out->bytes = sizeof(DirectoryLeaf);
  return in->ExpectEnd();
}

const TokenList* TokenLists::Find(TokenSpace space, uint32_t token) const {
  const auto it = lists.find({space, token});
  return it == lists.end() ? nullptr : &it->second;
}

const DirectoryRoot& ReadDirectoryRoot(const BaseContext& context, OwnerSpace space, const ExtentRef& ref) {
  return context.cache->Get<DirectoryRoot>(*context.file, ref, ExtentKind::kDirectoryRoot, DirectoryRootOwner(space), DecodeRootFrame,
                                           &context);
}
const DirectoryLeaf& ReadDirectoryLeaf(const BaseContext& context, OwnerSpace space, uint64_t number, const ExtentRef& ref) {
  return context.cache->Get<DirectoryLeaf>(*context.file, ref, ExtentKind::kDirectoryLeaf, DirectoryLeafOwner(space, number),
                                           DecodeLeafFrame, &context);
}
const TokenLists& ReadTokenLists(const BaseContext& context, const ExtentRef& ref) {
  return context.cache->Get<TokenLists>(*context.file, ref, ExtentKind::kTokenLists, TokenListsOwner(0), DecodeTokenFrame, &context);
}

Result<ExtentRef> WriteTokenLists(ExtentFile* file, const std::map<TokenKey, TokenList>& lists) {
  if (lists.empty()) return ExtentRef{};
  ByteWriter stream;
  stream.Varint(lists.size());
  for (const auto& [key, list] : lists) {
    stream.U8(static_cast<uint8_t>(key.first));
    stream.Varint(key.second);
    stream.Varint(list.chunks.size());
    uint32_t next = 0;
    for (const TokenChunk& chunk : list.chunks) {
      stream.Varint(chunk.chunk - next);
      stream.Varint(chunk.count);
      next = chunk.chunk + 1;
    }
  }
  // From the last part to the first: each names the next.
  const size_t parts = (stream.size() + kTokenPartBytes - 1) / kTokenPartBytes;
  if (parts > kTokenPartsMax)
    return Status(Code::kLimitExceeded, "the lists of labels and types take more than " + std::to_string(kTokenPartsMax) + " MiB");
  ExtentRef next;
  for (size_t part = parts; part-- > 0;) {
    ByteWriter payload;
    EncodeExtentRef(next, &payload);
    const size_t begin = part * kTokenPartBytes;
    payload.Bytes(stream.bytes().subspan(begin, std::min(kTokenPartBytes, stream.size() - begin)));
    ASSIGN_OR_RETURN(
        next, file->Write(ExtentKind::kTokenLists, TokenListsOwner(static_cast<uint32_t>(part)), payload.bytes(), Compress::kIfSmaller));
  }
  return next;
}

}  // namespace fornix::storage
