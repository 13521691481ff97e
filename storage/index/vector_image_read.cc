// Reading an image, which believes nothing: every number is judged before memory is taken for it. Extents are read once each, so what an
// image can ask for is what the file has.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/errors.h"
#include "storage/index/vector_image.h"

namespace fornix::storage {
namespace {

using vector::Hnsw;

constexpr uint32_t kLevelsMax = 24;            // of a slot (vector/hnsw/hnsw.cc): its rows of upper links

std::string Named(const ExtentFile& file, IndexId index) { return file.path() + ": vector index " + std::to_string(index.value); }

constexpr const char* kArrayNames[kVectorArrays] = {"codes", "fine codes", "base links", "upper links", "slots", "elements"};

Result<vector::HnswOptions> ReadOptions(ByteReader* in) {
  vector::HnswOptions options;
  ASSIGN_OR_RETURN(options.dimensions, in->ReadU32());
  ASSIGN_OR_RETURN(const uint8_t metric, in->ReadU8());
  ASSIGN_OR_RETURN(const uint8_t quantization, in->ReadU8());
  ASSIGN_OR_RETURN(options.m, in->ReadU32());
  ASSIGN_OR_RETURN(options.ef_construction, in->ReadU32());
  ASSIGN_OR_RETURN(options.seed, in->ReadU64());
  ASSIGN_OR_RETURN(const uint8_t centre, in->ReadU8());
  if (metric > static_cast<uint8_t>(vector::Metric::kDot)) return in->Damaged("metric " + std::to_string(metric));
  if (quantization > static_cast<uint8_t>(vector::Quantization::kRabitq8)) return in->Damaged("quantization " + std::to_string(quantization));
  if (centre > 1) return in->Damaged("a centre that is neither there nor not");
  options.metric = static_cast<vector::Metric>(metric);
  options.quantization = static_cast<vector::Quantization>(quantization);
  if (centre == 0) return options;
  if (options.dimensions > in->remaining() / sizeof(float)) return in->Damaged("a centre of " + std::to_string(options.dimensions) + " dimensions");
  options.centre.resize(options.dimensions);
  for (float& x : options.centre) {
    ASSIGN_OR_RETURN(x, in->ReadF32());
    if (!std::isfinite(x)) return in->Damaged("a centre that isn't finite");
  }
  return options;
}

Result<VectorDirectory> Decode(ByteReader* in, uint64_t file_pages) {
  VectorDirectory directory;
  ASSIGN_OR_RETURN(directory.timestamp, in->ReadU64());
  ASSIGN_OR_RETURN(const uint8_t complete, in->ReadU8());
  if (complete > 1) return in->Damaged("neither complete nor being filled");
  directory.complete = complete == 1;
  Hnsw::ImageHead& head = directory.head;
  for (uint32_t* number : {&head.slots, &head.linked, &head.upper_rows, &head.entry_slot, &head.entry_level, &directory.link_rows[0],
                           &directory.link_rows[1]}) {
    ASSIGN_OR_RETURN(*number, in->ReadU32());
  }
  ASSIGN_OR_RETURN(directory.options, ReadOptions(in));
  for (auto& groups : directory.groups) {
    ASSIGN_OR_RETURN(const uint32_t count, in->ReadCount(kExtentRefBytes));
    groups.resize(count);
    for (ExtentRef& ref : groups) {
      ASSIGN_OR_RETURN(ref, DecodeExtentRef(in, file_pages));
      if (ref.none()) return in->Damaged("a group of rows without an extent");
    }
  }
  RETURN_IF_ERROR(in->ExpectEnd());
  if (directory.options.dimensions == 0 && head.slots != 0) return in->Damaged(std::to_string(head.slots) + " rows of 0 dimensions");
  if (directory.link_rows[0] > head.slots || directory.link_rows[1] > head.upper_rows || head.linked > directory.link_rows[0] ||
      head.upper_rows > uint64_t{head.slots} * kLevelsMax) {
    return in->Damaged(std::to_string(head.linked) + " linked of " + std::to_string(directory.link_rows[0]) + " rows of base and " +
                       std::to_string(directory.link_rows[1]) + " of upper links, of " + std::to_string(head.slots) + " and " +
                       std::to_string(head.upper_rows));
  }
  return directory;
}

class Loading {
 public:
  Loading(const ExtentFile& file, IndexId index, const VectorDirectory& directory, const std::function<Status(double)>& go_on)
      : file_(file), index_(index), directory_(directory), go_on_(go_on) {
    for (const auto& groups : directory.groups) groups_all_ += groups.size();
  }

  Result<LoadedVectors> Run() {
    const uint32_t slots = directory_.head.slots;
    if (slots != 0) {
      auto made = Hnsw::Create(directory_.options);
      if (!made.ok()) return Damage(made.status().message());
      loaded_.graph = std::move(made).value();
      RETURN_IF_ERROR(Inner(loaded_.graph->BeginLoad(directory_.head)));
    }
    RETURN_IF_ERROR(Array(VectorArray::kCodes, slots, slots));
    RETURN_IF_ERROR(Array(VectorArray::kFineCodes, slots, slots));
    RETURN_IF_ERROR(Array(VectorArray::kBaseLinks, directory_.link_rows[0], slots));
    RETURN_IF_ERROR(Array(VectorArray::kUpperLinks, directory_.link_rows[1], directory_.head.upper_rows));
    RETURN_IF_ERROR(Array(VectorArray::kSlots, slots, slots));
    RETURN_IF_ERROR(Elements(slots));
    if (loaded_.graph != nullptr) RETURN_IF_ERROR(Inner(loaded_.graph->FinishLoad()));
    return std::move(loaded_);
  }

 private:
  Status Damage(const std::string& what) const { return Corruption(Named(file_, index_) + ": " + what); }
  Status Inner(const Status& status) const { return status.ok() ? status : Damage(status.message()); }

  Result<ExtentBytes> Group(VectorArray array, size_t group, size_t bytes) {
    const size_t at = static_cast<size_t>(array);
    if (go_on_) RETURN_IF_ERROR(go_on_(static_cast<double>(groups_done_++) / static_cast<double>(groups_all_)));
    auto read = file_.Read(directory_.groups[at][group], KindOf(array), ExtentOwner(OwnerSpace::kIndex, index_.value, static_cast<uint32_t>(group)));
    if (!read.ok()) return Status(read.status().code(), Named(file_, index_) + ", " + kArrayNames[at] + ": " + read.status().message());
    if (read->bytes.size() != bytes) {
      return Damage("group " + std::to_string(group) + " of its " + kArrayNames[at] + " has " + std::to_string(read->bytes.size()) + " bytes, expected " +
                    std::to_string(bytes));
    }
    return read;
  }

  // `written` rows are in the file, those up to `rows` are empty.
  Status Array(VectorArray array, size_t written, size_t rows) {
    const size_t at = static_cast<size_t>(array);
    const auto kind = static_cast<Hnsw::Array>(array);
    const size_t bytes = loaded_.graph == nullptr ? 0 : loaded_.graph->row_bytes(kind);
    const size_t per_group = RowsInGroup(array, bytes);
    if (bytes == 0) written = rows = 0;
    RETURN_IF_ERROR(Count(array, (written + per_group - 1) / per_group));
    for (size_t group = 0; group * per_group < written; ++group) {
      const size_t count = std::min(per_group, written - group * per_group);
      ASSIGN_OR_RETURN(const ExtentBytes read, Group(array, group, count * bytes));
      const std::span<const uint8_t> payload(reinterpret_cast<const uint8_t*>(read.bytes.data()), read.bytes.size());
      RETURN_IF_ERROR(Inner(loaded_.graph->LoadRows(kind, group * per_group, payload)));
      if (array == VectorArray::kSlots) loaded_.hashes[at].push_back(XXH3_64bits(payload.data(), payload.size()));
    }
    if (written == rows) return Status::Ok();
    const std::vector<uint8_t> empty(std::min(per_group, rows - written) * bytes);
    for (size_t row = written; row < rows;) {
      const size_t count = std::min(per_group, rows - row);
      RETURN_IF_ERROR(Inner(loaded_.graph->LoadRows(kind, row, std::span(empty).first(count * bytes))));
      row += count;
    }
    return Status::Ok();
  }

  Status Count(VectorArray array, size_t expected) const {
    const size_t at = static_cast<size_t>(array), found = directory_.groups[at].size();
    if (found == expected) return Status::Ok();
    return Damage(std::to_string(found) + " groups of " + kArrayNames[at] + ", expected " + std::to_string(expected));
  }

  Status Elements(size_t slots) {
    const size_t per_group = RowsInGroup(VectorArray::kElements, 0);
    RETURN_IF_ERROR(Count(VectorArray::kElements, (slots + per_group - 1) / per_group));
    loaded_.ids.reserve(slots);
    loaded_.live.reserve(slots);
    for (size_t group = 0; group * per_group < slots; ++group) {
      const size_t count = std::min(per_group, slots - group * per_group), bitmap = (count + 7) / 8;
      ASSIGN_OR_RETURN(const ExtentBytes read, Group(VectorArray::kElements, group, bitmap + count * kElementBytes));
      const auto* bytes = reinterpret_cast<const uint8_t*>(read.bytes.data());
      for (size_t i = 0; i < count; ++i) {
        uint64_t id = 0;
        std::memcpy(&id, bytes + bitmap + i * kElementBytes, kElementBytes);
        const bool live = (bytes[i / 8] >> (i % 8) & 1) != 0;
        if (!live && id != 0) return Damage("slot " + std::to_string(loaded_.ids.size()) + " has element " + std::to_string(id) + ", but isn't live");
        loaded_.ids.push_back(id);
        loaded_.live.push_back(live);
      }
      loaded_.hashes[static_cast<size_t>(VectorArray::kElements)].push_back(XXH3_64bits(bytes, read.bytes.size()));
    }
    return OneSlotEach();
  }

  Status OneSlotEach() const {
    std::vector<uint64_t> live;
    for (size_t slot = 0; slot < loaded_.ids.size(); ++slot) {
      if (loaded_.live[slot]) live.push_back(loaded_.ids[slot]);
    }
    std::sort(live.begin(), live.end());
    const auto twice = std::adjacent_find(live.begin(), live.end());
    return twice == live.end() ? Status::Ok() : Damage("element " + std::to_string(*twice) + " has two live slots");
  }

  const ExtentFile& file_;
  const IndexId index_;
  const VectorDirectory& directory_;
  const std::function<Status(double)>& go_on_;
  size_t groups_all_ = 0, groups_done_ = 0;
  LoadedVectors loaded_;
};

}  // namespace

Result<VectorDirectory> ReadVectorDirectory(const ExtentFile& file, IndexId index, const ExtentRef& first, std::vector<ExtentRef>* links) {
  std::vector<std::byte> bytes;
  links->clear();
  for (ExtentRef at = first; !at.none();) {
    const uint64_t owner = ExtentOwner(OwnerSpace::kIndex, index.value, static_cast<uint32_t>(links->size()));   // so that no chain is a ring
    auto link = file.Read(at, ExtentKind::kVectorDirectory, owner);
    if (!link.ok()) return Status(link.status().code(), Named(file, index) + ", directory: " + link.status().message());
    links->push_back(at);
    const std::string source = Named(file, index) + ", directory at page " + std::to_string(at.page);
    ByteReader in(link->bytes, source);
    ASSIGN_OR_RETURN(at, DecodeExtentRef(&in, file.file_pages()));
    ASSIGN_OR_RETURN(const auto part, in.ReadBytes(in.remaining()));
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  const std::string source = Named(file, index) + ", directory";
  ByteReader in(bytes, source);
  return Decode(&in, file.file_pages());
}

Result<LoadedVectors> LoadVectors(const ExtentFile& file, IndexId index, const VectorDirectory& directory,
                                  const std::function<Status(double part)>& go_on) {
  return Loading(file, index, directory, go_on).Run();
}

void FreeVectorImage(ExtentFile* file, IndexId index, const ExtentRef& first) {
  std::vector<ExtentRef> links;
  const Result<VectorDirectory> directory = ReadVectorDirectory(*file, index, first, &links);
  for (const ExtentRef& link : links) file->Free(link);
  if (!directory.ok()) return;
  for (size_t at = 0; at < kVectorArrays; ++at) {
    const auto& groups = directory->groups[at];
    for (size_t group = 0; group < groups.size(); ++group) {
      const uint64_t owner = ExtentOwner(OwnerSpace::kIndex, index.value, static_cast<uint32_t>(group));
      if (file->Read(groups[group], KindOf(static_cast<VectorArray>(at)), owner).ok()) file->Free(groups[group]);
    }
  }
}

}  // namespace fornix::storage
