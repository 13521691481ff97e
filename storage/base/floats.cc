#include "storage/base/floats.h"

#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "base/errors.h"
#include "storage/base/column_layout.h"

namespace fornix::storage {
namespace {

struct FloatsTable : Frame {
  CellKind kind = CellKind::kAbsent;
  uint32_t dimensions = 0, rows = 0;
  std::vector<uint32_t> crcs;
};
struct FloatsPage : Frame {
  std::array<std::byte, kPageBytes> content;
};

// u8 kind, varint dimensions, varint rows, u32 CRC of each page.
Result<std::unique_ptr<Frame>> DecodeTable(ExtentBytes bytes, const ExtentRef& ref, const void*) {
  ByteReader in(bytes.bytes, "lists of floats");
  auto table = std::make_unique<FloatsTable>();
  ASSIGN_OR_RETURN(const uint8_t kind, in.ReadU8());
  table->kind = static_cast<CellKind>(kind);
  ASSIGN_OR_RETURN(table->dimensions, in.ReadVarint32());
  ASSIGN_OR_RETURN(table->rows, in.ReadVarint32());
  if (!IsFloatsKind(table->kind)) return in.Damaged("lists of floats of the unknown kind " + std::to_string(kind));
  const uint64_t bytes_all = uint64_t{table->dimensions} * FloatBytes(table->kind) * table->rows;
  const uint64_t pages = (bytes_all + kPageBytes - 1) / kPageBytes;
  if (pages != in.remaining() / sizeof(uint32_t) || pages + 1 > ref.pages)
    return in.Damaged(std::to_string(pages) + " pages of floats, which the extent hasn't");
  table->crcs.resize(pages);
  for (uint32_t& crc : table->crcs) {
    ASSIGN_OR_RETURN(crc, in.ReadU32());
  }
  RETURN_IF_ERROR(in.ExpectEnd());
  table->bytes = sizeof(FloatsTable) + table->crcs.capacity() * sizeof(uint32_t);
  return std::unique_ptr<Frame>(std::move(table));
}

const FloatsPage& ReadPage(const BaseContext& context, const FloatsTable& table, const ExtentRef& extent, uint32_t page) {
  const uint32_t place = extent.page + 1 + page;
  if (const Frame* frame = context.cache->Find(place, extent.seq); frame != nullptr) return *static_cast<const FloatsPage*>(frame);
  auto made = std::make_unique<FloatsPage>();
  made->bytes = sizeof(FloatsPage);
  const Status status = context.file->ReadPages(extent, 1 + page, {&table.crcs[page], 1}, made->content);
  if (!status.ok()) throw ReadFailure(status);
  return *static_cast<const FloatsPage*>(context.cache->Insert(place, extent.seq, std::move(made)));
}

}  // namespace

uint8_t FloatsBlockLog2(CellKind kind, uint32_t dimensions) {
  const size_t rows = std::max<size_t>(kFloatsBlockBytes / (dimensions * FloatBytes(kind)), 1);
  return static_cast<uint8_t>(std::min<int>(std::bit_width(rows) - 1, 12));
}

void ReadFloatsRow(const BaseContext& context, uint64_t owner, CellKind kind, uint32_t dimensions, const ExtentRef& extent, unsigned row,
                   std::byte* out) {
  const auto& table = context.cache->Get<FloatsTable>(*context.file, extent, ExtentKind::kFloats, owner, DecodeTable);
  if (table.kind != kind || table.dimensions != dimensions || row >= table.rows) {
    throw ReadFailure(Corruption(context.file->path() + ": offset " + std::to_string(extent.page * kPageBytes) + ": row " +
                                 std::to_string(row) + " of " + std::to_string(dimensions) + " floats, found " +
                                 std::to_string(table.rows) + " rows of " + std::to_string(table.dimensions)));
  }
  const size_t row_bytes = dimensions * FloatBytes(kind);
  size_t at = row * row_bytes, left = row_bytes;
  while (left > 0) {
    const size_t in_page = at % kPageBytes, take = std::min(left, kPageBytes - in_page);
    std::memcpy(out, ReadPage(context, table, extent, static_cast<uint32_t>(at / kPageBytes)).content.data() + in_page, take);
    out += take, at += take, left -= take;
  }
}

Result<ExtentRef> WriteFloatsRows(ExtentFile* file, uint64_t owner, CellKind kind, uint32_t dimensions,
                                  std::span<const std::byte* const> rows) {
  const size_t row_bytes = dimensions * FloatBytes(kind);
  std::vector<std::byte> pages((rows.size() * row_bytes + kPageBytes - 1) / kPageBytes * kPageBytes);
  for (size_t i = 0; i < rows.size(); ++i) std::memcpy(pages.data() + i * row_bytes, rows[i], row_bytes);
  ByteWriter table;
  table.U8(static_cast<uint8_t>(kind));
  table.Varint(dimensions);
  table.Varint(rows.size());
  for (const uint32_t crc : PageCrcs(pages)) table.U32(crc);
  return file->WriteFloats(owner, table.bytes(), pages);
}

}  // namespace fornix::storage
