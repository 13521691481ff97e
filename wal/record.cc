// Segment headers and frames to bytes and back; the names of the log's files.
#include "wal/record.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "base/errors.h"

namespace fornix::wal {
namespace {
constexpr size_t kHeaderCrcOffset = kSegmentHeaderBytes - 4;  // the same in every later format
constexpr uint32_t kFlagContinues = 1;

uint32_t FrameCrc(const std::byte* header, std::span<const std::byte> body, uint64_t salt) {
  std::byte salt_bytes[8];
  StoreFixed(salt_bytes, salt);
  uint32_t crc = Crc32c(salt_bytes);
  crc = Crc32c({header, 4}, crc);
  crc = Crc32c({header + 8, kFrameHeaderBytes - 8}, crc);
  return Crc32c(body, crc);
}
}  // namespace

std::string SegmentName(uint64_t generation, uint64_t segment) {
  char name[64];
  std::snprintf(name, sizeof(name), "%04llu-%08llu.log", static_cast<unsigned long long>(generation),
                static_cast<unsigned long long>(segment));
  return name;
}

bool ParseSegmentName(const std::string& name, uint64_t* generation, uint64_t* segment) {
  const char* const end = name.data() + name.size();
  const auto first = std::from_chars(name.data(), end, *generation);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '-') return false;
  const auto second = std::from_chars(first.ptr + 1, end, *segment);
  // Printed back it must be the same: "1-1.log" and "0001-1.log.bak" are files of somebody else.
  return second.ec == std::errc() && SegmentName(*generation, *segment) == name;
}

std::string SpareName(uint64_t generation) { return "spare-" + std::to_string(generation) + ".tmp"; }
bool IsSpareName(const std::string& name) { return name.starts_with("spare-") && name.ends_with(".tmp"); }

void EncodeSegmentHeader(const SegmentHeader& header, std::span<std::byte, kLogSectorBytes> out) {
  ByteWriter writer;
  writer.U32(kSegmentMagic);
  writer.U32(kLogFormatVersion);
  writer.Bytes(header.uuid.bytes);
  writer.U64(header.generation);
  writer.U64(header.segment);
  writer.U64(header.segment_bytes);
  writer.U64(header.salt);
  writer.U64(header.first_lsn);
  writer.U32(header.continues ? kFlagContinues : 0);
  writer.U32(0);  // required features
  writer.U32(0);
  writer.U32(Crc32c(writer.bytes()));
  std::fill(out.begin(), out.end(), std::byte{0});
  std::memcpy(out.data(), writer.bytes().data(), kSegmentHeaderBytes);
}

Result<SegmentHeader> DecodeSegmentHeader(std::span<const std::byte> bytes, const std::string& path) {
  if (bytes.size() < kSegmentHeaderBytes) {
    return Corruption(path + ": offset 0: expected a segment header of " + std::to_string(kSegmentHeaderBytes) +
                      " bytes, the file ends after " + std::to_string(bytes.size()));
  }
  ByteReader in(bytes.first(kSegmentHeaderBytes), path);
  ASSIGN_OR_RETURN(const uint32_t magic, in.ReadU32());
  if (magic != kSegmentMagic) return Corruption(path + ": offset 0: not a log segment of Fornix, or its header is damaged");
  const uint32_t expected = Crc32c(bytes.first(kHeaderCrcOffset));
  const auto found = LoadFixed<uint32_t>(bytes.data() + kHeaderCrcOffset);
  if (found != expected) {
    return Corruption(path + ": offset 0: segment header damaged: checksum " + std::to_string(found) + ", expected " +
                      std::to_string(expected));
  }
  SegmentHeader header;
  ASSIGN_OR_RETURN(const uint32_t version, in.ReadU32());
  if (version != kLogFormatVersion) {
    return Corruption(path + ": offset 4: log format " + std::to_string(version) + ", this version of Fornix reads format " +
                      std::to_string(kLogFormatVersion) + "; open the database with the version that wrote it");
  }
  ASSIGN_OR_RETURN(const auto uuid, in.ReadBytes(header.uuid.bytes.size()));
  std::copy(uuid.begin(), uuid.end(), header.uuid.bytes.begin());
  ASSIGN_OR_RETURN(header.generation, in.ReadU64());
  ASSIGN_OR_RETURN(header.segment, in.ReadU64());
  ASSIGN_OR_RETURN(header.segment_bytes, in.ReadU64());
  ASSIGN_OR_RETURN(header.salt, in.ReadU64());
  ASSIGN_OR_RETURN(header.first_lsn, in.ReadU64());
  ASSIGN_OR_RETURN(const uint32_t flags, in.ReadU32());
  header.continues = (flags & kFlagContinues) != 0;
  ASSIGN_OR_RETURN(const uint32_t features, in.ReadU32());
  if (features != 0 || (flags & ~kFlagContinues) != 0) {
    return Corruption(path + ": offset 64: the segment needs features of a newer version of Fornix");
  }
  if (header.segment_bytes < kLogSegmentBytesMin || header.segment_bytes % kLogSectorBytes != 0) {
    return Corruption(path + ": offset 40: a segment can't have " + std::to_string(header.segment_bytes) + " bytes");
  }
  return header;
}

void EncodeFrame(const FrameHeader& header, std::span<const std::byte> body, uint64_t salt, std::byte* out) {
  EncodeFrameHeader(header, body, salt, out);
  if (!body.empty()) std::memcpy(out + kFrameHeaderBytes, body.data(), body.size());
}

void EncodeFrameHeader(const FrameHeader& header, std::span<const std::byte> body, uint64_t salt, std::byte* out) {
  StoreFixed(out, static_cast<uint32_t>(kFrameHeaderBytes + body.size()));
  StoreFixed(out + 8, header.lsn);
  StoreFixed(out + 16, header.undurable);
  StoreFixed(out + 20, static_cast<uint8_t>(header.fragment));
  StoreFixed(out + 21, static_cast<uint8_t>(header.kind));
  StoreFixed(out + 22, uint16_t{0});
  StoreFixed(out + 4, FrameCrc(out, body, salt));
}

bool DecodeFrameHeader(std::span<const std::byte> bytes, FrameHeader* header, uint64_t* frame_bytes) {
  if (bytes.size() < kFrameHeaderBytes) return false;
  *frame_bytes = LoadFixed<uint32_t>(bytes.data());
  if (*frame_bytes < kFrameHeaderBytes) return false;
  header->body_bytes = static_cast<uint32_t>(*frame_bytes - kFrameHeaderBytes);
  header->lsn = LoadFixed<uint64_t>(bytes.data() + 8);
  header->undurable = LoadFixed<uint32_t>(bytes.data() + 16);
  header->fragment = static_cast<Fragment>(LoadFixed<uint8_t>(bytes.data() + 20));
  header->kind = static_cast<FrameKind>(LoadFixed<uint8_t>(bytes.data() + 21));
  return true;
}

bool DecodeFrame(std::span<const std::byte> bytes, uint64_t salt, FrameHeader* header) {
  uint64_t frame_bytes = 0;
  if (!DecodeFrameHeader(bytes, header, &frame_bytes) || frame_bytes > bytes.size()) return false;
  const auto body = bytes.subspan(kFrameHeaderBytes, header->body_bytes);
  return LoadFixed<uint32_t>(bytes.data() + 4) == FrameCrc(bytes.data(), body, salt);
}

}  // namespace fornix::wal
