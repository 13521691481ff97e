#include "storage/base/column_writer.h"

#include <cstring>

#include "base/check.h"
#include "storage/base/column_layout.h"
#include "storage/base/floats.h"

namespace fornix::storage {
namespace {

constexpr size_t kExceptionBesideFloatsMax = 256;   // a piece of lists of floats isn't split, so its exceptions must be small

std::span<const SlotChange> Within(std::span<const SlotChange>* changes, unsigned end) {
  size_t n = 0;
  while (n < changes->size() && (*changes)[n].slot < end) ++n;
  const auto head = changes->first(n);
  *changes = changes->subspan(n);
  return head;
}

// At least what AppendTagged writes, and at most 5 bytes more.
size_t TaggedBytes(const Cell& cell) {
  if (IsFloatsKind(cell.kind)) return 6 + cell.size * FloatBytes(cell.kind);
  return cell.kind == CellKind::kString ? cell.size + size_t{6} : cell.kind == CellKind::kTagged ? cell.size : 11;
}

bool HoldsBlob(std::span<const Cell> cells) {
  return std::any_of(cells.begin(), cells.end(), [](const Cell& cell) { return IsBlob(cell); });
}

}  // namespace

void ColumnWriter::LoadFloats(Cell* cell, const Column& old, unsigned slot) {
  if (!IsFloatsKind(cell->kind) || cell->bytes != nullptr) return;
  const auto [extent, row] = old.FloatsAt(slot);
  std::vector<std::byte> bytes(cell->size * FloatBytes(cell->kind));
  ReaderOf(builder_->base(), *builder_->old(), property_).FloatsBytes(cell->kind, cell->size, *extent, row, bytes.data());
  cell->bytes = builder_->writer().arena.Keep(bytes);
}

Status ColumnWriter::Externalise(Cell* cell) {
  if (cell->empty() || IsBlob(*cell) || TaggedBytes(*cell) <= kInlineValueMax) return Status::Ok();
  if (IsFloatsKind(cell->kind) && cell->size * FloatBytes(cell->kind) <= kFloatsBlockBytes)
    return Status::Ok();  // perhaps a column of them
  return MakeBlob(cell);
}

Status ColumnWriter::MakeBlob(Cell* cell) {
  ByteWriter tagged;
  AppendTagged(*cell, &tagged);
  BlobRef blob;
  blob.bytes = tagged.size();
  for (std::span<const std::byte> left = tagged.bytes(); !left.empty();) {
    const auto part = left.first(std::min(left.size(), kExtentPayloadMax));
    ASSIGN_OR_RETURN(const ExtentRef ref,
                     builder_->writer().file->Write(ExtentKind::kBlob, builder_->Owner(PartOf(ChunkPart::kBlob, property_)), part,
                                                    Compress::kIfSmaller));
    blob.extents.push_back(ref);
    left = left.subspan(part.size());
  }
  ByteWriter reference;
  EncodeBlobRef(blob, &reference);
  SetTagged(reference.bytes(), cell);
  return Status::Ok();
}

void ColumnWriter::SetTagged(std::span<const std::byte> tagged, Cell* cell) {
  cell->kind = CellKind::kTagged;
  cell->size = static_cast<uint32_t>(tagged.size());
  cell->bytes = builder_->writer().arena.Keep(tagged);
}

Result<BlobRef> ColumnWriter::BlobOf(const Cell& cell) const {
  ByteReader in({cell.bytes, cell.size}, "a blob's reference");
  RETURN_IF_ERROR(in.Skip(1));
  return DecodeBlobRef(&in, builder_->base().file->file_pages());
}

Status ColumnWriter::FreeBlob(const Cell& cell) {
  if (!IsBlob(cell)) return Status::Ok();
  ASSIGN_OR_RETURN(const BlobRef blob, BlobOf(cell));
  for (const ExtentRef& ref : blob.extents) builder_->writer().file->Free(ref);
  return Status::Ok();
}

Result<bool> ColumnWriter::Changed(unsigned slot, const Cell& now, Cell* cell) {
  if (IsBlob(now)) {
    // Reading a large value is half the work of writing it, and leaves the file as it is.
    bool same = false;
    ASSIGN_OR_RETURN(const BlobRef blob, BlobOf(now));
    if (!cell->empty() && TaggedBytes(*cell) >= blob.bytes) {
      ByteWriter tagged;
      AppendTagged(*cell, &tagged);
      if (tagged.size() == blob.bytes) {
        const auto bytes = ReaderOf(builder_->base(), *builder_->old(), property_).Blob({now.bytes, now.size});
        same = std::memcmp(bytes.data(), tagged.bytes().data(), bytes.size()) == 0;
      }
    }
    if (same) return false;
    RETURN_IF_ERROR(FreeBlob(now));
  } else {
    Cell here = now;
    if (here.kind == cell->kind && here.size == cell->size && IsFloatsKind(here.kind) && here.bytes == nullptr) {
      LoadFloats(&here, ReadColumn(builder_->base(), *builder_->old(), *builder_->old()->Find(part_, slot)), slot);
    }
    if (!(IsFloatsKind(here.kind) && here.bytes == nullptr) && SameCell(here, *cell)) return false;
  }
  RETURN_IF_ERROR(Externalise(cell));
  return true;
}

bool ColumnWriter::Patchable(const Piece& piece, std::span<const SlotChange> changes, size_t patched) const {
  if (piece.ref.none()) return false;
  const unsigned n = std::min<unsigned>(piece.end, builder_->image().slots) - piece.first;
  if ((patched + changes.size()) * kPatchedShare > n) return false;
  size_t bytes = builder_->patch_bytes();
  for (const PatchImage& patch : patches_.patches) bytes += patch.value.size() + 2;
  for (const SlotChange& change : changes) {
    if (IsFloatsKind(change.cell.kind) || IsBlob(change.cell) || TaggedBytes(change.cell) > kPatchBytesMax) return false;
    bytes += TaggedBytes(change.cell) + 2;
  }
  if (bytes > kPatchesBytesMax) return false;
  const Column& column = ReadColumn(builder_->base(), *builder_->old(), piece);
  if (column.floats() != nullptr) return false;
  // What a patch covers would be forgotten with what it refers to.
  return !piece.blobs ||
         std::none_of(changes.begin(), changes.end(), [&](const SlotChange& change) { return IsBlob(column.CellAt(change.slot)); });
}

Status ColumnWriter::Write(std::span<const SlotChange> changes, const std::function<bool(unsigned, unsigned)>& tidy) {
  patches_.part = part_;
  const ChunkFrame* old = builder_->old();
  const Patches* old_patches = old == nullptr ? nullptr : old->PatchesOf(part_);
  if (old != nullptr) {
    for (const Piece& piece : old->Of(part_)) {
      // Slots before the piece that none covers.
      while (!changes.empty() && changes.front().slot < piece.first) {
        const unsigned log2 = builder_->FreeSpanLog2(part_, changes.front().slot), first = changes.front().slot >> log2 << log2;
        RETURN_IF_ERROR(WriteSpan(first, log2, nullptr, Within(&changes, first + (1u << log2))));
      }
      const auto own = Within(&changes, piece.end);
      // The patches of the piece that stay: those of live slots that haven't changed again.
      std::vector<PatchImage> kept;
      if (old_patches != nullptr) {
        for (size_t i = 0; i < old_patches->slots.size(); ++i) {
          const uint16_t slot = old_patches->slots[i];
          if (slot < piece.first || slot >= piece.end || !builder_->Live(slot)) continue;
          if (std::none_of(own.begin(), own.end(), [&](const SlotChange& change) { return change.slot == slot; }))
            kept.push_back({slot, old_patches->values[i]});
        }
      }
      if ((!own.empty() && !Patchable(piece, own, kept.size())) || tidy(piece.first, piece.end)) {
        RETURN_IF_ERROR(WriteSpan(piece.first, static_cast<unsigned>(std::countr_zero(unsigned{piece.end} - piece.first)), &piece, own));
        continue;
      }
      builder_->Keep(piece);
      for (const SlotChange& change : own) {
        ByteWriter tagged;
        AppendTagged(change.cell, &tagged);
        kept.push_back({change.slot, {builder_->writer().arena.Keep(tagged.bytes()), tagged.size()}});
      }
      std::sort(kept.begin(), kept.end(), [](const PatchImage& a, const PatchImage& b) { return a.slot < b.slot; });
      patches_.patches.insert(patches_.patches.end(), kept.begin(), kept.end());
    }
  }
  while (!changes.empty()) {
    const unsigned log2 = builder_->FreeSpanLog2(part_, changes.front().slot), first = changes.front().slot >> log2 << log2;
    RETURN_IF_ERROR(WriteSpan(first, log2, nullptr, Within(&changes, first + (1u << log2))));
  }
  builder_->Patch(std::move(patches_));
  return Status::Ok();
}

Status ColumnWriter::WriteSpan(unsigned first, unsigned span_log2, const Piece* old, std::span<const SlotChange> changes) {
  const unsigned slots = builder_->image().slots;
  std::vector<Cell> cells(std::min(first + (1u << span_log2), slots) - first);
  const Column* column = old == nullptr ? nullptr : &ReadColumn(builder_->base(), *builder_->old(), *old);
  const Patches* patches = old == nullptr ? nullptr : builder_->old()->PatchesOf(part_);
  for (unsigned i = 0; i < cells.size(); ++i) {
    const unsigned slot = first + i;
    if (!builder_->Live(slot)) {
      cells[i].kind = CellKind::kDead;
    } else if (column != nullptr && builder_->old()->Live(slot)) {
      cells[i] = patches != nullptr && patches->Has(slot) ? CellOfTagged(patches->At(slot)) : column->CellAt(slot);
    }
  }
  for (const SlotChange& change : changes) cells[change.slot - first] = change.cell;
  FloatBlocks blocks;
  const CellKind main = MainKind(cells);
  RETURN_IF_ERROR(WriteFloats(first, cells, column, changes, &blocks));
  if (old != nullptr) builder_->Drop(*old);
  return PutCells(first, span_log2, cells, IsFloatsKind(main) ? &blocks : nullptr);
}

Status ColumnWriter::KeepFloatsOut(std::span<Cell> cells, unsigned first, const Column* old, CellKind main, uint32_t dimensions) {
  for (size_t i = 0; i < cells.size(); ++i) {
    Cell& cell = cells[i];
    if (!IsFloatsKind(cell.kind) || (cell.kind == main && cell.size == dimensions)) continue;
    if (cell.bytes == nullptr) LoadFloats(&cell, *old, first + static_cast<unsigned>(i));
    ByteWriter tagged;
    AppendTagged(cell, &tagged);
    SetTagged(tagged.bytes(), &cell);
    RETURN_IF_ERROR(Externalise(&cell));
  }
  return Status::Ok();
}

Status ColumnWriter::WriteFloats(unsigned first, std::span<Cell> cells, const Column* old, std::span<const SlotChange> changes,
                                 FloatBlocks* out) {
  const FloatBlocks* had = old == nullptr ? nullptr : old->floats();
  ExtentFile* file = builder_->writer().file;
  if (!IsFloatsKind(MainKind(cells))) {
    RETURN_IF_ERROR(KeepFloatsOut(cells, first, old, CellKind::kAbsent, 0));
    for (size_t i = 0; had != nullptr && i < had->extents.size(); ++i) {
      if (!had->extents[i].none()) file->Free(had->extents[i]);
    }
    return Status::Ok();
  }
  // The kind and length that most of the lists have.
  std::map<std::pair<CellKind, uint32_t>, uint32_t> counts;
  for (const Cell& cell : cells) {
    if (IsFloatsKind(cell.kind)) ++counts[{cell.kind, cell.size}];
  }
  const std::pair<CellKind, uint32_t> form =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first;
  const CellKind kind = form.first;              // not a structured binding: clang 14 lets no lambda take one by reference
  const uint32_t dimensions = form.second;
  const bool same_form = had != nullptr && had->dimensions == dimensions && old->encoding() == static_cast<Encoding>(kind);
  out->dimensions = dimensions;
  out->block_log2 = same_form ? had->block_log2 : FloatsBlockLog2(kind, dimensions);
  const size_t block = size_t{1} << out->block_log2;
  out->extents.resize((cells.size() + block - 1) / block);
  // First what leaves, while the old blocks can be read.
  RETURN_IF_ERROR(KeepFloatsOut(cells, first, old, kind, dimensions));
  for (Cell& cell : cells) {
    if (!cell.empty() && cell.kind != kind && !IsBlob(cell) && TaggedBytes(cell) > kExceptionBesideFloatsMax)
      RETURN_IF_ERROR(MakeBlob(&cell));
  }
  for (size_t b = 0; b < out->extents.size(); ++b) {
    const size_t begin = b * block, n = std::min(block, cells.size() - begin);
    const auto changed = Within(&changes, first + static_cast<unsigned>(begin + n));
    const ExtentRef was = same_form && b < had->extents.size() ? had->extents[b] : ExtentRef{};
    const std::span<Cell> rows = cells.subspan(begin, n);
    const unsigned slot = first + static_cast<unsigned>(begin);
    // A list with bytes is new, or was in another form.
    const bool touched = !changed.empty() || std::any_of(rows.begin(), rows.end(),
                                                         [&](const Cell& cell) { return cell.kind == kind && cell.bytes != nullptr; });
    const auto live = std::count_if(rows.begin(), rows.end(), [&](const Cell& cell) { return cell.kind == kind; });
    const bool any = live > 0;
    if (any && !touched && (was.none() || DeadRows(rows, slot, *old) <= static_cast<size_t>(live))) {
      KeepBlock(rows, slot, *old);
      out->extents[b] = was;
      continue;
    }
    if (any) {
      ASSIGN_OR_RETURN(out->extents[b], WriteBlock(rows, slot, old, kind, dimensions));
    }
    if (!was.none()) file->Free(was);
  }
  if (had != nullptr) {
    for (size_t i = same_form ? out->extents.size() : 0; i < had->extents.size(); ++i) {
      if (!had->extents[i].none()) file->Free(had->extents[i]);
    }
  }
  return Status::Ok();
}

// Rows of the old extent whose slots are dead: where they are more than the others, the block is written without them.
size_t ColumnWriter::DeadRows(std::span<const Cell> rows, unsigned slot, const Column& old) const {
  size_t dead = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    dead += rows[i].kind == CellKind::kDead && IsFloatsKind(old.CellAt(slot + static_cast<unsigned>(i)).kind);
  }
  return dead;
}

// The rows stay as they are, those of dead slots too: they count among the rows of the extent.
void ColumnWriter::KeepBlock(std::span<Cell> rows, unsigned slot, const Column& old) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].kind != CellKind::kDead) continue;
    const Cell was = old.CellAt(slot + static_cast<unsigned>(i));
    if (IsFloatsKind(was.kind) && was.bytes == nullptr) rows[i] = was;
  }
}

Result<ExtentRef> ColumnWriter::WriteBlock(std::span<Cell> rows, unsigned slot, const Column* old, CellKind kind, uint32_t dimensions) {
  std::vector<const std::byte*> lists;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].kind != kind) continue;
    if (rows[i].bytes == nullptr) LoadFloats(&rows[i], *old, slot + static_cast<unsigned>(i));
    lists.push_back(rows[i].bytes);
  }
  return WriteFloatsRows(builder_->writer().file, builder_->Owner(PartOf(ChunkPart::kFloats, property_)), kind, dimensions, lists);
}

Status ColumnWriter::PutCells(unsigned first, unsigned span_log2, std::span<const Cell> cells, const FloatBlocks* floats) {
  ByteWriter bytes;
  if (!EncodeColumn(first, cells, floats, &bytes)) return Status::Ok();
  if (bytes.size() <= kPieceBytesMax || span_log2 <= kSpanLog2Min || floats != nullptr) {
    const CellKind main = MainKind(cells);
    builder_->Put(part_, first, span_log2, HoldsBlob(cells), bytes.Take(),
                  IsNumberKind(main) || IsFloatsKind(main) ? Compress::kNever : Compress::kIfSmaller);
    return Status::Ok();
  }
  const unsigned child = span_log2 > kSplitSpanLog2 ? kSplitSpanLog2 : span_log2 - 1;
  for (size_t begin = 0; begin < cells.size(); begin += size_t{1} << child) {
    RETURN_IF_ERROR(PutCells(first + static_cast<unsigned>(begin), child,
                             cells.subspan(begin, std::min(cells.size() - begin, size_t{1} << child)), nullptr));
  }
  return Status::Ok();
}

}  // namespace fornix::storage
