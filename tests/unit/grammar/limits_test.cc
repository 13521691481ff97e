// Hostile and very large texts: a clear answer in little time, and the process lives on.
#include <catch2/catch.hpp>
#include <pthread.h>

#include <ctime>
#include <functional>
#include <thread>

#include "base/limits.h"
#include "grammar/parse.h"
#include "grammar/print_ast.h"

using namespace fornix;

namespace {
std::string Repeat(std::string_view text, size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}
double MillisOf(const std::function<void()>& run) {
  std::clock_t start = std::clock();  // of the processor, so that a busy machine changes nothing
  run();
  return 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}
Status StatusOf(std::string_view text) { return grammar::Parse(text).status(); }

// Every way to nest, as (before, after) of an innermost 1.
struct Nest {
  const char* name;
  const char* before;
  const char* after;
};
constexpr Nest kNests[] = {{"parentheses", "(", ")"}, {"lists", "[", "]"}, {"maps", "{a: ", "}"}, {"NOT", "NOT ", ""}, {"minus", "- ", ""},
                           {"CASE", "CASE WHEN true THEN ", " END"}, {"comprehensions", "[x IN ", " | x]"}, {"functions", "f(", ")"},
                           {"subscripts", "x[", "]"}};
std::string Nested(const Nest& nest, size_t depth) { return "RETURN " + Repeat(nest.before, depth) + "1" + Repeat(nest.after, depth); }

void OnSmallStack(size_t bytes, const std::function<void()>& run) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  REQUIRE(pthread_attr_setstacksize(&attributes, bytes) == 0);
  pthread_t thread;
  auto start = [](void* f) -> void* { (*static_cast<const std::function<void()>*>(f))(); return nullptr; };
  REQUIRE(pthread_create(&thread, &attributes, start, const_cast<std::function<void()>*>(&run)) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t kSmallStack = size_t{8} << 20;   // frames are several times larger
constexpr double kSlowdown = 20;
#elif defined(FORNIX_DEBUG)
constexpr size_t kSmallStack = size_t{1} << 20;
constexpr double kSlowdown = 5;
#else
constexpr size_t kSmallStack = size_t{1} << 20;
constexpr double kSlowdown = 1;
#endif
}  // namespace

TEST_CASE("nesting to the limit works on a small stack") {
  for (const Nest& nest : kNests) {
    Status status(Code::kInternal, "not run");
    OnSmallStack(kSmallStack, [&] { status = StatusOf(Nested(nest, kNestingMax)); });
    INFO(nest.name);
    INFO(status.ToString());
    CHECK(status.ok());
  }
}

TEST_CASE("nesting beyond the limit is refused before the parser runs") {
  for (const Nest& nest : kNests) {
    for (size_t depth : {kNestingMax + 1, size_t{4'000}, size_t{1'000'000}}) {
      std::string text = Nested(nest, depth);
      if (text.size() > kQueryBytesMax) text = "RETURN " + Repeat(nest.before, depth / 4);
      Status status;
      double millis = MillisOf([&] { status = StatusOf(text); });
      INFO(nest.name << " " << depth << " in " << millis << " ms");
      CHECK(status.code() == Code::kLimitExceeded);
      CHECK(millis < 100 * kSlowdown * (text.size() > (size_t{4} << 20) ? 4 : 1));
    }
  }
}

TEST_CASE("subqueries nest to the limit and no further") {
  auto calls = [](size_t depth) { return Repeat("CALL { ", depth) + "RETURN 1 AS x" + Repeat(" } RETURN x", depth); };
  auto exists = [](size_t depth) { return "RETURN " + Repeat("EXISTS { MATCH () WHERE ", depth) + "true" + Repeat(" }", depth) + " AS x"; };
  OnSmallStack(kSmallStack, [&] { CHECK(StatusOf(calls(100)).ok()); });
  OnSmallStack(kSmallStack, [&] { CHECK(StatusOf(exists(100)).ok()); });
  CHECK(StatusOf(calls(kNestingMax + 1)).code() == Code::kLimitExceeded);
  CHECK(StatusOf(exists(kNestingMax + 1)).code() == Code::kLimitExceeded);
  CHECK(StatusOf(calls(4'000)).code() == Code::kLimitExceeded);
}

TEST_CASE("chains of properties and of tests can't make a tree of any depth") {
  CHECK(StatusOf("RETURN n" + Repeat(".a", 100)).ok());
  CHECK(StatusOf("RETURN n" + Repeat(".a", 100'000)).code() == Code::kLimitExceeded);
  CHECK(StatusOf("RETURN n" + Repeat("[0]", 100'000)).code() == Code::kLimitExceeded);
  CHECK(StatusOf("RETURN n" + Repeat(" IS NULL", 50'000)).code() == Code::kLimitExceeded);
  CHECK(StatusOf("RETURN n" + Repeat(" IN x", 50'000)).code() == Code::kLimitExceeded);
  CHECK(StatusOf("RETURN n" + Repeat(" = 1 + 2 * 3", 5'000)).ok());
}

TEST_CASE("ten thousand terms of one operator work") {
  for (const char* op : {" AND ", " OR ", " XOR ", " + ", " - ", " * ", " ^ ", " = ", " || "}) {
    OnSmallStack(kSmallStack, [&] {
      auto result = grammar::Parse("RETURN a" + Repeat(std::string(op) + "a", 9'999));
      INFO(op << result.status().ToString());
      REQUIRE(result.ok());
      CHECK((*result)->query->parts[0].clauses[0]->projection.items[0].expr->args.size() == 10'000);
    });
  }
}

TEST_CASE("wide texts work: parts of UNION, labels, clauses") {
  CHECK(StatusOf("RETURN 1 AS x" + Repeat(" UNION ALL RETURN 1 AS x", 9'999)).ok());
  CHECK(StatusOf("CREATE (n" + Repeat(":Label", 5'000) + ")").ok());
  CHECK(StatusOf(Repeat("CREATE (:A {x: 1}) ", 5'000)).ok());
}

TEST_CASE("a pattern holds at most a thousand elements") {
  CHECK(StatusOf("MATCH (a)" + Repeat("-->()", 499) + " RETURN 1").ok());
  CHECK(StatusOf("MATCH (a)" + Repeat("-->()", 2'500) + " RETURN 1").code() == Code::kLimitExceeded);
}

TEST_CASE("a list literal of a hundred thousand elements takes linear time") {
  auto list = [](size_t n, const char* element) { return "RETURN [1" + Repeat(std::string(",") + element, n - 1) + "]"; };
  for (const char* element : {"2", "{a: 1, b: 'x'}", "-0.5"}) {
    (void)StatusOf(list(1'000, element));
    double small = 1e9, large = 1e9;
    for (int i = 0; i < 2; ++i) {
      small = std::min(small, MillisOf([&] { CHECK(StatusOf(list(50'000, element)).ok()); }));
      large = std::min(large, MillisOf([&] { CHECK(StatusOf(list(100'000, element)).ok()); }));
    }
    INFO(element << ": " << small << " ms, twice the size " << large << " ms");
    CHECK(large < 2.5 * small + 10);
  }
  CHECK(StatusOf(list(100'000, "x")).ok());
  CHECK(StatusOf(list(kListLiteralMax + 1, "2")).code() == Code::kLimitExceeded);
  CHECK(StatusOf("RETURN 1" + Repeat("+x", kQueryTokensMax)).code() == Code::kLimitExceeded);
}

TEST_CASE("a long list of constants is one literal with all its values") {
  auto result = grammar::Parse("UNWIND [" + Repeat("{a: 1, b: [true, null, 'x\\n'], c: -2.5},", 40) +
                               " {a: 9223372036854775807}] AS row RETURN row");
  REQUIRE(result.ok());
  const ast::Expr& list = *(*result)->query->parts[0].clauses[0]->expr;
  REQUIRE(list.kind == ast::ExprKind::kLiteral);
  REQUIRE(list.value.AsList().size() == 41);
  const Map& first = list.value.AsList()[0].AsMap();
  CHECK(*first.Find("c") == Value(-2.5));
  CHECK(first.Find("b")->AsList()[2] == Value("x\n"));
  // A mistake inside leaves it to the parser, which knows the place.
  Status bad = StatusOf("RETURN [" + Repeat("1,", 100) + " 99999999999999999999]");
  CHECK(bad.detail() == "IntegerOverflow");
  CHECK(bad.position().column == 210);
}

TEST_CASE("texts that are no statement are refused with a reason") {
  for (std::string_view text : {"", " \n\t ", "// only a comment", "/* a */ // b", ";"}) CHECK(StatusOf(text).code() == Code::kSyntaxError);
  CHECK_THAT(StatusOf("RETURN 'abc").message(), Catch::Contains("string that begins here has no end"));
  CHECK_THAT(StatusOf("RETURN `abc").message(), Catch::Contains("name that begins here has no end"));
  CHECK_THAT(StatusOf("RETURN 1 /* abc").message(), Catch::Contains("comment that begins here has no end"));
  CHECK_THAT(StatusOf(std::string_view("RETURN 1\0", 9)).message(), Catch::Contains("NUL"));
  CHECK_THAT(StatusOf(std::string_view("RETURN 'a\0b'", 12)).message(), Catch::Contains("NUL"));
  for (std::string_view bytes :
       {"\xFF", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82"}) {  // stray, overlong, surrogate, too large, cut
    Status status = StatusOf("RETURN '" + std::string(bytes) + "'");
    CHECK(status.code() == Code::kSyntaxError);
    CHECK(status.position().offset == 8);
  }
  CHECK(StatusOf("\xEF\xBB\xBFRETURN 1").ok());
  CHECK(StatusOf("RETURN \xEF\xBB\xBF 1").code() == Code::kSyntaxError);
}

TEST_CASE("long texts: a megabyte works, more than the limit is refused at once") {
  CHECK(StatusOf("RETURN '" + std::string(1'000'000, 'x') + "'").ok());
  CHECK(StatusOf("RETURN 1 " + std::string(1'000'000, ' ')).ok());
  CHECK(StatusOf("RETURN " + std::string(1'000'000, 'x')).ok());
  std::string huge(size_t{64} << 20, ' ');
  Status status;
  CHECK(MillisOf([&] { status = StatusOf(huge); }) < 100);
  CHECK(status.code() == Code::kLimitExceeded);
}

TEST_CASE("deep trees are printed without harm") {
  OnSmallStack(kSmallStack, [&] {
    for (const Nest& nest : kNests) {
      auto result = grammar::Parse(Nested(nest, kNestingMax));
      REQUIRE(result.ok());
      CHECK_FALSE(grammar::ToString(**result).empty());
    }
  });
}

TEST_CASE("every keyword is a property key, a label, a map key and an alias") {
  for (const char* word :
       {"match", "RETURN", "where", "case",         "WHEN",   "end",    "not",   "null", "true", "in",     "is",
        "as",    "set",    "call",  "foreach",      "exists", "count",  "all",   "any",  "none", "single", "reduce",
        "order", "limit",  "skip",  "shortestPath", "node",   "vector", "index", "from", "to",   "union",  "with"}) {
    std::string w = word;
    Status status = StatusOf("MATCH (n:" + w + " {" + w + ": 1})-[:" + w + "]->() RETURN n." + w + " AS " + w + ", {" + w + ": 2}");
    INFO(w << ": " << status.ToString());
    CHECK(status.ok());
  }
}

TEST_CASE("many shapes of text from several threads at once are all parsed") {
  auto run = [](int seed) {
    static constexpr const char* kPieces[] = {"n.x = 1",
                                              "NOT (n)--()",
                                              "n:A|B",
                                              "x IN [1, y]",
                                              "any(z IN xs WHERE z > 1)",
                                              "n {.*, a: 1}.a = 2",
                                              "CASE WHEN a THEN b END",
                                              "EXISTS { (n)-->() }"};
    uint32_t state = static_cast<uint32_t>(seed) * 2654435761U + 1;
    for (int i = 0; i < 200; ++i) {
      std::string text = "MATCH (n) WHERE true";
      for (int k = 0; k < 4; ++k) {
        state = state * 1664525U + 1013904223U;
        text += std::string((state >> 8) % 2 ? " AND " : " OR ") + kPieces[(state >> 16) % 8];
      }
      if (!StatusOf(text + " RETURN n").ok()) return false;
    }
    return true;
  };
  bool ok[4] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&, i] { ok[i] = run(i); });
  for (std::thread& thread : threads) thread.join();
  for (bool one : ok) CHECK(one);
}
