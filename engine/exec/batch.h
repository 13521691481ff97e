// Column and Batch: the rows that travel between operators, by column.
//
// A column is typed as long as its values allow it: ids, booleans, integers and floats lie in one array of 8-byte words
// with a mask of nulls beside it; anything else is boxed. A value that does not fit the kind turns the column into a boxed one,
// so kinds are a matter of speed and never of meaning. Equal content in different kinds is equal.
// A batch has a column for every slot of the plan, but only the live slots of the operator that made it are filled.
// Batches keep their buffers when cleared, so a running pipeline allocates nothing.
// Threads: none of this is shared.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "fornix/value.h"

namespace fornix::engine {

inline constexpr size_t kBatchRowsMax = 1024;   // columns of 8 KiB: a handful of them stay in the L1 and L2 caches

enum class ColumnKind : uint8_t { kUnset, kNull, kNode, kRelationship, kBool, kInt, kFloat, kBoxed };

class Column {
 public:
  ColumnKind kind() const { return kind_; }
  bool filled() const { return kind_ != ColumnKind::kUnset; }
  bool is_typed() const { return kind_ >= ColumnKind::kNode && kind_ <= ColumnKind::kFloat; }
  size_t size() const { return size_; }
  // True when no entry of a typed column is null. Boxed columns don't know.
  bool no_nulls() const { return nulls_.empty() && is_typed(); }
  bool IsNull(size_t row) const {
    if (kind_ == ColumnKind::kBoxed) return boxed_[row].is_null();
    return kind_ <= ColumnKind::kNull || (!nulls_.empty() && nulls_[row] != 0);
  }

  // The content by kind; entries that are null hold anything.
  std::span<const NodeId> nodes() const { DCHECK(kind_ == ColumnKind::kNode); return {reinterpret_cast<const NodeId*>(words_.data()), size_}; }
  std::span<const RelId> relationships() const { DCHECK(kind_ == ColumnKind::kRelationship); return {reinterpret_cast<const RelId*>(words_.data()), size_}; }
  uint64_t word(size_t row) const { return words_[row]; }
  bool bool_at(size_t row) const { return words_[row] != 0; }
  int64_t int_at(size_t row) const { return static_cast<int64_t>(words_[row]); }
  double float_at(size_t row) const { return std::bit_cast<double>(words_[row]); }
  const Value& boxed_at(size_t row) const { return boxed_[row]; }
  const uint64_t* words() const { return words_.data(); }
  const uint8_t* nulls() const { return nulls_.empty() ? nullptr : nulls_.data(); }
  Value ValueAt(size_t row) const;

  // To be filled from outside: `rows` entries of a kind, none null, content undefined until written.
  void Start(ColumnKind kind, size_t rows);
  uint64_t* mutable_words() { return words_.data(); }
  Value* mutable_boxed() { return boxed_.data(); }
  NodeId* mutable_nodes() { return reinterpret_cast<NodeId*>(words_.data()); }
  RelId* mutable_relationships() { return reinterpret_cast<RelId*>(words_.data()); }
  void SetBool(size_t row, bool v) { words_[row] = v; }
  void SetInt(size_t row, int64_t v) { words_[row] = static_cast<uint64_t>(v); }
  void SetFloat(size_t row, double v) { words_[row] = std::bit_cast<uint64_t>(v); }
  void SetNull(size_t row);

  void Clear();                                          // unset, buffers kept
  void Truncate(size_t rows);
  void Append(const Value& value) { AppendImpl(value); }
  void AppendNull();
  void AppendNode(NodeId id) { AppendWord(ColumnKind::kNode, id.value); }
  void AppendRelationship(RelId id) { AppendWord(ColumnKind::kRelationship, id.value); }
  void AppendInt(int64_t v) { AppendWord(ColumnKind::kInt, static_cast<uint64_t>(v)); }
  void AppendFloat(double v) { AppendWord(ColumnKind::kFloat, std::bit_cast<uint64_t>(v)); }
  void AppendBool(bool v) { AppendWord(ColumnKind::kBool, v); }
  void AppendFrom(const Column& source, size_t row);
  void AppendRange(const Column& source, size_t first, size_t count);
  void AppendRepeated(const Column& source, size_t row, size_t count);
  void AppendRows(const Column& source, std::span<const uint32_t> rows);
  // *this = the given rows of `source` (another column).
  void Gather(const Column& source, std::span<const uint32_t> rows) { Clear(); AppendRows(source, rows); }
  // Keeps the given rows, which ascend.
  void Keep(std::span<const uint32_t> rows);
  size_t MemoryBytes() const;

 private:
  void AppendImpl(const Value& value);
  void AppendWord(ColumnKind kind, uint64_t word);
  void Box();                                            // to kBoxed
  // From kUnset or kNull to `kind`; entries so far are null.
  void Become(ColumnKind kind);

  ColumnKind kind_ = ColumnKind::kUnset;
  size_t size_ = 0;
  std::vector<uint64_t> words_;                          // typed: size_ entries
  std::vector<uint8_t> nulls_;                           // typed: empty (no nulls) or size_ entries
  std::vector<Value> boxed_;                             // kBoxed: size_ entries
};
// Ids are structs of one 64-bit number, so an array of words may be read as an array of ids.
static_assert(sizeof(NodeId) == 8 && sizeof(RelId) == 8);

// Compare and hash entries without boxing typed ones. Both follow Equivalent and Hash of base/value_compare.h.
bool EquivalentAt(const Column& a, size_t row_a, const Column& b, size_t row_b);
uint64_t HashAt(const Column& c, size_t row);
// By Order of base/value_compare.h.
int OrderAt(const Column& a, size_t row_a, const Column& b, size_t row_b);

class Batch {
 public:
  Batch() = default;
  explicit Batch(size_t slots) : columns_(slots) {}
  size_t slots() const { return columns_.size(); }
  size_t rows() const { return rows_; }
  bool empty() const { return rows_ == 0; }
  void set_rows(size_t rows) { rows_ = rows; }
  Column& column(uint32_t slot) { DCHECK(slot < columns_.size()); return columns_[slot]; }
  const Column& column(uint32_t slot) const { DCHECK(slot < columns_.size()); return columns_[slot]; }
  void Clear();
  // Keeps the given rows, which ascend, in all filled columns.
  void Keep(std::span<const uint32_t> rows);
  void Truncate(size_t rows);
  // Unsets every column that isn't in `live`.
  void Retain(std::span<const uint32_t> live);
  // Appends rows of `source`, in these slots only; slots that the source hasn't filled become null.
  void AppendRows(const Batch& source, std::span<const uint32_t> slots, size_t first, size_t count);
  size_t MemoryBytes() const;

 private:
  std::vector<Column> columns_;
  size_t rows_ = 0;
};

}  // namespace fornix::engine
