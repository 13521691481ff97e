#include "storage/base/cell.h"

#include <cstring>

#include "base/check.h"
#include "storage/txn/value_codec.h"

namespace fornix::storage {
namespace {

// As in docs/format.md, "Values".
constexpr uint8_t kTagFalse = 1, kTagTrue = 2, kTagInteger = 3, kTagFloat = 4, kTagString = 5, kTagFloat32List = 8,
                  kTagFloat64List = 9, kTagVector = 10, kTagDate = 11, kTagLocalTime = 12;
constexpr size_t kArenaBlockBytes = size_t{64} << 10;

Cell NumberCell(CellKind kind, int64_t number) {
  Cell cell;
  cell.kind = kind;
  cell.integer = number;
  return cell;
}
Cell BytesCell(CellKind kind, size_t size, const void* bytes) {
  Cell cell;
  cell.kind = kind;
  cell.size = static_cast<uint32_t>(size);
  cell.bytes = static_cast<const std::byte*>(bytes);
  return cell;
}

// A list of floats in tagged form as a column of its own; shorter ones stay tagged.
Cell FloatsCell(uint8_t tag, std::span<const std::byte> tagged) {
  const CellKind kind = tag == kTagFloat32List ? CellKind::kFloat32List
                        : tag == kTagFloat64List ? CellKind::kFloat64List : CellKind::kVector;
  uint64_t n = 0;
  const size_t used = LoadVarint(tagged.data() + 1, tagged.size() - 1, &n);
  const size_t bytes = tagged.size() - 1 - used;
  if (used == 0 || bytes < kFloatsRowBytesMin || bytes % FloatBytes(kind) != 0 || bytes / FloatBytes(kind) != n) {
    return BytesCell(CellKind::kTagged, tagged.size(), tagged.data());
  }
  return BytesCell(kind, n, tagged.data() + 1 + used);
}

// The same of a version's list: short ones become tagged here, so that equal values are equal cells.
Cell FloatsCell(CellKind kind, size_t n, const void* numbers, CellArena* arena) {
  const Cell cell = BytesCell(kind, n, numbers);
  if (n * FloatBytes(kind) >= kFloatsRowBytesMin) return cell;
  ByteWriter tagged;
  AppendTagged(cell, &tagged);
  return BytesCell(CellKind::kTagged, tagged.size(), arena->Keep(tagged.bytes()));
}

}  // namespace

const std::byte* CellArena::Keep(std::span<const std::byte> bytes) {
  if (bytes.size() > free_) {
    const size_t block = std::max(bytes.size(), kArenaBlockBytes);
    blocks_.push_back(std::make_unique<std::byte[]>(block));
    next_ = blocks_.back().get();
    free_ = block;
  }
  std::byte* place = next_;
  if (!bytes.empty()) std::memcpy(place, bytes.data(), bytes.size());
  next_ += bytes.size();
  free_ -= bytes.size();
  return place;
}

Cell CellOf(const StoredProperty& property, CellArena* arena) {
  const Value& value = property.value;
  if (property.packing != Packing::kPlain) {
    const CellKind kind = property.packing == Packing::kFloat32List ? CellKind::kFloat32List : CellKind::kFloat64List;
    return FloatsCell(kind, value.AsBytes().size() / FloatBytes(kind), value.AsBytes().data(), arena);
  }
  switch (value.type()) {
    case Type::kNull: return Cell();
    case Type::kInteger: return NumberCell(CellKind::kInteger, value.AsInteger());
    case Type::kBoolean: return NumberCell(CellKind::kBoolean, value.AsBoolean());
    case Type::kDate: return NumberCell(CellKind::kDate, value.AsDate().days);
    case Type::kLocalTime: return NumberCell(CellKind::kLocalTime, value.AsLocalTime().nanos);
    case Type::kFloat: {
      Cell cell;
      cell.kind = CellKind::kFloat;
      cell.real = value.AsFloat();
      return cell;
    }
    case Type::kString: return BytesCell(CellKind::kString, value.AsString().size(), value.AsString().data());
    case Type::kVector: return FloatsCell(CellKind::kVector, value.AsVector().size(), value.AsVector().data(), arena);
    default: {
      ByteWriter tagged;
      EncodeValue(value, &tagged);
      return BytesCell(CellKind::kTagged, tagged.size(), arena->Keep(tagged.bytes()));
    }
  }
}

Cell CellOfTagged(std::span<const std::byte> tagged) {
  const Cell as_it_is = BytesCell(CellKind::kTagged, tagged.size(), tagged.data());
  if (tagged.empty()) return as_it_is;
  const uint8_t tag = static_cast<uint8_t>(tagged[0]);
  uint64_t number = 0;
  switch (tag) {
    case 0: return tagged.size() == 1 ? Cell() : as_it_is;
    case kTagFalse: case kTagTrue:
      return tagged.size() == 1 ? NumberCell(CellKind::kBoolean, tag == kTagTrue) : as_it_is;
    case kTagInteger: case kTagDate: case kTagLocalTime:
      if (LoadVarint(tagged.data() + 1, tagged.size() - 1, &number) + 1 != tagged.size()) return as_it_is;
      if (tag == kTagLocalTime) return NumberCell(CellKind::kLocalTime, static_cast<int64_t>(number));
      return NumberCell(tag == kTagInteger ? CellKind::kInteger : CellKind::kDate, UnZigZag(number));
    case kTagFloat: {
      if (tagged.size() != 9) return as_it_is;
      Cell cell;
      cell.kind = CellKind::kFloat;
      cell.real = LoadFixed<double>(tagged.data() + 1);
      return cell;
    }
    case kTagString: {
      const size_t used = LoadVarint(tagged.data() + 1, tagged.size() - 1, &number);
      if (used == 0 || tagged.size() - 1 - used != number) return as_it_is;
      return BytesCell(CellKind::kString, number, tagged.data() + 1 + used);
    }
    case kTagFloat32List: case kTagFloat64List: case kTagVector: return FloatsCell(tag, tagged);
    default: return as_it_is;
  }
}

void AppendTagged(const Cell& cell, ByteWriter* out) {
  switch (cell.kind) {
    case CellKind::kBoolean: return out->U8(cell.integer != 0 ? kTagTrue : kTagFalse);
    case CellKind::kInteger: out->U8(kTagInteger); return out->SignedVarint(cell.integer);
    case CellKind::kDate: out->U8(kTagDate); return out->SignedVarint(cell.integer);
    case CellKind::kLocalTime: out->U8(kTagLocalTime); return out->Varint(static_cast<uint64_t>(cell.integer));
    case CellKind::kFloat: out->U8(kTagFloat); return out->F64(cell.real);
    case CellKind::kString: out->U8(kTagString); return out->String(cell.text());
    case CellKind::kTagged: return out->Bytes({cell.bytes, cell.size});
    case CellKind::kFloat32List: case CellKind::kFloat64List: case CellKind::kVector:
      out->U8(cell.kind == CellKind::kFloat32List ? kTagFloat32List : cell.kind == CellKind::kFloat64List ? kTagFloat64List : kTagVector);
      out->Varint(cell.size);
      CHECK(cell.size == 0 || cell.bytes != nullptr);
      return out->Bytes({cell.bytes, cell.size * FloatBytes(cell.kind)});
    case CellKind::kAbsent: case CellKind::kDead: return out->U8(0);
  }
}

bool SameCell(const Cell& a, const Cell& b) {
  if (a.empty() || b.empty()) return a.empty() && b.empty();
  if (a.kind != b.kind || a.size != b.size) return false;
  if (IsNumberKind(a.kind) || a.kind == CellKind::kFloat) return a.integer == b.integer;   // floats by their bits
  const size_t bytes = a.size * (IsFloatsKind(a.kind) ? FloatBytes(a.kind) : 1);
  return bytes == 0 || std::memcmp(a.bytes, b.bytes, bytes) == 0;
}

void EncodeBlobRef(const BlobRef& blob, ByteWriter* out) {
  out->U8(kBlobTag);
  out->Varint(blob.bytes);
  out->Varint(blob.extents.size());
  for (const ExtentRef& ref : blob.extents) EncodeExtentRef(ref, out);
}

Result<BlobRef> DecodeBlobRef(ByteReader* in, uint64_t file_pages) {
  BlobRef blob;
  ASSIGN_OR_RETURN(blob.bytes, in->ReadVarint());
  ASSIGN_OR_RETURN(const uint32_t n, in->ReadCount(kExtentRefBytes));
  // LZ4 makes 255 bytes of one at most, so that much may lie behind the pages; a value is far below this anyway.
  if (blob.bytes > uint64_t{n} * kExtentPayloadMax || n == 0)
    return in->Damaged("a blob of " + std::to_string(blob.bytes) + " bytes in " + std::to_string(n) + " extents");
  blob.extents.resize(n);
  for (ExtentRef& ref : blob.extents) {
    ASSIGN_OR_RETURN(ref, DecodeExtentRef(in, file_pages));
    if (ref.none()) return in->Damaged("a blob without an extent");
  }
  RETURN_IF_ERROR(in->ExpectEnd());
  return blob;
}

}  // namespace fornix::storage
