// ByteReader takes numbers out of bytes that nobody vouches for; ByteWriter puts them in.
//
// A reader never looks outside its span, whatever the bytes say: each read that doesn't fit gives Corruption naming the
// source, the offset, what was wanted and what is left. A count is believed only if count x smallest item fits in what
// is left (ReadCount), so a damaged count can't make the caller reserve more than the input's own size.
// Views that a reader returns point into its span and live as long as that. One thread each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/coding.h"
#include "fornix/status.h"

namespace fornix {

inline std::span<const std::byte> AsBytes(std::string_view text) {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}
inline std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class ByteReader {
 public:
  // `source` is named in errors ("X.fornix", "log record 17"); it must outlive the reader. `base_offset` is where the
  // span begins inside the source.
  explicit ByteReader(std::span<const std::byte> bytes, std::string_view source = "bytes", uint64_t base_offset = 0)
      : bytes_(bytes), source_(source), base_offset_(base_offset) {}

  size_t position() const { return position_; }
  size_t remaining() const { return bytes_.size() - position_; }
  bool empty() const { return remaining() == 0; }

  Result<uint8_t> ReadU8() { return ReadFixed<uint8_t>(); }
  Result<uint16_t> ReadU16() { return ReadFixed<uint16_t>(); }
  Result<uint32_t> ReadU32() { return ReadFixed<uint32_t>(); }
  Result<uint64_t> ReadU64() { return ReadFixed<uint64_t>(); }
  Result<double> ReadF64() { return ReadFixed<double>(); }
  Result<float> ReadF32() { return ReadFixed<float>(); }
  Result<uint64_t> ReadVarint();
  Result<int64_t> ReadZigZag();
  // A varint that must fit into 32 bits.
  Result<uint32_t> ReadVarint32();
  // A varint count of items of at least item_bytes_min (>= 1) bytes each.
  Result<uint32_t> ReadCount(size_t item_bytes_min);
  Result<std::span<const std::byte>> ReadBytes(size_t n);
  // A count, then so many bytes. Whether they are UTF-8 is the caller's question.
  Result<std::string_view> ReadString();
  Status Skip(size_t n);
  // Corruption if bytes are left: a format that ends early is as wrong as one that ends late.
  Status ExpectEnd() const;
  // Corruption at the present position, for a value that was read well and means nothing.
  Status Damaged(std::string_view what) const;

 private:
  template <typename T>
  Result<T> ReadFixed() {
    if (remaining() < sizeof(T)) return TooShort(sizeof(T));
    const T value = LoadFixed<T>(bytes_.data() + position_);
    position_ += sizeof(T);
    return value;
  }
  Status TooShort(uint64_t wanted) const;

  std::span<const std::byte> bytes_;
  std::string_view source_;
  uint64_t base_offset_;
  size_t position_ = 0;
};

class ByteWriter {
 public:
  ByteWriter() = default;
  void Reserve(size_t n) { bytes_.reserve(n); }
  size_t size() const { return bytes_.size(); }
  std::span<const std::byte> bytes() const { return bytes_; }
  std::vector<std::byte> Take() { return std::move(bytes_); }
  void Clear() { bytes_.clear(); }

  void U8(uint8_t value) { Fixed(value); }
  void U16(uint16_t value) { Fixed(value); }
  void U32(uint32_t value) { Fixed(value); }
  void U64(uint64_t value) { Fixed(value); }
  void F64(double value) { Fixed(value); }
  void F32(float value) { Fixed(value); }
  void Varint(uint64_t value) {
    std::byte buffer[kVarintBytesMax];
    Bytes({buffer, StoreVarint(buffer, value)});
  }
  void SignedVarint(int64_t value) { Varint(ZigZag(value)); }
  void Bytes(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  // A count, then the bytes: what ByteReader::ReadString takes back.
  void String(std::string_view text) {
    Varint(text.size());
    Bytes(AsBytes(text));
  }
  void Zeros(size_t n) { bytes_.resize(bytes_.size() + n); }
  // Overwrites what was written before, for lengths and stamps known only later.
  void PatchU32(size_t offset, uint32_t value) { StoreFixed(bytes_.data() + offset, value); }
  void PatchU64(size_t offset, uint64_t value) { StoreFixed(bytes_.data() + offset, value); }

 private:
  template <typename T>
  void Fixed(T value) {
    std::byte buffer[sizeof(T)];
    StoreFixed(buffer, value);
    Bytes(buffer);
  }
  std::vector<std::byte> bytes_;
};

}  // namespace fornix
