// Cell: the value of one property at one slot, on its way from a version into a column or from one column into the next.
//
// A cell owns nothing: strings and lists point into the version, the old column's frame or the writer's arena. Kinds that columns
// store by themselves have their own form; everything else is "tagged": the bytes of storage/txn/value_codec.h, or a reference
// to a blob (docs/format.md, "Base"). Pure.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "storage/graph/stored_properties.h"
#include "storage/page/extent.h"

namespace fornix::storage {

// Numbers as in the encoding byte of a column piece.
enum class CellKind : uint8_t {
  kAbsent = 0, kInteger = 1, kBoolean = 2, kDate = 3, kLocalTime = 4, kFloat = 5, kString = 6, kTagged = 7,
  kFloat32List = 8, kFloat64List = 9, kVector = 10,
  kDead = 255,               // no element at this slot: any value will do
};
inline constexpr uint8_t kCellKinds = 11;
constexpr bool IsNumberKind(CellKind kind) { return kind >= CellKind::kInteger && kind <= CellKind::kLocalTime; }
constexpr bool IsFloatsKind(CellKind kind) { return kind >= CellKind::kFloat32List && kind <= CellKind::kVector; }
constexpr size_t FloatBytes(CellKind kind) { return kind == CellKind::kFloat64List ? 8 : 4; }

struct Cell {
  CellKind kind = CellKind::kAbsent;
  uint32_t size = 0;                   // string, tagged: bytes; lists of floats: elements
  union {
    int64_t integer = 0;
    double real;
    const std::byte* bytes;            // lists of floats: null: as the old column has them
  };
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes), size}; }
  bool empty() const { return kind == CellKind::kAbsent || kind == CellKind::kDead; }
};
static_assert(sizeof(Cell) == 16);

// Bytes that live as long as the arena.
class CellArena {
 public:
  const std::byte* Keep(std::span<const std::byte> bytes);
  void Clear() { blocks_.clear(), free_ = 0; }

 private:
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* next_ = nullptr;
  size_t free_ = 0;
};

// A tagged value that begins with this byte is a blob: varint bytes of the value, varint count of extents, their references; the
// value's tagged bytes are the extents' payloads one after the other.
inline constexpr uint8_t kBlobTag = 255;
// Values whose tagged form is longer go to blobs: a page, so that a column's pieces stay small.
inline constexpr size_t kInlineValueMax = 4096;

// Lists of floats shorter than this are tagged values: an extent's first page would cost more than it holds.
inline constexpr size_t kFloatsRowBytesMin = 256;

Cell CellOf(const StoredProperty& property, CellArena* arena);
Cell CellOfTagged(std::span<const std::byte> tagged);               // points into it; the bytes are checked when they are read
void AppendTagged(const Cell& cell, ByteWriter* out);               // REQUIRES: not empty; lists of floats with bytes
bool SameCell(const Cell& a, const Cell& b);                        // kind and content; blobs by their references
inline bool IsBlob(const Cell& cell) {
  return cell.kind == CellKind::kTagged && cell.size > 0 && cell.bytes[0] == std::byte{kBlobTag};
}

struct BlobRef {
  uint64_t bytes = 0;
  std::vector<ExtentRef> extents;
};
void EncodeBlobRef(const BlobRef& blob, ByteWriter* out);           // with the tag
Result<BlobRef> DecodeBlobRef(ByteReader* in, uint64_t file_pages);  // the tag has been read

}  // namespace fornix::storage
