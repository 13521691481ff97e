// What is tested in a header, in this order: that its own fields fit each other (so that the checksum has a length to go by), the
// checksum, and then that it is the extent that was meant: a whole one in the wrong place is a misdirected or a lost write.
#include "storage/page/extent_header.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/crc32c.h"
#include "base/errors.h"

namespace fornix::storage {
namespace {

constexpr size_t kCrcAt = 12;

uint32_t Checksum(std::span<const std::byte> header, std::span<const std::byte> stored) {
  std::array<std::byte, kExtentHeaderBytes> copy;
  std::copy(header.begin(), header.end(), copy.begin());
  StoreFixed<uint32_t>(copy.data() + kCrcAt, 0);
  return Crc32c(stored, Crc32c(copy));
}

}  // namespace

void StampExtent(const ExtentHeader& header, std::span<std::byte> extent) {
  CHECK(extent.size() >= kExtentHeaderBytes + header.stored_bytes);
  std::byte* to = extent.data();
  to[0] = static_cast<std::byte>(header.kind);
  to[1] = static_cast<std::byte>(header.codec);
  StoreFixed<uint16_t>(to + 2, 0);
  StoreFixed(to + 4, header.raw_bytes);
  StoreFixed(to + 8, header.stored_bytes);
  StoreFixed(to + 16, header.owner);
  StoreFixed(to + 24, header.seq);
  StoreFixed(to + kCrcAt, Checksum(extent.first(kExtentHeaderBytes), extent.subspan(kExtentHeaderBytes, header.stored_bytes)));
}

std::string Hex(uint32_t number) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out(8, '0');
  for (size_t i = 0; i < out.size(); ++i) out[out.size() - 1 - i] = kDigits[number >> (4 * i) & 15];
  return out;
}

Status ExtentDamage(const std::string& path, const ExtentRef& ref, const std::string& what) {
  return Corruption(path + ": offset " + std::to_string(uint64_t{ref.page} * kPageBytes) + ": extent of " + std::to_string(ref.pages) +
                    " pages: " + what);
}

Result<ExtentHeader> CheckExtent(std::span<const std::byte> bytes, const ExtentRef& ref, ExtentKind kind, uint64_t owner,
                                 const std::string& path) {
  const auto wrong = [&](const char* what, uint64_t found, uint64_t expected) {
    return ExtentDamage(path, ref, std::string(what) + " " + std::to_string(found) + ", expected " + std::to_string(expected));
  };
  CHECK(bytes.size() >= kPageBytes);
  const std::byte* from = bytes.data();
  ExtentHeader header;
  header.kind = static_cast<ExtentKind>(from[0]);
  header.codec = static_cast<ExtentCodec>(from[1]);
  header.raw_bytes = LoadFixed<uint32_t>(from + 4);
  header.stored_bytes = LoadFixed<uint32_t>(from + 8);
  header.owner = LoadFixed<uint64_t>(from + 16);
  header.seq = LoadFixed<uint64_t>(from + 24);

  const bool floats = kind == ExtentKind::kFloats;
  const size_t room = bytes.size() - kExtentHeaderBytes;
  if (header.codec != ExtentCodec::kRaw && (floats || header.codec != ExtentCodec::kLz4)) {
    return wrong("codec", static_cast<uint64_t>(header.codec), 0);
  }
  if (const auto zero = LoadFixed<uint16_t>(from + 2); zero != 0) return wrong("reserved bytes are", zero, 0);
  if (header.stored_bytes > room) {
    return ExtentDamage(path, ref, "length " + std::to_string(header.stored_bytes) + ", expected at most " + std::to_string(room));
  }
  if (!floats && PagesFor(kExtentHeaderBytes + header.stored_bytes) != ref.pages) {
    return wrong("pages by its length", PagesFor(kExtentHeaderBytes + header.stored_bytes), ref.pages);
  }
  if (header.raw_bytes > kExtentPayloadMax) {
    return ExtentDamage(path, ref, "unpacked length " + std::to_string(header.raw_bytes) + ", expected at most " +
                                       std::to_string(kExtentPayloadMax));
  }
  if (header.codec == ExtentCodec::kRaw && header.raw_bytes != header.stored_bytes) {
    return wrong("unpacked length", header.raw_bytes, header.stored_bytes);
  }
  const uint32_t expected = Checksum(bytes.first(kExtentHeaderBytes), bytes.subspan(kExtentHeaderBytes, header.stored_bytes));
  const auto found = LoadFixed<uint32_t>(from + kCrcAt);
  if (found != expected) return ExtentDamage(path, ref, "checksum " + Hex(found) + ", expected " + Hex(expected));

  if (header.kind != kind) return wrong("a whole one of another kind:", static_cast<uint64_t>(header.kind), static_cast<uint64_t>(kind));
  if (header.owner != owner) return wrong("a whole one of another owner:", header.owner, owner);
  if (header.seq != ref.seq) return wrong("a whole one of another checkpoint:", header.seq, ref.seq);
  return header;
}

}  // namespace fornix::storage
