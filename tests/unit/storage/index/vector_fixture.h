// What tests of quantized vector indexes share: clustered vectors, a model of what is stored, brute force, recall.
#pragma once

#include "storage/index/vector_index.h"
#include "storage/txn/transaction_impl.h"
#include "base/random.h"
#include "tests/unit/storage/fixture.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace fornix::storage {

using vector::Quantization;
using Vectors = std::map<uint64_t, std::vector<float>>;

// Clustered, as embeddings are: a few directions with noise.
class Source {
 public:
  Source(uint64_t seed, uint32_t dimensions, uint32_t clusters = 24) : random_(seed), centres_(clusters) {
    for (std::vector<float>& centre : centres_) {
      for (uint32_t i = 0; i < dimensions; ++i) centre.push_back(Noise() + 0.3f);   // and a mean that isn't zero
    }
  }
  std::vector<float> Next(size_t* cluster = nullptr) {
    const size_t at = static_cast<size_t>(random_.Unit() * static_cast<double>(centres_.size()));
    std::vector<float> v = centres_[at];
    for (float& x : v) x += 0.5f * Noise();
    if (cluster != nullptr) *cluster = at;
    return v;
  }
  Random& random() { return random_; }

 private:
  float Noise() { return static_cast<float>(random_.Unit() + random_.Unit() + random_.Unit() - 1.5); }
  Random random_;
  std::vector<std::vector<float>> centres_;
};

inline IndexId MakeIndex(TestStore& db, VectorIndexOptions options) {
  auto ddl = db.Begin();
  IndexDefinition d;
  d.name = "emb";
  d.kind = IndexKind::kVector;
  d.tokens = {L(*ddl, "M").value};
  d.properties = {P(*ddl, "e")};
  d.vector = std::move(options);
  CHECK(Must(ddl->CreateIndex(d, false)));
  Must(ddl->Commit());
  auto r = db.Begin(true);
  return r->view().schema().FindIndex("emb")->id;
}

inline void Insert(TestStore& db, Source* source, size_t count, Vectors* model) {
  while (count > 0) {
    auto t = db.Begin();
    for (size_t i = 0; i < 100 && count > 0; ++i, --count) {
      std::vector<float> v = source->Next();
      const uint64_t id = MakeNode(*t, "M", {{"e", Value::Vector(v)}}).value;
      (*model)[id] = std::move(v);
    }
    Must(t->Commit());
  }
}

inline std::vector<uint64_t> Nearest(const Vectors& vectors, std::span<const float> query, size_t k, Metric metric,
                              const std::function<bool(uint64_t)>& filter = {}) {
  std::vector<std::pair<double, uint64_t>> all;
  for (const auto& [id, v] : vectors) {
    if (filter && !filter(id)) continue;
    double dot = 0, norm = 0, square = 0;
    for (size_t i = 0; i < v.size(); ++i) {
      dot += double{v[i]} * query[i];
      norm += double{v[i]} * v[i];
      square += (double{v[i]} - query[i]) * (double{v[i]} - query[i]);
    }
    all.emplace_back(metric == Metric::kCosine ? -dot / std::sqrt(norm) : metric == Metric::kEuclidean ? square : -dot, id);
  }
  k = std::min(k, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<long>(k), all.end());
  std::vector<uint64_t> ids;
  for (size_t i = 0; i < k; ++i) ids.push_back(all[i].second);
  return ids;
}

inline size_t Common(const std::vector<VectorHit>& hits, const std::vector<uint64_t>& truth) {
  const std::set<uint64_t> expected(truth.begin(), truth.end());
  return static_cast<size_t>(std::count_if(hits.begin(), hits.end(), [&](const VectorHit& hit) { return expected.contains(hit.id); }));
}

inline std::vector<VectorHit> Search(const GraphView& view, IndexId index, const VectorQuery& query, VectorSearchStats* stats = nullptr) {
  std::vector<VectorHit> hits;
  Must(view.SearchVector(index, query, &hits, stats));
  return hits;
}

inline double Recall(const GraphView& view, IndexId index, const Vectors& model, Source* source, Metric metric, size_t queries = 100) {
  size_t found = 0, wanted = 0;
  for (size_t i = 0; i < queries; ++i) {
    const std::vector<float> q = source->Next();
    const std::vector<uint64_t> truth = Nearest(model, q, 10, metric);
    const auto hits = Search(view, index, {.vector = q, .k = 10});
    REQUIRE(hits.size() == truth.size());
    found += Common(hits, truth);
    wanted += truth.size();
  }
  return static_cast<double>(found) / static_cast<double>(wanted);
}

inline const VectorIndex& IndexOf(const Transaction& t, IndexId index) {
  return *static_cast<const TransactionImpl&>(t).schema_state().FindVector(index)->index;
}

inline const char* Name(Quantization quantization) {
  static const char* const names[] = {"none", "f16", "scalar", "rabitq4", "binary"};
  return names[static_cast<size_t>(quantization)];
}

}  // namespace fornix::storage
