#include "tests/corrupt/forge.h"

#include <lz4.h>

#include <algorithm>

#include "base/coding.h"
#include "base/crc32c.h"

namespace fornix::corrupt {

using namespace storage;   // NOLINT: a test

namespace {

constexpr size_t kCrcAt = 12;
constexpr size_t kRootBytes = 512;

bool Whole(std::span<const std::byte> bytes, ExtentHeader* header) {
  if (bytes.size() < kPageBytes) return false;
  header->kind = static_cast<ExtentKind>(bytes[0]);
  header->codec = static_cast<ExtentCodec>(bytes[1]);
  header->raw_bytes = LoadFixed<uint32_t>(bytes.data() + 4);
  header->stored_bytes = LoadFixed<uint32_t>(bytes.data() + 8);
  header->owner = LoadFixed<uint64_t>(bytes.data() + 16);
  header->seq = LoadFixed<uint64_t>(bytes.data() + 24);
  if (header->stored_bytes > bytes.size() - kExtentHeaderBytes) return false;
  std::vector<std::byte> copy(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(kExtentHeaderBytes + header->stored_bytes));
  StoreFixed<uint32_t>(copy.data() + kCrcAt, 0);
  return header->kind != ExtentKind{} && Crc32c(copy) == LoadFixed<uint32_t>(bytes.data() + kCrcAt);
}

}  // namespace

Forge::Forge(std::vector<std::byte> file) : bytes_(std::move(file)) {
  for (size_t page = kFirstExtentPage; (page + 1) * kPageBytes <= bytes_.size(); ++page) {
    PlacedExtent extent;
    extent.page = static_cast<uint32_t>(page);
    if (Whole(std::span(bytes_).subspan(page * kPageBytes), &extent.header)) extents_.push_back(extent);
  }
}

std::vector<size_t> Forge::Of(ExtentKind kind) const {
  std::vector<size_t> places;
  for (size_t i = 0; i < extents_.size(); ++i) {
    if (extents_[i].header.kind == kind) places.push_back(i);
  }
  return places;
}

std::vector<std::byte> Forge::Payload(size_t extent) const {
  const ExtentHeader& header = extents_[extent].header;
  const auto stored = std::span(bytes_).subspan(Offset(extent) + kExtentHeaderBytes, header.stored_bytes);
  if (header.codec == ExtentCodec::kRaw) return {stored.begin(), stored.end()};
  if (header.raw_bytes > kExtentPayloadMax) return {};   // forged before
  std::vector<std::byte> raw(header.raw_bytes);
  const int n = LZ4_decompress_safe(reinterpret_cast<const char*>(stored.data()), reinterpret_cast<char*>(raw.data()),
                                    static_cast<int>(stored.size()), static_cast<int>(raw.size()));
  return n < 0 || static_cast<size_t>(n) != raw.size() ? std::vector<std::byte>{} : raw;
}

bool Forge::SetPayload(size_t extent, std::span<const std::byte> payload) {
  ExtentHeader header = extents_[extent].header;
  const uint32_t pages = PagesFor(kExtentHeaderBytes + header.stored_bytes);
  header.raw_bytes = header.stored_bytes = static_cast<uint32_t>(payload.size());
  header.codec = ExtentCodec::kRaw;
  std::vector<std::byte> packed;
  if (PagesFor(kExtentHeaderBytes + payload.size()) != pages) {
    packed.resize(static_cast<size_t>(LZ4_compressBound(static_cast<int>(payload.size()))));
    const int n = LZ4_compress_default(reinterpret_cast<const char*>(payload.data()), reinterpret_cast<char*>(packed.data()),
                                       static_cast<int>(payload.size()), static_cast<int>(packed.size()));
    packed.resize(static_cast<size_t>(std::max(n, 0)));
    header.codec = ExtentCodec::kLz4;
    header.stored_bytes = static_cast<uint32_t>(packed.size());
    payload = packed;
  }
  if (PagesFor(kExtentHeaderBytes + payload.size()) != pages) return false;
  const auto room = std::span(bytes_).subspan(Offset(extent), size_t{pages} * kPageBytes);
  std::fill(room.begin() + kExtentHeaderBytes, room.end(), std::byte{});
  std::copy(payload.begin(), payload.end(), room.begin() + kExtentHeaderBytes);
  StampExtent(header, room);
  extents_[extent].header = header;
  return true;
}

void Forge::SetHeader(size_t extent, const ExtentHeader& header) {
  const auto rest = std::span(bytes_).subspan(Offset(extent));
  ExtentHeader stamped = header;
  // A length that leaves the file can't have a right checksum; it is written as it is, over what there is.
  const bool fits = header.stored_bytes <= rest.size() - kExtentHeaderBytes;
  if (!fits) stamped.stored_bytes = static_cast<uint32_t>(rest.size() - kExtentHeaderBytes);
  StampExtent(stamped, rest);
  if (!fits) StoreFixed(rest.data() + 8, header.stored_bytes);
  else extents_[extent].header = header;
}

void Forge::ChangeRoot(int slot, const std::function<void(std::span<std::byte>)>& change) {
  const auto root = std::span(bytes_).subspan(static_cast<size_t>(slot) * kPageBytes, kRootBytes);
  change(root);
  StoreFixed(root.data() + kRootBytes - 4, Crc32c(root.first(kRootBytes - 4)));
}

}  // namespace fornix::corrupt
