#include "engine/exec/batch.h"

#include "base/value_compare.h"

namespace fornix::engine {

Value Column::ValueAt(size_t row) const {
  if (IsNull(row)) return {};
  switch (kind_) {
    case ColumnKind::kNode: return Value::NodeRef(words_[row]);
    case ColumnKind::kRelationship: return Value::RelationshipRef(words_[row]);
    case ColumnKind::kBool: return Value(bool_at(row));
    case ColumnKind::kInt: return Value(int_at(row));
    case ColumnKind::kFloat: return Value(float_at(row));
    case ColumnKind::kBoxed: return boxed_[row];
    case ColumnKind::kUnset:
    case ColumnKind::kNull: break;
  }
  return {};
}

void Column::Clear() {
  kind_ = ColumnKind::kUnset;
  size_ = 0;
  words_.clear();
  nulls_.clear();
  boxed_.clear();
}

void Column::Start(ColumnKind kind, size_t rows) {
  Clear();
  kind_ = kind;
  size_ = rows;
  if (kind == ColumnKind::kBoxed) {
    boxed_.resize(rows);
  } else if (kind != ColumnKind::kNull) {
    words_.resize(rows);
  }
}

void Column::SetNull(size_t row) {
  if (kind_ == ColumnKind::kBoxed) {
    boxed_[row] = Value();
  } else if (kind_ != ColumnKind::kNull) {
    if (nulls_.empty()) nulls_.resize(size_);
    nulls_[row] = 1;
  }
}

void Column::Become(ColumnKind kind) {
  DCHECK(kind_ <= ColumnKind::kNull);
  kind_ = kind;
  if (kind == ColumnKind::kBoxed) {
    boxed_.resize(size_);
  } else if (kind != ColumnKind::kNull) {
    words_.resize(size_);
    if (size_ > 0) nulls_.assign(size_, 1);
  }
}

void Column::Box() {
  std::vector<Value> values;
  values.reserve(size_ + 1);
  for (size_t i = 0; i < size_; i++) values.push_back(ValueAt(i));
  boxed_ = std::move(values);
  words_.clear();
  nulls_.clear();
  kind_ = ColumnKind::kBoxed;
}

void Column::AppendWord(ColumnKind kind, uint64_t word) {
  if (kind_ != kind) {
    if (kind_ <= ColumnKind::kNull) {
      Become(kind);
    } else {
      if (kind_ != ColumnKind::kBoxed) Box();
      switch (kind) {
        case ColumnKind::kNode: boxed_.push_back(Value::NodeRef(word)); break;
        case ColumnKind::kRelationship: boxed_.push_back(Value::RelationshipRef(word)); break;
        case ColumnKind::kBool: boxed_.push_back(Value(word != 0)); break;
        case ColumnKind::kInt: boxed_.push_back(Value(static_cast<int64_t>(word))); break;
        default: boxed_.push_back(Value(std::bit_cast<double>(word))); break;
      }
      size_++;
      return;
    }
  }
  words_.push_back(word);
  if (!nulls_.empty()) nulls_.push_back(0);
  size_++;
}

void Column::AppendNull() {
  if (kind_ == ColumnKind::kUnset) kind_ = ColumnKind::kNull;
  if (kind_ == ColumnKind::kBoxed) {
    boxed_.emplace_back();
  } else if (kind_ != ColumnKind::kNull) {
    words_.push_back(0);
    if (nulls_.empty()) nulls_.resize(size_);
    nulls_.push_back(1);
  }
  size_++;
}

void Column::AppendImpl(const Value& value) {
  switch (value.type()) {
    case Type::kNull: return AppendNull();
    case Type::kBoolean: return AppendBool(value.AsBoolean());
    case Type::kInteger: return AppendInt(value.AsInteger());
    case Type::kFloat: return AppendFloat(value.AsFloat());
    case Type::kNodeRef: return AppendNode(NodeId(value.AsNodeRef()));
    case Type::kRelationshipRef: return AppendRelationship(RelId(value.AsRelationshipRef()));
    default: break;
  }
  if (kind_ <= ColumnKind::kNull) Become(ColumnKind::kBoxed);
  if (kind_ != ColumnKind::kBoxed) Box();
  boxed_.push_back(value);
  size_++;
}

void Column::AppendFrom(const Column& source, size_t row) {
  if (source.IsNull(row)) return AppendNull();
  if (source.kind_ == ColumnKind::kBoxed) return AppendImpl(source.boxed_[row]);
  AppendWord(source.kind_, source.words_[row]);
}

void Column::AppendRange(const Column& source, size_t first, size_t count) {
  if (count == 0) {
    if (kind_ == ColumnKind::kUnset && source.filled()) kind_ = ColumnKind::kNull;
    return;
  }
  if (kind_ == ColumnKind::kUnset && source.is_typed()) Become(source.kind_);
  if (kind_ == source.kind_ && source.is_typed()) {
    words_.insert(words_.end(), source.words_.begin() + first, source.words_.begin() + first + count);
    if (!source.nulls_.empty() || !nulls_.empty()) {
      if (nulls_.empty()) nulls_.resize(size_);
      if (source.nulls_.empty()) {
        nulls_.resize(size_ + count);
      } else {
        nulls_.insert(nulls_.end(), source.nulls_.begin() + first, source.nulls_.begin() + first + count);
      }
    }
    size_ += count;
    return;
  }
  for (size_t i = 0; i < count; i++) AppendFrom(source, first + i);
}

void Column::AppendRepeated(const Column& source, size_t row, size_t count) {
  if (count == 0) return;
  if (source.IsNull(row)) {
    for (size_t i = 0; i < count; i++) AppendNull();
    return;
  }
  if (kind_ == ColumnKind::kUnset) Become(source.kind_);
  if (kind_ == source.kind_ && source.is_typed()) {
    words_.insert(words_.end(), count, source.words_[row]);
    if (!nulls_.empty()) nulls_.resize(size_ + count);
    size_ += count;
    return;
  }
  if (kind_ == source.kind_) {
    boxed_.insert(boxed_.end(), count, source.boxed_[row]);
    size_ += count;
    return;
  }
  for (size_t i = 0; i < count; i++) AppendFrom(source, row);
}

void Column::AppendRows(const Column& source, std::span<const uint32_t> rows) {
  if (rows.empty()) {
    if (kind_ == ColumnKind::kUnset && source.filled()) kind_ = ColumnKind::kNull;
    return;
  }
  if (kind_ == ColumnKind::kUnset && source.kind_ >= ColumnKind::kNode) Become(source.kind_);
  if (kind_ == source.kind_ && source.is_typed() && source.nulls_.empty()) {
    const size_t old = words_.size();
    words_.resize(old + rows.size());
    uint64_t* to = words_.data() + old;
    const uint64_t* from = source.words_.data();
    for (size_t i = 0; i < rows.size(); i++) to[i] = from[rows[i]];
    size_ += rows.size();
    if (!nulls_.empty()) nulls_.resize(size_);
    return;
  }
  if (kind_ == ColumnKind::kBoxed && source.kind_ == ColumnKind::kBoxed) {
    boxed_.reserve(boxed_.size() + rows.size());
    for (uint32_t row : rows) boxed_.push_back(source.boxed_[row]);
    size_ += rows.size();
    return;
  }
  for (uint32_t row : rows) AppendFrom(source, row);
}

void Column::Keep(std::span<const uint32_t> rows) {
  if (kind_ == ColumnKind::kUnset) return;
  if (kind_ == ColumnKind::kBoxed) {
    for (size_t i = 0; i < rows.size(); i++) {
      if (rows[i] != i) boxed_[i] = std::move(boxed_[rows[i]]);
    }
  } else if (kind_ != ColumnKind::kNull) {
    for (size_t i = 0; i < rows.size(); i++) words_[i] = words_[rows[i]];
    if (!nulls_.empty()) {
      for (size_t i = 0; i < rows.size(); i++) nulls_[i] = nulls_[rows[i]];
    }
  }
  Truncate(rows.size());
}

void Column::Truncate(size_t rows) {
  if (kind_ == ColumnKind::kUnset || rows >= size_) return;
  size_ = rows;
  if (kind_ == ColumnKind::kBoxed) boxed_.resize(rows);
  if (is_typed()) {
    words_.resize(rows);
    if (!nulls_.empty()) nulls_.resize(rows);
  }
}

size_t Column::MemoryBytes() const {
  size_t bytes = words_.size() * sizeof(uint64_t) + nulls_.size();
  for (const Value& v : boxed_) bytes += v.MemoryBytes();
  return bytes;
}

bool EquivalentAt(const Column& a, size_t row_a, const Column& b, size_t row_b) {
  if (a.IsNull(row_a) || b.IsNull(row_b)) return a.IsNull(row_a) && b.IsNull(row_b);
  if (a.kind() == b.kind() && a.is_typed() && a.kind() != ColumnKind::kFloat) return a.word(row_a) == b.word(row_b);
  if (a.kind() == ColumnKind::kBoxed && b.kind() == ColumnKind::kBoxed) return Equivalent(a.boxed_at(row_a), b.boxed_at(row_b));
  return Equivalent(a.ValueAt(row_a), b.ValueAt(row_b));
}

uint64_t HashAt(const Column& c, size_t row) {
  if (c.kind() == ColumnKind::kBoxed) return Hash(c.boxed_at(row));
  return Hash(c.ValueAt(row));
}

int OrderAt(const Column& a, size_t row_a, const Column& b, size_t row_b) {
  if (a.kind() == ColumnKind::kInt && b.kind() == ColumnKind::kInt && !a.IsNull(row_a) && !b.IsNull(row_b)) {
    const int64_t x = a.int_at(row_a), y = b.int_at(row_b);
    return x < y ? -1 : x > y;
  }
  if (a.kind() == ColumnKind::kBoxed && b.kind() == ColumnKind::kBoxed) return Order(a.boxed_at(row_a), b.boxed_at(row_b));
  return Order(a.ValueAt(row_a), b.ValueAt(row_b));
}

void Batch::Clear() {
  for (Column& c : columns_) {
    if (c.filled()) c.Clear();
  }
  rows_ = 0;
}

void Batch::Keep(std::span<const uint32_t> rows) {
  if (rows.size() == rows_) return;
  for (Column& c : columns_) c.Keep(rows);
  rows_ = rows.size();
}

void Batch::Truncate(size_t rows) {
  if (rows >= rows_) return;
  for (Column& c : columns_) c.Truncate(rows);
  rows_ = rows;
}

void Batch::Retain(std::span<const uint32_t> live) {
  // `live` is short and so are rows; a mark array would cost more than it saves.
  for (uint32_t slot = 0; slot < columns_.size(); slot++) {
    if (!columns_[slot].filled()) continue;
    bool keep = false;
    for (uint32_t l : live) keep |= l == slot;
    if (!keep) columns_[slot].Clear();
  }
}

void Batch::AppendRows(const Batch& source, std::span<const uint32_t> slots, size_t first, size_t count) {
  for (uint32_t slot : slots) {
    const Column& from = source.column(slot);
    Column& to = columns_[slot];
    if (from.filled()) {
      while (to.size() < rows_) to.AppendNull();
      to.AppendRange(from, first, count);
    } else {
      while (to.size() < rows_ + count) to.AppendNull();
    }
  }
  rows_ += count;
}

size_t Batch::MemoryBytes() const {
  size_t bytes = sizeof(*this) + columns_.size() * sizeof(Column);
  for (const Column& c : columns_) bytes += c.MemoryBytes();
  return bytes;
}

}  // namespace fornix::engine
