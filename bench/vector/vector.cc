// bench vector: the vector index on real data, alone (vector/hnsw, one thread) and through the public interface: how fast it is
// built, what it finds at the default beam, microseconds and distance computations a query.
//
//   bench_vector [--json]
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "base/clock.h"
#include "bench/common/report.h"
#include "bench/vector/dataset.h"
#include "fornix/database.h"
#include "vector/hnsw/hnsw.h"

namespace {

using namespace fornix;
using namespace fornix::bench;

void Check(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "bench_vector: %s\n", status.ToString().c_str());
  std::exit(1);
}
template <typename T>
T Take(Result<T> result) {
  Check(result.status());
  return std::move(result).value();
}

double Seconds(uint64_t since) { return static_cast<double>(MonotonicNanos() - since) / 1e9; }

// What is promised is promised of the pictures; other data shows what the same settings do to them.
std::string Kind(const Dataset& data) { return data.dimensions == 784 ? "must" : "aim"; }

// Recall of the first round, then the median of the microseconds of `rounds` rounds over all queries.
void MeasureQueries(const Dataset& data, const std::string& where, Report* report, const std::function<std::vector<uint32_t>(size_t)>& ask) {
  double recall = 0;
  for (size_t q = 0; q < data.queries.size(); ++q) recall += data.Recall(q, ask(q));
  std::vector<double> us;
  for (int round = 0; round < 7; ++round) {
    for (size_t q = 0; q < data.queries.size(); ++q) {
      uint64_t start = MonotonicNanos();
      (void)ask(q);
      us.push_back(static_cast<double>(MonotonicNanos() - start) / 1e3);
    }
  }
  report->Add({where + "recall@10", Kind(data), "part", recall / static_cast<double>(data.queries.size()), 0.98, true});
  report->Add({where + "query, median", "aim", "us", Median(us), 0});
  report->Add({where + "query, p99", "aim", "us", Percentile(us, 0.99), 0});
}

void MeasureIndex(const Dataset& data, Report* report) {
  const std::string where = data.name + ": index, ";
  vector::HnswOptions options;
  options.dimensions = data.dimensions;
  options.metric = data.metric;
  auto index = Take(vector::Hnsw::Create(options));
  vector::SearchScratch scratch;
  uint64_t start = MonotonicNanos();
  for (uint32_t i = 0; i < data.base.size(); ++i) Check(index->Add(i, data.base[i], &scratch));
  report->Add({where + "build", "aim", "vectors/s", static_cast<double>(data.base.size()) / Seconds(start), 0, true});
  uint64_t distances = 0, searches = 0;
  MeasureQueries(data, where, report, [&](size_t q) {
    vector::SearchRequest request;
    request.query = data.queries[q];
    request.k = kNeighbours;
    vector::SearchStats stats;
    std::vector<uint32_t> found;
    for (const vector::Hit& hit : Take(index->Search(request, &scratch, &stats))) found.push_back(hit.slot);
    distances += stats.distances;
    ++searches;
    return found;
  });
  report->Add({where + "distances a query", Kind(data), "count", static_cast<double>(distances) / static_cast<double>(searches), 2000});
}

Value ToValue(const std::vector<float>& v) {
  List list;
  for (float f : v) list.emplace_back(static_cast<double>(f));
  return Value(std::move(list));
}

uint64_t DistancesOf(const PlanNode& node) {
  uint64_t sum = node.distance_computations;
  for (const PlanNode& child : node.children) sum += DistancesOf(child);
  return sum;
}

void MeasurePublic(const Dataset& data, Report* report) {
  const std::string where = data.name + ": Cypher, ";
  auto database = Take(Database::Open(":memory:"));
  auto connection = database->Connect();
  Check(connection->Query("CREATE VECTOR INDEX look FOR (p:Item) ON (p.look) OPTIONS {indexConfig: {`vector.dimensions`: " +
                          std::to_string(data.dimensions) + ", `vector.similarity_function`: '" + std::string(vector::MetricName(data.metric)) + "'}}").status());
  std::vector<List> batches;   // made before the clock starts
  for (size_t i = 0; i < data.base.size(); ++i) {
    if (i % 500 == 0) batches.emplace_back();
    batches.back().push_back(Value(Map({{"id", Value(static_cast<int64_t>(i))}, {"look", ToValue(data.base[i])}})));
  }
  uint64_t start = MonotonicNanos();
  for (List& batch : batches) {
    Check(connection->Query("UNWIND $rows AS row CREATE (:Item {id: row.id, look: row.look})", Map({{"rows", Value(std::move(batch))}})).status());
  }
  Check(connection->Query("CALL db.awaitIndexes()").status());
  report->Add({where + "load and index", "aim", "vectors/s", static_cast<double>(data.base.size()) / Seconds(start), 0, true});

  const std::string text = "MATCH (p:Item) SEARCH p IN (VECTOR INDEX look FOR $q LIMIT 10) SCORE AS s RETURN p.id, s";
  std::vector<Map> parameters;
  for (const std::vector<float>& query : data.queries) parameters.push_back(Map({{"q", ToValue(query)}}));
  auto prepared = Take(connection->Prepare(text));
  std::vector<Row> rows;
  MeasureQueries(data, where, report, [&](size_t q) {
    rows.clear();
    auto cursor = Take(connection->Execute(*prepared, parameters[q]));
    while (!cursor->done()) Check(cursor->Fetch(100, &rows));
    std::vector<uint32_t> found;
    for (const Row& row : rows) found.push_back(static_cast<uint32_t>(row[0].AsInteger()));
    return found;
  });
  uint64_t distances = 0;
  for (const Map& p : parameters) {
    rows.clear();
    auto cursor = Take(connection->Execute("PROFILE " + text, p));
    while (!cursor->done()) Check(cursor->Fetch(100, &rows));
    distances += DistancesOf(*cursor->summary().plan);
  }
  report->Add({where + "distances a query", Kind(data), "count", static_cast<double>(distances) / static_cast<double>(parameters.size()), 2000});
  connection.reset();
  Check(database->Close());
}

}  // namespace

int main(int argc, char** argv) {
  Report report("vector", HasFlag(argc, argv, "--json"));
  std::vector<Dataset> datasets = LoadDatasets();
  if (datasets.empty()) {
    std::fprintf(stderr, "bench_vector: SKIPPED: no vectors below $FORNIX_SHARED/data\n");
    return std::getenv("CI") != nullptr ? 1 : 0;
  }
  for (const Dataset& data : datasets) MeasureIndex(data, &report);
  for (const Dataset& data : datasets) MeasurePublic(data, &report);
  return report.Finish() ? 0 : 1;
}
