// compare vector: our index beside hnswlib, in one process, one thread each, in turns. Same M and ef_construction; for each wanted
// recall each side takes the smallest beam that reaches it, since a faster answer that finds less is no faster answer.
//
//   bench_vector_peers [--json]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "base/clock.h"
#include "bench/common/report.h"
#include "bench/vector/dataset.h"
#include "bench/vector/peer_hnswlib.h"
#include "vector/hnsw/hnsw.h"

namespace {

using namespace fornix;
using namespace fornix::bench;

constexpr int kRounds = 15;
using Ask = std::function<void(size_t query, size_t beam, std::vector<uint32_t>* ids)>;

void Check(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "bench_vector_peers: %s\n", status.ToString().c_str());
  std::exit(1);
}

double RecallAt(const Dataset& data, const Ask& ask, size_t beam) {
  double sum = 0;
  std::vector<uint32_t> ids;
  for (size_t q = 0; q < data.queries.size(); ++q) {
    ask(q, beam, &ids);
    sum += data.Recall(q, ids);
  }
  return sum / static_cast<double>(data.queries.size());
}

size_t SmallestBeam(const Dataset& data, const Ask& ask, double recall) {
  size_t beam = kNeighbours;
  while (beam < 1000 && RecallAt(data, ask, beam) < recall) beam += beam < 40 ? 2 : beam < 120 ? 5 : 20;
  return beam;
}

// Microseconds a query, the mean of one round over all queries.
double Round(const Dataset& data, const Ask& ask, size_t beam) {
  std::vector<uint32_t> ids;
  uint64_t start = MonotonicNanos();
  for (size_t q = 0; q < data.queries.size(); ++q) ask(q, beam, &ids);
  return static_cast<double>(MonotonicNanos() - start) / 1e3 / static_cast<double>(data.queries.size());
}

void Compare(const Dataset& data, Report* report) {
  vector::HnswOptions options;
  options.dimensions = data.dimensions;
  options.metric = data.metric;
  vector::SearchScratch scratch;

  // Built three times in turns, the best counts; the last ones are searched.
  std::unique_ptr<vector::Hnsw> ours;
  std::unique_ptr<PeerIndex> theirs;
  double ours_s = 1e9, theirs_s = 1e9;
  for (int round = 0; round < 3; ++round) {
    auto made = vector::Hnsw::Create(options);
    Check(made.status());
    ours = std::move(*made);
    uint64_t start = MonotonicNanos();
    for (uint32_t i = 0; i < data.base.size(); ++i) Check(ours->Add(i, data.base[i], &scratch));
    ours_s = std::min(ours_s, static_cast<double>(MonotonicNanos() - start) / 1e9);
    theirs = NewHnswlib(data.dimensions, data.base.size(), options.m, options.ef_construction, data.metric == vector::Metric::kCosine);
    start = MonotonicNanos();
    for (uint32_t i = 0; i < data.base.size(); ++i) theirs->Add(data.base[i], i);
    theirs_s = std::min(theirs_s, static_cast<double>(MonotonicNanos() - start) / 1e9);
  }
  const double count = static_cast<double>(data.base.size());
  report->Add({data.name + ": build", "aim", "vectors/s", count / ours_s, 0, true, "hnswlib", count / theirs_s});

  Ask ask_ours = [&](size_t q, size_t beam, std::vector<uint32_t>* ids) {
    vector::SearchRequest request;
    request.query = data.queries[q];
    request.k = kNeighbours;
    request.ef = static_cast<uint32_t>(beam);
    auto hits = ours->Search(request, &scratch);
    Check(hits.status());
    ids->clear();
    for (const vector::Hit& hit : *hits) ids->push_back(hit.slot);
  };
  Ask ask_theirs = [&](size_t q, size_t beam, std::vector<uint32_t>* ids) {
    theirs->SetBeam(beam);
    theirs->Search(data.queries[q].data(), kNeighbours, ids);
  };
  for (double recall : {0.95, 0.99}) {
    size_t our_beam = SmallestBeam(data, ask_ours, recall), their_beam = SmallestBeam(data, ask_theirs, recall);
    std::vector<double> our_us, their_us;
    for (int round = 0; round < kRounds; ++round) {
      our_us.push_back(Round(data, ask_ours, our_beam));
      their_us.push_back(Round(data, ask_theirs, their_beam));
    }
    char name[64];
    std::snprintf(name, sizeof name, ": recall@10 >= %.2f, ", recall);
    report->Add({data.name + name + "query, best round", "aim", "us", *std::min_element(our_us.begin(), our_us.end()), 0, false, "hnswlib",
                 *std::min_element(their_us.begin(), their_us.end())});
    report->Add({data.name + name + "beam", "aim", "ef", static_cast<double>(our_beam), 0, false, "hnswlib", static_cast<double>(their_beam)});
    report->Add({data.name + name + "found", "aim", "part", RecallAt(data, ask_ours, our_beam), recall, true, "hnswlib", RecallAt(data, ask_theirs, their_beam)});
  }
}

}  // namespace

int main(int argc, char** argv) {
  Report report("vector", HasFlag(argc, argv, "--json"));
  std::vector<Dataset> datasets = LoadDatasets();
  if (datasets.empty()) {
    std::fprintf(stderr, "bench_vector_peers: SKIPPED: no vectors below $FORNIX_SHARED/data\n");
    return std::getenv("CI") != nullptr ? 1 : 0;
  }
  for (const Dataset& data : datasets) Compare(data, &report);
  return report.Finish() ? 0 : 1;
}
