#include "storage/base/column.h"

#include <string>

#include "base/value_check.h"
#include "storage/base/column_layout.h"

namespace fornix::storage {
namespace {

Status CheckAscending(const ByteReader& in, const Packed& offsets, size_t n, uint64_t total) {
  uint64_t last = offsets[0];
  if (last != 0) return in.Damaged("texts that begin at " + std::to_string(last));
  for (size_t i = 1; i <= n; ++i) {
    const uint64_t offset = offsets[i];
    if (offset < last) return in.Damaged("the end of a text before its start");
    last = offset;
  }
  if (last != total) return in.Damaged("texts that end at " + std::to_string(last) + " of " + std::to_string(total) + " bytes");
  return Status::Ok();
}

Value NumberValue(Encoding encoding, int64_t number) {
  switch (encoding) {
    case Encoding::kBoolean: return Value(number != 0);
    case Encoding::kDate: return Value(Date{number});
    case Encoding::kLocalTime: return Value(LocalTime{number});
    default: return Value(number);
  }
}
bool IsNumbers(Encoding encoding) { return encoding >= Encoding::kInteger && encoding <= Encoding::kLocalTime; }

}  // namespace

Result<PackedTexts> ReadTexts(ByteReader* in, size_t n) {
  PackedTexts texts;
  ASSIGN_OR_RETURN(const uint64_t total, in->ReadVarint());
  ASSIGN_OR_RETURN(texts.offsets, ReadPacked(in, n + 1));
  RETURN_IF_ERROR(CheckAscending(*in, texts.offsets, n, total));
  ASSIGN_OR_RETURN(const std::span<const std::byte> bytes, in->ReadBytes(total));
  texts.bytes = bytes.data();
  return texts;
}

Result<Column> Column::Decode(ByteReader* in, uint64_t file_pages) {
  Column column;
  ASSIGN_OR_RETURN(column.first_, in->ReadVarint32());
  ASSIGN_OR_RETURN(column.count_, in->ReadVarint32());
  if (column.first_ >= kChunkSlots || column.count_ == 0 || column.count_ > kChunkSlots - column.first_) {
    return in->Damaged("a column of " + std::to_string(column.count_) + " slots from " + std::to_string(column.first_));
  }
  ASSIGN_OR_RETURN(const uint8_t encoding, in->ReadU8());
  if (encoding > static_cast<uint8_t>(Encoding::kConstant))
    return in->Damaged("a column of the unknown encoding " + std::to_string(encoding));
  column.encoding_ = static_cast<Encoding>(encoding);
  ASSIGN_OR_RETURN(const uint8_t presence, in->ReadU8());
  if (presence > 1) return in->Damaged("a presence of " + std::to_string(presence));
  column.dense_ = presence == 0;
  size_t n = column.count_;
  if (!column.dense_) {
    ASSIGN_OR_RETURN(column.present_, ReadBitmap(in, column.count_));
    n = column.present_.count();
  }
  RETURN_IF_ERROR(column.DecodeValues(in, n, file_pages));
  RETURN_IF_ERROR(column.DecodeExceptions(in));
  RETURN_IF_ERROR(in->ExpectEnd());
  return column;
}

Status Column::DecodeValues(ByteReader* in, size_t n, uint64_t file_pages) {
  switch (encoding_) {
    case Encoding::kNone:
      return n == 0 ? Status::Ok() : in->Damaged("values without a kind");
    case Encoding::kInteger: case Encoding::kBoolean: case Encoding::kDate: case Encoding::kLocalTime: {
      ASSIGN_OR_RETURN(numbers_, ReadPackedNumbers(in, n));
      if (encoding_ == Encoding::kDate || encoding_ == Encoding::kLocalTime) {
        for (size_t i = 0; i < n; ++i) {
          const std::string wrong = WhatIsWrong(NumberValue(encoding_, static_cast<int64_t>(numbers_[i])));
          if (!wrong.empty()) return in->Damaged("a date or a local time that is none: " + wrong);
        }
      }
      return Status::Ok();
    }
    case Encoding::kFloat: {
      ASSIGN_OR_RETURN(const std::span<const std::byte> bytes, in->ReadBytes(n * sizeof(double)));
      reals_ = bytes.data();
      return Status::Ok();
    }
    case Encoding::kString: case Encoding::kTagged: {
      ASSIGN_OR_RETURN(texts_, ReadTexts(in, n));
      return Status::Ok();
    }
    case Encoding::kDictionary: {
      ASSIGN_OR_RETURN(const uint32_t size, in->ReadVarint32());
      if (size == 0 || size > kChunkSlots) return in->Damaged("a dictionary of " + std::to_string(size) + " texts");
      ASSIGN_OR_RETURN(texts_, ReadTexts(in, size));
      ASSIGN_OR_RETURN(numbers_.packed, ReadPacked(in, n));
      for (size_t i = 0; i < n; ++i) {
        if (numbers_.packed[i] >= size) return in->Damaged("a code beyond its dictionary");
      }
      if (size > kDictionaryValuesMax || texts_.offsets[size] > kDictionaryBytesMax) return Status::Ok();
      entries_.reserve(size);
      for (size_t i = 0; i < size; ++i) entries_.emplace_back(AsText(texts_[i]));
      return Status::Ok();
    }
    case Encoding::kConstant: {
      ASSIGN_OR_RETURN(const uint32_t size, in->ReadCount(1));
      ASSIGN_OR_RETURN(constant_bytes_, in->ReadBytes(size));
      ByteReader value(constant_bytes_, "a column's constant");
      ASSIGN_OR_RETURN(constant_, DecodeValue(&value));
      RETURN_IF_ERROR(value.ExpectEnd());
      return constant_.is_null() ? in->Damaged("null as a column's constant") : Status::Ok();
    }
    case Encoding::kFloat32List: case Encoding::kFloat64List: case Encoding::kVector: {
      ASSIGN_OR_RETURN(floats_.dimensions, in->ReadVarint32());
      ASSIGN_OR_RETURN(floats_.block_log2, in->ReadU8());
      const size_t row = floats_.dimensions * FloatBytes(static_cast<CellKind>(encoding_));
      if (floats_.dimensions == 0 || floats_.block_log2 > 12 || (row << floats_.block_log2) > kFloatsPayloadMax) {
        return in->Damaged("blocks of 2^" + std::to_string(floats_.block_log2) + " lists of " + std::to_string(floats_.dimensions) +
                           " floats");
      }
      floats_.extents.resize((count_ + (1u << floats_.block_log2) - 1) >> floats_.block_log2);
      for (ExtentRef& ref : floats_.extents) {
        ASSIGN_OR_RETURN(ref, DecodeExtentRef(in, file_pages));
      }
      for (unsigned i = 0; i < count_; ++i) {
        if ((dense_ || present_.Test(i)) && floats_.extents[i >> floats_.block_log2].none())
          return in->Damaged("a list of floats without an extent");
      }
      return Status::Ok();
    }
  }
  return Status::Ok();
}

Status Column::DecodeExceptions(ByteReader* in) {
  ASSIGN_OR_RETURN(const uint32_t n, in->ReadCount(1));
  if (n > count_) return in->Damaged("more exceptions than slots");
  if (n == 0) return Status::Ok();
  if (dense_) return in->Damaged("exceptions in a column that has none");
  exception_slots_.reserve(n);
  uint64_t slot = first_;
  for (uint32_t i = 0; i < n; ++i) {
    ASSIGN_OR_RETURN(const uint64_t step, in->ReadVarint());   // to the slot after the last one
    if (step >= end() - slot) return in->Damaged("an exception beyond the column");
    slot += step;
    if (present_.Test(slot - first_)) return in->Damaged("an exception where there is a value");
    exception_slots_.push_back(static_cast<uint16_t>(slot++));
  }
  ASSIGN_OR_RETURN(exceptions_, ReadTexts(in, n));
  return Status::Ok();
}

std::span<const std::byte> Column::Exception(unsigned slot) const {
  const auto it = std::lower_bound(exception_slots_.begin(), exception_slots_.end(), slot);
  if (it == exception_slots_.end() || *it != slot) return {};
  return exceptions_[static_cast<size_t>(it - exception_slots_.begin())];
}

bool Column::Has(unsigned slot) const { return Place(slot) != kNowhere || !Exception(slot).empty(); }

std::pair<const ExtentRef*, unsigned> Column::FloatsAt(unsigned slot) const {
  const unsigned i = slot - first_, block = i >> floats_.block_log2, start = block << floats_.block_log2;
  return {&floats_.extents[block], static_cast<unsigned>(dense_ ? i - start : present_.Rank(i) - present_.Rank(start))};
}

Value Column::At(size_t place, unsigned slot, const ValueReader& reader) const {
  switch (encoding_) {
    case Encoding::kNone: return Value();
    case Encoding::kInteger: case Encoding::kBoolean: case Encoding::kDate: case Encoding::kLocalTime:
      return NumberValue(encoding_, static_cast<int64_t>(numbers_[place]));
    case Encoding::kFloat: return Value(LoadFixed<double>(reals_ + place * sizeof(double)));
    case Encoding::kString: return Value(AsText(texts_[place]));
    case Encoding::kTagged: return reader.Tagged(texts_[place]);
    case Encoding::kDictionary:
      return entries_.empty() ? Value(AsText(texts_[numbers_.packed[place]])) : entries_[numbers_.packed[place]];
    case Encoding::kConstant: return constant_;
    case Encoding::kFloat32List: case Encoding::kFloat64List: case Encoding::kVector: {
      const auto [extent, row] = FloatsAt(slot);
      return reader.Floats(static_cast<CellKind>(encoding_), floats_.dimensions, *extent, row);
    }
  }
  return Value();
}

Value Column::Get(unsigned slot, const ValueReader& reader) const {
  const size_t place = Place(slot);
  if (place != kNowhere) return At(place, slot, reader);
  const std::span<const std::byte> exception = Exception(slot);
  return exception.empty() ? Value() : reader.Tagged(exception);
}

template <typename F>
void Column::GatherWith(std::span<const uint64_t> ids, Value* out, const ValueReader& reader, F make) const {
  for (size_t k = 0; k < ids.size(); ++k) {
    const unsigned slot = ids[k] % kChunkSlots;
    const size_t place = Place(slot);
    if (place != kNowhere) {
      out[k] = make(place, slot);
    } else {
      const std::span<const std::byte> exception = Exception(slot);
      out[k] = exception.empty() ? Value() : reader.Tagged(exception);
    }
  }
}

void Column::Gather(std::span<const uint64_t> ids, Value* out, const ValueReader& reader) const {
  switch (encoding_) {   // the branch above, the loop below: each loop knows its kind
    case Encoding::kInteger:
      return GatherWith(ids, out, reader, [this](size_t place, unsigned) { return Value(static_cast<int64_t>(numbers_[place])); });
    case Encoding::kFloat:
      return GatherWith(ids, out, reader,
                        [this](size_t place, unsigned) { return Value(LoadFixed<double>(reals_ + place * sizeof(double))); });
    case Encoding::kString:
      return GatherWith(ids, out, reader, [this](size_t place, unsigned) { return Value(AsText(texts_[place])); });
    case Encoding::kDictionary:
      if (entries_.empty()) break;
      return GatherWith(ids, out, reader, [this](size_t place, unsigned) { return entries_[numbers_.packed[place]]; });
    default: break;
  }
  GatherWith(ids, out, reader, [&](size_t place, unsigned slot) { return At(place, slot, reader); });
}

bool Column::Floats(unsigned slot, const ValueReader& reader, std::vector<float>* out) const {
  if (floats() == nullptr || Place(slot) == kNowhere) return FloatsOf(Get(slot, reader), out);
  const auto [extent, row] = FloatsAt(slot);
  const auto kind = static_cast<CellKind>(encoding_);
  out->resize(floats_.dimensions);
  if (kind != CellKind::kFloat64List) {
    reader.FloatsBytes(kind, floats_.dimensions, *extent, row, reinterpret_cast<std::byte*>(out->data()));
    return true;
  }
  static thread_local std::vector<std::byte> bytes;
  bytes.resize(floats_.dimensions * sizeof(double));
  reader.FloatsBytes(kind, floats_.dimensions, *extent, row, bytes.data());
  for (uint32_t i = 0; i < floats_.dimensions; ++i) (*out)[i] = static_cast<float>(LoadFixed<double>(bytes.data() + i * sizeof(double)));
  return true;
}

Cell Column::CellAt(unsigned slot) const {
  const size_t place = Place(slot);
  if (place == kNowhere) {
    const std::span<const std::byte> exception = Exception(slot);
    return exception.empty() ? Cell() : CellOfTagged(exception);
  }
  Cell cell;
  cell.kind = static_cast<CellKind>(encoding_);
  if (IsNumbers(encoding_)) {
    cell.integer = static_cast<int64_t>(numbers_[place]);
  } else if (encoding_ == Encoding::kFloat) {
    cell.real = LoadFixed<double>(reals_ + place * sizeof(double));
  } else if (floats() != nullptr) {
    cell.size = floats_.dimensions;
    cell.bytes = nullptr;
  } else if (encoding_ == Encoding::kConstant) {
    return CellOfTagged(constant_bytes_);
  } else {
    const std::span<const std::byte> text = texts_[encoding_ == Encoding::kDictionary ? numbers_.packed[place] : place];
    if (encoding_ == Encoding::kTagged) return CellOfTagged(text);
    cell.kind = CellKind::kString;
    cell.size = static_cast<uint32_t>(text.size());
    cell.bytes = text.data();
  }
  return cell;
}

size_t Column::MemoryBytes() const {
  size_t bytes = present_.MemoryBytes() + floats_.extents.capacity() * sizeof(ExtentRef) +
                 exception_slots_.capacity() * sizeof(uint16_t) + constant_.MemoryBytes();
  for (const Value& entry : entries_) bytes += entry.MemoryBytes();
  return bytes;
}

}  // namespace fornix::storage
