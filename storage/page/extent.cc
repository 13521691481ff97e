// References to extents, as they are stored.
#include "storage/page/extent.h"

#include <string>

namespace fornix::storage {

void EncodeExtentRef(const ExtentRef& ref, ByteWriter* out) {
  out->U32(ref.page);
  out->U32(ref.pages);
  out->U64(ref.seq);
}

Result<ExtentRef> DecodeExtentRef(ByteReader* in, uint64_t file_pages) {
  ExtentRef ref;
  ASSIGN_OR_RETURN(ref.page, in->ReadU32());
  ASSIGN_OR_RETURN(ref.pages, in->ReadU32());
  ASSIGN_OR_RETURN(ref.seq, in->ReadU64());
  if (ref.none()) {
    if (ref.pages != 0 || ref.seq != 0) return in->Damaged("a reference to page 0 that isn't empty");
    return ref;
  }
  if (ref.page < kFirstExtentPage || ref.pages == 0 || ref.pages > kExtentPagesMax || uint64_t{ref.page} + ref.pages > file_pages) {
    return in->Damaged("a reference to " + std::to_string(ref.pages) + " pages at page " + std::to_string(ref.page) + " in a file of " +
                       std::to_string(file_pages) + " pages");
  }
  return ref;
}

}  // namespace fornix::storage
