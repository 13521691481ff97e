// bench query: what a statement costs before and beside its rows: parsing, planning, the plan cache, and the counts of patterns in the
// social graphs of FORNIX_SHARED (tests/lsqb has what they must give).
//
//   bench_query [--json] [--no-graphs]
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/clock.h"
#include "bench/common/report.h"
#include "bench/common/social_graph.h"
#include "fornix/database.h"

namespace {

using namespace fornix;
using namespace fornix::bench;

[[noreturn]] void Die(const std::string& text) {
  std::fprintf(stderr, "bench_query: %s\n", text.c_str());
  std::exit(1);
}
void Check(const Status& status) {
  if (!status.ok()) Die(status.ToString());
}
template <typename T>
T Take(Result<T> result) {
  Check(result.status());
  return std::move(result).value();
}
double Micros(uint64_t start) { return static_cast<double>(MonotonicNanos() - start) / 1e3; }

double FirstRow(Connection& connection, const std::string& text) {
  const uint64_t start = MonotonicNanos();
  auto cursor = Take(connection.Execute(text, {}));
  std::vector<Row> rows;
  Check(cursor->Fetch(1, &rows));
  return Micros(start);
}
double Plan(Connection& connection, const std::string& text) {
  const uint64_t start = MonotonicNanos();
  (void)Take(connection.Execute("EXPLAIN " + text, {}));
  return Micros(start);
}

void PointReads(Connection& connection, Report* report) {
  std::vector<double> literals, known;
  for (int i = 0; i < 20000; ++i) {
    literals.push_back(FirstRow(connection, "MATCH (p:Person {id: " + std::to_string(i) + "}) RETURN p.name AS name"));
    known.push_back(FirstRow(connection, "MATCH (p:Person {id: 77}) RETURN p.age AS age"));
  }
  report->Add({"point read, known shape, new literal", "aim", "us", Median(literals), 10});
  report->Add({"point read, known text", "aim", "us", Median(known), 10});
}

void NewTexts(Connection& connection, Report* report) {
  std::vector<double> plan;
  for (int i = 0; i < 600; ++i) {
    const std::string q = "q" + std::to_string(i);
    // 170 characters, a new name each time.
    std::string text = "MATCH (p:Person {id: 12})-[:KNOWS]->(" + q + ":Person)-[:KNOWS]->(r:Person) WHERE " + q + ".age > 30 AND r.age < 60 RETURN " + q +
                       ".name AS name, r.age AS age ORDER BY age DESC";
    text.resize(std::max<size_t>(text.size(), 170), ' ');
    const double took = Plan(connection, text);
    if (i >= 100) plan.push_back(took / 1e3);
  }
  report->Add({"new text of 170 characters, parse to plan, warm", "aim", "ms", Median(plan), 0.3});
}

void LargeTexts(Connection& connection, Report* report) {
  auto best = [&](const std::string& text) {
    double least = 1e12;
    for (int i = 0; i < 5; ++i) least = std::min(least, Plan(connection, text + std::string(static_cast<size_t>(i), ' ')));
    return least / 1e3;
  };
  auto chain = [](int terms) {
    std::string text = "MATCH (n:Person) WHERE n.age <> 0";
    for (int i = 1; i < terms; ++i) text += " AND n.age <> " + std::to_string(i);
    return text + " RETURN n";
  };
  auto list = [](int elements) {
    std::string text = "RETURN [0";
    for (int i = 1; i < elements; ++i) text += ", " + std::to_string(i);
    return text + "] AS l";
  };
  report->Add({"128 nested parentheses", "aim", "ms", best("RETURN " + std::string(120, '(') + "1" + std::string(120, ')') + " AS x"), 3});
  const double terms = best(chain(10000)), half_terms = best(chain(5000));
  report->Add({"AND of 10,000 terms", "aim", "ms", terms, 0});
  report->Add({"the same, beside twice 5,000", "aim", "ratio", terms / (2 * half_terms), 1.5});
  const double elements = best(list(100000)), half_elements = best(list(50000));
  report->Add({"list of 100,000 elements", "aim", "ms", elements, 0});
  report->Add({"the same, beside twice 50,000", "aim", "ratio", elements / (2 * half_elements), 1.5});
}

void Patterns(const std::string& folder, Report* report) {
  const char* shared = std::getenv("FORNIX_SHARED");
  for (const char* data : {"graph-lsqb-sf0.003", "graph-ldbc-sf0.1-topology"}) {
    const std::string from = std::string(shared != nullptr ? shared : "../shared") + "/data/" + data;
    if (!std::filesystem::is_directory(from)) {
      std::fprintf(stderr, "bench_query: there is no %s (set FORNIX_SHARED)\n", from.c_str());
      continue;
    }
    const std::string path = folder + "/" + data + ".fornix";
    Check(ImportSocialGraph(from, folder, path));
    auto database = Take(Database::Open(path));
    auto connection = database->Connect();
    const auto expected = Take(ExpectedCounts(from));
    for (const CountQuery& query : CountQueries()) {
      if (expected.count(query.number) == 0) continue;
      std::vector<double> seconds;
      for (int i = 0; i < 3; ++i) {
        const uint64_t start = MonotonicNanos();
        auto rows = Take(connection->Query(query.text));
        seconds.push_back(Micros(start) / 1e6);
        if (rows[0][0].AsInteger() != expected.at(query.number)) Die("a wrong count of pattern " + std::to_string(query.number));
      }
      report->Add({std::string(data) + " pattern " + std::to_string(query.number), "aim", "s", Median(seconds), 2});
    }
    connection.reset();
    Check(database->Close());
  }
}

}  // namespace

int main(int argc, char** argv) {
  Report report("query", HasFlag(argc, argv, "--json"));
  const std::string folder = "/tmp/fornix-bench-query-" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  {
    auto database = Take(Database::Open(":memory:"));
    auto connection = database->Connect();
    report.Add({"first query of a process", "aim", "ms",
                FirstRow(*connection, "MATCH (p:Person {id: 1})-[:KNOWS]->(q) WHERE q.age > 30 RETURN q.name AS name ORDER BY name LIMIT 5") / 1e3, 8});
    Check(connection->Query("CREATE CONSTRAINT person_id FOR (p:Person) REQUIRE p.id IS UNIQUE").status());
    Check(connection->Query("UNWIND range(0, 19999) AS i CREATE (:Person {id: i, name: 'person ' + toString(i), age: i % 90})").status());
    Check(connection->Query("UNWIND range(0, 19999) AS i MATCH (p:Person {id: i}) UNWIND [1, 7, 31] AS s MATCH (q:Person {id: (i * s + 13) % 20000}) "
                            "CREATE (p)-[:KNOWS]->(q)")
              .status());
    PointReads(*connection, &report);
    NewTexts(*connection, &report);
    LargeTexts(*connection, &report);
    connection.reset();
    Check(database->Close());
  }
  if (!HasFlag(argc, argv, "--no-graphs")) Patterns(folder, &report);
  std::filesystem::remove_all(folder);
  return report.Finish() ? 0 : 1;
}
