// Rows of a bulk load; see row_codec.h.
#include "storage/bulk/row_codec.h"

#include "base/errors.h"
#include "storage/txn/value_codec.h"

namespace fornix::storage {

void RowBytes::Any(PropertyId key, const Value& value) {
  switch (value.type()) {
    case Type::kNull: return;
    case Type::kBoolean: return Boolean(key, value.AsBoolean());
    case Type::kInteger: return Integer(key, value.AsInteger());
    case Type::kFloat: return Float(key, value.AsFloat());
    case Type::kString: return String(key, value.AsString());
    default: break;
  }
  const StoredProperty packed = PackProperty(key, value);
  if (packed.packing != Packing::kPlain) {
    Sized(key, packed.packing == Packing::kFloat32List ? Kind::kFloats32 : Kind::kFloats64, AsBytes(packed.value.AsBytes()));
    return;
  }
  ByteWriter out;
  EncodeValue(value, &out);
  Sized(key, Kind::kOther, out.bytes());
}

// Walks over a row; every length is tested against what is left.
class RowReader {
 public:
  using Kind = RowBytes::Kind;
  explicit RowReader(std::span<const std::byte> row) : reader_(row, "row of a bulk load") {}

  Status Read(StoredProperties* out) {
    out->clear();
    while (!reader_.empty()) {
      ASSIGN_OR_RETURN(const uint64_t head, reader_.ReadVarint());
      const PropertyId key(static_cast<uint32_t>(head >> 3));
      switch (static_cast<Kind>(head & 7)) {
        case Kind::kInteger: {
          ASSIGN_OR_RETURN(const int64_t v, reader_.ReadZigZag());
          out->push_back({key, Packing::kPlain, Value(v)});
          break;
        }
        case Kind::kFloat: {
          ASSIGN_OR_RETURN(const double v, reader_.ReadF64());
          out->push_back({key, Packing::kPlain, Value(v)});
          break;
        }
        case Kind::kString: {
          ASSIGN_OR_RETURN(const std::string_view v, reader_.ReadString());
          out->push_back({key, Packing::kPlain, Value(v)});
          break;
        }
        case Kind::kTrue: out->push_back({key, Packing::kPlain, Value(true)}); break;
        case Kind::kFalse: out->push_back({key, Packing::kPlain, Value(false)}); break;
        case Kind::kFloats32:
        case Kind::kFloats64: {
          ASSIGN_OR_RETURN(const std::string_view v, reader_.ReadString());
          const Packing packing = static_cast<Kind>(head & 7) == Kind::kFloats32 ? Packing::kFloat32List : Packing::kFloat64List;
          out->push_back({key, packing, Value::Bytes(std::string(v))});
          break;
        }
        case Kind::kOther: {
          ASSIGN_OR_RETURN(const std::string_view v, reader_.ReadString());
          ByteReader inner(AsBytes(v), "row of a bulk load");
          ASSIGN_OR_RETURN(Value value, DecodeValue(&inner));
          out->push_back({key, Packing::kPlain, std::move(value)});
          break;
        }
      }
    }
    return Status::Ok();
  }

 private:
  ByteReader reader_;
};

Status DecodeRow(std::span<const std::byte> row, StoredProperties* out) { return RowReader(row).Read(out); }

}  // namespace fornix::storage
