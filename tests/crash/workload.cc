#include "tests/crash/workload.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <thread>

#include "base/clock.h"
#include "base/limits.h"
#include "base/value_format.h"
#include "engine/api/database_impl.h"

namespace fornix::crash {
namespace {

Status Wrong(std::string what) { return Status(Code::kInternal, std::move(what)); }

Result<std::string> DescribeOn(Connection& connection) {
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
  }
  ASSIGN_OR_RETURN(auto vectors, connection.Query("SHOW VECTOR INDEXES YIELD name, entityType, labelsOrTypes, properties, options"));
  for (const Row& row : vectors) {
    // More than there are, so the answer is exact: all of them.
    const std::string& name = row[0].AsString();
    const bool nodes = row[1] == Value("NODE");
    const std::string token = row[2].AsList()[0].AsString(), property = row[3].AsList()[0].AsString();
    const Value* config = row[4].AsMap().Find("indexConfig");
    const Value* dimensions = config == nullptr ? nullptr : config->AsMap().Find("vector.dimensions");
    if (dimensions == nullptr) return Wrong("vector index " + name + " doesn't say its dimensions");
    List query;
    for (int64_t i = 0; i < dimensions->AsInteger(); ++i) query.emplace_back(1.0 / static_cast<double>(i + 1));
    const std::string call = nodes ? "CALL db.index.vector.queryNodes($name, 1000, $q) YIELD node AS m "
                                   : "CALL db.index.vector.queryRelationships($name, 1000, $q) YIELD relationship AS m ";
    ASSIGN_OR_RETURN(auto hits, connection.Query(call + "RETURN id(m) ORDER BY id(m)", Map({{"name", Value(name)}, {"q", Value(std::move(query))}})));
    const std::string match = nodes ? "MATCH (m:" + token + ") " : "MATCH ()-[m:" + token + "]->() ";
    ASSIGN_OR_RETURN(auto stored, connection.Query(match + "WHERE m." + property + " IS NOT NULL RETURN id(m) ORDER BY id(m)"));
    if (!(hits == stored)) {
      lines.push_back("INDEX " + name + " DISAGREES: " + std::to_string(hits.size()) + " hits, " + std::to_string(stored.size()) + " stored");
    }
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace

std::vector<Workload> Workloads() {
  std::vector<Workload> workloads = {
      {"everything",  // DDL, creates, updates, deletes, vectors, constraint failures, sizes above a segment, closes
       {{"CREATE CONSTRAINT person_key FOR (p:Person) REQUIRE p.key IS UNIQUE"},
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
        {"UNWIND range(1, 60) AS x CREATE (:Bulk {x: x, pad: reduce(s = '', k IN range(1, 30) | s + 'abcdefghijklmnopqrstuvwxyz ')})", 3},
        {"MERGE (t:Tag {name: $i % 3}) ON CREATE SET t.n = 1 ON MATCH SET t.n = t.n + 1", 6},
        {"MATCH (b:Bulk) WHERE b.x > 20 DELETE b"},
        {"DROP INDEX person_name"},
        {"CREATE (:Memory {text: 'late ' + toString($i), embedding: [0.1, 0.1, $i + 1.0]})", 4},
        {"CLOSE"},
        {"MATCH (p:Person {key: $i}) DETACH DELETE p", 4}}},
      {"rewrites",  // the same space again and again, over checkpoints, with old snapshots held here and in another process
       {{"CREATE CONSTRAINT person_key FOR (p:Person) REQUIRE p.key IS UNIQUE"},
        {"UNWIND range(0, 60) AS k CREATE (:Person {key: k, name: 'n', pad: 'abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxyz'})"},
        {"CLOSE"},
        {"HOLD"},
        {"MATCH (p:Person) WHERE p.key % 2 = 0 SET p.name = 'round ' + toString($i), p.pad = p.pad + toString($i)", 2},
        {"CHECKPOINT"},
        {"MATCH (p:Person) WHERE p.key % 2 = 1 SET p.name = 'second ' + toString($i), p.pad = toString($i)", 2},
        {"CHECKPOINT"},
        {"LOOK"},
        {"MATCH (p:Person) WHERE p.key >= 30 DETACH DELETE p"},
        {"CHECKPOINT"},
        {"LOOK"},
        {"RELEASE"},
        {"CHECKPOINT"},
        {"MATCH (p:Person) SET p.pad = 'third'"},
        {"CHECKPOINT"},
        {"CLOSE"},
        {"UNWIND range(100, 160) AS k CREATE (:Person {key: k, name: 'again'})"},
        {"HOLD"},
        {"MATCH (a:Person {key: 0}) MATCH (b:Person) WHERE b.key > $i * 10 AND b.key <= $i * 10 + 10 CREATE (a)-[:KNOWS {since: $i}]->(b)", 3},
        {"CHECKPOINT"},
        {"MATCH (:Person)-[r:KNOWS]->() WHERE r.since = 1 DELETE r"},
        {"CHECKPOINT"},
        {"CHECKPOINT"},
        {"LOOK"},
        {"RELEASE"},
        {"CLOSE"},
        {"MATCH (p:Person) WHERE p.key < 3 DETACH DELETE p"}}},
      {"async",
       {{"CREATE CONSTRAINT person_key FOR (p:Person) REQUIRE p.key IS UNIQUE"},
        {"CREATE INDEX person_name FOR (p:Person) ON (p.name)"},
        {"CREATE (:Person {key: $i, name: 'person ' + toString($i % 7)})", 15},
        {"WAIT"},
        {"MATCH (a:Person {key: $i}), (b:Person {key: $i + 1}) CREATE (a)-[:KNOWS {since: $i}]->(b)", 8},
        {"MATCH (p:Person {key: $i}) SET p.name = 'renamed ' + toString($i)", 6},
        {"WAIT"},
        {"UNWIND range(1, 60) AS x CREATE (:Bulk {x: x, pad: reduce(s = '', k IN range(1, 30) | s + 'abcdefghijklmnopqrstuvwxyz ')})", 3},
        {"CLOSE"},
        {"MATCH (p:Person {key: $i}) DETACH DELETE p", 4},
        {"WAIT"},
        {"CREATE (:Person {key: 100 + $i, name: 'late'})", 5}},
       Durability::kAsync},
  };
  if (const char* only = std::getenv("FORNIX_WORKLOAD")) {
    std::erase_if(workloads, [&](const Workload& w) { return std::string_view(w.name) != only; });
  }
  return workloads;
}

Workload VectorWorkload() {
  return {"vectors",  // of nodes and relationships, in several codes, over checkpoints and openings
          {{"CREATE VECTOR INDEX emb FOR (m:Memory) ON (m.embedding) OPTIONS {indexConfig: {`vector.dimensions`: 3, `vector.similarity_function`: 'cosine'}}"},
           {"CREATE VECTOR INDEX bytes FOR (d:Doc) ON (d.e) OPTIONS {indexConfig: {`vector.dimensions`: 8, `vector.similarity_function`: 'euclidean', `vector.quantization.type`: 'scalar'}}"},
           {"CREATE VECTOR INDEX bits FOR (d:Doc) ON (d.f) OPTIONS {indexConfig: {`vector.dimensions`: 16, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'binary'}}"},
           {"UNWIND range(0, 39) AS k CREATE (:Doc {key: $i * 40 + k, e: [x IN range(1, 8) | (k * 7 + x * 13 + $i) % 11 + 0.5], f: [x IN range(1, 16) | toFloat((k * 5 + x * 3 + $i) % 7) - 3.0]})", 3},
           {"CREATE (:Memory {text: 'memory ' + toString($i), embedding: [1.0, $i * 0.1, 0.5]})", 4},
           {"CHECKPOINT"},
           {"MATCH (d:Doc) WHERE d.key % 10 = $i SET d.e = [x IN range(1, 8) | (d.key + x * 3) % 5 + 0.25]", 3},
           {"MATCH (d:Doc) WHERE d.key % 17 = $i DETACH DELETE d", 2},
           {"CHECKPOINT"},
           {"MATCH (d:Doc) WHERE d.key % 13 = 5 REMOVE d.f"},
           {"MATCH (a:Doc {key: $i * 3 + 2}), (b:Doc {key: $i * 3 + 3}) CREATE (a)-[:NEAR {e: [1.0, $i * 0.5]}]->(b)", 6},
           {"CREATE VECTOR INDEX links FOR ()-[r:NEAR]-() ON (r.e) OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: 'euclidean'}}"},
           {"CLOSE"},
           {"HOLD"},
           {"MATCH (d:Doc) WHERE d.key % 7 = $i SET d.f = [x IN range(1, 16) | toFloat((d.key * 3 + x * 5) % 9) - 3.5], d.e = null", 2},
           {"CHECKPOINT"},
           {"LOOK"},
           {"MATCH ()-[r:NEAR]->() WHERE r.e[1] > 1.0 DELETE r"},
           {"MATCH (m:Memory) WHERE m.text ENDS WITH toString($i) SET m.embedding = [0.2, 1.0, $i * 0.3]", 2},
           {"CHECKPOINT"},
           {"LOOK"},
           {"RELEASE"},
           {"DROP INDEX bytes"},
           {"CHECKPOINT"},
           {"UNWIND range(200, 230) AS k CREATE (:Doc {key: k, e: [1.0], f: [x IN range(1, 16) | toFloat((k * 5 + x) % 7) - 3.0]})"},
           {"CLOSE"},
           {"MATCH (d:Doc) WHERE d.key >= 200 AND d.key % 2 = 0 DELETE d"},
           {"MATCH (m:Memory) REMOVE m:Memory"},
           {"CHECKPOINT"},
           {"CREATE (:Memory {embedding: [0.1, 0.1, $i + 1.0]})", 2}}};
}

Run::~Run() {
  Release();
  connection_.reset();
}

Result<std::unique_ptr<Database>> Run::OpenOne(bool read_only) {
  DatabaseOptions options;
  options.read_only = read_only;
  options.log_segment_bytes = 64 << 10;
  options.durability = workload_.durability;
  return engine::OpenDatabase(disk_, kPath, options, engine::DefaultCatalog());
}

Status Run::Open() {
  RETURN_IF_ERROR(disk_.CreateDir("db"));
  RETURN_IF_ERROR(disk_.SyncDir("."));
  ASSIGN_OR_RETURN(database_, OpenOne(false));
  connection_ = database_->Connect();
  return Status::Ok();
}

void Run::Release() {
  holder_.reset();
  reader_holder_.reset();
  reader_.reset();
}

Status Run::Close() {
  Release();
  connection_.reset();
  if (database_ == nullptr) return Status::Ok();
  const Status status = database_->Close();
  database_.reset();
  return status;
}

Result<std::string> Run::Describe() { return DescribeOn(*connection_); }
Result<std::vector<Row>> Run::Query(std::string_view text) { return connection_->Query(text); }

Status Run::Look() {
  for (Connection* holder : {holder_.get(), reader_holder_.get()}) {
    ASSIGN_OR_RETURN(const std::string now, DescribeOn(*holder));
    if (held_.empty()) held_ = now;
    if (now != held_) return Wrong("a reader's snapshot has changed:" + Difference(now, held_));
    if (now.find("DISAGREES") != std::string::npos) return Wrong(now);
  }
  return Status::Ok();
}

Status Run::Do(const Step& step, int i) {
  std::string text = step.text;
  if (text == "CLOSE") {
    const Status closed = Close();
    const Status opened = Open();
    return closed.ok() ? opened : closed;
  }
  if (text == "HOLD") {
    held_.clear();
    TransactionOptions options;
    options.read_only = true;
    holder_ = database_->Connect();
    RETURN_IF_ERROR(holder_->Begin(options));
    ASSIGN_OR_RETURN(reader_, OpenOne(true));
    reader_holder_ = reader_->Connect();
    RETURN_IF_ERROR(reader_holder_->Begin(options));
    return Look();
  }
  if (text == "LOOK") return Look();
  if (text == "RELEASE") {
    Release();
    return Status::Ok();
  }
  if (text == "CHECKPOINT") return database_->Checkpoint().status();
  if (text == "WAIT") {
    std::this_thread::sleep_for(std::chrono::milliseconds(2 * kLogSoonMillis));
    return Status::Ok();
  }
  const bool must_fail = text.starts_with("FAIL ");
  if (must_fail) text = text.substr(5);
  const Status status = connection_->Query(text, Map({{"i", Value(static_cast<int64_t>(i))}})).status();
  if (!must_fail) return status;
  if (status.ok()) return Wrong("not refused: " + text);
  return status.code() == Code::kConstraintViolation ? Status::Ok() : status;
}

std::string Difference(const std::string& found, const std::string& expected) {
  std::multiset<std::string> lines[2];
  const std::string* texts[] = {&found, &expected};
  for (int side = 0; side < 2; ++side) {
    for (size_t at = 0; at < texts[side]->size();) {
      const size_t end = std::min(texts[side]->find('\n', at), texts[side]->size());
      lines[side].insert(texts[side]->substr(at, end - at));
      at = end + 1;
    }
  }
  std::string text;
  int left = 12;
  for (int side = 0; side < 2; ++side) {
    for (const std::string& line : lines[side]) {
      if (lines[1 - side].count(line) == 0 && left-- > 0) text += (side == 0 ? "\n  found    " : "\n  expected ") + line;
    }
  }
  return text + (left < 0 ? "\n  ..." : "");
}

uint64_t Seed(const char* suite) {
  const char* text = std::getenv("FORNIX_SEED");
  const uint64_t seed = text ? std::strtoull(text, nullptr, 10) : MonotonicNanos();
  std::printf("seed=%llu rerun: ./dev test %s --seed=%llu\n", static_cast<unsigned long long>(seed), suite, static_cast<unsigned long long>(seed));
  return seed;
}

}  // namespace fornix::crash
