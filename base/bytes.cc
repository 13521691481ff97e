// ByteReader: the reads that may fail, and their messages.
#include "base/bytes.h"

#include <limits>

#include "base/errors.h"

namespace fornix {

Status ByteReader::TooShort(uint64_t wanted) const {
  return Corruption(std::string(source_) + ": offset " + std::to_string(base_offset_ + position_) + ": expected " +
                    std::to_string(wanted) + " more bytes, found " + std::to_string(remaining()));
}

Status ByteReader::Damaged(std::string_view what) const {
  return Corruption(std::string(source_) + ": offset " + std::to_string(base_offset_ + position_) + ": " +
                    std::string(what));
}

Result<uint64_t> ByteReader::ReadVarint() {
  uint64_t value = 0;
  const size_t n = LoadVarint(bytes_.data() + position_, remaining(), &value);
  if (n == 0) {
    return remaining() < kVarintBytesMax ? TooShort(remaining() + 1) : Damaged("a varint of more than 64 bits");
  }
  position_ += n;
  return value;
}

Result<int64_t> ByteReader::ReadZigZag() {
  ASSIGN_OR_RETURN(const uint64_t value, ReadVarint());
  return UnZigZag(value);
}

Result<uint32_t> ByteReader::ReadVarint32() {
  ASSIGN_OR_RETURN(const uint64_t value, ReadVarint());
  if (value > std::numeric_limits<uint32_t>::max()) {
    return Damaged("expected a number of 32 bits, found " + std::to_string(value));
  }
  return static_cast<uint32_t>(value);
}

Result<uint32_t> ByteReader::ReadCount(size_t item_bytes_min) {
  ASSIGN_OR_RETURN(const uint32_t count, ReadVarint32());
  if (count > remaining() / item_bytes_min) {
    return Damaged("a count of " + std::to_string(count) + " items of at least " + std::to_string(item_bytes_min) +
                   " bytes, with " + std::to_string(remaining()) + " bytes left");
  }
  return count;
}

Result<std::span<const std::byte>> ByteReader::ReadBytes(size_t n) {
  if (remaining() < n) return TooShort(n);
  const auto bytes = bytes_.subspan(position_, n);
  position_ += n;
  return bytes;
}

Result<std::string_view> ByteReader::ReadString() {
  ASSIGN_OR_RETURN(const uint32_t n, ReadCount(1));
  ASSIGN_OR_RETURN(const auto bytes, ReadBytes(n));
  return AsText(bytes);
}

Status ByteReader::Skip(size_t n) {
  if (remaining() < n) return TooShort(n);
  position_ += n;
  return Status::Ok();
}

Status ByteReader::ExpectEnd() const {
  if (empty()) return Status::Ok();
  return Damaged("expected the end, found " + std::to_string(remaining()) + " more bytes");
}

}  // namespace fornix
