#include "fornix/import.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/value_format.h"
#include "fornix/maintenance.h"
#include "tests/tools/random_graph.h"
#include "tools/export/export.h"
#include "tools/import/command.h"

namespace fornix::tools {
namespace {

void Put(const std::string& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream content;
  content << in.rdbuf();
  return content.str();
}

struct Opened {
  std::unique_ptr<Database> database;
  std::unique_ptr<Connection> connection;
  explicit Opened(const std::string& path) {
    auto opened = Database::Open(path);
    INFO(opened.status().ToString());
    REQUIRE(opened.ok());
    database = std::move(*opened);
    connection = database->Connect();
  }
  std::string One(std::string_view text) {
    auto rows = connection->Query(text);
    INFO(text << ": " << rows.status().ToString());
    REQUIRE(rows.ok());
    REQUIRE(rows->size() == 1);
    std::string out;
    for (const Value& v : rows->at(0)) out += (out.empty() ? "" : " ") + ToText(v);
    return out;
  }
  void Close() {
    connection.reset();
    REQUIRE(database->Close().ok());
  }
};

ImportReport Import(const std::string& path, const ImportOptions& options) {
  ImportReport report;
  const Status status = ImportDatabase(path, options, &report);
  INFO(status.ToString());
  REQUIRE(status.ok());
  return report;
}

Status ImportError(const std::string& path, const ImportOptions& options) {
  ImportReport report;
  const Status status = ImportDatabase(path, options, &report);
  REQUIRE(!status.ok());
  CHECK(!std::filesystem::exists(path));
  CHECK(!std::filesystem::exists(path + "-import"));
  CHECK(!std::filesystem::exists(path + ".import"));
  return status;
}

void MustBeSound(const std::string& path) {
  DatabaseCheckReport report;
  const Status status = CheckDatabase(path, {}, &report);
  INFO(status.ToString());
  REQUIRE(status.ok());
  for (const std::string& problem : report.problems) UNSCOPED_INFO(problem);
  REQUIRE(report.problem_count == 0);
}

}  // namespace

TEST_CASE("import: nodes and relationships of CSV files are a database that can be asked and written") {
  test::ScratchDirectory dir;
  Put(dir / "people.csv", "id:ID(P),name,age:int,:LABEL\n1,Ann,40,\n2,\"Bob, the \"\"great\"\"\",,Boss;Old\n3,Cid,7,Young\n");
  Put(dir / "towns.csv", "code:ID(T),name\nx1,Oslo\n1,Paris\n");
  Put(dir / "knows.csv", ":START_ID(P),:END_ID(P),since:date,:TYPE\n1,2,2020-02-29,\n2,3,,LIKES\n1,1,2021-01-01,\n");
  Put(dir / "lives.csv", ":START_ID(P),:END_ID(T)\n1,x1\n2,1\n");
  ImportOptions options;
  options.nodes = {{"Person", {dir / "people.csv"}}, {"Town:Place", {dir / "towns.csv"}}};
  options.relationships = {{"KNOWS", {dir / "knows.csv"}}, {"LIVES_IN", {dir / "lives.csv"}}};
  const ImportReport report = Import(dir / "g.fornix", options);
  CHECK(report.nodes == 5);
  CHECK(report.relationships == 5);
  CHECK(report.bad_rows == 0);
  MustBeSound(dir / "g.fornix");
  {
    Opened g(dir / "g.fornix");
    CHECK(g.One("MATCH (n:Person) RETURN collect(n.name)") == "['Ann', 'Bob, the \"great\"', 'Cid']");
    CHECK(g.One("MATCH (n:Boss) RETURN labels(n), n.id, n.age") == "['Boss', 'Old', 'Person'] '2' null");
    CHECK(g.One("MATCH (:Person {name: 'Ann'})-[r:KNOWS]->(b) WHERE b.id = '2' RETURN r.since") == "2020-02-29");
    CHECK(g.One("MATCH (a)-[:LIKES]->(b) RETURN a.id, b.id") == "'2' '3'");
    CHECK(g.One("MATCH (:Person {id: '2'})-[:LIVES_IN]->(t:Town) RETURN t.name, t.code, labels(t)") == "'Paris' '1' ['Place', 'Town']");
    CHECK(g.One("MATCH (a)-[r]->(a) RETURN count(r)") == "1");
    CHECK(g.One("CREATE (:Person {name: 'Dan'})-[:KNOWS]->(:Town) RETURN 1") == "1");
    CHECK(g.One("MATCH (n) RETURN count(n)") == "7");
    g.Close();
  }
  MustBeSound(dir / "g.fornix");
}

TEST_CASE("import: a database that isn't empty is refused, an empty one replaced") {
  test::ScratchDirectory dir;
  Put(dir / "n.csv", ":ID\n1\n");
  ImportOptions options;
  options.nodes = {{"A", {dir / "n.csv"}}};
  Opened(dir / "g.fornix").Close();
  Import(dir / "g.fornix", options);
  ImportReport report;
  const Status status = ImportDatabase(dir / "g.fornix", options, &report);
  CHECK(status.code() == Code::kUsage);
  CHECK(status.message().find("1 nodes") != std::string::npos);
  Opened open(dir / "g2.fornix");
  CHECK(ImportDatabase(dir / "g2.fornix", options, &report).code() == Code::kBusy);
}

TEST_CASE("import: rows that can't be taken are put aside with file, line, reason and the row, up to the tolerance") {
  test::ScratchDirectory dir;
  Put(dir / "n.csv", "id:ID,age:int\n1,40\n2,old\n,3\n\"3\"x,1\n1,41\n4,5,6\n5,\"6\n7\"\n6,7\n");
  Put(dir / "r.csv", ":START_ID,:END_ID,:TYPE\n1,6,T\n1,99,T\n1,,T\n1,6,\n");
  ImportOptions options;
  options.nodes = {{"A", {dir / "n.csv"}}};
  options.relationships = {{"", {dir / "r.csv"}}};
  options.bad_file = dir / "bad.csv";
  options.skip_bad_relationships = options.skip_duplicate_nodes = true;
  const ImportReport report = Import(dir / "g.fornix", options);
  CHECK(report.nodes == 2);
  CHECK(report.relationships == 1);
  CHECK(report.bad_rows == 9);
  const std::string bad = ReadFile(dir / "bad.csv"), n = dir / "n.csv", r = dir / "r.csv";
  CHECK(bad.starts_with("file,line,reason,row\n"));
  for (const std::string& line : {
           "\"" + n + "\",3,\"column 'age': 'old' is not an integer of 64 bits\",\"2,old\"\n",
           "\"" + n + "\",4,\"the node has no id\",\",3\"\n",
           "\"" + n + "\",5,\"text behind a closing quote\",\"\"\"3\"\"x,1\"\n",
           "\"" + n + "\",6,\"the id '1' came before\",\"1,41\"\n",
           "\"" + n + "\",7,\"the row has 3 fields, the header 2\",\"4,5,6\"\n",
           "\"" + r + "\",3,\"there is no node with the id '99', the relationship's end\",\"1,99,T\"\n",
           "\"" + r + "\",4,\"the relationship has no end\",\"1,,T\"\n",
           "\"" + r + "\",5,\"the relationship has no type\",\"1,6,\"\n"}) {
    INFO(line << bad);
    CHECK(bad.find(line) != std::string::npos);
  }
  options.bad_tolerance = 8;
  CHECK(ImportError(dir / "h.fornix", options).message().find("more than 8 rows") == 0);
  options.bad_tolerance = 0;
  CHECK(ImportError(dir / "h.fornix", options).message().find("line 3") != std::string::npos);
  options.bad_tolerance = 100;
  options.skip_duplicate_nodes = false;
  CHECK(ImportError(dir / "h.fornix", options).message().find("line 6: the id '1' came before; skip-duplicate-nodes") != std::string::npos);
  options.skip_duplicate_nodes = true;
  options.skip_bad_relationships = false;
  CHECK(ImportError(dir / "h.fornix", options).message().find("line 3: there is no node with the id '99'") != std::string::npos);
}

TEST_CASE("import: wrong options, missing files and headers are told before anything is made") {
  test::ScratchDirectory dir;
  Put(dir / "n.csv", ":ID\n1\n");
  Put(dir / "r.csv", ":START_ID,:END_ID\n1,1\n");
  Put(dir / "s.csv", ":START_ID(X),:END_ID\n1,1\n");
  ImportOptions options;
  CHECK(ImportError(dir / "g.fornix", options).code() == Code::kUsage);
  options.nodes = {{"A", {dir / "none.csv"}}};
  CHECK(ImportError(dir / "g.fornix", options).code() == Code::kIoError);
  options.nodes = {{"A", {dir / "n.csv"}}};
  options.relationships = {{"", {dir / "r.csv"}}};
  CHECK(ImportError(dir / "g.fornix", options).message().find("no type") != std::string::npos);
  options.relationships = {{"T", {dir / "s.csv"}}};
  CHECK(ImportError(dir / "g.fornix", options).message().find("id space X") != std::string::npos);
  options.quote = options.delimiter;
  CHECK(ImportError(dir / "g.fornix", options).code() == Code::kUsage);
}

TEST_CASE("import: what export wrote as CSV or JSON Lines comes back equal, whatever types the values have") {
  const uint64_t seed = test::TestSeed();
  test::ScratchDirectory dir;
  Opened from(":memory:");
  test::FillRandomly(from.connection.get(), seed, 300, 500);
  for (const char* statement : {"CREATE INDEX named FOR (n:Person) ON (n.name, n.v)", "CREATE CONSTRAINT FOR (n:`Two words`) REQUIRE n.uid IS UNIQUE"}) {
    REQUIRE(from.connection->Query(statement).ok());
  }
  const auto content = test::ContentOf(from.connection.get());
  for (ExportFormat format : {ExportFormat::kCsv, ExportFormat::kJsonLines}) {
    const bool csv = format == ExportFormat::kCsv;
    ExportReport exported;
    REQUIRE(Export(from.connection.get(), {format, dir / (csv ? "csv" : "g.jsonl"), {}}, &exported).ok());
    ImportCommand command;
    command.file = dir / (csv ? "c.fornix" : "j.fornix");
    if (csv) command.from = dir / "csv";
    else command.json_lines = {dir / "g.jsonl"};
    REQUIRE(RunImport(command) == 0);
    CHECK(!std::filesystem::exists(command.file + ".bad.csv"));
    MustBeSound(command.file);
    Opened to(command.file);
    CHECK(test::ContentOf(to.connection.get()) == content);
  }
}

TEST_CASE("import: many rows in little memory and in two threads give the database that they give in much and one") {
  test::ScratchDirectory dir;
  Random random(test::TestSeed());
  std::string nodes = "key:ID,n:int,s\n", relationships = ":START_ID,:END_ID,w:int,:TYPE\n";
  constexpr uint64_t kNodes = 30'000;
  for (uint64_t i = 0; i < kNodes; ++i) nodes += "k" + std::to_string(i * 7919 % kNodes) + "," + std::to_string(i) + "," + std::string(random.Below(30), 'x') + "\n";
  uint64_t sum = 0, from_hub = 0;
  for (uint64_t i = 0; i < 200'000; ++i) {
    const uint64_t start = random.OneIn(10) ? 17 : random.Below(kNodes), w = random.Below(1000);
    sum += w;
    from_hub += start == 17;
    relationships += "k" + std::to_string(start) + ",k" + std::to_string(random.Below(kNodes)) + "," + std::to_string(w) + (random.OneIn(3) ? ",A\n" : ",B\n");
  }
  Put(dir / "n.csv", nodes);
  Put(dir / "r.csv", relationships);
  ImportOptions options;
  options.nodes = {{"N", {dir / "n.csv"}}};
  options.relationships = {{"", {dir / "r.csv"}}};
  std::string answers[2];
  for (int i = 0; i < 2; ++i) {
    options.memory_bytes = i == 0 ? uint64_t{16} << 20 : uint64_t{1} << 30;
    options.threads = i == 0 ? 2 : 1;
    const std::string path = dir / ("g" + std::to_string(i) + ".fornix");
    const ImportReport report = Import(path, options);
    CHECK(report.nodes == kNodes);
    CHECK(report.relationships == 200'000);
    MustBeSound(path);
    Opened g(path);
    CHECK(g.One("MATCH ()-[r]->() RETURN sum(r.w)") == std::to_string(sum));
    CHECK(g.One("MATCH ({key: 'k17'})-[r]->() RETURN count(r)") == std::to_string(from_hub));
    answers[i] = g.One("MATCH (a {key: 'k17'})<-[r:A]-(b) RETURN count(r), sum(b.n), sum(r.w)") + g.One("MATCH (n) RETURN sum(n.n), count(n.s)");
  }
  CHECK(answers[0] == answers[1]);
}

}  // namespace fornix::tools
