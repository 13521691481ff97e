// compare vector: our index beside hnswlib, in one process, one thread each, in turns. Same M and ef_construction; for each wanted
// recall each side takes the smallest beam that reaches it, since a faster answer that finds less is no faster answer.
// Each kind of code that an index can keep is compared so with hnswlib's whole vectors. Originals, where a kind ranks by them, are
// read from memory.
//
//   bench_vector_peers [--json] [--codes COUNT]     with --codes only the kinds of code, on COUNT vectors of each set
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

struct Kind {
  const char* name;
  vector::Quantization quantization;
  bool originals;
};
constexpr Kind kKinds[] = {{"f32", vector::Quantization::kNone, false},
                           {"f16", vector::Quantization::kHalf, false},
                           {"8-bit", vector::Quantization::kByte, false},
                           {"8-bit + originals", vector::Quantization::kByte, true},
                           {"1-bit, 4-bit", vector::Quantization::kRabitq4, false},
                           {"1-bit, 8-bit", vector::Quantization::kRabitq8, false},
                           {"1-bit, 4-bit + originals", vector::Quantization::kRabitq4, true}};

void CompareCodes(const Dataset& data, Report* report) {
  vector::HnswOptions options;
  options.dimensions = data.dimensions;
  options.metric = data.metric;
  std::vector<float> sample;
  for (size_t i = 0; i < 2000; ++i) {
    const std::vector<float>& row = data.base[i * data.base.size() / 2000];
    sample.insert(sample.end(), row.begin(), row.end());
  }
  options.centre = vector::MeanOf(sample, data.dimensions, data.metric);
  const double count = static_cast<double>(data.base.size());

  const std::unique_ptr<PeerIndex> theirs = NewHnswlib(data.dimensions, data.base.size(), options.m, options.ef_construction, data.metric == vector::Metric::kCosine);
  uint64_t start = MonotonicNanos();
  for (uint32_t i = 0; i < data.base.size(); ++i) theirs->Add(data.base[i], i);
  const double theirs_s = static_cast<double>(MonotonicNanos() - start) / 1e9;
  Ask ask_theirs = [&](size_t q, size_t beam, std::vector<uint32_t>* ids) {
    theirs->SetBeam(beam);
    theirs->Search(data.queries[q].data(), kNeighbours, ids);
  };
  const double recalls[] = {0.95, 0.97, 0.99};
  size_t their_beams[3];
  for (int i = 0; i < 3; ++i) their_beams[i] = SmallestBeam(data, ask_theirs, recalls[i]);

  std::unique_ptr<vector::Hnsw> ours;
  vector::SearchScratch scratch;
  for (const Kind& kind : kKinds) {
    const std::string where = data.name + ": " + kind.name;
    if (ours == nullptr || ours->options().quantization != kind.quantization) {
      options.quantization = kind.quantization;
      auto made = vector::Hnsw::Create(options);
      Check(made.status());
      ours = std::move(*made);
      start = MonotonicNanos();
      for (uint32_t i = 0; i < data.base.size(); ++i) Check(ours->Add(i, data.base[i], &scratch));
      report->Add({where + ": build", "aim", "vectors/s", count / (static_cast<double>(MonotonicNanos() - start) / 1e9), 0, true, "hnswlib", count / theirs_s});
      report->Add({where + ": hot bytes a vector", "aim", "bytes", static_cast<double>(ours->hot_bytes()) / count, 0});
    }
    const auto read = [&](std::span<const uint32_t> slots, vector::TakeOriginal take) {
      for (size_t i = 0; i < slots.size(); ++i) take(i, data.base[slots[i]]);
      return Status::Ok();
    };
    Ask ask_ours = [&](size_t q, size_t beam, std::vector<uint32_t>* ids) {
      vector::SearchRequest request;
      request.query = data.queries[q];
      request.k = kNeighbours;
      request.ef = static_cast<uint32_t>(beam);
      if (kind.originals) request.originals = read;
      auto hits = ours->Search(request, &scratch);
      Check(hits.status());
      ids->clear();
      for (const vector::Hit& hit : *hits) ids->push_back(hit.slot);
    };
    for (int i = 0; i < 3; ++i) {
      const size_t beam = SmallestBeam(data, ask_ours, recalls[i]);
      const double found = RecallAt(data, ask_ours, beam);
      double our_us = 1e9, their_us = 1e9;
      for (int round = 0; round < 5; ++round) {
        our_us = std::min(our_us, Round(data, ask_ours, beam));
        their_us = std::min(their_us, Round(data, ask_theirs, their_beams[i]));
      }
      char name[96];
      std::snprintf(name, sizeof name, ": recall@10 >= %.2f (found %.3f, ef %zu; %zu), query", recalls[i], found, beam, their_beams[i]);
      report->Add({where + name, "aim", "us", our_us, 0, false, "hnswlib", their_us});
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Report report("vector", HasFlag(argc, argv, "--json"));
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string(argv[i]) != "--codes") continue;
    for (const Dataset& data : LoadLargeDatasets(std::strtoull(argv[i + 1], nullptr, 10))) CompareCodes(data, &report);
    return report.Finish() ? 0 : 1;
  }
  std::vector<Dataset> datasets = LoadDatasets();
  if (datasets.empty()) {
    std::fprintf(stderr, "bench_vector_peers: SKIPPED: no vectors below $FORNIX_SHARED/data\n");
    return std::getenv("CI") != nullptr ? 1 : 0;
  }
  for (const Dataset& data : datasets) Compare(data, &report);
  return report.Finish() ? 0 : 1;
}
