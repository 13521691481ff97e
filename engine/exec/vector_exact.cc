#include "engine/exec/vector_exact.h"

#include <algorithm>
#include <cmath>

#include "base/interrupt.h"
#include "storage/index/vector_index.h"
#include "vector/similarity.h"
#include "vector/validate.h"

namespace fornix::engine {
namespace {

using storage::EntityKind;
using storage::VectorHit;

bool Better(const VectorHit& a, const VectorHit& b) { return a.score != b.score ? a.score > b.score : a.id < b.id; }

bool AllZero(std::span<const float> v) {
  return std::all_of(v.begin(), v.end(), [](float x) { return x == 0; });
}

}  // namespace

// In single precision.
float ExactNearest::ScoreOf(std::span<const float> a, std::span<const float> b) const {
  CountWork(a.size());
  switch (metric_) {
    case storage::Metric::kCosine: return static_cast<float>(vector::CosineScore(a, b));
    case storage::Metric::kEuclidean: return static_cast<float>(vector::EuclideanScore(a, b));
    case storage::Metric::kDot: break;
  }
  double dot = 0;
  for (size_t i = 0; i < a.size(); i++) dot += static_cast<double>(a[i]) * b[i];
  return static_cast<float>(dot);
}

void ExactNearest::Cut(std::vector<VectorHit>* hits) const {
  if (hits->size() <= k_) return;
  std::nth_element(hits->begin(), hits->begin() + static_cast<ptrdiff_t>(k_), hits->end(), Better);
  hits->resize(k_);
}

void ExactNearest::Add(size_t query_number, std::span<const float> query, uint64_t id, std::span<const float> v) {
  if (metric_ == storage::Metric::kCosine && AllZero(v)) return;
  std::vector<VectorHit>& hits = best_[query_number];
  hits.push_back({id, ScoreOf(query, v)});
  if (hits.size() >= 2 * k_ + 64) Cut(&hits);
}

void ExactNearest::Finish() {
  for (auto& hits : best_) {
    Cut(&hits);
    std::sort(hits.begin(), hits.end(), Better);
  }
}

uint64_t CountIndexed(const storage::GraphView& view, const storage::IndexDefinition& index) {
  uint64_t count = 0;
  for (const uint32_t token : index.tokens) {
    count += index.entity == EntityKind::kNode ? view.CountLabel(LabelId(token)) : view.CountRelationships(TypeId(token));
  }
  return count;
}

Status VisitIndexed(ExecutionContext& context, const storage::IndexDefinition& index, const std::function<Status(std::span<const uint64_t> ids)>& visit) {
  const storage::GraphView& view = context.view();
  std::vector<NodeId> nodes(kBatchRowsMax);
  std::vector<RelId> relationships(kBatchRowsMax);
  std::vector<uint8_t> seen(kBatchRowsMax);
  std::vector<uint64_t> ids;
  for (size_t t = 0; t < index.tokens.size(); t++) {
    storage::ScanPosition position;
    while (true) {
      RETURN_IF_ERROR(context.CheckInterrupt());
      ids.clear();
      size_t n = 0;
      if (index.entity == EntityKind::kNode) {
        n = view.ScanLabel(LabelId(index.tokens[t]), &position, nodes.data(), kBatchRowsMax);
        std::vector<uint8_t> before(n, 0);   // has a label whose turn was earlier
        for (size_t earlier = 0; earlier < t; earlier++) {
          view.GatherLabel({nodes.data(), n}, LabelId(index.tokens[earlier]), seen.data());
          for (size_t i = 0; i < n; i++) before[i] |= seen[i];
        }
        for (size_t i = 0; i < n; i++) {
          if (before[i] == 0) ids.push_back(nodes[i].value);
        }
      } else {
        n = view.ScanRelationships(TypeId(index.tokens[t]), &position, relationships.data(), kBatchRowsMax);
        for (size_t i = 0; i < n; i++) ids.push_back(relationships[i].value);
      }
      if (n == 0) break;
      context.db_hits += n;
      RETURN_IF_ERROR(visit(ids));
    }
  }
  return Status::Ok();
}

void FloatReader::Gather(std::span<const uint64_t> ids) {
  values_.assign(ids.size(), Value());
  const PropertyId key = index_.properties[0];
  // Ids are structs of one 64-bit number (batch.h).
  if (index_.entity == EntityKind::kNode) {
    context_.view().GatherProperty(std::span(reinterpret_cast<const NodeId*>(ids.data()), ids.size()), key, values_.data());
  } else {
    context_.view().GatherProperty(std::span(reinterpret_cast<const RelId*>(ids.data()), ids.size()), key, values_.data());
  }
  context_.db_hits += ids.size();
}

size_t FloatReader::Dimensions(size_t place) const {
  const Value& value = values_[place];
  return value.type() == Type::kVector ? value.AsVector().size() : value.type() == Type::kList ? value.AsList().size() : 0;
}

bool FloatReader::Read(size_t place, size_t dimensions, std::vector<float>* out) const {
  const Value& value = values_[place];
  if (value.type() == Type::kVector) {
    *out = value.AsVector();
    return out->size() == dimensions;
  }
  if (value.type() != Type::kList || value.AsList().size() != dimensions) return false;
  CountWork(dimensions);
  out->resize(dimensions);
  for (size_t i = 0; i < dimensions; i++) {
    const Value& item = value.AsList()[i];
    if (!item.is_number()) return false;
    (*out)[i] = static_cast<float>(item.AsNumber());
    if (!std::isfinite((*out)[i])) return false;
  }
  return true;
}

Status SearchExactly(ExecutionContext& context, const storage::IndexDefinition& index, std::span<const float> query, size_t k, const KeepIds& keep,
                     std::vector<VectorHit>* hits, storage::VectorSearchStats* stats) {
  if (const Status status = vector::ValidateVector(query, static_cast<uint32_t>(query.size()), storage::VectorMetric(index.vector.metric)); !status.ok()) {
    return Status(status.code(), "query of vector index '" + index.name + "': " + status.message()).Detail(status.detail());
  }
  stats->strategy = "exact scan";
  stats->exact = true;
  FloatReader reader(context, index);
  ExactNearest nearest(k, index);
  nearest.Start(1);
  std::vector<float> v;
  std::vector<uint64_t> kept;
  const auto compare = [&](std::span<const uint64_t> ids) -> Status {
    if (keep) {
      kept.assign(ids.begin(), ids.end());
      RETURN_IF_ERROR(keep(&kept));
      stats->passing += kept.size();
      stats->candidates_rejected += ids.size() - kept.size();
      ids = kept;
    }
    reader.Gather(ids);
    for (size_t i = 0; i < ids.size(); i++) {
      if (!reader.Read(i, query.size(), &v)) continue;
      stats->distance_computations++;
      nearest.Add(0, query, ids[i], v);
    }
    return Status::Ok();
  };
  RETURN_IF_ERROR(VisitIndexed(context, index, compare));
  nearest.Finish();
  *hits = std::move(nearest.of(0));
  return Status::Ok();
}

}  // namespace fornix::engine
