// F12: hostile statements with limits of 256 MB and 2 s, one after the other, beside eight honest clients of the same database.
//
// Every hostile statement ends with its error by name within twice its limit, the next statement works, the honest clients get their
// answers, all of them right and none refused, and what the process holds comes back. 60 statements, 200 with FORNIX_LONG. Time is the
// processor's (cancel.h): a busy machine doesn't make a statement late.
#include <malloc.h>

#include <array>
#include <cstdlib>
#include <mutex>

#include "base/clock.h"
#include "base/random.h"
#include "engine/api/database_impl.h"
#include "tests/hostile/cancel.h"
#include "tests/hostile/graph.h"

namespace fornix::test {
namespace {

constexpr uint64_t kLimit = 256 * kMiB;
constexpr int64_t kTimeoutMillis = 2000;
constexpr size_t kHonest = 8;

// `#` is a number, other for every round.
const char* const kAttacks[] = {
    "UNWIND range(1, 1000) AS a UNWIND range(1, 1000) AS b UNWIND range(1, 1000) AS c CREATE (:X# {a: a})",
    "RETURN size([x IN range(1, 100000) | [y IN range(1, 100000 + #) | 1]])",
    "RETURN size(range(#, 9223372036854775807))",
    "RETURN size([x IN range(1, 33000000) | toString(x + #)])",
    "UNWIND range(1, 20000) AS a UNWIND range(1, 20000) AS b WITH collect([a, b, #]) AS l RETURN size(l) LIMIT 1",
    "MATCH (a:Leaf), (b:Leaf) WITH collect({a: a, b: b, n: #}) AS l RETURN l[0] LIMIT 1",
    "UNWIND range(1, 100000000) AS a WITH a ORDER BY a * 7919 % 1000003 + # RETURN collect(a)[0]",
    "UNWIND range(1, 100000000) AS a WITH DISTINCT toString(a + #) AS t RETURN count(t)",
    "UNWIND range(1, 100000000) AS a RETURN toString(a) AS k, collect(a + #) AS l ORDER BY k DESC LIMIT 3",
    "UNWIND range(1, 100000000) AS a RETURN count(DISTINCT a * 3 + #)",
    "UNWIND range(1, 100000000) AS a RETURN percentileDisc(a % 1000 + #, 0.7)",
    "MATCH (a:K)-[r:R*1..30]->(b:K) WHERE b.i <> # RETURN count(r)",
    "MATCH (a:K)-[r:R*]->(b:K) WHERE a.i = 1 WITH collect(r) AS l RETURN size(l) + #",
    "MATCH (a:K) ((x)-[:R]->(y) WHERE x.i <> #)+ (b) RETURN count(*)",
    "MATCH p = allShortestPaths((a:G {x: 0, y: 0})-[:D*]->(b:G {x: 39, y: 39 - # % 3})) RETURN count(p)",
    "RETURN size(reduce(s = 'ab', i IN range(1, 40 + #) | s + s))",
    "RETURN size(reduce(l = [1], i IN range(1, 40 + #) | l + l))",
    "WITH reduce(s = 'a', i IN range(1, 20) | s + s) AS s RETURN size(replace(s, 'a', s + #))",
    "WITH reduce(s = 'a,', i IN range(1, 24) | s + s) AS s RETURN size(split(s + #, ','))",
    "WITH reduce(s = '[],', i IN range(1, 23) | s + s) AS s RETURN size(apoc.convert.fromJsonList('[' + s + '#]'))",
    "UNWIND range(1, 100000) AS x WITH range(1, 20000 + x + #) AS a RETURN sum(size(a)), collect(a)",
    "RETURN size(COLLECT { UNWIND range(1, 100000000) AS x RETURN toString(x + #) })",
    "WITH reduce(s = 'a', i IN range(1, 19) | s + s) AS s UNWIND range(1, 1000000) AS z RETURN max(s =~ '(a+)+#$')",
    "WITH reduce(s = 'ab', i IN range(1, 13) | s + s) AS s UNWIND range(1, 1000000) AS z RETURN max(s =~ '.*a[ab]{400}x#')",
    "WITH reduce(s = 'a', i IN range(1, 24) | s + s) AS s UNWIND range(1, 1000000) AS z RETURN max(s =~ '(a|aa)*b#')",
    "WITH reduce(s = 'aa', i IN range(1, 24) | s + s) AS s UNWIND range(1, 1000000) AS z RETURN max(s CONTAINS (left(s, 5000000) + 'b#'))",
    "WITH range(1, 1000000) AS l UNWIND range(1, 5000) AS i WITH [l, i + #] AS k ORDER BY k DESC RETURN count(k)",
    "WITH range(1, 1000000) AS l UNWIND range(1, 5000) AS i RETURN count(DISTINCT [l, i + #])",
    "CALL { UNWIND range(1, 1000000) AS a CALL (a) { UNWIND range(1, 1000000) AS b CALL (b) { UNWIND range(1, 1000000) AS c RETURN c } RETURN b } RETURN a } RETURN count(a) + #",
    "UNWIND range(1, 1000000000) AS z MATCH (l:Leaf) WHERE l.text = 'no' + (z + #) RETURN count(l)",
    "UNWIND range(1, 1000000000) AS z MATCH (a:Leaf {n: z % 50000}), (b:K {i: # % 60 + 1}) MATCH p = shortestPath((a)-[*]-(b)) RETURN count(p)",
    "MATCH (a:Leaf), (b:Leaf), (c:Leaf) WHERE a.text = b.text AND b.text = c.text AND a.n <> # RETURN max(a.n + b.n + c.n)",
    "FOREACH (x IN range(1, 30000000) | CREATE (:X {x: x + #}))",
    "UNWIND range(1, 1000000000) AS z MERGE (:X {z: z + #})",
    "MATCH (l:Leaf) DETACH DELETE l WITH count(*) AS c UNWIND range(1, 1000000000) AS z RETURN max(z + #)",
    "MATCH (l:Leaf) UNWIND range(1, 100000) AS z SET l.m = z + # RETURN count(l)",
    "UNWIND range(1, 1000000000) AS z CALL (z) { CREATE (s:X {z: z + #}) DELETE s } IN TRANSACTIONS OF 500 ROWS",
    "UNWIND range(1, 1000000000) AS z CALL db.index.vector.queryNodes('emb', 500, [1.0, sin(z + #), 0.1, 0.2]) YIELD score RETURN max(score)",
    "UNWIND range(1, 1000000000) AS z RETURN max(reduce(a = 0, x IN range(1, 100000) | a + x % (z + #)))",
    "RETURN all(x IN range(1, 33000000) WHERE any(y IN range(1, 1000) WHERE y = x % 1000 + 1 + # * 0))",
    "MATCH p = (a:G {x: 0, y: 0})-[:D*]->(b:G) WHERE b.x <> # RETURN collect(p)",
    "MATCH (h:Hub)-->(l) WITH collect(l) AS ls UNWIND range(1, 100000) AS i WITH [x IN ls | {n: x.n + i + #}] AS m RETURN collect(m)",
    "UNWIND range(1, 1000000000) AS z WITH z ORDER BY z DESC SKIP 1000000000 - # RETURN z",
    "MATCH (a:A)-[:L]->(b:B), (a)-[p:PAR]->(c:C), (b)-[q:PAR]->(c) WITH p, q UNWIND range(1, 1000) AS z RETURN max(id(p) + id(q) * z + #)",
    "RETURN toUpper(range(1, 30000000 + #))",
    "WITH range(1, 8000000 + #) AS l RETURN l.name",
    "CREATE (:X {big: [x IN range(1, 12000000 + #) | x]})",
    "WITH reduce(s = 'ab', i IN range(1, 26) | s + s) AS s CREATE (:X {big: s + #})",
    "UNWIND range(1, 1000000) AS z RETURN apoc.convert.toJson([x IN range(1, 1000000) | {a: x, b: [x, z + #]}])",
    "UNWIND range(1, 1000000000) AS z RETURN z + #, [x IN range(1, 100) | toString(x)] AS t",
    "MATCH (a:K), (b:K), (c:K), (d:K), (e:K), (f:K) RETURN count([a, b, c, d, e, f]) + #",
    "MATCH (a:K)--(b)--(c)--(d)--(e)--(f)--(a) RETURN count(*) + #",
};

// The text of a deep or endless statement, made by a program as an attacker would.
std::string Long(size_t kind, size_t round) {
  std::string text = "RETURN ";
  const std::string n = std::to_string(round);
  switch (kind % 4) {
    case 0: for (int i = 0; i < 100'000; ++i) text += "("; return text + n;
    case 1: for (int i = 0; i < 120'000; ++i) text += "1 + "; return "UNWIND range(1, 100000000000) AS z WITH z WHERE z < 0 " + text + n;
    case 2: for (int i = 0; i < 60'000; ++i) text += "[" + n + "],"; return text + n;
    default: return "RETURN '" + std::string(17 << 20, 'x') + n + "'";
  }
}

std::string Numbered(std::string text, size_t round) {
  for (size_t at; (at = text.find('#')) != std::string::npos;) text.replace(at, 1, std::to_string(round));
  return text;
}

// A client that asks and writes small things, and knows all its answers.
class Honest {
 public:
  Honest(Database& database, size_t number) : connection_(database.Connect()), number_(number), random_(number + 1) {
    Expect("CREATE (:Honest {id: " + std::to_string(number) + ", n: 0}) RETURN 1", "1");
    thread_ = std::thread([this] {
      while (!stop_.load()) {
        Ask();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    });
  }
  // Everything it said, and that its own counter is what it counted.
  void Stop() {
    stop_.store(true);
    thread_.join();
    Expect("MATCH (h:Honest {id: " + std::to_string(number_) + "}) RETURN h.n", std::to_string(writes_));
  }
  uint64_t asked() const { return asked_; }
  const std::vector<std::string>& wrong() const { return wrong_; }

 private:
  void Ask() {
    const uint64_t i = random_.Below(50000) + 1;
    switch (random_.Below(6)) {
      case 0: return Expect("MATCH (l:Leaf {n: " + std::to_string(i) + "})<-[:H]-(h:Hub) RETURN l.n", std::to_string(i));
      case 1: return Expect("UNWIND range(1, " + std::to_string(i % 1000 + 1) + ") AS x RETURN sum(x)", std::to_string((i % 1000 + 1) * (i % 1000 + 2) / 2));
      case 2: return Expect("MATCH (a:K {i: " + std::to_string(i % 60 + 1) + "})-[:R]->(b) RETURN count(b)", "59");
      case 3: return Expect("MATCH p = shortestPath((a:G {x: 0, y: 0})-[:D*]->(b:G {x: 7, y: " + std::to_string(i % 20) + "})) RETURN length(p)", std::to_string(7 + i % 20));
      case 4: return Expect("MATCH (l:Leaf) WHERE l.n >= " + std::to_string(i) + " RETURN count(l)", std::to_string(50001 - i));
      default:
        Expect("MATCH (h:Honest {id: " + std::to_string(number_) + "}) SET h.n = h.n + 1 RETURN h.n", std::to_string(writes_ + 1));
        ++writes_;
    }
  }
  void Expect(const std::string& text, const std::string& answer) {
    const auto rows = connection_->Query(text);
    ++asked_;
    const std::string got = !rows.ok() ? rows.status().ToString() : rows->size() != 1 ? std::to_string(rows->size()) + " rows" : ToText((*rows)[0][0]);
    if (got != answer) wrong_.push_back(text + ": " + got + " instead of " + answer);
  }

  std::unique_ptr<Connection> connection_;
  const size_t number_;
  Random random_;
  uint64_t asked_ = 0, writes_ = 0;
  std::vector<std::string> wrong_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

bool IsNamed(Code code) {
  return code == Code::kResourceExhausted || code == Code::kDeadlineExceeded || code == Code::kLimitExceeded || code == Code::kTypeError ||
         code == Code::kSyntaxError;
}

}  // namespace

TEST_CASE("hostile statements end by name in twice their time, beside honest clients who notice nothing") {
  DatabaseOptions options;
  options.memory_bytes_max = 2048 * kMiB;
  Session s(":memory:", options);
  MakeHostileGraph(s);
  const MemoryBudget& budget = *engine::CoreOf(*s.database).budget;
  const uint64_t budget_base = budget.used(MemoryUse::kQueries);
  malloc_trim(0);
  const uint64_t base = ResidentBytes();
  std::vector<std::unique_ptr<Honest>> clients;
  for (size_t i = 0; i < kHonest; ++i) clients.push_back(std::make_unique<Honest>(*s.database, i));
  uint64_t growth_most = 0, left_most = 0;
  auto attacker = s.database->Connect();
  ExecuteOptions execute;
  execute.memory_bytes_max = kLimit;
  execute.timeout = std::chrono::milliseconds(kTimeoutMillis);

  const size_t kinds = std::size(kAttacks) + 4, count = std::getenv("FORNIX_LONG") != nullptr ? 200 : kSanitized ? kinds : 60;
  constexpr uint64_t kBack = (64 + 4 * kHonest) * kMiB;   // the C library keeps an arena for each client's thread
  double worst_ms = 0, next_ms = 0;
  std::array<size_t, 3> ends{};                  // by memory, by time, by another limit
  for (size_t i = 0; i < count; ++i) {
    const size_t kind = i % kinds;
    const std::string text = kind < std::size(kAttacks) ? Numbered(kAttacks[kind], i / kinds + 1) : Long(kind - std::size(kAttacks), i);
    INFO(text.substr(0, 300));
    ResidentWatch watch;
    const Outcome outcome = RunAndCancel(*attacker, text, {}, execute, -1);
    const uint64_t growth = watch.Growth();
    engine::CoreOf(*s.database).reaper->Await();
    // What the clients hold for a moment keeps pages from the system: it is back when it once is.
    uint64_t left = ~uint64_t{0};
    for (int look = 0; look < 100 && left > kBack; ++look) {
      if (look > 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      malloc_trim(0);
      const uint64_t after = ResidentBytes();
      left = after > base ? after - base : 0;
    }
    growth_most = std::max(growth_most, growth);
    left_most = std::max(left_most, left);
    INFO("grew by " << growth / kMiB << " MiB, " << left / kMiB << " MiB were left");
    if (!kSanitized) {
      CHECK(growth <= kLimit + kLimit / 4 + 64 * kMiB);   // a quarter: what malloc adds to small pieces
      CHECK(left <= kBack);
    }
    const double ms = static_cast<double>(outcome.ran_ns) / 1e6;
    INFO(outcome.status.ToString().substr(0, 1000) << " after " << ms << " ms of work");
    CHECK(IsNamed(outcome.status.code()));
    CHECK(outcome.status.message().size() < 4096);
    CHECK(ms <= 2.0 * kTimeoutMillis);
    worst_ms = std::max(worst_ms, ms);
    ends[outcome.status.code() == Code::kResourceExhausted ? 0 : outcome.status.code() == Code::kDeadlineExceeded ? 1 : 2]++;
    const Outcome next = RunAndCancel(*attacker, "RETURN 1", {}, {}, -1);
    CHECK(next.status.ok());
    next_ms = std::max(next_ms, static_cast<double>(next.ran_ns) / 1e6);
  }
  CHECK(next_ms < (kSanitized ? 1000 : 100));
  uint64_t asked = 0;
  for (auto& client : clients) {
    client->Stop();
    asked += client->asked();
    for (const std::string& wrong : client->wrong()) {
      INFO(wrong);
      CHECK(false);
    }
  }
  CHECK(asked > kHonest * 10);
  attacker.reset();
  clients.clear();
  CHECK(s.One("MATCH (x:X) RETURN count(x)") == "0");
  CHECK(s.One("MATCH (l:Leaf) RETURN count(l)") == "50000");
  CHECK(budget.used(MemoryUse::kQueries) == budget_base);
  std::printf("F12: %zu hostile statements (%zu ended by memory, %zu by time, %zu by another limit), the longest %.0f ms of work, beside %llu honest answers; "
              "the process grew by %llu MiB at most, %llu MiB at most were left\n",
              count, ends[0], ends[1], ends[2], worst_ms, static_cast<unsigned long long>(asked), static_cast<unsigned long long>(growth_most / kMiB),
              static_cast<unsigned long long>(left_most / kMiB));
}

}  // namespace fornix::test
