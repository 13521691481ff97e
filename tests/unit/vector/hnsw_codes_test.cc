// Searching by codes: recall of each quantization, ranking by finer codes and originals, and what they cost.
#include <algorithm>

#include "tests/unit/vector/vector_test_util.h"

namespace fornix::vector {
namespace {

constexpr Quantization kAll[] = {Quantization::kNone, Quantization::kHalf, Quantization::kByte, Quantization::kRabitq4, Quantization::kRabitq8};

// Clusters in a few latent dimensions, as embeddings are, spread over many.
Dataset Embeddings(std::mt19937& random, uint32_t count, uint32_t dimensions) {
  constexpr uint32_t kLatent = 24;
  const Dataset latent = Clusters(random, count, kLatent, 40);
  std::normal_distribution<float> normal;
  std::vector<float> spread(size_t{kLatent} * dimensions);
  for (float& f : spread) f = normal(random);
  Dataset data{dimensions, std::vector<float>(size_t{count} * dimensions)};
  for (uint32_t i = 0; i < count; ++i) {
    for (uint32_t l = 0; l < kLatent; ++l) {
      for (uint32_t d = 0; d < dimensions; ++d) data.values[size_t{i} * dimensions + d] += latent[i][l] * spread[l * dimensions + d];
    }
  }
  return data;
}

// Hands out rows of the data, and checks that they are asked for in one ascending batch.
struct Reader {
  explicit Reader(const Dataset& rows) : data(rows) {}
  Status operator()(std::span<const uint32_t> slots, TakeOriginal take) {
    ++batches;
    read += slots.size();
    sorted = sorted && std::is_sorted(slots.begin(), slots.end());
    for (size_t i = slots.size(); i-- > 0;) take(i, data[slots[i]]);
    return Status::Ok();
  }
  const Dataset& data;
  uint64_t batches = 0, read = 0;
  bool sorted = true;
};

// Against a scan of whole vectors; k = 10.
double RecallOf(const Hnsw& index, const Hnsw& exact, const Dataset& data, uint32_t first, uint32_t last, Reader* reader, SearchStats* sum = nullptr,
                uint32_t ef = 0) {
  SearchScratch scratch, exact_scratch;
  double recall = 0;
  for (uint32_t q = first; q < last; ++q) {
    SearchRequest request;
    request.query = data[q];
    request.ef = ef;
    const std::vector<Hit> truth = Exact(exact, request, &exact_scratch);
    if (reader != nullptr) request.originals = *reader;
    SearchStats stats;
    const std::vector<Hit> found = Find(index, request, &scratch, &stats);
    REQUIRE(found.size() == 10);
    CHECK(std::is_sorted(found.begin(), found.end()));
    size_t good = 0;
    for (const Hit& hit : found) good += std::any_of(truth.begin(), truth.end(), [&](const Hit& t) { return t.slot == hit.slot; });
    recall += static_cast<double>(good) / 10;
    if (sum != nullptr) sum->fine += stats.fine, sum->originals += stats.originals, sum->distances += stats.distances;
  }
  return recall / (last - first);
}

}  // namespace

TEST_CASE("every quantization finds what whole vectors find once the originals can be read") {
  std::mt19937 random(NewSeed("recall of codes"));
  const Dataset data = Embeddings(random, 2100, 256);
  for (Metric metric : {Metric::kCosine, Metric::kEuclidean}) {
    const auto exact = Build(data, {.metric = metric}, 2000);
    for (Quantization quantization : kAll) {
      const auto index = Build(data, {.metric = metric, .quantization = quantization, .centre = MeanOf(data.values, 256, metric)}, 2000);
      Reader reader(data);
      SearchStats stats;
      const double recall = RecallOf(*index, *exact, data, 2000, 2100, &reader, &stats);
      INFO(MetricName(metric) << " quantization " << static_cast<int>(quantization) << " recall " << recall << ", " << stats.fine / 100 << " fine, "
                              << stats.originals / 100 << " originals");
      CHECK(recall >= 0.97);
      CHECK(reader.sorted);
      if (quantization == Quantization::kNone) {
        CHECK(reader.batches == 0);
      } else {
        CHECK(reader.batches == 100);
        CHECK(stats.originals == reader.read);
        // The bounds leave few to be read: the beam has 80.
        CHECK(stats.originals <= 100 * 45);
        CHECK(stats.originals >= 100 * 10);
      }
      const GraphReport report = index->CheckGraph();
      CHECK(report.reachable == 2000);
      CHECK(report.bad_links == 0);
    }
  }
}

TEST_CASE("without originals distances are those of the finest codes, and more bits find more") {
  std::mt19937 random(NewSeed("recall without originals"));
  const Dataset data = Embeddings(random, 3100, 256);
  const auto exact = Build(data, {}, 3000);
  double recall[5];
  for (Quantization quantization : kAll) {
    const auto index = Build(data, {.quantization = quantization}, 3000);
    recall[static_cast<int>(quantization)] = RecallOf(*index, *exact, data, 3000, 3100, nullptr);
  }
  INFO(recall[0] << " " << recall[1] << " " << recall[2] << " " << recall[3] << " " << recall[4]);
  CHECK(recall[1] >= 0.98);
  CHECK(recall[2] >= 0.95);
  CHECK(recall[3] >= 0.80);
  CHECK(recall[4] >= 0.94);
}

TEST_CASE("the error bound leaves out finer comparisons without a loss") {
  std::mt19937 random(NewSeed("early stop"));
  const Dataset data = Embeddings(random, 3100, 512);
  const auto exact = Build(data, {}, 3000);
  const auto index = Build(data, {.quantization = Quantization::kRabitq8}, 3000);
  const auto ask = [&](float deviations, uint64_t* fine) {
    SearchScratch scratch, exact_scratch;
    double recall = 0;
    for (uint32_t q = 3000; q < 3100; ++q) {
      SearchRequest request;
      request.query = data[q];
      const std::vector<Hit> truth = Exact(*exact, request, &exact_scratch);
      request.deviations = deviations;
      request.ef = 200;
      SearchStats stats;
      const auto found = Find(*index, request, &scratch, &stats);
      for (const Hit& hit : found) recall += std::any_of(truth.begin(), truth.end(), [&](const Hit& t) { return t.slot == hit.slot; }) / 1000.0;
      *fine += stats.fine;
    }
    return recall;
  };
  uint64_t all = 0, some = 0;
  const double recall_all = ask(1000, &all), recall_some = ask(1.9f, &some);
  INFO(recall_all << " with " << all << ", " << recall_some << " with " << some);
  CHECK(all == 100 * 200);
  CHECK(some < all * 2 / 3);
  CHECK(recall_some >= recall_all - 0.01);
}

TEST_CASE("a status of the reader of originals ends the search, and a slot that it leaves out keeps its estimate") {
  std::mt19937 random(NewSeed("reader"));
  const Dataset data = Embeddings(random, 500, 64);
  const auto index = Build(data, {.quantization = Quantization::kRabitq4}, 500);
  SearchScratch scratch;
  SearchRequest request;
  request.query = data[3];
  const auto fail = [](std::span<const uint32_t>, TakeOriginal) { return Status(Code::kCorruption, "page 7"); };
  request.originals = fail;
  CHECK(index->Search(request, &scratch).status().message() == "page 7");
  const auto none = [](std::span<const uint32_t>, TakeOriginal) { return Status::Ok(); };
  request.originals = none;
  CHECK(Find(*index, request, &scratch).size() == 10);
  Reader reader(data);
  request.originals = reader;
  const auto found = Find(*index, request, &scratch);
  CHECK(found[0].slot == 3);
  CHECK(std::abs(found[0].distance) < 1e-6f);
}

TEST_CASE("a vector of 1,024 dimensions costs at most 330 hot bytes with one-bit codes") {
  std::mt19937 random(NewSeed("hot bytes"));
  Dataset data{1024, std::vector<float>(1024 * 64)};
  std::normal_distribution<float> normal;
  for (float& f : data.values) f = normal(random);
  auto index = NewHnsw({.dimensions = 1024, .m = 16, .ef_construction = 8, .quantization = Quantization::kRabitq4});
  constexpr uint32_t kCount = 30000;
  for (uint32_t i = 0; i < kCount; ++i) REQUIRE(index->Store(i, data[i % 64]).ok());
  INFO(index->hot_bytes() / kCount << " hot, " << index->memory_bytes() / kCount << " in all");
  CHECK(index->hot_bytes() <= 330 * size_t{kCount});
  CHECK(index->memory_bytes() <= 880 * size_t{kCount});
}

TEST_CASE("stored vectors are found by their codes before they are linked") {
  std::mt19937 random(NewSeed("tail of codes"));
  const Dataset data = Embeddings(random, 600, 128);
  auto index = NewHnsw({.dimensions = 128, .quantization = Quantization::kRabitq8});
  SearchScratch scratch;
  for (uint32_t i = 0; i < 600; ++i) {
    REQUIRE(index->Store(i, data[i]).ok());
    if (i < 300) index->LinkNext(&scratch);
  }
  Reader reader(data);
  for (uint32_t i = 0; i < 600; i += 7) {
    SearchRequest request;
    request.query = data[i];
    request.originals = reader;
    CHECK(Find(*index, request, &scratch)[0].slot == i);
  }
}

}  // namespace fornix::vector
