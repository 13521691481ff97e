// Oracles that need no second database: a query and others that must agree with it, on random graphs.
//
//   partition   rows = rows where p + rows where NOT p + rows where p IS NULL (ternary logic partitioning)
//   pattern     read from the other end, cut into parts, without a label (a superset), undirected = both directions less loops
//   rewriting   p AND q = q AND p = WITH * WHERE; {a: 1} = WHERE; IN = OR; NOT NOT; a subquery around it; EXISTS = COUNT > 0; LIMIT = a prefix
//   cut         the graph in parts without relationships between them: the count is the sum over the parts, whichever end says the part
//   plan        optimized or not, any batch size: the same rows
//   vectors     the nearest by the index under a condition = exact: true = a sort by similarity of all rows
//
//   test_oracles [--seed=N] [--graphs=N] [--queries=N]
// A difference prints the graph's script and both queries, and ends the program with 1.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "base/value_format.h"
#include "fornix/database.h"
#include "tests/model/generator.h"

namespace fornix::model {
namespace {

using Rows = std::vector<std::string>;   // sorted

// A chain of nodes and relationships, written from either end.
struct Chain {
  struct Hop {
    std::string name, types;      // r0, ":T|U"
    int direction = 0;            // +1 ->, -1 <-, 0 either
  };
  std::vector<std::string> labels;  // of node i: "", ":A", ":A|B"; it is named n<i>
  std::vector<Hop> hops;

  std::string NodeText(size_t i) const { return "(n" + std::to_string(i) + labels[i] + ")"; }
  std::string HopText(size_t i, bool reversed) const {
    const Hop& hop = hops[i];
    const int direction = reversed ? -hop.direction : hop.direction;
    return (direction < 0 ? "<-[" : "-[") + hop.name + hop.types + (direction > 0 ? "]->" : "]-");
  }
  std::string Forwards() const {
    std::string out = NodeText(0);
    for (size_t i = 0; i < hops.size(); ++i) out += HopText(i, false) + NodeText(i + 1);
    return out;
  }
  std::string Backwards() const {
    std::string out = NodeText(hops.size());
    for (size_t i = hops.size(); i-- > 0;) out += HopText(i, true) + NodeText(i);
    return out;
  }
  // Each hop a part of its own, in one MATCH, the last one first.
  std::string InParts() const {
    if (hops.empty()) return NodeText(0);
    std::string out;
    for (size_t i = hops.size(); i-- > 0;) out += (out.empty() ? "" : ", ") + NodeText(i) + HopText(i, false) + NodeText(i + 1);
    return out;
  }
  std::string Return() const {
    std::string out;
    for (size_t i = 0; i < labels.size(); ++i) out += (i == 0 ? "id(n" : ", id(n") + std::to_string(i) + ") AS i" + std::to_string(i);
    for (size_t i = 0; i < hops.size(); ++i) out += ", id(" + hops[i].name + ") AS j" + std::to_string(i);
    return out;
  }
};

class Oracles {
 public:
  Oracles(uint64_t seed, uint64_t queries) : seed_(seed), queries_(queries), generator_(seed), random_(seed ^ 0x5eed) {}
  uint64_t asked() const { return asked_; }
  uint64_t rows() const { return rows_; }
  uint64_t given_up() const { return given_up_; }

  bool Run() {
    auto opened = Database::Open(":memory:");
    if (!opened.ok()) return Fail("open: " + opened.status().ToString());
    database_ = std::move(*opened);
    connection_ = database_->Connect();
    const bool fine = Fill() && Ask();
    connection_.reset();
    return fine;
  }

 private:
  bool Fill() {
    auto run = [&](const std::string& text, const Map& parameters) {
      const auto result = connection_->Query(text, parameters);
      if (result.ok()) script_ += text + ";\n";       // what a rule refuses leaves nothing
    };
    for (const std::string& command : generator_.Schema()) run(command, {});
    for (int i = 0; i < 45; ++i) {
      const RandomStatement statement = generator_.Update(i < 30);
      if (!statement.schema) run(statement.text, statement.parameters);
    }
    // The graph's parts, found by passing the least number on until nothing changes.
    run("MATCH (n) SET n.part = id(n)", {});
    for (;;) {
      const auto changed = connection_->Query("MATCH (n)--(m) WITH n, min(m.part) AS least WHERE least < n.part SET n.part = least RETURN count(*)");
      if (!changed.ok()) return Fail("parts: " + changed.status().ToString());
      if ((*changed)[0][0].AsInteger() == 0) return true;
    }
  }

  bool Ask() {
    for (uint64_t i = 0; i < queries_; ++i) {
      const Chain chain = NewChain();
      const std::string condition = Condition(chain, 2);
      bool fine = true;
      switch (random_.Below(6)) {
        case 0: fine = Partition(chain, condition); break;
        case 1: fine = Patterns(chain, condition); break;
        case 2: fine = Rewriting(chain, condition); break;
        case 3: fine = Cut(chain, condition); break;
        case 4: fine = Vectors(); break;
        default: fine = Plans(chain, condition);
      }
      if (!fine) return false;
    }
    return true;
  }

  bool Partition(const Chain& chain, const std::string& condition) {
    const std::string match = (random_.OneIn(2) ? "MATCH " : "OPTIONAL MATCH (zero:Nowhere) MATCH ") + chain.Forwards(), end = " RETURN " + chain.Return();
    Rows all, parts;
    if (!Query(match + end, &all)) return false;
    for (const std::string& where : {condition, "NOT (" + condition + ")", "(" + condition + ") IS NULL"}) {
      Rows some;
      if (!Query(match + " WHERE " + where + end, &some)) return false;
      parts.insert(parts.end(), some.begin(), some.end());
    }
    std::sort(parts.begin(), parts.end());
    return Equal("partition by " + condition, match, all, "its parts", parts) && Sums(chain, condition, match);
  }
  // The same for counts, sums and extremes.
  bool Sums(const Chain& chain, const std::string& condition, const std::string& match) {
    const std::string value = "n" + std::to_string(random_.Below(chain.labels.size())) + ".k";
    const std::string end = " RETURN count(*) AS c, count(" + value + ") AS d, sum(" + value + ") AS s";
    int64_t all[3] = {}, parts[3] = {};
    auto add = [&](const std::string& text, int64_t* to) {
      const auto rows = connection_->Query(text);
      ++asked_;
      if (!rows.ok()) return Fail(text + ": " + rows.status().ToString());
      for (size_t i = 0; i < 3; ++i) to[i] += (*rows)[0][i].AsInteger();
      return true;
    };
    if (!add(match + end, all)) return false;
    for (const std::string& where : {condition, "NOT (" + condition + ")", "(" + condition + ") IS NULL"}) {
      if (!add(match + " WHERE " + where + end, parts)) return false;
    }
    return std::equal(all, all + 3, parts) || Fail("aggregates of the parts of " + match + " by " + condition + " differ: count " + std::to_string(all[0]) + " and " +
                                                   std::to_string(parts[0]) + ", sum " + std::to_string(all[2]) + " and " + std::to_string(parts[2]));
  }

  bool Patterns(const Chain& chain, const std::string& condition) {
    const std::string end = " WHERE " + condition + " RETURN " + chain.Return();
    Rows forwards, other;
    if (!Query("MATCH " + chain.Forwards() + end, &forwards)) return false;
    for (const std::string& text : {"MATCH " + chain.Backwards() + end, "MATCH " + chain.InParts() + end}) {
      if (!Query(text, &other) || !Equal("the same pattern", "MATCH " + chain.Forwards() + end, forwards, text, other)) return false;
    }
    Chain wider = chain;
    wider.labels[random_.Below(wider.labels.size())].clear();
    if (!Query("MATCH " + wider.Forwards() + end, &other)) return false;
    if (!std::includes(other.begin(), other.end(), forwards.begin(), forwards.end())) return Fail("fewer rows without a label: MATCH " + wider.Forwards() + end);
    if (chain.hops.empty()) return true;
    // Undirected is out and in, a loop once.
    const size_t at = random_.Below(chain.hops.size());
    Chain either = chain, out = chain, in = chain;
    either.hops[at].direction = 0, out.hops[at].direction = 1, in.hops[at].direction = -1;
    Rows both, outgoing, incoming;
    const std::string no_loop = " WHERE n" + std::to_string(at) + " <> n" + std::to_string(at + 1) + " AND (" + condition + ") RETURN " + chain.Return();
    if (!Query("MATCH " + either.Forwards() + end, &both) || !Query("MATCH " + out.Forwards() + end, &outgoing) ||
        !Query("MATCH " + in.Forwards() + no_loop, &incoming)) {
      return false;
    }
    outgoing.insert(outgoing.end(), incoming.begin(), incoming.end());
    std::sort(outgoing.begin(), outgoing.end());
    return Equal("both directions", "MATCH " + either.Forwards() + end, both, "out and in", outgoing);
  }

  bool Rewriting(const Chain& chain, const std::string& p) {
    const std::string q = Condition(chain, 1), match = "MATCH " + chain.Forwards(), end = " RETURN " + chain.Return();
    const std::string first = match + " WHERE (" + p + ") AND (" + q + ")" + end;
    Rows expected, other;
    if (!Query(first, &expected)) return false;
    const std::string node = "n" + std::to_string(random_.Below(chain.labels.size()));
    std::vector<std::string> same = {
        match + " WHERE (" + q + ") AND (" + p + ")" + end,
        match + " WHERE NOT (NOT (" + p + ") OR NOT (" + q + "))" + end,
        match + " WITH * WHERE " + p + " WITH * WHERE " + q + end,
        match + " WHERE CASE WHEN " + p + " THEN " + q + " ELSE false END" + end,
        "CALL () { " + match + " WHERE (" + p + ") AND (" + q + ")" + end + " } RETURN *",
        "UNWIND [1] AS one " + match + " WHERE (" + p + ") AND (" + q + ")" + end,
        match + " WHERE (" + p + ") AND (" + q + ") WITH collect([" + IdsOf(chain) + "]) AS all UNWIND all AS row RETURN " + FromList(chain),
    };
    for (const std::string& text : same) {
      if (!Query(text, &other) || !Equal("rewriting", first, expected, text, other)) return false;
    }
    // Two spellings of one test of a property.
    const std::string a = std::to_string(random_.Below(5)), b = std::to_string(random_.Below(5));
    const std::string tests[][2] = {{node + ".a IN [" + a + ", " + b + "]", node + ".a = " + a + " OR " + node + ".a = " + b},
                                    {node + ".a >= " + a + " AND " + node + ".a < " + b, a + " <= " + node + ".a < " + b},
                                    {node + ".s STARTS WITH 'x'", node + ".s >= 'x' AND " + node + ".s < 'y'"},
                                    {"EXISTS { (" + node + ")-->(:A) }", "COUNT { (" + node + ")-->(:A) } > 0"},
                                    {"NOT " + node + ":A", "NOT 'A' IN labels(" + node + ")"},
                                    {node + ".a <> " + a, "NOT " + node + ".a = " + a}};
    const auto& pair = tests[random_.Below(std::size(tests))];
    if (!Query(match + " WHERE " + pair[0] + end, &expected) || !Query(match + " WHERE " + pair[1] + end, &other) ||
        !Equal("two spellings", match + " WHERE " + pair[0], expected, pair[1], other)) {
      return false;
    }
    return Prefix(chain, match + " WHERE " + p, end);
  }
  // ORDER BY ... SKIP s LIMIT l is a piece of ORDER BY.
  bool Prefix(const Chain& chain, const std::string& reading, const std::string& end) {
    std::string order = " ORDER BY i0";
    for (size_t i = 1; i < chain.labels.size(); ++i) order += ", i" + std::to_string(i) + (random_.OneIn(2) ? " DESC" : "");
    for (size_t i = 0; i < chain.hops.size(); ++i) order += ", j" + std::to_string(i);
    const size_t skip = random_.Below(4), limit = random_.Below(6);
    Rows all, piece;
    if (!Query(reading + end + order, &all, false) ||
        !Query(reading + end + order + " SKIP " + std::to_string(skip) + " LIMIT " + std::to_string(limit), &piece, false)) {
      return false;
    }
    const size_t from = std::min(skip, all.size()), to = std::min(all.size(), from + limit);
    return Equal("a piece of the order", reading + end + order, Rows(all.begin() + static_cast<ptrdiff_t>(from), all.begin() + static_cast<ptrdiff_t>(to)), "SKIP and LIMIT", piece);
  }

  bool Cut(const Chain& chain, const std::string& condition) {
    const std::string match = "MATCH " + chain.Forwards() + " WHERE (" + condition + ")", last = "n" + std::to_string(chain.hops.size());
    auto count = [&](const std::string& text, int64_t* to) {
      const auto rows = connection_->Query(text);
      ++asked_;
      if (!rows.ok()) return Fail(text + ": " + rows.status().ToString());
      *to = (*rows)[0][0].AsInteger();
      return true;
    };
    const std::string third = std::to_string(random_.Below(3)), end = " RETURN count(*) AS c";
    int64_t all = 0, inside = 0, outside = 0, from_the_end = 0;
    if (!count(match + end, &all) || !count(match + " AND n0.part % 3 = " + third + end, &inside) || !count(match + " AND n0.part % 3 <> " + third + end, &outside) ||
        !count(match + " AND " + last + ".part % 3 = " + third + end, &from_the_end)) {
      return false;
    }
    return (all == inside + outside && inside == from_the_end) ||
           Fail("parts of the graph: " + match + ": " + std::to_string(all) + " in all, " + std::to_string(inside) + " and " + std::to_string(outside) + " by n0, " +
                std::to_string(from_the_end) + " by " + last);
  }

  bool Plans(const Chain& chain, const std::string& condition) {
    RandomStatement statement = generator_.Query();
    const std::string text = random_.OneIn(2) ? statement.text : "MATCH " + chain.Forwards() + " WHERE " + condition + " RETURN " + chain.Return();
    const Map parameters = text == statement.text ? statement.parameters : Map();
    Rows expected, other;
    bool first_ok = false;
    for (const bool optimize : {true, false}) {
      for (const uint32_t batch : {0u, 1u, 7u}) {
        ExecuteOptions options;
        options.optimize = optimize;
        options.batch_rows = batch;
        options.timeout = std::chrono::seconds(2);       // some of them multiply everything by everything: those say nothing here
        const bool first = optimize && batch == 0;
        const Status status = Fetch(text, parameters, options, first ? &expected : &other, true);
        ++asked_;
        if (status.code() == Code::kDeadlineExceeded) return ++given_up_, true;
        if (first) first_ok = status.ok();
        if (status.ok() != first_ok) return Fail("an error under one plan alone: " + text + ": " + status.ToString());
        if (!first && status.ok() && !Equal("plans", text, expected, optimize ? "another batch size" : "not optimized", other)) return false;
      }
    }
    return true;
  }

  // Graphs here are so small that the index looks at everything; what is compared is which elements may pass.
  bool Vectors() {
    const auto index = connection_->Query("SHOW VECTOR INDEXES YIELD name, options WHERE name = 'emb' RETURN options.indexConfig.`vector.similarity_function`");
    if (!index.ok()) return Fail("SHOW VECTOR INDEXES: " + index.status().ToString());
    if (index->empty() || (*index)[0][0].AsString() == "dot") return true;
    Chain one;
    one.labels = {""};
    std::string condition = Condition(one, 2);
    if (random_.OneIn(3)) condition = "(" + condition + ") AND " + (random_.OneIn(3) ? "NOT " : "") + "EXISTS { (n0)-[:T|U]-(:" + Label() + ") }";
    if (random_.OneIn(4)) condition = "n0.a IN [1, " + std::to_string(random_.Below(6)) + "]" + (random_.OneIn(2) ? " AND " + Condition(one, 1) : "");
    if (random_.OneIn(4)) condition = "n0:" + Label() + " AND (" + condition + ")";
    const std::string limit = std::to_string(1 + random_.Below(6));
    const Map parameters{{"q", Value(List{Value(1.0 + static_cast<double>(random_.Below(50))), Value(3.5), Value(1.0 + static_cast<double>(random_.Below(50)))})}};
    const std::string all = "CYPHER vectorSearch=exact MATCH (n0:A) WHERE n0.e IS NOT NULL AND (" + condition + ") RETURN id(n0) AS i, vector.similarity." +
                            (*index)[0][0].AsString() + "(n0.e, $q) AS s ORDER BY s DESC, i";
    const auto expected = connection_->Query(all, parameters);
    ++asked_;
    if (!expected.ok()) return Fail(all + ": " + expected.status().ToString());
    for (const std::string& text :
         {"MATCH (n0:A) SEARCH n0 IN (VECTOR INDEX emb FOR $q WHERE " + condition + " LIMIT " + limit + ") SCORE AS s RETURN id(n0) AS i, s",
          "CALL db.index.vector.queryNodes('emb', 100000, $q, {exact: true}) YIELD node AS n0, score AS s WITH n0, s WHERE " + condition + " RETURN id(n0) AS i, s LIMIT " + limit,
          "CALL db.index.vector.queryNodes('emb', 100000, $q, {ef: 100000}) YIELD node AS n0, score AS s WITH n0, s WHERE " + condition + " RETURN id(n0) AS i, s LIMIT " + limit}) {
      const auto found = connection_->Query(text, parameters);
      ++asked_;
      if (!found.ok()) return Fail(text + ": " + found.status().ToString());
      rows_ += found->size();
      if (found->size() != std::min(expected->size(), static_cast<size_t>(std::stoul(limit)))) {
        return Fail(text + "\ngives " + std::to_string(found->size()) + " rows, but of\n" + all + "\nthere are " + std::to_string(expected->size()));
      }
      for (size_t i = 0; i < found->size(); ++i) {
        const Row& row = (*found)[i];
        const auto same = std::find_if(expected->begin(), expected->end(), [&](const Row& e) { return e[0] == row[0]; });
        // Of equal ones any may be the last; scores of an index are floats.
        const double score = row[1].AsFloat();
        if (same != expected->end() && std::abs((*same)[1].AsFloat() - score) < 1e-5 && std::abs((*expected)[i][1].AsFloat() - score) < 1e-5) continue;
        return Fail(text + "\nrow " + std::to_string(i) + ": " + ToShortText(row[0]) + ", " + std::to_string(score) + " isn't what this says:\n" + all);
      }
    }
    return true;
  }

  std::string Label() {
    static constexpr const char* kLabels[] = {"A", "B", "C"};
    return kLabels[random_.Below(3)];
  }
  Chain NewChain() {
    Chain chain;
    const size_t hops = random_.Below(4);
    for (size_t i = 0; i <= hops; ++i) {
      const uint64_t kind = random_.Below(6);
      chain.labels.push_back(kind < 2 ? ":" + Label() : kind == 2 ? ":" + Label() + "|" + Label() : kind == 3 ? ":!" + Label() : "");
    }
    for (size_t i = 0; i < hops; ++i) {
      const char* types[] = {"", ":T", ":U", ":T|V"};
      chain.hops.push_back({"r" + std::to_string(i), types[random_.Below(4)], static_cast<int>(random_.Below(3)) - 1});
    }
    return chain;
  }

  // May be true, false or null.
  std::string Condition(const Chain& chain, int depth) {
    if (depth > 0 && random_.OneIn(2)) {
      static constexpr const char* kBetween[] = {" AND ", " OR ", " XOR "};
      if (random_.OneIn(4)) return "NOT (" + Condition(chain, depth - 1) + ")";
      return "(" + Condition(chain, depth - 1) + kBetween[random_.Below(3)] + Condition(chain, depth - 1) + ")";
    }
    auto node = [&] { return "n" + std::to_string(random_.Below(chain.labels.size())); };
    auto number = [&] { return std::to_string(random_.Below(6)); };
    static constexpr const char* kCompare[] = {" = ", " <> ", " < ", " <= ", " > ", " >= "};
    const std::string compare = kCompare[random_.Below(6)];
    switch (random_.Below(chain.hops.empty() ? 10 : 12)) {
      case 0: case 1: return node() + ".a" + compare + number();
      case 2: return node() + ".a" + compare + node() + ".a";
      case 3: return node() + ".a IN [" + number() + ", " + (random_.OneIn(2) ? "null" : number()) + "]";
      case 4: return node() + ".s" + compare + (random_.OneIn(2) ? "'xy'" : "'x'");
      case 5: return node() + ".s " + (random_.OneIn(2) ? "STARTS WITH 'x'" : "CONTAINS 'y'");
      case 6: return node() + ".m" + compare + (random_.OneIn(3) ? "1" : random_.OneIn(2) ? "true" : "'1'");
      case 7: return node() + ".k % " + std::to_string(2 + random_.Below(3)) + compare + number();
      case 8: return node() + (random_.OneIn(2) ? ".f IS NULL" : ".a IS NOT NULL");
      case 9: return node() + ":" + Label();
      case 10: return "r" + std::to_string(random_.Below(chain.hops.size())) + ".w" + compare + number();
      default: return "type(r" + std::to_string(random_.Below(chain.hops.size())) + ") = 'T'";
    }
  }

  std::string IdsOf(const Chain& chain) const {
    std::string out;
    for (size_t i = 0; i < chain.labels.size(); ++i) out += (i == 0 ? "id(n" : ", id(n") + std::to_string(i) + ")";
    for (const Chain::Hop& hop : chain.hops) out += ", id(" + hop.name + ")";
    return out;
  }
  std::string FromList(const Chain& chain) const {
    std::string out;
    const size_t nodes = chain.labels.size();
    for (size_t i = 0; i < nodes + chain.hops.size(); ++i) {
      out += (i == 0 ? "row[" : ", row[") + std::to_string(i) + "] AS " + (i < nodes ? "i" + std::to_string(i) : "j" + std::to_string(i - nodes));
    }
    return out;
  }

  Status Fetch(const std::string& text, const Map& parameters, const ExecuteOptions& options, Rows* out, bool sorted) {
    out->clear();
    ASSIGN_OR_RETURN(auto cursor, connection_->Execute(text, parameters, options));
    std::vector<Row> rows;
    while (!cursor->done()) RETURN_IF_ERROR(cursor->Fetch(1024, &rows));
    for (const Row& row : rows) {
      std::string line;
      for (const Value& value : row) line += (line.empty() ? "" : " | ") + ToText(value);
      out->push_back(std::move(line));
    }
    rows_ += rows.size();
    if (sorted) std::sort(out->begin(), out->end());
    return Status::Ok();
  }
  bool Query(const std::string& text, Rows* out, bool sorted = true) {
    ExecuteOptions options;
    options.batch_rows = random_.OneIn(3) ? 1 : 0;
    ++asked_;
    const Status status = Fetch(text, {}, options, out, sorted);
    return status.ok() || Fail(text + ": " + status.ToString());
  }

  bool Equal(const std::string& what, const std::string& a_text, const Rows& a, const std::string& b_text, const Rows& b) {
    if (a == b) return true;
    auto shown = [](const Rows& rows) {
      std::string out = std::to_string(rows.size()) + " rows";
      for (size_t i = 0; i < rows.size() && i < 20; ++i) out += "\n    " + rows[i];
      return out;
    };
    return Fail(what + "\n  " + a_text + ": " + shown(a) + "\n  " + b_text + ": " + shown(b));
  }
  bool Fail(const std::string& what) {
    std::printf("--- graph %llu ---\n%s--- differs: %s\nseed=%llu rerun: test_oracles --seed=%llu --graphs=1\n", static_cast<unsigned long long>(seed_), script_.c_str(),
                what.c_str(), static_cast<unsigned long long>(seed_), static_cast<unsigned long long>(seed_));
    return false;
  }

  uint64_t seed_, queries_;
  Generator generator_;
  Random random_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Connection> connection_;
  std::string script_;
  uint64_t asked_ = 0, rows_ = 0, given_up_ = 0;
};

}  // namespace
}  // namespace fornix::model

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  uint64_t seed = static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) % 1'000'000'000;
  if (const char* given = std::getenv("FORNIX_SEED")) seed = std::strtoull(given, nullptr, 10);
  uint64_t graphs = std::getenv("FORNIX_LONG") ? 300 : 60, queries = 60;
  for (int i = 1; i < argc; ++i) {
    for (const auto& [name, to] : {std::pair{"--seed=", &seed}, {"--graphs=", &graphs}, {"--queries=", &queries}}) {
      if (std::strncmp(argv[i], name, std::strlen(name)) == 0) *to = std::strtoull(argv[i] + std::strlen(name), nullptr, 10);
    }
  }
  std::printf("seed=%llu rerun: ./dev test model.oracles --seed=%llu\n", static_cast<unsigned long long>(seed), static_cast<unsigned long long>(seed));
  uint64_t asked = 0, rows = 0, given_up = 0, failed = 0;
  for (uint64_t i = 0; i < graphs && failed < 5; ++i) {
    fornix::model::Oracles oracles(seed + i, queries);
    failed += !oracles.Run();
    asked += oracles.asked();
    rows += oracles.rows();
    given_up += oracles.given_up();
  }
  std::printf("%llu queries on %llu graphs, %llu rows, %llu queries given up after 2 s; %llu graphs with a difference\n", static_cast<unsigned long long>(asked), static_cast<unsigned long long>(graphs),
              static_cast<unsigned long long>(rows), static_cast<unsigned long long>(given_up), static_cast<unsigned long long>(failed));
  return failed == 0 ? 0 : 1;
}
