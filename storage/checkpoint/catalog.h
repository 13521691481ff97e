// The catalog extent: what a root points at: names, schema and id allocator as one log record (the same bytes and the same
// checks as in the log), and the roots of the base. docs/format.md, "Catalog".
//
// A catalog larger than one extent is a chain, each link naming the next. One thread (open, checkpoint).
#pragma once

#include "storage/base/paged_base.h"

namespace fornix::storage {

struct StoredCatalog {
  std::vector<std::byte> record;               // names, schema, ids, at the base's timestamp
  BaseRoots base;
};

Result<ExtentRef> WriteCatalog(ExtentFile* file, const StoredCatalog& catalog);
// `extents`: all links of the chain, to be freed when it is replaced.
Result<StoredCatalog> ReadCatalog(const ExtentFile& file, const ExtentRef& first, std::vector<ExtentRef>* extents);

}  // namespace fornix::storage
