// Recall of the vector index through the public interface, on real data: 10,000 pictures of 784 numbers, with own uncommitted
// writes and 1 % deleted, at the default ef_search; PROFILE counts the distance computations.
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "tests/api/api_test_util.h"

namespace {

using namespace fornix;
using namespace fornix::test;

constexpr size_t kDimensions = 784;

std::string Shared() {
  const char* shared = std::getenv("FORNIX_SHARED");
  return shared ? shared : "../shared";
}

// idx3-ubyte, gzipped: a header of 16 bytes, then a byte a pixel.
std::vector<std::vector<double>> LoadPictures() {
  std::string path = Shared() + "/data/vectors-fashion-mnist-10k/t10k-images-idx3-ubyte.gz";
  gzFile file = gzopen(path.c_str(), "rb");
  if (!file) return {};
  unsigned char header[16];
  REQUIRE(gzread(file, header, 16) == 16);
  std::vector<std::vector<double>> pictures;
  std::vector<unsigned char> pixels(kDimensions);
  while (gzread(file, pixels.data(), kDimensions) == static_cast<int>(kDimensions)) pictures.emplace_back(pixels.begin(), pixels.end());
  gzclose(file);
  return pictures;
}

Value ToValue(const std::vector<double>& v) { return Value(List(v.begin(), v.end())); }

double Cosine(const std::vector<double>& a, const std::vector<double>& b) {
  double dot = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) dot += a[i] * b[i], aa += a[i] * a[i], bb += b[i] * b[i];
  return dot / std::sqrt(aa * bb);
}

}  // namespace

TEST_CASE("recall@10 is at least 0.98 on real vectors with own writes and deletes, in at most 2,000 distance computations") {
  std::vector<std::vector<double>> pictures = LoadPictures();
  if (pictures.empty()) {
    std::printf("SKIPPED recall: no data at %s (set FORNIX_SHARED)\n", Shared().c_str());
    const char* ci = std::getenv("CI");
    REQUIRE(!(ci && std::string_view(ci) == "true"));
    return;
  }
  REQUIRE(pictures.size() == 10000);
  Session s;
  s.Run("CREATE VECTOR INDEX look FOR (p:Picture) ON (p.look) OPTIONS {indexConfig: {`vector.dimensions`: 784, `vector.similarity_function`: 'cosine'}}");
  constexpr size_t kQueries = 100, kOwn = 100;      // the last pictures are queries, those before them are written uncommitted
  size_t committed = pictures.size() - kQueries - kOwn;
  for (size_t from = 0; from < committed; from += 500) {
    List rows;
    for (size_t i = from; i < std::min(committed, from + 500); ++i) {
      rows.push_back(Value(Map({{"id", Value(static_cast<int64_t>(i))}, {"look", ToValue(pictures[i])}})));
    }
    s.Run("UNWIND $rows AS row CREATE (:Picture {id: row.id, look: row.look})", Map({{"rows", Value(std::move(rows))}}));
  }
  s.Run("CALL db.awaitIndexes()");
  s.Run("MATCH (p:Picture) WHERE p.id % 100 = 7 DETACH DELETE p");

  REQUIRE(s.connection->Begin().ok());
  for (size_t i = committed; i < committed + kOwn; ++i) {
    s.Run("CREATE (:Picture {id: $id, look: $look})", Map({{"id", Value(static_cast<int64_t>(i))}, {"look", ToValue(pictures[i])}}));
  }
  uint64_t found = 0, computations = 0, computations_max = 0;
  for (size_t q = committed + kOwn; q < pictures.size(); ++q) {
    std::vector<std::pair<double, int64_t>> exact;
    for (size_t i = 0; i < committed + kOwn; ++i) {
      if (i < committed && i % 100 == 7) continue;
      exact.emplace_back(-Cosine(pictures[q], pictures[i]), static_cast<int64_t>(i));
    }
    std::partial_sort(exact.begin(), exact.begin() + 10, exact.end());
    std::set<int64_t> wanted;
    for (int i = 0; i < 10; ++i) wanted.insert(exact[static_cast<size_t>(i)].second);
    auto cursor = s.connection->Execute("PROFILE CALL db.index.vector.queryNodes('look', 10, $q) YIELD node, score RETURN node.id", Map({{"q", ToValue(pictures[q])}}));
    REQUIRE(cursor.ok());
    std::vector<Row> rows;
    while (!(*cursor)->done()) REQUIRE((*cursor)->Fetch(100, &rows).ok());
    REQUIRE(rows.size() == 10);
    for (const Row& row : rows) {
      int64_t id = row[0].AsInteger();
      CHECK(!(id < static_cast<int64_t>(committed) && id % 100 == 7));
      found += wanted.count(id);
    }
    uint64_t n = Sum(*(*cursor)->summary().plan, [](const PlanNode& node) { return node.distance_computations; });
    computations += n;
    computations_max = std::max(computations_max, n);
  }
  double recall = static_cast<double>(found) / (10.0 * kQueries);
  WARN("recall@10 " << recall << ", distance computations a query: mean " << computations / kQueries << ", max " << computations_max);
  CHECK(recall >= 0.98);
  CHECK(computations > 0);
  CHECK(computations_max <= 2000);
}
