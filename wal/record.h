// The log's format in memory: where it lies, its segment header, its frames. Every byte is described in docs/wal.md.
//
// A log is the directory X.fornix-log/ with segments named GENERATION-NUMBER.log. Records have consecutive LSNs. A frame
// carries a record or a fragment of one; fragments continue at the start of the next segment, so a record of any size
// fits. The invariant everything rests on: a sector that holds an acknowledged record is never written again while its
// segment is live.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/ids.h"
#include "base/limits.h"
#include "base/uuid.h"
#include "fornix/status.h"

namespace fornix::wal {

// Where a log begins: kept in the root slots. Segments of other generations, or of lower numbers, are no part of it.
struct LogPosition {
  uint64_t generation = 1;  // a compacting close writes a whole new one beside the old
  uint64_t segment = 1;
  Lsn lsn = 1;              // records below it are in the base already and are not applied
  friend bool operator==(const LogPosition&, const LogPosition&) = default;
};

inline constexpr uint32_t kSegmentMagic = 0x474c5846;       // "FXLG"
inline constexpr uint32_t kLogFormatVersion = 1;
inline constexpr size_t kSegmentHeaderBytes = 80;           // of the first sector; the rest of the first page is zero
inline constexpr uint64_t kSegmentDataOffset = 4096;        // frames begin here: the header shares its page with nothing
inline constexpr size_t kFrameHeaderBytes = 24;
inline constexpr size_t kFrameAlignment = 8;
inline constexpr size_t kFrameRoomMin = 32;                 // a segment with less room left is full

struct SegmentHeader {
  Uuid uuid;
  uint64_t generation = 0;
  uint64_t segment = 0;
  uint64_t segment_bytes = 0;   // size of the whole file
  uint64_t salt = 0;            // drawn anew for each use of the file: old bytes of a recycled one don't parse
  Lsn first_lsn = 0;            // of the first frame; also says where the segment before ends
  bool continues = false;       // the first frame continues a record begun in the segment before
};

enum class FrameKind : uint8_t { kData = 1 };
enum class Fragment : uint8_t { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

struct FrameHeader {
  uint32_t body_bytes = 0;
  Lsn lsn = 0;
  uint32_t undurable = 0;       // lsn minus the durable LSN when it was written, capped: all below was safe on disk
  FrameKind kind = FrameKind::kData;
  Fragment fragment = Fragment::kFull;
};

inline constexpr uint64_t AlignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

std::string SegmentName(uint64_t generation, uint64_t segment);
// False for a name that is not a segment's.
bool ParseSegmentName(const std::string& name, uint64_t* generation, uint64_t* segment);
// A zeroed or recycled file on its way to become a segment: it gets its real name when all in it is durable.
std::string SpareName(uint64_t generation);
bool IsSpareName(const std::string& name);

// Fills one sector.
void EncodeSegmentHeader(const SegmentHeader& header, std::span<std::byte, kLogSectorBytes> out);
Result<SegmentHeader> DecodeSegmentHeader(std::span<const std::byte> bytes, const std::string& path);

// Writes the header that goes before `body`: kFrameHeaderBytes bytes.
void EncodeFrameHeader(const FrameHeader& header, std::span<const std::byte> body, uint64_t salt, std::byte* out);
// Header and body.
void EncodeFrame(const FrameHeader& header, std::span<const std::byte> body, uint64_t salt, std::byte* out);
// Reads what a frame at bytes[0] says of itself, unchecked; false if that can't be a frame.
bool DecodeFrameHeader(std::span<const std::byte> bytes, FrameHeader* header, uint64_t* frame_bytes);
// True if a whole frame with a right checksum begins at bytes[0]; the body lies behind the header. Looks at nothing else:
// whether kind, LSN and fragment make sense is the reader's question.
bool DecodeFrame(std::span<const std::byte> bytes, uint64_t salt, FrameHeader* header);

}  // namespace fornix::wal
