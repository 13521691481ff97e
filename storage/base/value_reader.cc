#include "storage/base/value_reader.h"

#include <string>

#include "base/errors.h"
#include "storage/base/column.h"
#include "storage/base/column_layout.h"
#include "storage/base/floats.h"

namespace fornix::storage {

ByteReader ValueReader::Reader(std::span<const std::byte> bytes) const {
  return ByteReader(bytes, context_->file->path(), page_ * kPageBytes);
}

Value ValueReader::Tagged(std::span<const std::byte> tagged) const {
  if (!tagged.empty() && tagged[0] == std::byte{kBlobTag}) {
    const std::vector<std::byte> bytes = Blob(tagged);
    ByteReader in = Reader(bytes);
    Value value = ValueOrThrow(DecodeValue(&in));
    if (!in.empty()) throw ReadFailure(in.Damaged("a blob longer than its value"));
    return value;
  }
  ByteReader in = Reader(tagged);
  Value value = ValueOrThrow(DecodeValue(&in));
  if (!in.empty()) throw ReadFailure(in.Damaged("a value shorter than its place"));
  return value;
}

std::vector<std::byte> ValueReader::Blob(std::span<const std::byte> reference) const {
  ByteReader in = Reader(reference);
  (void)ValueOrThrow(in.ReadU8());
  const BlobRef blob = ValueOrThrow(DecodeBlobRef(&in, context_->file->file_pages()));
  std::vector<std::byte> bytes;
  for (const ExtentRef& ref : blob.extents) {
    const ExtentBytes part = ValueOrThrow(context_->file->Read(ref, ExtentKind::kBlob, Owner(ChunkPart::kBlob)));
    if (part.bytes.size() > blob.bytes - bytes.size()) throw ReadFailure(in.Damaged("a blob with more bytes than it should have"));
    bytes.insert(bytes.end(), part.bytes.begin(), part.bytes.end());
  }
  if (bytes.size() != blob.bytes) throw ReadFailure(in.Damaged("a blob with fewer bytes than it should have"));
  return bytes;
}

void ValueReader::FloatsBytes(CellKind kind, uint32_t dimensions, const ExtentRef& extent, unsigned row, std::byte* out) const {
  ReadFloatsRow(*context_, Owner(ChunkPart::kFloats), kind, dimensions, extent, row, out);
}

Value ValueReader::Floats(CellKind kind, uint32_t dimensions, const ExtentRef& extent, unsigned row) const {
  if (kind == CellKind::kVector) {
    std::vector<float> elements(dimensions);
    FloatsBytes(kind, dimensions, extent, row, reinterpret_cast<std::byte*>(elements.data()));
    return Value::Vector(std::move(elements));
  }
  std::vector<std::byte> bytes(dimensions * FloatBytes(kind));
  FloatsBytes(kind, dimensions, extent, row, bytes.data());
  List list;
  list.reserve(dimensions);
  for (uint32_t i = 0; i < dimensions; ++i) {
    list.emplace_back(kind == CellKind::kFloat32List ? static_cast<double>(LoadFixed<float>(bytes.data() + i * sizeof(float)))
                                                     : LoadFixed<double>(bytes.data() + i * sizeof(double)));
  }
  return Value(std::move(list));
}

}  // namespace fornix::storage
