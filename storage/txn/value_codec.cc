#include "storage/txn/value_codec.h"

#include <cstring>
#include <string>

#include "base/value_check.h"

namespace fornix::storage {
namespace {

enum class Tag : uint8_t {
  kNull = 0, kFalse = 1, kTrue = 2, kInteger = 3, kFloat = 4, kString = 5, kBytes = 6, kList = 7, kFloat32List = 8,
  kFloat64List = 9, kVector = 10, kDate = 11, kLocalTime = 12, kTime = 13, kLocalDateTime = 14, kDateTime = 15,
  kDuration = 16, kPoint = 17,
};
void Put(ByteWriter* out, Tag tag) { out->U8(static_cast<uint8_t>(tag)); }

template <typename T>
Result<List> DecodeFloats(ByteReader* in) {
  ASSIGN_OR_RETURN(const uint32_t n, in->ReadCount(sizeof(T)));
  List list;
  list.reserve(n);
  for (uint32_t i = 0; i < n; ++i) {
    if constexpr (sizeof(T) == 4) {
      ASSIGN_OR_RETURN(const float f, in->ReadF32());
      list.emplace_back(static_cast<double>(f));
    } else {
      ASSIGN_OR_RETURN(const double d, in->ReadF64());
      list.emplace_back(d);
    }
  }
  return list;
}

Result<Value> DecodeTemporalParts(Tag tag, ByteReader* in) {
  auto nanos_of_day = [in]() -> Result<int64_t> {
    ASSIGN_OR_RETURN(const uint64_t nanos, in->ReadVarint());
    return static_cast<int64_t>(nanos);
  };
  auto nanos_of_second = [in]() -> Result<int32_t> {
    ASSIGN_OR_RETURN(const uint32_t nanos, in->ReadVarint32());
    return static_cast<int32_t>(nanos);
  };
  auto offset = [in]() -> Result<int32_t> {
    ASSIGN_OR_RETURN(const int64_t seconds, in->ReadZigZag());
    if (seconds != static_cast<int32_t>(seconds)) return in->Damaged("an offset from UTC of " + std::to_string(seconds) + " seconds");
    return static_cast<int32_t>(seconds);
  };
  switch (tag) {
    case Tag::kDate: {
      ASSIGN_OR_RETURN(const int64_t days, in->ReadZigZag());
      return Value(Date{days});
    }
    case Tag::kLocalTime: {
      ASSIGN_OR_RETURN(const int64_t nanos, nanos_of_day());
      return Value(LocalTime{nanos});
    }
    case Tag::kTime: {
      ASSIGN_OR_RETURN(const int64_t nanos, nanos_of_day());
      ASSIGN_OR_RETURN(const int32_t offset_seconds, offset());
      return Value(Time{nanos, offset_seconds});
    }
    case Tag::kLocalDateTime: {
      ASSIGN_OR_RETURN(const int64_t seconds, in->ReadZigZag());
      ASSIGN_OR_RETURN(const int32_t nanos, nanos_of_second());
      return Value(LocalDateTime{seconds, nanos});
    }
    case Tag::kDateTime: {
      ASSIGN_OR_RETURN(const int64_t seconds, in->ReadZigZag());
      ASSIGN_OR_RETURN(const int32_t nanos, nanos_of_second());
      ASSIGN_OR_RETURN(const int32_t offset_seconds, offset());
      ASSIGN_OR_RETURN(const std::string_view zone, in->ReadString());
      return Value(DateTime{seconds, nanos, offset_seconds, std::string(zone)});
    }
    default: {
      ASSIGN_OR_RETURN(const int64_t months, in->ReadZigZag());
      ASSIGN_OR_RETURN(const int64_t days, in->ReadZigZag());
      ASSIGN_OR_RETURN(const int64_t seconds, in->ReadZigZag());
      ASSIGN_OR_RETURN(const int32_t nanos, nanos_of_second());
      return Value(Duration{months, days, seconds, nanos});
    }
  }
}

Result<Value> DecodeTemporal(Tag tag, ByteReader* in) {
  ASSIGN_OR_RETURN(Value value, DecodeTemporalParts(tag, in));
  const std::string wrong = WhatIsWrong(value);
  if (!wrong.empty()) return in->Damaged("a " + std::string(TypeName(value.type())) + " that is none: " + wrong);
  return value;
}

Result<Value> Decode(ByteReader* in, bool in_list) {
  ASSIGN_OR_RETURN(const uint8_t byte, in->ReadU8());
  const Tag tag = static_cast<Tag>(byte);
  if (in_list && (tag == Tag::kNull || tag == Tag::kList || tag == Tag::kFloat32List || tag == Tag::kFloat64List)) {
    return in->Damaged("a list in a property holds a list or a null");
  }
  switch (tag) {
    case Tag::kNull: return Value();
    case Tag::kFalse: return Value(false);
    case Tag::kTrue: return Value(true);
    case Tag::kInteger: {
      ASSIGN_OR_RETURN(const int64_t i, in->ReadZigZag());
      return Value(i);
    }
    case Tag::kFloat: {
      ASSIGN_OR_RETURN(const double d, in->ReadF64());
      return Value(d);
    }
    case Tag::kString: {
      ASSIGN_OR_RETURN(const std::string_view s, in->ReadString());
      return Value(s);
    }
    case Tag::kBytes: {
      ASSIGN_OR_RETURN(const std::string_view s, in->ReadString());
      return Value::Bytes(std::string(s));
    }
    case Tag::kList: {
      ASSIGN_OR_RETURN(const uint32_t n, in->ReadCount(1));
      List list;
      list.reserve(n);
      for (uint32_t i = 0; i < n; ++i) {
        ASSIGN_OR_RETURN(Value element, Decode(in, true));
        list.push_back(std::move(element));
      }
      return Value(std::move(list));
    }
    case Tag::kFloat32List: {
      ASSIGN_OR_RETURN(List list, DecodeFloats<float>(in));
      return Value(std::move(list));
    }
    case Tag::kFloat64List: {
      ASSIGN_OR_RETURN(List list, DecodeFloats<double>(in));
      return Value(std::move(list));
    }
    case Tag::kVector: {
      ASSIGN_OR_RETURN(const uint32_t n, in->ReadCount(sizeof(float)));
      std::vector<float> elements(n);
      for (float& f : elements) {
        ASSIGN_OR_RETURN(f, in->ReadF32());
      }
      return Value::Vector(std::move(elements));
    }
    case Tag::kPoint: {
      ASSIGN_OR_RETURN(const uint32_t srid, in->ReadVarint32());
      Point p;
      p.srid = static_cast<int32_t>(srid);
      ASSIGN_OR_RETURN(p.x, in->ReadF64());
      ASSIGN_OR_RETURN(p.y, in->ReadF64());
      ASSIGN_OR_RETURN(p.z, in->ReadF64());
      return Value(p);
    }
    case Tag::kDate: case Tag::kLocalTime: case Tag::kTime: case Tag::kLocalDateTime: case Tag::kDateTime: case Tag::kDuration:
      return DecodeTemporal(tag, in);
  }
  return in->Damaged("a value of the unknown type " + std::to_string(byte));
}

}  // namespace

void EncodeValue(const Value& value, ByteWriter* out) {
  switch (value.type()) {
    case Type::kBoolean: return Put(out, value.AsBoolean() ? Tag::kTrue : Tag::kFalse);
    case Type::kInteger: Put(out, Tag::kInteger); return out->SignedVarint(value.AsInteger());
    case Type::kFloat: Put(out, Tag::kFloat); return out->F64(value.AsFloat());
    case Type::kString: Put(out, Tag::kString); return out->String(value.AsString());
    case Type::kBytes: Put(out, Tag::kBytes); return out->String(value.AsBytes());
    case Type::kList:
      Put(out, Tag::kList);
      out->Varint(value.AsList().size());
      for (const Value& element : value.AsList()) EncodeValue(element, out);
      return;
    case Type::kVector:
      Put(out, Tag::kVector);
      out->Varint(value.AsVector().size());
      for (float f : value.AsVector()) out->F32(f);
      return;
    case Type::kDate: Put(out, Tag::kDate); return out->SignedVarint(value.AsDate().days);
    case Type::kLocalTime: Put(out, Tag::kLocalTime); return out->Varint(static_cast<uint64_t>(value.AsLocalTime().nanos));
    case Type::kTime:
      Put(out, Tag::kTime);
      out->Varint(static_cast<uint64_t>(value.AsTime().nanos));
      return out->SignedVarint(value.AsTime().offset_seconds);
    case Type::kLocalDateTime:
      Put(out, Tag::kLocalDateTime);
      out->SignedVarint(value.AsLocalDateTime().seconds);
      return out->Varint(static_cast<uint64_t>(value.AsLocalDateTime().nanos));
    case Type::kDateTime:
      Put(out, Tag::kDateTime);
      out->SignedVarint(value.AsDateTime().seconds);
      out->Varint(static_cast<uint64_t>(value.AsDateTime().nanos));
      out->SignedVarint(value.AsDateTime().offset_seconds);
      return out->String(value.AsDateTime().zone);
    case Type::kDuration: {
      const Duration& d = value.AsDuration();
      Put(out, Tag::kDuration);
      out->SignedVarint(d.months);
      out->SignedVarint(d.days);
      out->SignedVarint(d.seconds);
      return out->Varint(static_cast<uint64_t>(d.nanos));
    }
    case Type::kPoint: {
      const Point& p = value.AsPoint();
      Put(out, Tag::kPoint);
      out->Varint(static_cast<uint32_t>(p.srid));
      out->F64(p.x);
      out->F64(p.y);
      return out->F64(p.z);
    }
    default: return Put(out, Tag::kNull);
  }
}

Result<Value> DecodeValue(ByteReader* in) { return Decode(in, false); }

void EncodeProperties(const PropertyList& properties, ByteWriter* out) {
  out->Varint(properties.size());
  for (const auto& [key, value] : properties) {
    out->Varint(key.value);
    const StoredProperty packed = PackProperty(key, value);
    if (packed.packing == Packing::kPlain) {
      EncodeValue(value, out);
      continue;
    }
    const bool narrow = packed.packing == Packing::kFloat32List;
    Put(out, narrow ? Tag::kFloat32List : Tag::kFloat64List);
    out->Varint(value.AsList().size());
    out->Bytes(AsBytes(packed.value.AsBytes()));   // little endian, as the format has it
  }
}

Result<PropertyList> DecodeProperties(ByteReader* in) {
  ASSIGN_OR_RETURN(const uint32_t n, in->ReadCount(2));
  PropertyList properties;
  properties.reserve(n);
  for (uint32_t i = 0; i < n; ++i) {
    ASSIGN_OR_RETURN(const uint32_t key, in->ReadVarint32());
    if (!properties.empty() && properties.back().first.value >= key) return in->Damaged("properties out of order");
    ASSIGN_OR_RETURN(Value value, DecodeValue(in));
    properties.emplace_back(PropertyId(key), std::move(value));
  }
  return properties;
}

}  // namespace fornix::storage
