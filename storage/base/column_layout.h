// Bounds of the column pieces' layout that reading and writing share. docs/format.md, "Base".
#pragma once

#include <cstddef>

#include "storage/page/extent_file.h"
#include "storage/txn/value_codec.h"

namespace fornix::storage {

// A dictionary of at most so many texts is made into values when it is read: 100 bytes each, and then no copy a row.
inline constexpr size_t kDictionaryValuesMax = 512, kDictionaryBytesMax = size_t{32} << 10;
// Lists of floats in one extent: a changed one rewrites its block, so blocks are of about 256 KiB; a reader believes up to 1,000 pages.
inline constexpr size_t kFloatsBlockBytes = size_t{256} << 10;
inline constexpr size_t kFloatsPayloadMax = size_t{1000} * kPageBytes;

}  // namespace fornix::storage
