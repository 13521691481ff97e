// bench_graph_peer: our side of `./dev compare graph`. Reads commands from standard input and answers each with one line, so that
// bench/graph/compare.py can let us and the peer, each in its own process, take turns.
//
//   load NODES            Person {id, name, age} and three KNOWS {since} from each, unique ids; answers "NODES RELATIONSHIPS"
//   query NAME TEXT       prepares a statement with the parameter $k
//   run NAME KEY...       runs it once a key and fetches all; answers "MEDIAN_US ROWS SUM", SUM over all integers of the rows
//
//   bench_graph_peer FILE
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>

#include "base/clock.h"
#include "bench/common/report.h"
#include "fornix/database.h"

namespace {

using namespace fornix;

void Check(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "bench_graph_peer: %s\n", status.ToString().c_str());
  std::exit(1);
}
template <typename T>
T Take(Result<T> result) {
  Check(result.status());
  return std::move(result).value();
}

void Load(Connection& connection, int64_t nodes) {
  for (const char* label : {"Person", "Note"}) {
    Check(connection.Query(std::string("CREATE CONSTRAINT FOR (p:") + label + ") REQUIRE p.id IS UNIQUE").status());
  }
  constexpr int64_t kStep = 10000;
  for (int64_t from = 0; from < nodes; from += kStep) {
    Map range({{"a", Value(from)}, {"b", Value(std::min(nodes, from + kStep) - 1)}});
    Check(connection.Query("UNWIND range($a, $b) AS i CREATE (:Person {id: i, name: 'person ' + toString(i), age: i % 90})", range).status());
  }
  for (int64_t from = 0; from < nodes; from += kStep) {
    Map range({{"a", Value(from)}, {"b", Value(std::min(nodes, from + kStep) - 1)}, {"n", Value(nodes)}});
    Check(connection.Query("UNWIND range($a, $b) AS i MATCH (p:Person {id: i}) UNWIND [1, 9, 33] AS s "
                           "MATCH (q:Person {id: (i * s + 13 * s) % $n}) CREATE (p)-[:KNOWS {since: 1970 + i * s % 50}]->(q)", range).status());
  }
  int64_t people = Take(connection.Query("MATCH (p:Person) RETURN count(*)"))[0][0].AsInteger();
  int64_t known = Take(connection.Query("MATCH (:Person)-[k:KNOWS]->(:Person) RETURN count(*)"))[0][0].AsInteger();
  std::cout << people << ' ' << known << std::endl;
}

void Run(Connection& connection, const Prepared& prepared, std::istream& keys) {
  std::vector<double> us;
  std::vector<Row> rows;
  size_t count = 0;
  uint64_t sum = 0;
  for (int64_t key; keys >> key;) {
    rows.clear();
    Map parameters({{"k", Value(key)}});
    uint64_t start = MonotonicNanos();
    {
      auto cursor = Take(connection.Execute(prepared, parameters));
      while (!cursor->done()) Check(cursor->Fetch(1024, &rows));
    }
    us.push_back(static_cast<double>(MonotonicNanos() - start) / 1e3);
    count += rows.size();
    for (const Row& row : rows) {
      for (const Value& v : row) {
        if (v.type() == Type::kInteger) sum += static_cast<uint64_t>(v.AsInteger());
      }
    }
  }
  std::cout << bench::Median(us) << ' ' << count << ' ' << sum << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: bench_graph_peer FILE\n");
    return 2;
  }
  auto database = Take(Database::Open(argv[1]));
  auto connection = database->Connect();
  std::map<std::string, std::unique_ptr<Prepared>> queries;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command, name;
    words >> command;
    if (command == "load") {
      int64_t nodes = 0;
      words >> nodes;
      Load(*connection, nodes);
    } else if (command == "query" && words >> name) {
      std::string text;
      std::getline(words, text);
      queries[name] = Take(connection->Prepare(text));
      std::cout << "ready" << std::endl;
    } else if (command == "run" && words >> name && queries.contains(name)) {
      Run(*connection, *queries[name], words);
    } else {
      std::fprintf(stderr, "bench_graph_peer: not a command: %s\n", line.c_str());
      return 2;
    }
  }
  queries.clear();
  connection.reset();
  Check(database->Close());
  return 0;
}
