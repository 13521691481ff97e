// Data of the vector benchmarks; see dataset.h.
#include "bench/vector/dataset.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <utility>

namespace fornix::bench {

double Distance(vector::Metric metric, const std::vector<float>& a, const std::vector<float>& b) {
  double dot = 0, aa = 0, bb = 0, l2 = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    double x = a[i], y = b[i];
    dot += x * y, aa += x * x, bb += y * y, l2 += (x - y) * (x - y);
  }
  return metric == vector::Metric::kCosine ? 1 - dot / std::sqrt(aa * bb) : l2;
}

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

namespace {

constexpr size_t kQueries = 200;

std::vector<std::vector<float>> Embeddings(size_t count) {
  constexpr size_t kLatent = 64, kDirections = 16, kClusters = 200, kDimensions = 1024;
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  const auto draw = [&](size_t rows, size_t columns, float scale) {
    std::vector<std::vector<float>> out(rows, std::vector<float>(columns));
    for (auto& row : out) {
      for (float& f : row) f = normal(random) * scale;
    }
    return out;
  };
  const auto spread = draw(kLatent, kDimensions, 1), centres = draw(kClusters, kLatent, 0.6f), directions = draw(kClusters * kDirections, kLatent, 0.25f);
  std::vector<std::vector<float>> rows;
  for (size_t i = 0; i < count; ++i) {
    const size_t cluster = random() % kClusters;
    std::vector<float> latent = centres[cluster], &row = rows.emplace_back(kDimensions);
    for (size_t d = 0; d < kDirections; ++d) {
      const float along = normal(random);
      for (size_t l = 0; l < kLatent; ++l) latent[l] += along * directions[cluster * kDirections + d][l];
    }
    for (size_t l = 0; l < kLatent; ++l) {
      const float at = latent[l] + 0.15f * normal(random);
      for (size_t d = 0; d < kDimensions; ++d) row[d] += at * spread[l][d];
    }
  }
  return rows;
}

void Add(std::string name, vector::Metric metric, std::vector<std::vector<float>> rows, std::vector<Dataset>* out) {
  if (rows.size() < 2 * kQueries) return;
  Dataset& data = out->emplace_back();
  data.name = std::move(name);
  data.metric = metric;
  data.dimensions = static_cast<uint32_t>(rows[0].size());
  data.queries.assign(rows.end() - kQueries, rows.end());
  rows.resize(rows.size() - kQueries);
  data.base = std::move(rows);
  FindNearest(&data);
}

}  // namespace

std::vector<Dataset> LoadLargeDatasets(size_t count) {
  std::vector<Dataset> out;
  std::vector<std::vector<float>> pictures = Rows(Bytes("/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz", 16), 784);
  pictures.resize(std::min(pictures.size(), count + kQueries));
  Add("fashion-mnist 784 euclidean", vector::Metric::kEuclidean, std::move(pictures), &out);
  Add("synthetic 1024 cosine", vector::Metric::kCosine, Embeddings(count + kQueries), &out);
  for (Dataset& data : out) data.name += ", " + std::to_string(data.base.size());
  return out;
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
