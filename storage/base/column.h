// Column: the values of one property over up to 4,096 neighbouring slots, as a piece of a chunk stores them.
//
// Values of the piece's main kind lie packed, one for each slot that has one (a bitmap with rank tells which, unless all have);
// slots with a value of another kind are exceptions, tagged. A decoded column is a view: what is packed stays packed and is read
// in place, so decoding is a check and not a copy. Layout: docs/format.md, "Base", "Column pieces".
// Invariant after Decode: every offset and code is inside its bounds; only tagged values may still be damaged, which their
// reader finds. Threads: any.
#pragma once

#include "storage/base/bits.h"
#include "storage/base/cell.h"
#include "storage/base/value_reader.h"

namespace fornix::storage {

inline constexpr unsigned kChunkSlots = 4096;

enum class Encoding : uint8_t {
  kNone = 0, kInteger = 1, kBoolean = 2, kDate = 3, kLocalTime = 4, kFloat = 5, kString = 6, kTagged = 7,
  kFloat32List = 8, kFloat64List = 9, kVector = 10, kDictionary = 11, kConstant = 12,
};

// Where the lists of floats of one length are: in an extent for each block of slots.
struct FloatBlocks {
  uint32_t dimensions = 0;
  uint8_t block_log2 = 0;
  std::vector<ExtentRef> extents;      // of slots [first + (i << block_log2), ...); none() where no slot has one
};

// Texts or tagged values one after the other.
struct PackedTexts {
  Packed offsets;                      // one more than there are texts
  const std::byte* bytes = nullptr;
  std::span<const std::byte> operator[](size_t i) const { return {bytes + offsets[i], offsets[i + 1] - offsets[i]}; }
};

// varint total, packed offsets, bytes.
Result<PackedTexts> ReadTexts(ByteReader* in, size_t n);

class Column {
 public:
  // The piece from the reader's place to its end; kPackedTail bytes must be readable behind it. The bytes outlive the column.
  static Result<Column> Decode(ByteReader* in, uint64_t file_pages);

  unsigned first() const { return first_; }
  unsigned end() const { return first_ + count_; }
  Encoding encoding() const { return encoding_; }
  bool Has(unsigned slot) const;
  Value Get(unsigned slot, const ValueReader& reader) const;
  // out[i] = the value at ids[i] % 4,096, null where there is none.
  void Gather(std::span<const uint64_t> ids, Value* out, const ValueReader& reader) const;
  // The numbers of a list of numbers or a VECTOR, read where they lie; false for anything else.
  bool Floats(unsigned slot, const ValueReader& reader, std::vector<float>* out) const;
  Cell CellAt(unsigned slot) const;    // lists of floats of `floats()`: without bytes
  const FloatBlocks* floats() const { return encoding_ >= Encoding::kFloat32List && encoding_ <= Encoding::kVector ? &floats_ : nullptr; }
  // Which extent of floats() and which row of it holds the list at the slot. REQUIRES: it is there.
  std::pair<const ExtentRef*, unsigned> FloatsAt(unsigned slot) const;
  size_t MemoryBytes() const;          // owned beside the view

 private:
  static constexpr size_t kNowhere = ~size_t{0};
  size_t Place(unsigned slot) const {  // among the values of the main kind
    const size_t i = slot - first_;    // a slot before first_ wraps
    if (i >= count_) return kNowhere;
    if (dense_) return i;
    return present_.Test(i) ? present_.Rank(i) : kNowhere;
  }
  Value At(size_t place, unsigned slot, const ValueReader& reader) const;
  std::span<const std::byte> Exception(unsigned slot) const;   // empty: none
  template <typename F>
  void GatherWith(std::span<const uint64_t> ids, Value* out, const ValueReader& reader, F make) const;
  Status DecodeValues(ByteReader* in, size_t n, uint64_t file_pages);
  Status DecodeExceptions(ByteReader* in);

  uint32_t first_ = 0, count_ = 0;
  Encoding encoding_ = Encoding::kNone;
  bool dense_ = true;
  RankedBits present_;
  PackedNumbers numbers_;              // also a dictionary's codes, with base 0
  const std::byte* reals_ = nullptr;
  PackedTexts texts_;                  // also a dictionary's entries
  std::vector<Value> entries_;         // of a small dictionary, made once: a reader's copy is a reference count
  Value constant_;
  std::span<const std::byte> constant_bytes_;
  FloatBlocks floats_;
  std::vector<uint16_t> exception_slots_;
  PackedTexts exceptions_;
};

// Writes the piece of slots [first, first + cells.size()). With `floats` lists of floats are the main kind, and all among the cells
// have its length; without it there are none.
// False, and nothing written, if no cell has a value.
bool EncodeColumn(unsigned first, std::span<const Cell> cells, const FloatBlocks* floats, ByteWriter* out);
// The kind that most cells have; kTagged for a blob. Lists of floats count together whatever their length.
CellKind MainKind(std::span<const Cell> cells);

}  // namespace fornix::storage
