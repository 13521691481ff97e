// compare vector --codes: each kind of code that an index can keep, without a database around it, beside hnswlib's whole vectors. Originals, where
// a kind ranks by them, are read from memory.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/clock.h"
#include "bench/vector/compare.h"
#include "bench/vector/peer_hnswlib.h"
#include "vector/hnsw/hnsw.h"

namespace fornix::bench {
namespace {

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

void Check(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "bench_vector_peers: %s\n", status.ToString().c_str());
  std::exit(1);
}

}  // namespace

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

}  // namespace fornix::bench
