// Writing column pieces: which encoding is the smallest, then the bytes.
#include <array>

#include "base/check.h"
#include "storage/base/column.h"

namespace fornix::storage {
namespace {

size_t KindIndex(CellKind kind) { return IsFloatsKind(kind) ? static_cast<size_t>(CellKind::kFloat32List) : static_cast<size_t>(kind); }

// The cells of the main kind, in the order of slots; where the piece is dense, a dead slot stands in with the first of them.
using Cells = std::vector<const Cell*>;

uint64_t Hash(std::string_view text) {
  uint64_t h = text.size() * 0x9E3779B97F4A7C15ull;
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    h = (h ^ LoadFixed<uint64_t>(reinterpret_cast<const std::byte*>(text.data() + i))) * 0xBF58476D1CE4E5B9ull;
    h ^= h >> 29;
  }
  for (; i < text.size(); ++i) h = (h ^ static_cast<unsigned char>(text[i])) * 0x100000001B3ull;
  return h ^ (h >> 32);
}

// The different texts in the order of their first use, and each cell's code. Gives up where a dictionary wouldn't pay.
struct Dictionary {
  std::vector<const Cell*> entries;
  std::vector<uint16_t> codes;
  size_t entry_bytes = 0;

  bool Build(const Cells& cells) {
    constexpr size_t kTable = 2 * kChunkSlots;
    constexpr uint16_t kFree = 0xFFFF;
    std::vector<uint16_t> table(kTable, kFree);
    codes.reserve(cells.size());
    for (const Cell* cell : cells) {
      size_t place = Hash(cell->text()) % kTable;
      while (table[place] != kFree && entries[table[place]]->text() != cell->text()) place = (place + 1) % kTable;
      if (table[place] == kFree) {
        table[place] = static_cast<uint16_t>(entries.size());
        entries.push_back(cell);
        entry_bytes += cell->size;
        if (codes.size() > 256 && entries.size() * 8 > codes.size() * 7) return false;   // nearly all differ
      }
      codes.push_back(table[place]);
    }
    return true;
  }
};

size_t OffsetBytes(size_t n, size_t total) { return PackedBytes(n + 1, PackedWidth(total)); }

// varint total, packed offsets, bytes. The offsets need no pass of their own: they run along.
void WriteTexts(const Cells& cells, size_t total, ByteWriter* out) {
  out->Varint(total);
  uint64_t offset = 0;
  WritePacked(cells.size() + 1, total, out, [&](size_t i) {
    const uint64_t here = offset;
    if (i < cells.size()) offset += cells[i]->size;
    return here;
  });
  for (const Cell* cell : cells) out->Bytes({cell->bytes, cell->size});
}

struct Choice {
  Encoding encoding = Encoding::kNone;
  size_t text_bytes = 0;
  Dictionary dictionary;
};

Choice Choose(CellKind main, const Cells& cells) {
  Choice choice;
  choice.encoding = static_cast<Encoding>(main);
  if (cells.empty() || IsNumberKind(main) || IsFloatsKind(main)) return choice;   // equal numbers pack into no bits
  bool equal = true;
  for (size_t i = 1; equal && i < cells.size(); ++i) equal = SameCell(*cells[0], *cells[i]);
  if (equal && cells.size() > 1 && !IsBlob(*cells[0])) {
    choice.encoding = Encoding::kConstant;
    return choice;
  }
  if (main == CellKind::kFloat) return choice;
  for (const Cell* cell : cells) choice.text_bytes += cell->size;
  if (main != CellKind::kString || !choice.dictionary.Build(cells)) return choice;
  const Dictionary& dictionary = choice.dictionary;
  const size_t with = dictionary.entry_bytes + OffsetBytes(dictionary.entries.size(), dictionary.entry_bytes) +
                      PackedBytes(cells.size(), PackedWidth(dictionary.entries.size() - 1));
  const size_t without = choice.text_bytes + OffsetBytes(cells.size(), choice.text_bytes);
  if (with * 8 < without * 7) choice.encoding = Encoding::kDictionary;
  return choice;
}

void WriteNumbers(const Cells& cells, ByteWriter* out) {
  int64_t least = 0, largest = 0;
  if (!cells.empty()) least = largest = cells[0]->integer;
  for (const Cell* cell : cells) {
    least = std::min(least, cell->integer);
    largest = std::max(largest, cell->integer);
  }
  WritePackedNumbers(cells.size(), static_cast<uint64_t>(least), static_cast<uint64_t>(largest), out,
                     [&](size_t i) { return static_cast<uint64_t>(cells[i]->integer); });
}

void WriteFloatBlocks(const FloatBlocks& floats, size_t slots, ByteWriter* out) {
  out->Varint(floats.dimensions);
  out->U8(floats.block_log2);
  const size_t blocks = (slots + (size_t{1} << floats.block_log2) - 1) >> floats.block_log2;
  for (size_t i = 0; i < blocks; ++i) EncodeExtentRef(floats.extents[i], out);
}

void WriteValues(const Choice& choice, const Cells& cells, const FloatBlocks* floats, size_t slots, ByteWriter* out) {
  switch (choice.encoding) {
    case Encoding::kNone: return;
    case Encoding::kInteger: case Encoding::kBoolean: case Encoding::kDate: case Encoding::kLocalTime: return WriteNumbers(cells, out);
    case Encoding::kFloat:
      for (const Cell* cell : cells) out->F64(cell->real);
      return;
    case Encoding::kString: case Encoding::kTagged: return WriteTexts(cells, choice.text_bytes, out);
    case Encoding::kDictionary: {
      const Dictionary& dictionary = choice.dictionary;
      out->Varint(dictionary.entries.size());
      WriteTexts(dictionary.entries, dictionary.entry_bytes, out);
      return WritePacked(cells.size(), dictionary.entries.size() - 1, out, [&](size_t i) { return dictionary.codes[i]; });
    }
    case Encoding::kConstant: {
      ByteWriter tagged;
      AppendTagged(*cells[0], &tagged);
      out->Varint(tagged.size());
      return out->Bytes(tagged.bytes());
    }
    case Encoding::kFloat32List: case Encoding::kFloat64List: case Encoding::kVector: return WriteFloatBlocks(*floats, slots, out);
  }
}

void WriteExceptions(unsigned first, std::span<const Cell> cells, CellKind main, size_t n, ByteWriter* out) {
  out->Varint(n);
  if (n == 0) return;
  ByteWriter tagged;
  std::vector<size_t> ends;
  size_t next = first;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].empty() || cells[i].kind == main) continue;
    out->Varint(first + i - next);
    next = first + i + 1;
    AppendTagged(cells[i], &tagged);
    ends.push_back(tagged.size());
  }
  out->Varint(tagged.size());
  WritePacked(n + 1, tagged.size(), out, [&](size_t i) { return i == 0 ? 0 : ends[i - 1]; });
  out->Bytes(tagged.bytes());
}

}  // namespace

CellKind MainKind(std::span<const Cell> cells) {
  std::array<uint32_t, kCellKinds> counts{};
  for (const Cell& cell : cells) {
    if (!cell.empty()) ++counts[KindIndex(cell.kind)];
  }
  counts[0] = 0;
  const size_t best = static_cast<size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  return static_cast<CellKind>(best);
}

bool EncodeColumn(unsigned first, std::span<const Cell> cells, const FloatBlocks* floats, ByteWriter* out) {
  while (!cells.empty() && cells.back().empty()) cells = cells.first(cells.size() - 1);
  if (cells.empty()) return false;
  CellKind main = MainKind(cells);
  CHECK(floats != nullptr || !IsFloatsKind(main));
  if (floats != nullptr) {
    for (const Cell& cell : cells) {
      if (IsFloatsKind(cell.kind)) main = cell.kind;
    }
  }
  size_t absent = 0, exceptions = 0;
  uint64_t present[kBitmapWords] = {};
  Cells chosen;
  chosen.reserve(cells.size());
  for (size_t i = 0; i < cells.size(); ++i) {
    absent += cells[i].kind == CellKind::kAbsent;
    exceptions += !cells[i].empty() && cells[i].kind != main;
    if (cells[i].kind != main) continue;
    chosen.push_back(&cells[i]);
    SetBit(present, i);
  }
  // Lists of floats have their rows without those of dead slots.
  const bool dense = absent == 0 && exceptions == 0 && (!IsFloatsKind(main) || chosen.size() == cells.size());
  if (dense && chosen.size() < cells.size()) {
    const Cell* stand_in = chosen[0];
    chosen.clear();
    for (const Cell& cell : cells) chosen.push_back(cell.kind == main ? &cell : stand_in);
  }
  const Choice choice = Choose(main, chosen);
  out->Varint(first);
  out->Varint(cells.size());
  out->U8(static_cast<uint8_t>(choice.encoding));
  out->U8(dense ? 0 : 1);
  if (!dense) WriteBitmap(present, cells.size(), out);
  WriteValues(choice, chosen, floats, cells.size(), out);
  WriteExceptions(first, cells, main, exceptions, out);
  return true;
}

}  // namespace fornix::storage
