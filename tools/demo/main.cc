// fornix_demo: what Fornix is for, on real input, in some seconds.
//
//   fornix_demo [memory]      a year of one person's memory: load, six questions, a refused write, a kill in mid-write
//   fornix_demo wordnet       WordNet as a graph: 117,659 nodes, 377,592 relationships (needs FORNIX_SHARED)
//
// The database stays behind for looking around with build/fornix. Exit code 1 when anything is not as it should be.
#include <csignal>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/clock.h"
#include "tools/demo/crash_show.h"
#include "tools/demo/memory_data.h"
#include "tools/demo/wordnet.h"
#include "tools/shell/table.h"

namespace fornix::demo {
namespace {

bool Colour() { return isatty(STDOUT_FILENO) && !std::getenv("NO_COLOR"); }
void Heading(const std::string& text) {
  std::printf("\n%s== %s%s\n", Colour() ? "\x1b[1;36m" : "", text.c_str(), Colour() ? "\x1b[0m" : "");
  std::fflush(stdout);
}
int Fail(const Status& status) {
  std::fprintf(stderr, "demo: %s\n", status.ToString().c_str());
  return 1;
}
double MillisSince(uint64_t start) { return static_cast<double>(MonotonicNanos() - start) / 1e6; }

// Runs a statement and prints its answer as a table with the time it took.
Status Show(Connection& connection, std::string_view text, const Map& parameters = {}) {
  uint64_t start = MonotonicNanos();
  ASSIGN_OR_RETURN(auto cursor, connection.Execute(text, parameters));
  std::vector<Row> rows;
  while (!cursor->done()) RETURN_IF_ERROR(cursor->Fetch(1024, &rows));
  double ms = MillisSince(start);
  std::fputs(shell::FormatTable(cursor->columns(), rows, {Colour(), 150}).c_str(), stdout);
  std::printf("%zu %s, %.2f ms\n", rows.size(), rows.size() == 1 ? "row" : "rows", ms);
  std::fflush(stdout);
  return Status::Ok();
}

Result<int64_t> Count(Connection& connection, std::string_view text, const Map& parameters = {}) {
  ASSIGN_OR_RETURN(auto rows, connection.Query(text, parameters));
  return rows.at(0).at(0).AsInteger();
}

Status AskQuestions(Connection& connection, const MemoryData& data) {
  for (const Question& question : data.questions) {
    Heading(question.title);
    std::printf("   \"%s\"\n\n%s\n\n", question.question.c_str(), question.cypher.c_str());
    RETURN_IF_ERROR(Show(connection, question.cypher, ParametersOf(question)));
  }
  return Status::Ok();
}

Status ShowRefusals(Connection& connection, const MemoryData& data) {
  Heading("What is outside the vocabulary is refused when it commits");
  for (size_t i = 0; i < data.refused.size() && i < 3; ++i) {
    std::printf("%s\n", data.refused[i].cypher.c_str());
    Result<std::vector<Row>> rows = connection.Query(data.refused[i].cypher);
    if (rows.ok()) return Status(Code::kInternal, "'" + data.refused[i].title + "' was not refused");
    std::printf("%s-> %s%s\n\n", Colour() ? "\x1b[31m" : "", rows.status().ToString().c_str(), Colour() ? "\x1b[0m" : "");
  }
  return Status::Ok();
}

Status PullThePlug(const std::string& path) {
  Heading("A process that writes is killed with SIGKILL; what was acknowledged is there");
  ASSIGN_OR_RETURN(CrashResult crash, KillAWriter(path, 400));
  uint64_t start = MonotonicNanos();
  ASSIGN_OR_RETURN(auto database, Database::Open(path));
  double open_ms = MillisSince(start);
  auto connection = database->Connect();
  List numbers;
  for (int64_t n : crash.acknowledged) numbers.push_back(Value(n));
  ASSIGN_OR_RETURN(int64_t found, Count(*connection, "UNWIND $all AS n MATCH (m:Event {id: 'demo-' + toString(n)})-[:EXTRACTED_FROM]->() RETURN count(*)",
                                        Map({{"all", Value(numbers)}})));
  ASSIGN_OR_RETURN(int64_t all, Count(*connection, "MATCH (m:Event) WHERE m.n IS NOT NULL RETURN count(*)"));
  ASSIGN_OR_RETURN(int64_t whole, Count(*connection, "MATCH (m:Event)-[:EXTRACTED_FROM]->() WHERE m.n IS NOT NULL RETURN count(*)"));
  auto acknowledged = static_cast<int64_t>(crash.acknowledged.size());
  std::printf("acknowledged before the kill: %lld commits; found after reopening (%.1f ms): %lld; with the one that was under way: %lld; half ones: %lld\n",
              static_cast<long long>(acknowledged), open_ms, static_cast<long long>(found), static_cast<long long>(all), static_cast<long long>(all - whole));
  if (found != acknowledged || all != whole) return Status(Code::kInternal, "an acknowledged commit was lost or is there by half");
  RETURN_IF_ERROR(connection->Query("MATCH (m:Event) WHERE m.n IS NOT NULL DETACH DELETE m").status());
  connection.reset();
  return database->Close();
}

Status RunMemory(const std::string& path) {
  ASSIGN_OR_RETURN(MemoryData data, ReadMemoryData("examples/memory"));
  {
    ASSIGN_OR_RETURN(auto database, Database::Open(path));
    auto connection = database->Connect();
    Heading("A year of one person's memory, as an agent would keep it");
    uint64_t start = MonotonicNanos();
    RETURN_IF_ERROR(LoadSchema(*connection, data));
    RETURN_IF_ERROR(LoadRows(*connection, data));
    double ms = MillisSince(start);
    ASSIGN_OR_RETURN(int64_t nodes, Count(*connection, "MATCH (n) RETURN count(*)"));
    ASSIGN_OR_RETURN(int64_t relationships, Count(*connection, "MATCH ()-[r]->() RETURN count(*)"));
    std::printf("loaded %lld nodes, %lld relationships, durably, with their vectors, in %.0f ms\n\n", static_cast<long long>(nodes),
                static_cast<long long>(relationships), ms);
    if (nodes != static_cast<int64_t>(data.nodes) || relationships != static_cast<int64_t>(data.relationships)) {
      return Status(Code::kInternal, "not everything was loaded");
    }
    RETURN_IF_ERROR(Show(*connection, "MATCH (n) UNWIND labels(n) AS label WITH label, count(*) AS nodes WHERE label <> 'Memory' RETURN label, nodes ORDER BY nodes DESC, label"));
    RETURN_IF_ERROR(Show(*connection, "MATCH ()-[r]->() RETURN type(r) AS type, count(*) AS relationships ORDER BY relationships DESC, type"));
    Heading("Its schema");
    RETURN_IF_ERROR(Show(*connection, "SHOW INDEXES YIELD name, type, labelsOrTypes, properties, state"));
    RETURN_IF_ERROR(AskQuestions(*connection, data));
    RETURN_IF_ERROR(ShowRefusals(*connection, data));
    connection.reset();
    RETURN_IF_ERROR(database->Close());
  }
  RETURN_IF_ERROR(PullThePlug(path));
  ASSIGN_OR_RETURN(auto database, Database::Open(path));
  auto connection = database->Connect();
  Heading("The first question again, after the crash");
  RETURN_IF_ERROR(Show(*connection, data.questions[0].cypher, ParametersOf(data.questions[0])));
  connection.reset();
  return database->Close();
}

}  // namespace
}  // namespace fornix::demo

int main(int argc, char** argv) {
  using namespace fornix::demo;
  std::signal(SIGXFSZ, SIG_IGN);   // a file that may grow no further is an error of its write, not the end of the process
  if (argc == 4 && std::strcmp(argv[1], "--writer") == 0) return RunWriter(argv[2], std::atoi(argv[3]));
  std::string what = argc > 1 ? argv[1] : "memory";
  if (what != "memory" && what != "wordnet") {
    std::fprintf(stderr, "demo: '%s' is neither memory nor wordnet\n", what.c_str());
    return 2;
  }
  std::string folder = "build/demo";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::string path = folder + "/" + what + ".fornix";
  uint64_t start = fornix::MonotonicNanos();
  fornix::Status status = what == "memory" ? RunMemory(path) : RunWordnet(path);
  if (!status.ok()) return Fail(status);
  std::printf("\nThe demo took %.1f s. Look around in it: build/fornix %s\n", MillisSince(start) / 1e3, path.c_str());
  return 0;
}
