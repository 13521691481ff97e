#include "storage/base/bits.h"

#include <string>

namespace fornix::storage {

Result<Packed> ReadPacked(ByteReader* in, size_t n) {
  ASSIGN_OR_RETURN(const uint8_t width, in->ReadU8());
  if (width > 56 && width != 64) return in->Damaged("packed numbers of " + std::to_string(width) + " bits");
  ASSIGN_OR_RETURN(const std::span<const std::byte> bytes, in->ReadBytes(PackedBytes(n, width)));
  return Packed{bytes.data(), width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1, width};
}

Result<PackedNumbers> ReadPackedNumbers(ByteReader* in, size_t n) {
  ASSIGN_OR_RETURN(const int64_t base, in->ReadZigZag());
  ASSIGN_OR_RETURN(const Packed packed, ReadPacked(in, n));
  return PackedNumbers{static_cast<uint64_t>(base), packed};
}

RankedBits::RankedBits(const std::byte* bits, size_t n)
    : words_((n + 63) / 64 + 1), ranks_((n + 63) / 64 + 1), size_(static_cast<uint32_t>(n)) {
  std::memcpy(words_.data(), bits, (n + 7) / 8);
  if (n % 64 != 0) words_[n / 64] &= (uint64_t{1} << (n % 64)) - 1;
  for (size_t w = 0; w + 1 < words_.size(); ++w) {
    ranks_[w] = static_cast<uint16_t>(count_);
    count_ += static_cast<uint32_t>(std::popcount(words_[w]));
  }
  ranks_.back() = static_cast<uint16_t>(count_);   // so that Rank(n) is the whole
}

void WriteBitmap(const uint64_t* words, size_t n, ByteWriter* out) {
  for (size_t byte = 0; byte < (n + 7) / 8; ++byte) out->U8(static_cast<uint8_t>(words[byte / 8] >> (byte % 8 * 8)));
}

Result<RankedBits> ReadBitmap(ByteReader* in, size_t n) {
  ASSIGN_OR_RETURN(const std::span<const std::byte> bytes, in->ReadBytes((n + 7) / 8));
  if (n % 8 != 0 && static_cast<uint8_t>(bytes.back()) >> (n % 8) != 0) return in->Damaged("a bit beyond a bitmap's end");
  return RankedBits(bytes.data(), n);
}

}  // namespace fornix::storage
