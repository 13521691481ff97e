// Rows of a bulk load: the properties of one element as bytes, between the thread that reads a file and the one that writes chunks.
//
// A row is written by appending (key, value) pairs, keys ascending, and is read once into StoredProperties. Numbers, booleans
// and strings, which are nearly everything, have bytes of their own and no Value is made for them before the end; all else
// is the log's value codec. Rows live in memory and in the load's own temporary files, never in the database.
//
//   pair = varint key << 3 | kind, then: kInteger zigzag varint; kFloat 8 B; kString, kFloats32, kFloats64 varint size, bytes;
//   kTrue, kFalse nothing; kOther varint size, a value of storage/txn/value_codec.h
// Threads: one a row.
#pragma once

#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "storage/graph/stored_properties.h"

namespace fornix::storage {

class RowBytes {
 public:
  void Clear() { bytes_.clear(); }
  bool empty() const { return bytes_.empty(); }
  size_t size() const { return bytes_.size(); }
  std::span<const std::byte> bytes() const { return bytes_; }
  // Cuts off what was appended behind `size`.
  void CutTo(size_t size) { bytes_.resize(size); }
  std::span<const std::byte> From(size_t begin) const { return std::span(bytes_).subspan(begin); }

  void Integer(PropertyId key, int64_t v) {
    std::byte buffer[2 * kVarintBytesMax];
    size_t n = StoreVarint(buffer, Head(key, Kind::kInteger));
    n += StoreVarint(buffer + n, ZigZag(v));
    Put(buffer, n);
  }
  void Float(PropertyId key, double v) {
    std::byte buffer[kVarintBytesMax + sizeof v];
    const size_t n = StoreVarint(buffer, Head(key, Kind::kFloat));
    std::memcpy(buffer + n, &v, sizeof v);
    Put(buffer, n + sizeof v);
  }
  void Boolean(PropertyId key, bool v) {
    std::byte buffer[kVarintBytesMax];
    Put(buffer, StoreVarint(buffer, Head(key, v ? Kind::kTrue : Kind::kFalse)));
  }
  void String(PropertyId key, std::string_view v) { Sized(key, Kind::kString, std::as_bytes(std::span(v.data(), v.size()))); }
  void Any(PropertyId key, const Value& value);   // a null appends nothing

 private:
  friend class RowReader;
  enum class Kind : uint8_t { kInteger, kFloat, kString, kTrue, kFalse, kFloats32, kFloats64, kOther };
  static uint64_t Head(PropertyId key, Kind kind) { return uint64_t{key.value} << 3 | static_cast<uint64_t>(kind); }
  void Sized(PropertyId key, Kind kind, std::span<const std::byte> content) {
    std::byte buffer[2 * kVarintBytesMax];
    size_t n = StoreVarint(buffer, Head(key, kind));
    n += StoreVarint(buffer + n, content.size());
    Put(buffer, n);
    Put(content.data(), content.size());
  }
  void Put(const std::byte* bytes, size_t n) { bytes_.insert(bytes_.end(), bytes, bytes + n); }

  std::vector<std::byte> bytes_;
};

// Replaces *out. Corruption if the bytes aren't a row (a temporary file that was damaged).
Status DecodeRow(std::span<const std::byte> row, StoredProperties* out);

}  // namespace fornix::storage
