// A hub: node 0 with all relationships of the database, beside nodes of degree 8. Inserts, tests of existence, rollback, checkpoint.
#include <filesystem>

#include "bench/storage/bench.h"

namespace fornix::bench {
namespace {

constexpr uint64_t kSmall = 1000;              // nodes 1..kSmall have 8 relationships each

void WriteCsv(const std::string& folder, uint64_t nodes, uint64_t relationships) {
  std::FILE* f = std::fopen((folder + "/hub-nodes.csv").c_str(), "w");
  if (f == nullptr) Die("can't write " + folder + "/hub-nodes.csv");
  std::fputs(":ID,id:int\n", f);
  for (uint64_t i = 0; i < nodes; ++i) std::fprintf(f, "%llu,%llu\n", static_cast<unsigned long long>(i), static_cast<unsigned long long>(i));
  std::fclose(f);
  f = std::fopen((folder + "/hub-relationships.csv").c_str(), "w");
  if (f == nullptr) Die("can't write " + folder + "/hub-relationships.csv");
  std::fputs(":START_ID,:END_ID,w:int\n", f);
  Random random;
  auto put = [&](uint64_t start) {
    std::fprintf(f, "%llu,%llu,7\n", static_cast<unsigned long long>(start), static_cast<unsigned long long>(1 + random.Below(nodes - 1)));
  };
  for (uint64_t i = 0; i < relationships; ++i) put(0);
  for (uint64_t i = 1; i <= kSmall; ++i) {
    for (int j = 0; j < 8; ++j) put(i);
  }
  std::fclose(f);
}

int64_t DegreeOfHub(Connection& connection) {
  const auto rows = Take(connection.Query("MATCH (h:N {id: 0})-[r:R]->() RETURN count(r)"));
  return rows.at(0)[0].AsInteger();
}

// Microseconds of each of 1,000 inserts in one transaction, which is taken back. `hub`: all at node 0, else each at another small node.
std::vector<double> Inserts(Connection& connection, const Prepared& insert, bool hub, uint64_t nodes, Random* random) {
  std::vector<double> us;
  Check(connection.Begin());
  for (int64_t i = 0; i < 1000; ++i) {
    const Map parameters({{"a", Value(hub ? int64_t{0} : 1 + i % static_cast<int64_t>(kSmall))}, {"b", Value(static_cast<int64_t>(1 + random->Below(nodes - 1)))}});
    const uint64_t start = MonotonicNanos();
    RunOnce(connection, insert, parameters);
    us.push_back(static_cast<double>(MonotonicNanos() - start) / 1e3);
  }
  Check(connection.Rollback());
  return us;
}

std::vector<double> ExistenceTests(Connection& connection, const Prepared& exists, bool hub, uint64_t nodes, Random* random) {
  std::vector<double> us;
  for (int64_t i = 0; i < 20'000; ++i) {
    const Map parameters({{"a", Value(hub ? int64_t{0} : 1 + i % static_cast<int64_t>(kSmall))}, {"b", Value(static_cast<int64_t>(1 + random->Below(nodes - 1)))}});
    const uint64_t start = MonotonicNanos();
    RunOnce(connection, exists, parameters);
    us.push_back(static_cast<double>(MonotonicNanos() - start) / 1e3);
  }
  return us;
}

}  // namespace

void Hub(const std::string& program, const std::string& folder, uint64_t relationships, Report* report) {
  const uint64_t nodes = std::max<uint64_t>(relationships / 5, 2 * kSmall);
  const std::string path = folder + "/hub.fornix";
  std::filesystem::remove(path);
  WriteCsv(folder, nodes, relationships);
  if (RunProgram({program, "import", path, "--nodes", "N=" + folder + "/hub-nodes.csv", "--relationships", "R=" + folder + "/hub-relationships.csv"}) != 0) Die("the import of the hub failed");
  auto database = Take(Database::Open(path));
  auto connection = database->Connect();
  Check(connection->Query("CREATE CONSTRAINT n_id FOR (n:N) REQUIRE n.id IS UNIQUE").status());
  Check(database->Checkpoint().status());
  report->Add({"relationships at the hub", "aim", "n", static_cast<double>(relationships), 0, true});

  Random random;
  auto insert = Take(connection->Prepare("MATCH (a:N {id: $a}), (b:N {id: $b}) CREATE (a)-[:R {w: 1}]->(b)"));
  std::vector<double> at_hub, at_small;
  for (int round = 0; round < 20; ++round) {      // in turns, so that both see the same machine
    for (const bool hub : {round % 2 == 0, round % 2 != 0}) {
      const std::vector<double> us = Inserts(*connection, *insert, hub, nodes, &random);
      if (round >= 4) (hub ? at_hub : at_small).insert((hub ? at_hub : at_small).end(), us.begin(), us.end());
    }
  }
  report->Add({"insert at a small node, p50", "aim", "us", Median(at_small), 0});
  report->Add({"insert at the hub / at a small node", "must", "ratio", Median(at_hub) / Median(at_small), 1.2});

  auto exists = Take(connection->Prepare("MATCH (a:N {id: $a}), (b:N {id: $b}) RETURN EXISTS { (a)-[:R]->(b) } AS is"));
  std::vector<double> hub_us, small_us;
  for (int round = 0; round < 4; ++round) {
    const std::vector<double> h = ExistenceTests(*connection, *exists, true, nodes, &random), s = ExistenceTests(*connection, *exists, false, nodes, &random);
    if (round == 0) continue;
    hub_us.insert(hub_us.end(), h.begin(), h.end());
    small_us.insert(small_us.end(), s.begin(), s.end());
  }
  report->Add({"existence test at a node of degree 8, p50", "aim", "us", Median(small_us), 0});
  report->Add({"existence test at the hub, more than at degree 8", "must", "us", Median(hub_us) - Median(small_us), 3});

  Check(connection->Query("CREATE (:Other)").status());
  const CheckpointSummary untouched = Take(database->Checkpoint());
  if (DegreeOfHub(*connection) != static_cast<int64_t>(relationships)) Die("the inserts that were taken back are at the hub");
  report->Add({"checkpoint after rollbacks of 1,000 inserts at the hub", "must", "kB", static_cast<double>(untouched.bytes_written) / 1e3, 1000});
  RunOnce(*connection, *insert, Map({{"a", Value(int64_t{0})}, {"b", Value(static_cast<int64_t>(nodes / 2))}}));
  const CheckpointSummary one = Take(database->Checkpoint());
  report->Add({"checkpoint after one insert at the hub", "must", "kB", static_cast<double>(one.bytes_written) / 1e3, 1000});
  report->Add({"the database of the hub", "aim", "kB", static_cast<double>(std::filesystem::file_size(path)) / 1e3, 0});
  connection.reset();
  Check(database->Close());
  std::filesystem::remove(path);
}

}  // namespace fornix::bench
