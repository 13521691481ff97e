// Lists of floats of one length in extents of kFloats: rows one after the other over whole pages, each page with a CRC of its own.
//
// Reading one list reads the extent's table (a frame) and the pages that the row lies in (a frame each), never the others.
// Layout: docs/format.md, "Base", "Lists of floats". Threads: reading from any under an EpochGuard; failures throw ReadFailure.
#pragma once

#include "storage/base/cell.h"
#include "storage/base/paged_base.h"

namespace fornix::storage {

void ReadFloatsRow(const BaseContext& context, uint64_t owner, CellKind kind, uint32_t dimensions, const ExtentRef& extent, unsigned row,
                   std::byte* out);
// The rows one after the other; all have the same length.
Result<ExtentRef> WriteFloatsRows(ExtentFile* file, uint64_t owner, CellKind kind, uint32_t dimensions,
                                  std::span<const std::byte* const> rows);
// A power of two of slots whose lists make about 256 KiB.
uint8_t FloatsBlockLog2(CellKind kind, uint32_t dimensions);

}  // namespace fornix::storage
