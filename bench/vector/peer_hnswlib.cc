// See peer_hnswlib.h. Compiled with -O3 -march=native, as hnswlib's own set-up does: it chooses kernels when it is compiled.
#include "bench/vector/peer_hnswlib.h"

#include <hnswlib/hnswlib.h>

#include <cmath>
#include <filesystem>

namespace fornix::bench {
namespace {

class Hnswlib : public PeerIndex {
 public:
  Hnswlib(size_t dimensions, size_t count, size_t m, size_t ef_construction, bool normalize) : normalize_(normalize) {
    if (normalize) {
      space_ = std::make_unique<hnswlib::InnerProductSpace>(dimensions);
    } else {
      space_ = std::make_unique<hnswlib::L2Space>(dimensions);
    }
    index_ = std::make_unique<hnswlib::HierarchicalNSW<float>>(space_.get(), count, m, ef_construction);
    row_.resize(dimensions);
  }
  void Add(const std::vector<float>& v, uint32_t id) override { index_->addPoint(Prepare(v.data()), id); }
  bool Load(const std::string& path) override {
    if (!std::filesystem::exists(path)) return false;
    index_ = std::make_unique<hnswlib::HierarchicalNSW<float>>(space_.get(), path);
    return true;
  }
  void Save(const std::string& path) override { index_->saveIndex(path); }
  void SetBeam(size_t ef) override { index_->setEf(ef); }
  void Search(const float* query, size_t k, std::vector<uint32_t>* ids) override {
    auto heap = index_->searchKnn(Prepare(query), k);
    ids->resize(heap.size());
    for (size_t i = heap.size(); i-- > 0; heap.pop()) (*ids)[i] = static_cast<uint32_t>(heap.top().second);
  }

 private:
  const float* Prepare(const float* v) {
    if (!normalize_) return v;
    double sum = 0;
    for (size_t i = 0; i < row_.size(); ++i) sum += static_cast<double>(v[i]) * v[i];
    const float scale = static_cast<float>(1 / std::sqrt(sum));
    for (size_t i = 0; i < row_.size(); ++i) row_[i] = v[i] * scale;
    return row_.data();
  }

  bool normalize_;
  std::vector<float> row_;
  std::unique_ptr<hnswlib::SpaceInterface<float>> space_;
  std::unique_ptr<hnswlib::HierarchicalNSW<float>> index_;
};

}  // namespace

std::unique_ptr<PeerIndex> NewHnswlib(size_t dimensions, size_t count, size_t m, size_t ef_construction, bool normalize) {
  return std::make_unique<Hnswlib>(dimensions, count, m, ef_construction, normalize);
}

}  // namespace fornix::bench
