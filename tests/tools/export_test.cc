#include "tools/export/export.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/tools/random_graph.h"
#include "tools/shell/runner.h"

namespace fornix::tools {
namespace {

using test::ContentOf;

struct Session {
  std::unique_ptr<Database> database = std::move(*Database::Open(":memory:"));
  std::unique_ptr<Connection> connection = database->Connect();
  void Run(const std::string& text) {
    auto rows = connection->Query(text);
    INFO(text << ": " << rows.status().ToString());
    REQUIRE(rows.ok());
  }
};

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream content;
  content << in.rdbuf();
  return content.str();
}

void ExportTo(Connection* connection, ExportFormat format, const std::string& out) {
  ExportReport report;
  const Status status = Export(connection, {format, out, {}}, &report);
  INFO(status.ToString());
  REQUIRE(status.ok());
}

constexpr char kSchema[] = "CREATE INDEX named FOR (n:Person) ON (n.name, n.v)";

}  // namespace

TEST_CASE("export: a Cypher script, run on an empty database, makes the same content, whatever types its values have") {
  const uint64_t seed = test::TestSeed();
  test::ScratchDirectory scratch;
  Session from;
  test::FillRandomly(from.connection.get(), seed, 120, 200);
  from.Run(kSchema);
  from.Run("CREATE CONSTRAINT FOR (n:`Two words`) REQUIRE n.uid IS UNIQUE");
  from.Run("ALTER CURRENT GRAPH TYPE SET {(:Person => {uid :: INTEGER NOT NULL})}");
  ExportTo(from.connection.get(), ExportFormat::kCypher, scratch / "graph.cypher");
  Session to;
  std::FILE* nowhere = std::fopen("/dev/null", "w");
  shell::RunnerOptions quiet;
  quiet.timing = false;
  shell::StatementRunner runner(to.connection.get(), quiet, nowhere);
  shell::ScriptFeeder feeder(&runner);
  feeder.Feed(ReadFile(scratch / "graph.cypher"));
  feeder.Finish();
  std::fclose(nowhere);
  CHECK(!feeder.failed());
  CHECK(ContentOf(to.connection.get()) == ContentOf(from.connection.get()));
}

TEST_CASE("export: JSON Lines hold schema, nodes and relationships with typed values") {
  test::ScratchDirectory scratch;
  Session s;
  s.Run("CREATE (:B:A {d: date('2020-02-29'), f: 1.0, i: 1, s: 'a\"\\n', n: 0.0/0.0, p: point({x: 1, y: 2}), l: [1, 2], v: vector([1, 2.5], 2, 'FLOAT32')})"
        "-[:T {on: true}]->()");
  s.Run(kSchema);
  ExportTo(s.connection.get(), ExportFormat::kJsonLines, scratch / "g.jsonl");
  CHECK(ReadFile(scratch / "g.jsonl") ==
        "{\"type\": \"schema\", \"statement\": \"CREATE RANGE INDEX named FOR (n:Person) ON (n.name, n.v)\"}\n"
        "{\"type\": \"node\", \"id\": 0, \"labels\": [\"A\", \"B\"], \"properties\": {\"d\": {\"~date\": \"2020-02-29\"}, \"f\": 1.0, \"i\": 1, "
        "\"l\": [1, 2], \"n\": {\"~float\": \"NaN\"}, \"p\": {\"~point\": 7203, \"x\": 1.0, \"y\": 2.0}, \"s\": \"a\\\"\\n\", \"v\": {\"~vector\": [1.0, 2.5]}}}\n"
        "{\"type\": \"node\", \"id\": 1, \"labels\": [], \"properties\": {}}\n"
        "{\"type\": \"relationship\", \"id\": 0, \"label\": \"T\", \"start\": 0, \"end\": 1, \"properties\": {\"on\": true}}\n");
}

TEST_CASE("export: CSV has a file a label set and a type, with columns of the types of their values") {
  test::ScratchDirectory scratch;
  Session s;
  s.Run("CREATE (:A {i: 1, s: 'x', l: [1, 2], m: 1})-[:T {since: date('2020-02-29')}]->(:A {i: 2, s: '', m: 'one'}), (:A:B {e: []})");
  ExportTo(s.connection.get(), ExportFormat::kCsv, scratch / "csv");
  CHECK(ReadFile(scratch / "csv/nodes-1-A.csv") == ":ID,:LABEL,i:long,l:long[],m:any,s:string\n0,A,1,1;2,1,x\n1,A,2,,\"\"\"one\"\"\",\"\"\n");
  CHECK(ReadFile(scratch / "csv/nodes-2-A-B.csv") == ":ID,:LABEL,e:any\n2,A;B,[]\n");
  CHECK(ReadFile(scratch / "csv/relationships-1-T.csv") == ":START_ID,:END_ID,:TYPE,since:date\n0,1,T,2020-02-29\n");
  ExportReport report;
  CHECK(Export(s.connection.get(), {ExportFormat::kCsv, scratch / "csv", {}}, &report).code() == Code::kUsage);   // isn't empty
}

TEST_CASE("export: all is of one moment, and a file that can't be written is an error that leaves nothing") {
  test::ScratchDirectory scratch;
  Session s;
  s.Run("UNWIND range(1, 5000) AS i CREATE (:A {i: i})-[:T]->(:A)");
  ExportReport report;
  CHECK(Export(s.connection.get(), {ExportFormat::kJsonLines, scratch / "none/g.jsonl", {}}, &report).code() == Code::kIoError);
  CHECK(!s.connection->in_transaction());
  // A writer beside: what it commits while rows are being read isn't there.
  const auto other = s.database->Connect();
  bool once = false;
  ExportOptions options{ExportFormat::kJsonLines, scratch / "g.jsonl", {}};
  options.progress = [&](uint64_t, uint64_t) {
    if (!std::exchange(once, true)) REQUIRE(other->Query("MATCH (n) DETACH DELETE n").ok());
  };
  REQUIRE(Export(s.connection.get(), options, &report).ok());
  CHECK(report.nodes == 10'000);
  const std::string text = ReadFile(scratch / "g.jsonl");
  CHECK(std::count(text.begin(), text.end(), '\n') == 15'000);
}

}  // namespace fornix::tools
