#include "storage/checkpoint/catalog.h"

#include <algorithm>

#include "base/errors.h"

namespace fornix::storage {
namespace {
constexpr uint64_t kOwner = ExtentOwner(OwnerSpace::kNone, 1);
constexpr size_t kLinkBytesMax = kExtentPayloadMax - kExtentRefBytes;
}  // namespace

Result<ExtentRef> WriteCatalog(ExtentFile* file, const StoredCatalog& catalog) {
  ByteWriter out;
  out.Varint(catalog.record.size());
  out.Bytes(catalog.record);
  EncodeBaseRoots(catalog.base, &out);
  // The last link first, so that each one can name the next.
  const std::span<const std::byte> bytes = out.bytes();
  ExtentRef next;
  const size_t links = (bytes.size() + kLinkBytesMax - 1) / kLinkBytesMax;
  for (size_t link = links; link-- > 0;) {
    ByteWriter payload;
    EncodeExtentRef(next, &payload);
    payload.Bytes(bytes.subspan(link * kLinkBytesMax, std::min(kLinkBytesMax, bytes.size() - link * kLinkBytesMax)));
    ASSIGN_OR_RETURN(next, file->Write(ExtentKind::kCatalog, kOwner, payload.bytes(), Compress::kIfSmaller));
  }
  return next;
}

Result<StoredCatalog> ReadCatalog(const ExtentFile& file, const ExtentRef& first, std::vector<ExtentRef>* extents) {
  std::vector<std::byte> bytes;
  extents->clear();
  for (ExtentRef at = first; !at.none();) {
    // A chain in a cycle would name a link twice.
    if (std::find(extents->begin(), extents->end(), at) != extents->end()) {
      return Corruption(file.path() + ": the catalog's chain of extents runs in a circle at page " + std::to_string(at.page));
    }
    extents->push_back(at);
    ASSIGN_OR_RETURN(const ExtentBytes link, file.Read(at, ExtentKind::kCatalog, kOwner));
    ByteReader in(link.bytes, file.path(), uint64_t{at.page} * kPageBytes + kExtentHeaderBytes);
    ASSIGN_OR_RETURN(at, DecodeExtentRef(&in, file.file_pages()));
    ASSIGN_OR_RETURN(const auto part, in.ReadBytes(in.remaining()));
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  StoredCatalog catalog;
  const std::string source = file.path() + " catalog";
  ByteReader in(bytes, source);
  ASSIGN_OR_RETURN(const std::string_view record, in.ReadString());
  const auto record_bytes = AsBytes(record);
  catalog.record.assign(record_bytes.begin(), record_bytes.end());
  ASSIGN_OR_RETURN(catalog.base, DecodeBaseRoots(&in, file.file_pages()));
  RETURN_IF_ERROR(in.ExpectEnd());
  return catalog;
}

}  // namespace fornix::storage
