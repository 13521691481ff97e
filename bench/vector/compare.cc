// compare vector: our index through the public interface (a database file, Cypher, snapshots) beside hnswlib in one process, one thread each,
// in turns. hnswlib is built with several M, and its best counts. For each wanted recall each side takes the smallest beam that reaches it.
// What was built is kept in a folder (.cache/bench/vector) for the next run; a database that is opened again builds nothing.
//
//   bench_vector_peers [--json] [--folder DIR] [--rows COUNT]    COUNT (100,000) rows of the made-up embeddings; all pictures
//   bench_vector_peers [--json] --codes COUNT                    the kinds of code without a database, on COUNT rows of each
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "bench/vector/compare.h"
#include "bench/vector/peer_hnswlib.h"
#include "bench/vector/public_index.h"

namespace {

using namespace fornix;
using namespace fornix::bench;

constexpr int kRounds = 9;
constexpr double kRecalls[] = {0.95, 0.97, 0.99};
constexpr size_t kPeerLinks[] = {16, 32};
constexpr size_t kPeerConstruction = 200;

struct Peer {
  std::unique_ptr<PeerIndex> index;
  size_t links = 0;
  size_t beams[std::size(kRecalls)] = {};
};

Ask AskPeer(const Dataset& data, PeerIndex* index) {
  return [&data, index](size_t q, size_t beam, std::vector<uint32_t>* ids) {
    index->SetBeam(beam);
    index->Search(data.queries[q].data(), kNeighbours, ids);
  };
}

std::vector<Peer> Peers(const Dataset& data, const std::string& folder, Report* report) {
  std::vector<Peer> peers;
  for (const size_t links : kPeerLinks) {
    Peer& peer = peers.emplace_back();
    peer.links = links;
    peer.index = NewHnswlib(data.dimensions, data.base.size(), links, kPeerConstruction, data.metric == vector::Metric::kCosine);
    const std::string path = folder + "/hnswlib-" + data.name + "-" + std::to_string(links);
    if (!peer.index->Load(path)) {
      const uint64_t start = MonotonicNanos();
      for (uint32_t i = 0; i < data.base.size(); ++i) peer.index->Add(data.base[i], i);
      const double seconds = static_cast<double>(MonotonicNanos() - start) / 1e9;
      report->Add({data.name + ": hnswlib M " + std::to_string(links) + ", build", "aim", "vectors/s", static_cast<double>(data.base.size()) / seconds, 0, true});
      peer.index->Save(path);
    }
    for (size_t i = 0; i < std::size(kRecalls); ++i) peer.beams[i] = SmallestBeam(data, AskPeer(data, peer.index.get()), kRecalls[i]);
  }
  return peers;
}

// At a recall: hnswlib's time of a query over ours, so 2 is twice as fast.
void CompareAt(const Dataset& data, const std::string& quantization, size_t at, PublicIndex* ours, std::vector<Peer>* peers, Report* report) {
  const Ask ask = [&](size_t q, size_t beam, std::vector<uint32_t>* ids) { ours->Search(q, beam, ids); };
  const size_t beam = SmallestBeam(data, ask, kRecalls[at]);
  const double found = RecallAt(data, ask, beam);
  double our_us = 1e9, their_us = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    our_us = std::min(our_us, Round(data, ask, beam));
    for (const Peer& peer : *peers) their_us = std::min(their_us, Round(data, AskPeer(data, peer.index.get()), peer.beams[at]));
  }
  std::string peer_beams;
  for (const Peer& peer : *peers) peer_beams += " " + std::to_string(peer.beams[at]);
  char name[160];
  std::snprintf(name, sizeof name, ": %s, recall@10 >= %.2f (found %.3f with ef %zu; hnswlib's ef%s), times as fast", quantization.c_str(), kRecalls[at], found,
                beam, peer_beams.c_str());
  const bool reached = found >= kRecalls[at];
  double must = 0;
  if (quantization == "none" && kRecalls[at] != 0.97) must = 0.9;
  if (quantization == "scalar" && kRecalls[at] == 0.99) must = 2;
  report->Add({data.name + name, must > 0 ? "must" : "aim", "x", reached ? their_us / our_us : 0, must, true});
  report->Add({data.name + ": " + quantization + ", query", "aim", "us", our_us, 0, false, "hnswlib", their_us});
}

void CompareFilters(const Dataset& data, const std::string& quantization, PublicIndex* ours, Report* report) {
  const Ask plain = [&](size_t q, size_t, std::vector<uint32_t>* ids) { ours->Search(q, 0, ids); };
  const double plain_us = Round(data, plain, 0);
  for (const FilterBy by : {FilterBy::kRank, FilterBy::kNear}) {
    for (const double share : {0.5, 0.1, 0.01, 0.001}) {
      const size_t below = static_cast<size_t>(share * static_cast<double>(data.base.size()));
      const size_t queries = std::min<size_t>(data.queries.size(), 50);
      double recall = 0;
      std::vector<uint32_t> ids;
      const uint64_t start = MonotonicNanos();
      for (size_t q = 0; q < queries; ++q) ours->SearchFiltered(q, by, below, &ids);
      const double us = static_cast<double>(MonotonicNanos() - start) / 1e3 / static_cast<double>(queries);
      for (size_t q = 0; q < queries; ++q) {
        ours->SearchFiltered(q, by, below, &ids);
        recall += ours->FilteredRecall(q, by, below, ids);
      }
      char name[96];
      std::snprintf(name, sizeof name, ": %s, %s filter of %g %%, ", quantization.c_str(), by == FilterBy::kRank ? "independent" : "correlated", share * 100);
      report->Add({data.name + name + "recall@10", "must", "part", recall / static_cast<double>(queries), 0.95, true});
      report->Add({data.name + name + "query [" + ours->ProfileFiltered(0, by, below) + "]", "aim", "us", us, 0, false, "without a filter", plain_us});
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Report report("vector", HasFlag(argc, argv, "--json"));
  std::string folder = ".cache/bench/vector";
  size_t rows = 100000;
  for (int i = 1; i + 1 < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--folder") folder = argv[i + 1];
    if (flag == "--rows") rows = std::strtoull(argv[i + 1], nullptr, 10);
    if (flag != "--codes") continue;
    for (const Dataset& data : LoadLargeDatasets(std::strtoull(argv[i + 1], nullptr, 10))) CompareCodes(data, &report);
    return report.Finish() ? 0 : 1;
  }
  std::filesystem::create_directories(folder);
  for (const Dataset& data : LoadLargeDatasets(rows)) {
    std::vector<Peer> peers = Peers(data, folder, &report);
    for (const char* quantization : {"none", "scalar", "binary"}) {
      PublicIndex ours(data, quantization, folder + "/" + data.name + "-" + quantization + ".fornix");
      if (ours.load_seconds() > 0) {
        report.Add({data.name + ": " + quantization + ", load and build", "aim", "vectors/s", static_cast<double>(data.base.size()) / ours.load_seconds(), 0, true});
      }
      for (size_t at = 0; at < std::size(kRecalls); ++at) CompareAt(data, quantization, at, &ours, &peers, &report);
      CompareFilters(data, quantization, &ours, &report);
    }
  }
  return report.Finish() ? 0 : 1;
}
