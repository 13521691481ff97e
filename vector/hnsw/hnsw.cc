// Hnsw's life outside the two hard parts: options, storing, and who links which slot.
#include "vector/hnsw/hnsw.h"

#include <cmath>
#include <limits>
#include <string>

#include "base/check.h"
#include "base/limits.h"
#include "vector/mix.h"
#include "vector/validate.h"

namespace fornix::vector {
namespace {

constexpr uint32_t kLevelMax = 24;  // at m = 2, one slot in 2^24 gets there; at 16, one in 10^29
constexpr uint64_t kNoEntry = ~uint64_t{0};

Status OutOfRange(const char* name, uint32_t value, uint32_t min, uint32_t max) {
  return Status(Code::kArgumentError, std::string("vector index option ") + name + " is " +
                                          std::to_string(value) + ", expected " + std::to_string(min) +
                                          " to " + std::to_string(max))
      .Detail("VectorIndexOption");
}

CodeKind WayKind(Quantization quantization) {
  switch (quantization) {
    case Quantization::kNone: return CodeKind::kNone;
    case Quantization::kHalf: return CodeKind::kHalf;
    case Quantization::kByte: return CodeKind::kByte;
    case Quantization::kRabitq4:
    case Quantization::kRabitq8: return CodeKind::kBit;
  }
  return CodeKind::kNone;
}

const CodeKernels& CodeKernelsOf(const HnswOptions& options) {
  return options.code_kernels != nullptr ? *options.code_kernels : BestCodeKernels();
}
const DistanceKernels& FloatKernelsOf(const HnswOptions& options) {
  return options.kernels != nullptr ? *options.kernels : BestKernels();
}

std::unique_ptr<const Quantizer> NewQuantizer(const HnswOptions& options, CodeKind kind) {
  auto projection = std::make_shared<Projection>(options.dimensions, options.metric,
                                                 kind == CodeKind::kNone ? std::vector<float>() : options.centre,
                                                 Quantizer::Rotates(kind), Mix(options.seed), CodeKernelsOf(options));
  return Quantizer::Create(kind, std::move(projection), CodeKernelsOf(options), FloatKernelsOf(options));
}

std::unique_ptr<VectorStore> NewFineStore(const HnswOptions& options) {
  if (options.quantization != Quantization::kRabitq4 && options.quantization != Quantization::kRabitq8) return nullptr;
  const CodeKind kind = options.quantization == Quantization::kRabitq4 ? CodeKind::kNibble : CodeKind::kByte;
  return std::make_unique<VectorStore>(NewQuantizer(options, kind));
}

}  // namespace

Result<std::unique_ptr<Hnsw>> Hnsw::Create(const HnswOptions& options) {
  RETURN_IF_ERROR(ValidateDimensions(options.dimensions));
  if (options.m < 1 || options.m > kHnswMMax) return OutOfRange("m", options.m, 1, kHnswMMax);
  if (options.ef_construction < 1 || options.ef_construction > kHnswEfConstructionMax) {
    return OutOfRange("ef_construction", options.ef_construction, 1, kHnswEfConstructionMax);
  }
  if (options.ef_search < 1)
    return OutOfRange("ef_search", options.ef_search, 1, std::numeric_limits<uint32_t>::max());
  if (!options.centre.empty() && options.centre.size() != options.dimensions) {
    return Status(Code::kArgumentError, "a vector index of " + std::to_string(options.dimensions) + " dimensions with a centre of " +
                                            std::to_string(options.centre.size()))
        .Detail("VectorIndexOption");
  }
  return std::unique_ptr<Hnsw>(new Hnsw(options));
}

Hnsw::Hnsw(const HnswOptions& options)
    : options_(options),
      codes_(NewQuantizer(options, WayKind(options.quantization))),
      fine_(NewFineStore(options)),
      originals_(NewQuantizer(options, CodeKind::kNone)),
      base_(2 * options.m),
      upper_(options.m),
      meta_(1, /*zeroed=*/true),
      entry_(kNoEntry) {
  static_assert(2 * kHnswMMax <= LinkTable::kDegreeMax);
}

Hnsw::~Hnsw() = default;

// Layer l holds a slot with probability m^-l: algorithm 1 with mL = 1 / ln(m), from a hash in place of a
// random number, so that the graph can be built again as it was.
uint32_t Hnsw::LevelOf(uint32_t slot) const {
  const double unit = (static_cast<double>(Mix(options_.seed ^ Mix(slot)) >> 11) + 1) * 0x1p-53;  // (0, 1]
  const double level = -std::log(unit) / std::log(std::max(2.0, static_cast<double>(options_.m)));
  return std::min(static_cast<uint32_t>(level), kLevelMax);
}

bool Hnsw::LoadEntry(Entry* entry) const {
  const uint64_t word = entry_.load(std::memory_order_acquire);
  *entry = {static_cast<uint32_t>(word), static_cast<uint32_t>(word >> 32)};
  return word != kNoEntry;
}

void Hnsw::StoreEntry(Entry entry) {
  entry_.store(uint64_t{entry.level} << 32 | entry.slot, std::memory_order_release);
}

Status Hnsw::Store(uint32_t slot, std::span<const float> v) {
  RETURN_IF_ERROR(ValidateVector(v, options_.dimensions, options_.metric));
  std::lock_guard lock(store_mutex_);
  if (slot != codes_.size()) {
    return Status(Code::kInternal, "vector slot " + std::to_string(slot) + " stored out of order, expected " +
                                       std::to_string(codes_.size()));
  }
  if (slot == std::numeric_limits<uint32_t>::max()) {
    return Status(Code::kLimitExceeded, "a vector index holds at most 4294967295 vector versions");
  }
  // All that the slot needs comes before Append, which makes it exist; what is repeated after a failure there is harmless.
  const uint32_t level = LevelOf(slot);
  base_.Grow(size_t{slot} + 1);
  upper_.Grow(size_t{upper_rows_} + level);
  meta_.Grow(size_t{slot} + 1);
  meta_.Row(slot)->upper_row = upper_rows_;
  codes_.quantizer().projection().Apply(v, &projected_);
  // The slot exists with its coarse code, so that comes last.
  if (fine_ != nullptr && fine_->size() == slot) fine_->Append(projected_);
  codes_.Append(projected_);
  upper_rows_ += level;
  return Status::Ok();
}

// A slot taken for linking. Whatever happens, it is given back or done when this ends: a slot lost between
// the two would stop the watermark for ever.
class Hnsw::LinkClaim {
 public:
  explicit LinkClaim(Hnsw* index) : index_(index) {
    std::lock_guard lock(index_->link_mutex_);
    if (!index_->given_back_.empty()) {
      slot_ = index_->given_back_.back();
      index_->given_back_.pop_back();
    } else if (index_->next_to_link_ < index_->size()) {
      // Room for every claim that may come back, so that giving back can't fail.
      const uint32_t in_flight = index_->next_to_link_ - index_->linked_watermark() + 1;
      index_->given_back_.reserve(in_flight);
      slot_ = index_->next_to_link_++;
    } else {
      return;
    }
    valid_ = true;
  }
  ~LinkClaim() {
    if (!valid_) return;
    std::lock_guard lock(index_->link_mutex_);
    if (!done_) {
      index_->given_back_.push_back(slot_);
      return;
    }
    index_->Flags(slot_).fetch_or(1, std::memory_order_release);
    uint32_t watermark = index_->linked_watermark();
    while (watermark < index_->next_to_link_ && (index_->Flags(watermark).load(std::memory_order_relaxed) & 1) != 0) ++watermark;
    index_->linked_watermark_.store(watermark, std::memory_order_release);
  }
  LinkClaim(const LinkClaim&) = delete;
  LinkClaim& operator=(const LinkClaim&) = delete;

  bool valid() const { return valid_; }
  uint32_t slot() const { return slot_; }
  void Done() { done_ = true; }

 private:
  Hnsw* index_;
  uint32_t slot_ = 0;
  bool valid_ = false;
  bool done_ = false;
};

bool Hnsw::LinkNext(SearchScratch* scratch) {
  std::shared_lock repair(repair_mutex_);
  LinkClaim claim(this);
  if (!claim.valid()) return false;
  LinkSlot(claim.slot(), scratch);
  claim.Done();
  return true;
}

Status Hnsw::Add(uint32_t slot, std::span<const float> v, SearchScratch* scratch) {
  RETURN_IF_ERROR(Store(slot, v));
  while (LinkNext(scratch)) {
  }
  return Status::Ok();
}

size_t Hnsw::hot_bytes() const {
  return sizeof(*this) + codes_.bytes() + base_.bytes() + upper_.bytes() + meta_.bytes();
}

size_t Hnsw::memory_bytes() const { return hot_bytes() + (fine_ != nullptr ? fine_->bytes() : 0); }

}  // namespace fornix::vector
