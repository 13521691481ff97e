// F1: the power goes at any write or sync boundary of a recorded run; what the machine then finds on its disk must open,
// hold every acknowledged commit, hold none by half, and have indexes that agree with the store.
//
// A workload runs once on a simulated disk. After every acknowledged commit its state is written down in words by asking the
// running database (the truth is kept outside the file). Then images of the disk are built at cut points spread over the
// whole run, in four damage modes, opened, compared, written to once more and opened again.
// Counts: 1,000 images as a routine, 20,000 with FORNIX_LONG. FORNIX_SEED repeats a run.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>

#include "base/clock.h"
#include "base/fault_file.h"
#include "base/random.h"
#include "base/value_format.h"
#include "engine/api/database_impl.h"

namespace {

using namespace fornix;

constexpr char kPath[] = "db/test.fornix";

uint64_t ImagesMax() { return std::getenv("FORNIX_LONG") ? 20000 : 1000; }
uint64_t Seed() {
  const char* seed = std::getenv("FORNIX_SEED");
  return seed ? std::strtoull(seed, nullptr, 10) : MonotonicNanos();
}

Result<std::unique_ptr<Database>> OpenOn(FaultFileSystem& disk) {
  DatabaseOptions options;
  options.log_segment_bytes = 64 << 10;
  return engine::OpenDatabase(disk, kPath, options, engine::DefaultCatalog());
}

// Everything a user can see, as sorted lines. Asks each index as well and adds a line where it disagrees with the store.
Result<std::string> Describe(Connection& connection) {
  std::vector<std::string> lines;
  auto add = [&](std::string_view text) -> Status {
    ASSIGN_OR_RETURN(auto rows, connection.Query(text));
    for (const Row& row : rows) {
      std::string line;
      for (const Value& v : row) line += ToText(v) + " ";
      lines.push_back(std::move(line));
    }
    return Status::Ok();
  };
  RETURN_IF_ERROR(add("MATCH (n) RETURN 'node', id(n), labels(n), properties(n)"));
  RETURN_IF_ERROR(add("MATCH (a)-[r]->(b) RETURN 'relationship', id(a), id(r), type(r), id(b), properties(r)"));
  RETURN_IF_ERROR(add("MATCH (a)<-[r]-(b) RETURN 'incoming', id(b), id(r), id(a)"));
  RETURN_IF_ERROR(add("SHOW INDEXES YIELD name, type, labelsOrTypes, properties"));
  RETURN_IF_ERROR(add("SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties"));
  ASSIGN_OR_RETURN(auto indexes, connection.Query("SHOW INDEXES YIELD name, type"));
  for (const Row& row : indexes) {
    const std::string& name = row[0].AsString();
    if (name == "person_name") {
      RETURN_IF_ERROR(add("MATCH (p:Person) WHERE p.name >= '' RETURN 'by name', p.name, id(p)"));
      ASSIGN_OR_RETURN(auto pairs, connection.Query("MATCH (p:Person) MATCH (q:Person {name: p.name}) WHERE id(p) = id(q) RETURN count(*)"));
      ASSIGN_OR_RETURN(auto all, connection.Query("MATCH (p:Person) WHERE p.name IS NOT NULL RETURN count(*)"));
      if (!(pairs == all)) lines.push_back("INDEX person_name DISAGREES");
    }
    if (name == "emb") {
      ASSIGN_OR_RETURN(auto hits, connection.Query("CALL db.index.vector.queryNodes('emb', 1000, [1.0, 0.5, 0.25]) YIELD node RETURN id(node) ORDER BY id(node)"));
      ASSIGN_OR_RETURN(auto stored, connection.Query("MATCH (m:Memory) WHERE m.embedding IS NOT NULL RETURN id(m) ORDER BY id(m)"));
      if (!(hits == stored)) lines.push_back("INDEX emb DISAGREES: " + std::to_string(hits.size()) + " hits, " + std::to_string(stored.size()) + " stored");
    }
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

struct Acknowledged {
  uint64_t op_count;       // of the disk when the commit was acknowledged
  std::string state;
};

struct Step {
  const char* text;        // "CLOSE": a clean close, which compacts, and a new open; "FAIL ...": must be refused
  int times = 1;
};

// DDL, creates, updates, deletes, vectors, constraint failures, explicit sizes above a segment, compacting closes.
const std::vector<Step> kWorkload = {
    {"CREATE CONSTRAINT person_key FOR (p:Person) REQUIRE p.key IS UNIQUE"},
    {"CREATE INDEX person_name FOR (p:Person) ON (p.name)"},
    {"CREATE (:Person {key: $i, name: 'person ' + toString($i % 7)})", 12},
    {"MATCH (a:Person {key: $i}), (b:Person {key: $i + 1}) CREATE (a)-[:KNOWS {since: $i}]->(b)", 8},
    {"FAIL CREATE (:Person {key: 3})", 2},
    {"MATCH (p:Person {key: $i}) SET p.name = 'renamed ' + toString($i), p.age = $i, p:Renamed", 6},
    {"CREATE VECTOR INDEX emb FOR (m:Memory) ON (m.embedding) OPTIONS {indexConfig: {`vector.dimensions`: 3, `vector.similarity_function`: 'cosine'}}"},
    {"CREATE (m:Memory {text: 'memory ' + toString($i), embedding: [1.0, $i * 0.1, 0.5]})", 10},
    {"MATCH (m:Memory) WHERE m.text ENDS WITH toString($i) SET m.embedding = [0.2, 1.0, $i * 0.3]", 4},
    {"MATCH (m:Memory) WHERE m.text = 'memory ' + toString($i + 5) DETACH DELETE m", 3},
    {"CLOSE"},
    {"MATCH (p:Person {key: $i})-[r:KNOWS]->() DELETE r", 3},
    {"MATCH (p:Person {key: $i}) REMOVE p:Renamed, p.age", 3},
    {"UNWIND range(1, 400) AS x CREATE (:Bulk {x: x, pad: 'abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxyz'})", 3},
    {"MERGE (t:Tag {name: $i % 3}) ON CREATE SET t.n = 1 ON MATCH SET t.n = t.n + 1", 6},
    {"MATCH (b:Bulk) WHERE b.x > 20 DELETE b"},
    {"DROP INDEX person_name"},
    {"CREATE (:Memory {text: 'late ' + toString($i), embedding: [0.1, 0.1, $i + 1.0]})", 4},
    {"CLOSE"},
    {"MATCH (p:Person {key: $i}) DETACH DELETE p", 4},
};

// Runs the workload and returns the state after every commit, the empty one before the first included.
std::vector<Acknowledged> Record(FaultFileSystem& disk) {
  std::vector<Acknowledged> states;
  REQUIRE(disk.CreateDir("db").ok());
  REQUIRE(disk.SyncDir(".").ok());
  auto database = OpenOn(disk);
  INFO(database.status().ToString());
  REQUIRE(database.ok());
  std::unique_ptr<Connection> connection = (*database)->Connect();
  auto note = [&] {
    uint64_t ops = disk.op_count();
    Result<std::string> state = Describe(*connection);
    INFO(state.status().ToString());
    REQUIRE(state.ok());
    REQUIRE(state->find("DISAGREES") == std::string::npos);
    states.push_back({ops, *state});
  };
  note();
  for (const Step& step : kWorkload) {
    std::string text = step.text;
    if (text == "CLOSE") {
      connection.reset();
      REQUIRE((*database)->Close().ok());
      database = OpenOn(disk);
      INFO(database.status().ToString());
      REQUIRE(database.ok());
      connection = (*database)->Connect();
      note();
      REQUIRE(states.back().state == states[states.size() - 2].state);
      continue;
    }
    bool must_fail = text.starts_with("FAIL ");
    if (must_fail) text = text.substr(5);
    for (int i = 0; i < step.times; ++i) {
      auto rows = connection->Query(text, Map({{"i", Value(static_cast<int64_t>(i))}}));
      INFO(text << ": " << rows.status().ToString());
      REQUIRE(rows.ok() == !must_fail);
      note();
    }
  }
  connection.reset();
  REQUIRE((*database)->Close().ok());
  return states;
}

// Empty if the image is right, else what is wrong with it.
std::string CheckImage(FaultFileSystem& image, const std::vector<Acknowledged>& states, uint64_t cut) {
  // Commits acknowledged before the cut must be there; the one that was running may be. A cut before the first open ended may leave no database.
  size_t acknowledged = 0;
  while (acknowledged + 1 < states.size() && states[acknowledged + 1].op_count <= cut) ++acknowledged;
  if (states[0].op_count > cut && !image.CreateDir("db").ok()) return "can't make the directory";
  auto database = OpenOn(image);
  if (!database.ok()) return "doesn't open: " + database.status().ToString();
  std::unique_ptr<Connection> connection = (*database)->Connect();
  Result<std::string> state = Describe(*connection);
  if (!state.ok()) return "can't be read: " + state.status().ToString();
  size_t found = acknowledged;
  if (*state != states[acknowledged].state) {
    if (acknowledged + 1 == states.size() || *state != states[acknowledged + 1].state) {
      for (size_t i = 0; i < states.size(); ++i) {
        if (states[i].state == *state) return "holds state " + std::to_string(i) + ", acknowledged was " + std::to_string(acknowledged);
      }
      return "holds a state that never was (acknowledged: " + std::to_string(acknowledged) + "):\n" + *state + "--- expected\n" + states[acknowledged].state;
    }
    found = acknowledged + 1;
  }
  // Life goes on: a commit, a close, an open.
  auto written = connection->Query("CREATE (:AfterCut {n: 1})");
  if (!written.ok()) return "takes no commit: " + written.status().ToString();
  connection.reset();
  if (Status closed = (*database)->Close(); !closed.ok()) return "doesn't close: " + closed.ToString();
  database = OpenOn(image);
  if (!database.ok()) return "doesn't open again: " + database.status().ToString();
  connection = (*database)->Connect();
  auto removed = connection->Query("MATCH (n:AfterCut) DELETE n RETURN count(*)");
  if (!removed.ok() || (*removed)[0][0] != Value(static_cast<int64_t>(1))) return "lost the commit after the cut";
  Result<std::string> again = Describe(*connection);
  if (!again.ok() || *again != states[found].state) return "changed after the second open";
  connection.reset();
  database->reset();
  return "";
}

}  // namespace

TEST_CASE("after a power cut at any write or sync boundary all acknowledged commits are there, whole, with their indexes") {
  uint64_t seed = Seed();
  WARN("seed=" << seed << " rerun: ./dev test crash --seed=" << seed);
  FaultFileSystem disk;
  std::vector<Acknowledged> states = Record(disk);
  uint64_t ops = disk.op_count();
  Random random(seed);
  uint64_t images = ImagesMax(), failures = 0;
  for (uint64_t i = 0; i < images && failures < 5; ++i) {
    // Every boundary in turn when there are fewer than images, else evenly spread ones, from a random start.
    uint64_t cut = images >= ops ? (i + seed) % (ops + 1) : (i * ops / images + random.Below(ops / images + 1)) % (ops + 1);
    Damage damage = kAllDamage[random.Below(4)];
    uint64_t image_seed = random.Next();
    auto image = disk.ImageAt(cut, damage, image_seed);
    std::string wrong = CheckImage(*image, states, cut);
    if (wrong.empty()) continue;
    ++failures;
    UNSCOPED_INFO("cut before op " << cut << " of " << ops << " (" << (cut < ops ? disk.DescribeOp(cut) : "end") << "), damage "
                                   << static_cast<int>(damage) << ", image seed " << image_seed << ": " << wrong);
  }
  WARN(images << " images over " << ops << " operations and " << states.size() << " commits");
  CHECK(failures == 0);
}
