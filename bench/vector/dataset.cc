// Data of the vector benchmarks; see dataset.h.
#include "bench/vector/dataset.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace fornix::bench {
namespace {

// All bytes of a file from `skip` on; zlib reads plain files as well as gzipped ones.
std::vector<unsigned char> Bytes(const std::string& path, size_t skip) {
  std::vector<unsigned char> bytes;
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return bytes;
  unsigned char buffer[1 << 16];
  for (int n; (n = gzread(file, buffer, sizeof buffer)) > 0;) bytes.insert(bytes.end(), buffer, buffer + n);
  gzclose(file);
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(std::min(skip, bytes.size())));
  return bytes;
}

std::vector<std::vector<float>> Rows(const std::vector<unsigned char>& bytes, size_t dimensions) {
  std::vector<std::vector<float>> rows;
  for (size_t at = 0; at + dimensions <= bytes.size(); at += dimensions) {
    rows.emplace_back(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.begin() + static_cast<std::ptrdiff_t>(at + dimensions));
  }
  return rows;
}

double Distance(vector::Metric metric, const std::vector<float>& a, const std::vector<float>& b) {
  double dot = 0, aa = 0, bb = 0, l2 = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    double x = a[i], y = b[i];
    dot += x * y, aa += x * x, bb += y * y, l2 += (x - y) * (x - y);
  }
  return metric == vector::Metric::kCosine ? 1 - dot / std::sqrt(aa * bb) : l2;
}

void FindNearest(Dataset* data) {
  for (const std::vector<float>& query : data->queries) {
    std::vector<std::pair<double, uint32_t>> all;
    for (uint32_t i = 0; i < data->base.size(); ++i) all.emplace_back(Distance(data->metric, query, data->base[i]), i);
    std::sort(all.begin(), all.end());
    std::vector<uint32_t>& nearest = data->nearest.emplace_back();
    for (size_t i = 0; i < all.size() && all[i].first <= all[kNeighbours - 1].first; ++i) nearest.push_back(all[i].second);
    std::sort(nearest.begin(), nearest.end());
  }
}

}  // namespace

double Dataset::Recall(size_t query, const std::vector<uint32_t>& found) const {
  size_t hits = 0;
  for (uint32_t id : found) hits += std::binary_search(nearest[query].begin(), nearest[query].end(), id);
  return static_cast<double>(hits) / kNeighbours;
}

std::vector<Dataset> LoadDatasets() {
  const char* shared = std::getenv("FORNIX_SHARED");
  const std::string folder = std::string(shared != nullptr ? shared : "../shared") + "/data/";
  std::vector<Dataset> out;
  auto add = [&out](std::string name, vector::Metric metric, std::vector<std::vector<float>> base, std::vector<std::vector<float>> queries) {
    if (base.size() < kNeighbours || queries.empty()) return;
    Dataset& data = out.emplace_back();
    data.name = std::move(name);
    data.metric = metric;
    data.dimensions = static_cast<uint32_t>(base[0].size());
    data.base = std::move(base);
    data.queries = std::move(queries);
    FindNearest(&data);
  };
  std::vector<std::vector<float>> pictures = Rows(Bytes(folder + "vectors-fashion-mnist-10k/t10k-images-idx3-ubyte.gz", 16), 784);
  if (pictures.size() > 200) {
    std::vector<std::vector<float>> queries(pictures.end() - 200, pictures.end());
    pictures.resize(pictures.size() - 200);
    add("fashion-mnist 784 cosine", vector::Metric::kCosine, std::move(pictures), std::move(queries));
  }
  add("sift 128 euclidean", vector::Metric::kEuclidean, Rows(Bytes(folder + "vectors-sift5k/base_5000x128_u8.bin", 0), 128),
      Rows(Bytes(folder + "vectors-sift5k/query_100x128_u8.bin", 0), 128));
  return out;
}

}  // namespace fornix::bench
