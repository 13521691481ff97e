// The other process of the tests in this folder: opens a database and does one thing, told by its arguments. What it has to say goes
// to standard output, a line each; it ends when its standard input does.
//
//   write PATH FIRST   commits pairs FIRST, FIRST + 1, ... one transaction each, and prints each number when it is acknowledged;
//                      closes cleanly when standard input ends
//   read PATH          reads again and again, prints "wrong: ..." if a transaction is there by half or something went back;
//                      when standard input ends it looks once more and prints "saw N" (pairs)
//   hold PATH          opens for writing and prints "open"
//   open PATH          opens for reading, prints "read N" or the error
//   commit PATH        opens for writing, commits one node, prints "committed" or the error
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "fornix/database.h"

namespace {

using namespace fornix;

bool InputEnded() {
  pollfd in{STDIN_FILENO, POLLIN, 0};
  char c;
  return poll(&in, 1, 0) > 0 && read(STDIN_FILENO, &c, 1) <= 0;
}
void AwaitInputEnd() {
  char c;
  while (read(STDIN_FILENO, &c, 1) > 0) {}
}

int Say(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
  return line.starts_with("error") || line.starts_with("wrong") ? 1 : 0;
}
int Say(const Status& status) { return Say("error " + std::to_string(static_cast<int>(status.code())) + " " + status.message()); }

int Write(const std::string& path, int64_t first) {
  DatabaseOptions options;
  options.log_segment_bytes = 64 << 10;
  auto database = Database::Open(path, options);
  if (!database.ok()) return Say(database.status());
  {
    auto connection = (*database)->Connect();
    for (int64_t n = first; !InputEnded(); ++n) {
      // A pair, the running total, and an old pair less now and then: a transaction is more than one write.
      for (const char* text : {"CREATE (:Left {n: $n, pad: 'abcdefghijklmnopqrstuvwxyz'})-[:PAIR {n: $n}]->(:Right {n: $n})",
                               "MATCH (t:Total) SET t.n = t.n + 1"}) {
        if (text[0] == 'C' && !connection->Begin().ok()) return Say("error begin");
        auto rows = connection->Query(text, Map({{"n", Value(n)}}));
        if (!rows.ok()) return Say(rows.status());
      }
      auto committed = connection->Commit();
      if (!committed.ok()) return Say(committed.status());
      Say(std::to_string(n));
      if (n % 16 == 15) {                          // checkpoints, so that space is used again under the readers
        auto made = (*database)->Checkpoint();
        if (!made.ok()) return Say(made.status());
      }
    }
  }
  const Status closed = (*database)->Close();
  return closed.ok() ? 0 : Say(closed);
}

int Read(const std::string& path) {
  DatabaseOptions options;
  options.read_only = true;
  auto database = Database::Open(path, options);
  if (!database.ok()) return Say(database.status());
  auto connection = (*database)->Connect();
  int64_t before = 0;
  for (bool last = false;; last = InputEnded()) {
    // In one transaction: what it sees must fit together, and stay.
    TransactionOptions reading;
    reading.read_only = true;
    if (Status status = connection->Begin(reading); !status.ok()) return Say(status);
    int64_t counts[5];
    int i = 0;
    for (const char* text : {"MATCH (t:Total) RETURN t.n", "MATCH (l:Left)-[p:PAIR]->(r:Right) WHERE l.n = p.n AND p.n = r.n RETURN count(*)",
                             "MATCH (l:Left) RETURN count(*)", "MATCH ()-[p:PAIR]->() RETURN count(*)", "MATCH (t:Total) RETURN t.n"}) {
      auto rows = connection->Query(text);
      if (!rows.ok()) return Say(rows.status());
      counts[i++] = (*rows)[0][0].AsInteger();
    }
    if (auto done = connection->Commit(); !done.ok()) return Say(done.status());
    for (int64_t count : counts) {
      if (count != counts[0]) {
        return Say("wrong: the total says " + std::to_string(counts[0]) + ", pairs " + std::to_string(counts[1]) + ", left " +
                   std::to_string(counts[2]) + ", relationships " + std::to_string(counts[3]) + ", the total later " + std::to_string(counts[4]));
      }
    }
    if (counts[0] < before) return Say("wrong: " + std::to_string(counts[0]) + " pairs after " + std::to_string(before));
    before = counts[0];
    if (last) return Say("saw " + std::to_string(before));
  }
}

int Hold(const std::string& path) {
  auto database = Database::Open(path);
  if (!database.ok()) return Say(database.status());
  Say("open");
  AwaitInputEnd();
  return (*database)->Close().ok() ? 0 : 1;
}

int OpenReading(const std::string& path) {
  DatabaseOptions options;
  options.read_only = true;
  auto database = Database::Open(path, options);
  if (!database.ok()) return Say(database.status());
  auto rows = (*database)->Connect()->Query("MATCH (n) RETURN count(*)");
  if (!rows.ok()) return Say(rows.status());
  return Say("read " + std::to_string((*rows)[0][0].AsInteger()));
}

int CommitOne(const std::string& path) {
  auto database = Database::Open(path);
  if (!database.ok()) return Say(database.status());
  auto rows = (*database)->Connect()->Query("CREATE (:Committed)");
  if (!rows.ok()) return Say(rows.status());
  const Status closed = (*database)->Close();
  return closed.ok() ? Say("committed") : Say(closed);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string what = argv[1], path = argv[2];
  if (what == "write" && argc == 4) return Write(path, std::atoll(argv[3]));
  if (what == "read") return Read(path);
  if (what == "hold") return Hold(path);
  if (what == "open") return OpenReading(path);
  if (what == "commit") return CommitOne(path);
  return 2;
}
