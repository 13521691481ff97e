// Statements, and parameters of given statements. Each input is asked of one small graph inside a transaction that is rolled back, so
// the same bytes do the same; one input in four that writes is run again in a database of its own, up to its commit.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string_view>

#include "fornix/database.h"
#include "tests/fuzz/target.h"

namespace fornix::fuzz {
namespace {

constexpr size_t kRowsMax = 5'000;
constexpr size_t kStatementsADatabase = 4'096;   // names stay when a transaction is rolled back: a new one now and then

struct Session {
  std::unique_ptr<Database> database;
  std::unique_ptr<Connection> connection;
};

Session NewSession() {
  DatabaseOptions options;
  options.memory_bytes_max = uint64_t{128} << 20;
  Session session;
  auto opened = Database::Open(":memory:", options);
  Expect(opened.ok(), opened.status().ToString());
  session.database = std::move(opened).value();
  session.connection = session.database->Connect();
  for (const std::string_view statement : {
           "CREATE CONSTRAINT company_name FOR (c:Company) REQUIRE c.name IS UNIQUE",
           "CREATE INDEX person_age FOR (p:Person) ON (p.age)",
           "CREATE INDEX person_both FOR (p:Person) ON (p.name, p.age)",
           "CREATE INDEX since FOR ()-[r:KNOWS]-() ON (r.since)",
           "CREATE VECTOR INDEX thoughts FOR (t:Thought) ON (t.embedding) OPTIONS {indexConfig: {`vector.dimensions`: 3, `vector.similarity_function`: 'cosine'}}",
           "UNWIND range(0, 7) AS i CREATE (:Person:Known {name: 'p' + i, age: 20 + i * 3, tags: ['a', 'b'][0..i % 3], born: date('1990-01-01') + duration({days: i})})",
           "CREATE (:Company {name: 'Acme', at: point({x: 1.5, y: 2}), since: datetime('2020-02-29T12:00:00.5[Europe/Stockholm]'), size: 1e9}), (:Company {name: ''}), ()",
           "UNWIND [[1, 0, 0], [0, 1, 0], [0.6, 0.8, 0], [-1, 0, 1]] AS v CREATE (:Thought {embedding: v, text: toString(v[0])})",
           "MATCH (a:Person), (b:Person) WHERE a.age < b.age AND (a.age + b.age) % 7 < 3 CREATE (a)-[:KNOWS {since: a.age, weight: 0.5}]->(b)",
           "MATCH (a:Person {name: 'p1'}) CREATE (a)-[:KNOWS]->(a), (a)-[:LIKES]->(:Thing {list: [1, 2.5], text: 'long ' + reduce(s = 'x', i IN range(1, 8) | s + s)})",
           "MATCH (p:Person), (c:Company {name: 'Acme'}) WHERE p.age > 30 CREATE (p)-[:WORKS_AT {from: date('2020-01-01'), for: duration('P1Y2M3DT4.5S')}]->(c)"}) {
    const auto rows = session.connection->Query(statement);
    Expect(rows.ok(), std::string(statement) + ": " + rows.status().ToString());
  }
  return session;
}

// An error has a place inside the text or none, is told in UTF-8, has its codes, and isn't our own mistake.
void Judge(const Status& status, std::string_view text) {
  if (status.ok()) return;
  Expect(status.code() != Code::kInternal, status.ToString());
  Expect(!status.message().empty() && !status.gql_status().empty() && !status.neo4j_code().empty(), "an error without a message or a code");
  const auto lines = static_cast<uint64_t>(1 + std::count(text.begin(), text.end(), '\n') + std::count(text.begin(), text.end(), '\r'));
  Expect(status.position().line <= lines, "line " + std::to_string(status.position().line) + " of " + std::to_string(lines) + ": " + status.ToString());
  const std::string& message = status.message();
  for (size_t i = 0; i < message.size();) {
    const auto first = static_cast<uint8_t>(message[i]);
    const size_t n = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
    bool right = n != 0 && i + n <= message.size();
    for (size_t k = 1; right && k < n; ++k) right = (static_cast<uint8_t>(message[i + k]) & 0xC0) == 0x80;
    Expect(right, "a message that is no UTF-8 at byte " + std::to_string(i) + ": " + message);
    i += n;
  }
}

ExecuteOptions Limits() {
  ExecuteOptions options;
  options.timeout = std::chrono::milliseconds(150);
  options.memory_bytes_max = uint64_t{48} << 20;
  return options;
}

// Runs it to its end, or to kRowsMax rows.
Status Run(Connection& connection, std::string_view text, const Map& parameters) {
  ASSIGN_OR_RETURN(const auto cursor, connection.Execute(text, parameters, Limits()));
  std::vector<Row> rows;
  for (size_t seen = 0; seen < kRowsMax && !cursor->done(); seen += rows.size()) {
    rows.clear();
    RETURN_IF_ERROR(cursor->Fetch(500, &rows));
    for (const Row& row : rows) {
      Expect(row.size() == cursor->columns().size(), "a row with another number of columns than the header");
      for (const Value& value : row) Expect(value.MemoryBytes() >= sizeof(Value) && value == value, "a value that isn't itself");
    }
  }
  return Status::Ok();
}

std::string Count(Connection& connection) {
  const auto rows = connection.Query(
      "MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN count(DISTINCT n) AS nodes, count(r) AS relationships, "
      "sum(size(keys(n))) AS properties, sum(size(labels(n))) AS labels");
  Expect(rows.ok() && rows->size() == 1, "no count: " + rows.status().ToString());
  std::string out;
  for (const Value& value : rows->front()) out += std::to_string(value.AsInteger()) + " ";
  return out;
}

void Ask(std::string_view text, const Map& parameters, bool commits) {
  static Session shared;
  static std::string before;
  static size_t asked = 0;
  if (asked++ % kStatementsADatabase == 0) {
    shared = {};                                  // connections before the database
    shared = NewSession();
    before = Count(*shared.connection);
  }
  Connection& connection = *shared.connection;
  const auto prepared = connection.Prepare(text);
  Judge(prepared.status(), text);
  if (!prepared.ok()) {
    const Status again = Run(connection, text, parameters);
    Expect(!again.ok(), "refused by Prepare and run by Execute: " + prepared.status().ToString());
    Judge(again, text);
    return;
  }
  const bool reads = (*prepared)->query_type() == QueryType::kRead;
  Judge(Run(connection, "EXPLAIN " + std::string(text), parameters), text);
  Expect(connection.Begin().ok(), "no transaction");
  Judge(Run(connection, text, parameters), text);
  Expect(connection.Rollback().ok(), "no rollback");
  if (reads) Judge(Run(connection, text, parameters), text);
  // What a transaction left is seen at once, or by nobody.
  if (!reads) Expect(Count(connection) == before, "a rolled back transaction left something: " + Count(connection) + "instead of " + before);
  if (reads || !commits) return;
  const Session own = NewSession();
  Judge(Run(*own.connection, text, parameters), text);
  (void)Count(*own.connection);
}

// --- Parameters -------------------------------------------------------------------------------------------------------------

constexpr std::array kStatements = {
#include "tests/fuzz/parameter_statements.inc"
};

Value AnyValue(Input& in, int depth);

List AnyList(Input& in, int depth) {
  List out;
  for (size_t n = in.U8() % 16; n-- > 0;) out.push_back(AnyValue(in, depth));
  return out;
}

std::string AnyText(Input& in) {
  const size_t n = in.U8();
  const std::string_view known[] = {"", "p1", "Acme", "KNOWS", "Person", "2020-02-29", "P1Y2M", "12:00", "+01:00", "Europe/Stockholm", "thoughts", "cosine", "1e309", "\0x", "İß"};
  if (n < std::size(known)) return std::string(known[n]);
  const auto bytes = in.Bytes(n < 250 ? n - std::size(known) : size_t{in.U16()});
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

double AnyFloat(Input& in) {
  const double known[] = {0.0, -0.0, 1.0, NAN, -NAN, INFINITY, -INFINITY, 5e-324, 1.7976931348623157e308, 9223372036854775808.0, -9223372036854775808.0, 0.1};
  const uint8_t which = in.U8();
  if (which < std::size(known)) return known[which];
  return std::bit_cast<double>(in.Little(8));
}

int64_t AnyInteger(Input& in) {
  const int64_t known[] = {0, 1, -1, INT64_MAX, INT64_MIN, int64_t{1} << 53, 255, -129, 86'400'000'000'000};
  const uint8_t which = in.U8();
  if (which < std::size(known)) return known[which];
  return which < 128 ? static_cast<int8_t>(in.U8()) : static_cast<int64_t>(in.Little(8));
}
int32_t SmallNanos(Input& in) { return static_cast<int32_t>(in.Little(4) % 1'000'000'000); }
int32_t Offset(Input& in) { return static_cast<int32_t>(in.U16() % (36 * 3600)) - 18 * 3600; }

// What a client may send: also what no literal can be. Temporal values within the limits that value.h states.
Value AnyValue(Input& in, int depth) {
  switch (in.U8() % (depth <= 0 ? 16 : 20)) {
    case 0: return {};
    case 1: return Value((in.U8() & 1) != 0);
    case 2: case 3: return Value(AnyInteger(in));
    case 4: case 5: return Value(AnyFloat(in));
    case 6: case 7: return Value(AnyText(in));
    case 8: return Value::Bytes(AnyText(in));
    case 9: return Value(Date{static_cast<int64_t>(in.Little(8)) % 365'000'000'000});
    case 10: return Value(LocalTime{static_cast<int64_t>(in.Little(8) % 86'400'000'000'000)});
    case 11: return Value(Time{static_cast<int64_t>(in.Little(8) % 86'400'000'000'000), Offset(in)});
    case 12: return Value(LocalDateTime{static_cast<int64_t>(in.Little(8)) % 31'000'000'000'000'000, SmallNanos(in)});
    case 13: {
      DateTime time{static_cast<int64_t>(in.Little(8)) % 31'000'000'000'000'000, SmallNanos(in), Offset(in), {}};
      return Value(std::move(time));
    }
    case 14: return Value(Duration{AnyInteger(in), AnyInteger(in), AnyInteger(in), SmallNanos(in)});
    case 15: {
      constexpr int32_t kSrids[] = {7203, 9157, 4326, 4979, 0, -1};
      return Value(Point{kSrids[in.U8() % std::size(kSrids)], AnyFloat(in), AnyFloat(in), AnyFloat(in)});
    }
    case 16: {
      std::vector<float> elements;
      for (size_t n = in.U8() % 8; n-- > 0;) elements.push_back(static_cast<float>(AnyFloat(in)));
      return Value::Vector(std::move(elements));
    }
    case 17: {
      // Deep ones, as nobody types them.
      Value value = AnyValue(in, 0);
      for (size_t n = in.U8() % 160; n-- > 0;) value = Value(List{std::move(value)});
      return value;
    }
    case 18: return Value(AnyList(in, depth - 1));
    default: {
      std::vector<Map::Entry> entries;
      for (size_t n = in.U8() % 8; n-- > 0;) {
        std::string key = AnyText(in);
        entries.emplace_back(std::move(key), AnyValue(in, depth - 1));
      }
      return Value(Map::FromEntries(std::move(entries)));
    }
  }
}

}  // namespace

void FuzzQuery(std::span<const uint8_t> input) {
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  Ask(text, Map({{"p", Value("p1")}, {"n", Value(3)}, {"list", Value(List{Value(1), Value(2.5), Value()})}, {"map", Value(Map({{"name", Value("x")}, {"age", Value(5)}}))}}),
      std::hash<std::string_view>()(text) % 4 == 0);
}

void FuzzParameters(std::span<const uint8_t> input) {
  Input in(input);
  const std::string_view text = kStatements[in.U8() % kStatements.size()];
  const bool commits = in.U8() % 4 == 0;
  Map parameters;
  for (const std::string_view name : {"p", "q", "r"}) parameters.Set(name, AnyValue(in, 3));
  Ask(text, parameters, commits);
}

}  // namespace fornix::fuzz
