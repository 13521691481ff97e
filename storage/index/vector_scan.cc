#include "storage/index/vector_scan.h"

#include <algorithm>

#include "storage/graph/stored_properties.h"
#include "vector/hnsw/vector_store.h"

namespace fornix::storage {
namespace {

constexpr size_t kGroup = 256;                 // rows between two looks at `cancel`

class Scan {
 public:
  Scan(const VectorBinding& binding, const Overlay& overlay, std::span<const float> query, size_t k, const CancelCheck& cancel,
       std::vector<VectorIndex::Hit>* out, VectorSearchStats* stats)
      : binding_(binding), overlay_(overlay), query_(query), k_(k), cancel_(cancel), out_(out), stats_(stats) {}

  template <typename Id>
  bool Take(Id id, const std::function<bool(uint64_t)>& accept) {
    if (accept && !accept(id.value)) {
      ++stats_->candidates_rejected;
      return true;
    }
    if (!FloatsOf(overlay_.Property(id, binding_.definition->properties[0]), &row_)) return true;
    if (!binding_.index->Validate(row_, static_cast<uint32_t>(query_.size())).ok()) return true;
    if (rows_ == nullptr) {
      rows_ = std::make_unique<vector::VectorStore>(static_cast<uint32_t>(query_.size()),
                                                    VectorMetric(binding_.definition->vector.metric), vector::BestKernels());
    }
    rows_->Append(row_);
    ids_.push_back(id.value);
    return ids_.size() < kGroup || Compare();
  }
  bool Compare() {
    if (ids_.empty()) return true;
    if (cancel_) status_ = cancel_();
    vector::PreparedQuery prepared;
    rows_->Prepare(query_, &prepared);
    std::vector<float> distances(ids_.size());
    std::vector<uint32_t> places(ids_.size());
    for (uint32_t i = 0; i < places.size(); ++i) places[i] = i;
    rows_->Distances(prepared, places, distances.data());
    for (size_t i = 0; i < ids_.size(); ++i) out_->push_back({ids_[i], distances[i]});
    stats_->distance_computations += ids_.size();
    if (out_->size() > k_) {
      std::nth_element(out_->begin(), out_->begin() + static_cast<ptrdiff_t>(k_), out_->end(),
                       [](const auto& a, const auto& b) { return std::pair(a.distance, a.id) < std::pair(b.distance, b.id); });
      out_->resize(k_);
    }
    rows_.reset();
    ids_.clear();
    return status_.ok();
  }
  const Status& status() const { return status_; }

 private:
  const VectorBinding& binding_;
  const Overlay& overlay_;
  const std::span<const float> query_;
  const size_t k_;
  const CancelCheck& cancel_;
  std::vector<VectorIndex::Hit>* out_;
  VectorSearchStats* stats_;
  std::unique_ptr<vector::VectorStore> rows_;
  std::vector<uint64_t> ids_;
  std::vector<float> row_;
  Status status_;
};

}  // namespace

Status ScanVectors(const VectorBinding& binding, const Overlay& overlay, std::span<const float> query, size_t k,
                   const std::function<bool(uint64_t id)>& accept, const CancelCheck& cancel,
                   std::vector<VectorIndex::Hit>* out, VectorSearchStats* stats) {
  stats->exact = true;
  if (k == 0) return Status::Ok();
  const IndexDefinition& definition = *binding.definition;
  Scan scan(binding, overlay, query, k, cancel, out, stats);
  for (size_t i = 0; i < definition.tokens.size() && scan.status().ok(); ++i) {
    if (definition.entity == EntityKind::kNode) {
      overlay.VisitNodes(LabelId(definition.tokens[i]), 0, [&](NodeId id) {
        const LabelsSeen seen = overlay.LabelsOf(id);
        for (size_t before = 0; before < i; ++before) {
          if (seen.Has(LabelId(definition.tokens[before]))) return true;   // compared under that label
        }
        return scan.Take(id, accept);
      });
    } else {
      overlay.VisitRelationships(TypeId(definition.tokens[i]), 0, [&](RelId id) { return scan.Take(id, accept); });
    }
  }
  if (scan.status().ok()) scan.Compare();
  return scan.status();
}

}  // namespace fornix::storage
