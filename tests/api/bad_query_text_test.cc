// The "Query text" items of the list of bad inputs, one by one: a clear error with a position, the process lives, the next statement
// works. What must work is tested to work.
#include <ctime>
#include <thread>

#include "tests/api/api_test_util.h"

namespace {

using namespace fornix;
using namespace fornix::test;

std::string Repeat(std::string_view piece, size_t n) {
  std::string out;
  out.reserve(piece.size() * n);
  for (size_t i = 0; i < n; ++i) out += piece;
  return out;
}
// Of this thread's processor, so that a busy machine changes little.
double MillisOf(const std::function<void()>& f) {
  const auto millis = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
  };
  const double start = millis();
  f();
  return millis() - start;
}
void RefusedWithPosition(Session& s, std::string_view text) {
  Status status = s.Error(text);
  INFO(status.ToString());
  CHECK((status.code() == Code::kSyntaxError || status.code() == Code::kLimitExceeded));
  CHECK(status.position().line >= 1);
  CHECK(status.position().column >= 1);
}

}  // namespace

TEST_CASE("texts without a statement are refused: empty, blanks, comments alone") {
  Session s;
  for (const char* text : {"", " ", "\n\t ", ";", "// nothing", "/* nothing */", "/* a */ // b\n"}) RefusedWithPosition(s, text);
}

TEST_CASE("unterminated strings, comments and names are refused where they begin") {
  Session s;
  for (const char* text : {"RETURN 'abc", "RETURN \"abc", "RETURN 'abc\\'", "RETURN 1 /* never ends", "RETURN 1 AS `x", "RETURN 'a\\"}) {
    RefusedWithPosition(s, text);
  }
}

TEST_CASE("bytes that are no text are refused: NUL, invalid UTF-8, lone surrogates, overlong forms") {
  Session s;
  RefusedWithPosition(s, std::string_view("RETURN 1\0 + 2", 13));
  RefusedWithPosition(s, std::string_view("RETURN 'a\0b'", 12));
  RefusedWithPosition(s, "RETURN '\xFF\xFE'");
  RefusedWithPosition(s, "RETURN '\xED\xA0\x80'");        // U+D800 as UTF-8
  RefusedWithPosition(s, "RETURN '\xC0\xAF'");            // an overlong '/'
  RefusedWithPosition(s, "RETURN '\xF5\x80\x80\x80'");    // above U+10FFFF
  RefusedWithPosition(s, "RETURN '\xE2\x82");             // cut inside a character
  RefusedWithPosition(s, "RETURN '\\uD800'");             // a lone surrogate as an escape
}

TEST_CASE("a byte order mark at the start is no part of the statement") {
  Session s;
  CHECK(s.One("\xEF\xBB\xBFRETURN 1") == "1");
}

TEST_CASE("a statement of 1 MB works and one above the limit is refused by name") {
  Session s;
  std::string text = "RETURN size('" + std::string(1 << 20, 'x') + "')";
  CHECK(s.One(text) == std::to_string(1 << 20));
  Status status = s.Error("RETURN size('" + std::string(64 << 20, 'x') + "')");
  CHECK(status.message().find("16 MiB") != std::string::npos);
}

TEST_CASE("128 levels of nesting work, also on a thread, and deeper ones are refused at once") {
  Session s;
  struct Form { const char *open, *core, *close; };
  const Form forms[] = {{"(", "1", ")"}, {"[", "1", "]"}, {"{a: ", "1", "}"}, {"NOT ", "true", ""}, {"- ", "1", ""},
                        {"CASE WHEN true THEN ", "1", " END"}, {"[x IN ", "[1]", " | x]"}, {"coalesce(", "1", ")"}};
  for (const Form& form : forms) {
    auto nested = [&](size_t depth) { return "RETURN " + Repeat(form.open, depth) + form.core + Repeat(form.close, depth) + " AS x"; };
    INFO(form.open);
    if (std::string_view(form.open) == "(") {
      std::thread worker([&] { CHECK(s.One(nested(128)) == "1"); });
      worker.join();
    } else {
      CHECK(s.Rows(nested(100)).size() == 1);
    }
    for (size_t depth : {size_t{129}, size_t{4000}, size_t{1000000}}) {
      std::string text = nested(depth);
      if (text.size() > (16u << 20)) continue;
      double ms = MillisOf([&] {
        auto rows = s.connection->Query(text);
        REQUIRE(!rows.ok());
        CHECK(rows.status().message().find("128") != std::string::npos);
        CHECK(rows.status().position().line == 1);
      });
      // Counted before the parser runs: far below what parsing it would take (tens of seconds). A generous bound, not a benchmark.
      CHECK(ms < 5000);
    }
  }
}

TEST_CASE("nested subqueries are counted like brackets") {
  Session s;
  RefusedWithPosition(s, Repeat("CALL { ", 200) + "RETURN 1 AS x" + Repeat(" } RETURN x", 200));
  RefusedWithPosition(s, "RETURN " + Repeat("EXISTS { MATCH (a) WHERE ", 200) + "true" + Repeat(" }", 200));
  CHECK(s.Rows("RETURN " + Repeat("EXISTS { RETURN ", 5) + "true AS x" + Repeat(" } AS x", 5)).size() == 1);
}

TEST_CASE("chains of 10,000 terms work, whatever the operator") {
  Session s;
  CHECK(s.One("RETURN true" + Repeat(" AND true", 9999) + " AS x") == "true");
  CHECK(s.One("RETURN false" + Repeat(" OR false", 9999) + " AS x") == "false");
  CHECK(s.One("RETURN 1" + Repeat(" + 1", 9999) + " AS x") == "10000");
  CHECK(s.One("RETURN 'a'" + Repeat(" + 'a'", 999) + " = 'b' AS x") == "false");
}

TEST_CASE("wide statements work or are refused by a named limit") {
  Session s;
  CHECK(s.Rows("RETURN 1 AS x" + Repeat(" UNION ALL RETURN 1 AS x", 999)).size() == 1000);
  Status unions = Status::Ok();
  auto rows = s.connection->Query("RETURN 1 AS x" + Repeat(" UNION ALL RETURN 1 AS x", 9999));
  if (rows.ok()) CHECK(rows->size() == 10000);
  else CHECK(rows.status().code() == Code::kLimitExceeded);
  Status elements = s.Error("MATCH ()" + Repeat("-->()", 5000) + " RETURN 1");
  CHECK(elements.message().find("at most 1000") != std::string::npos);
  auto labels = s.connection->Query("MATCH (n" + Repeat(":L", 5000) + ") RETURN n");
  CHECK((labels.ok() || labels.status().position().line == 1));
  CHECK(s.One("RETURN size([" + Repeat("1,", 99999) + "1]) AS x") == "100000");
}

TEST_CASE("the time for a list literal grows with its length and no faster") {
  Session s;
  auto text = [](size_t n) { return "RETURN size([" + Repeat("[1,2],", n) + "[1]]) AS x"; };
  (void)s.One(text(1000));
  std::vector<double> ratios;
  for (int i = 0; i < 5; ++i) {
    double once = MillisOf([&] { (void)s.One(text(10000 + static_cast<size_t>(i))); });
    double eight = MillisOf([&] { (void)s.One(text(80000 + static_cast<size_t>(i))); });
    ratios.push_back(eight / once);
  }
  std::sort(ratios.begin(), ratios.end());
  CHECK(ratios[2] < 24);   // linear is 8, quadratic would be 64; the median of five against noise
}

TEST_CASE("numbers at the edges of their types") {
  Session s;
  CHECK(s.One("RETURN 9223372036854775807 AS x") == "9223372036854775807");
  CHECK(s.One("RETURN -9223372036854775808 AS x") == "-9223372036854775808");
  CHECK(s.Error("RETURN 9223372036854775808 AS x").detail() == "IntegerOverflow");
  CHECK(s.Error("RETURN -9223372036854775809 AS x").detail() == "IntegerOverflow");
  CHECK(s.Error("RETURN 1e999 AS x").detail() == "FloatingPointOverflow");
  RefusedWithPosition(s, "RETURN 0x AS x");
  RefusedWithPosition(s, "RETURN 0o9 AS x");
  CHECK(s.One("RETURN 0xFF AS x") == "255");
  CHECK(s.Error("RETURN 9223372036854775807 + 1 AS x").code() == Code::kArithmeticError);
}

TEST_CASE("a variable can't be two kinds of thing") {
  Session s;
  RefusedWithPosition(s, "MATCH (n)-[n]->() RETURN n");
  RefusedWithPosition(s, "MATCH (n) MATCH ()-[n]->() RETURN n");
  RefusedWithPosition(s, "WITH 1 AS n MATCH (n) RETURN n");
}

TEST_CASE("a deep and a long statement can be explained") {
  Session s;
  std::string nested = "EXPLAIN RETURN " + Repeat("(", 100) + "1 + $x" + Repeat(")", 100) + " AS x";
  auto cursor = s.connection->Execute(nested);
  REQUIRE(cursor.ok());
  CHECK(!(*cursor)->summary().plan_text.empty());
  auto long_one = s.connection->Execute("EXPLAIN MATCH (n) WHERE n.x = 1" + Repeat(" OR n.x = 2", 3000) + " RETURN n");
  REQUIRE(long_one.ok());
  CHECK(!(*long_one)->summary().plan_text.empty());
}

TEST_CASE("an error shows the line, the text and a caret, and the nearest name") {
  Session s;
  Status status = s.Error("MATCH (person)\nRETURN persn.name");
  CHECK(status.position().line == 2);
  CHECK(status.position().column == 8);
  CHECK(status.message().find("person") != std::string::npos);
  CHECK(s.Error("RETURN toUper('a')").message().find("toUpper") != std::string::npos);
  CHECK(s.Error("MATCH (n) RETRUN n").message().find("RETURN") != std::string::npos);
  CHECK(s.Error("CALL db.lables()").message().find("db.labels") != std::string::npos);
}

TEST_CASE("what comes later says so by name") {
  Session s;
  for (const char* text : {"CREATE FULLTEXT INDEX t FOR (n:L) ON EACH [n.a]", "LOAD CSV FROM 'file:///x' AS row RETURN row", "CREATE DATABASE x"}) {
    Status status = s.Error(text);
    INFO(text << ": " << status.ToString());
    CHECK(status.message().find("not available yet") != std::string::npos);
  }
}

TEST_CASE("an error inside of a deep or a long statement is as short as any other") {
  Session s;
  for (const std::string& text :
       {"RETURN " + Repeat("(", 100) + "1 + true" + Repeat(")", 100) + " AS x", "RETURN " + Repeat("(", 100) + "1 + nothing" + Repeat(")", 100) + " AS x",
        "RETURN " + Repeat("[", 100) + "toUpper(1)" + Repeat("]", 100) + " AS x", "RETURN 1" + Repeat(" + 1", 9999) + " + true AS x",
        "RETURN true" + Repeat(" AND true", 9999) + " AND 5 AS x", "RETURN size([" + Repeat("[1, 2], ", 50000) + "1]) + true AS x",
        "RETURN " + Repeat("CASE WHEN true THEN ", 100) + "toUpper(1)" + Repeat(" END", 100) + " AS x"}) {
    Status status = s.Error(text);
    INFO(status.message().substr(0, 300));
    CHECK(status.message().size() < 2000);
    CHECK(status.position().line == 1);
  }
}

TEST_CASE("chains of every operator of 1,000 terms work or are refused by a named limit") {
  Session s;
  for (const char* op : {" XOR ", " = ", " < ", " <> ", " OR ", " AND "}) {
    auto rows = s.connection->Query("RETURN true" + Repeat(std::string(op) + "true", 999) + " AS x");
    INFO(op << rows.status().ToString().substr(0, 300));
    CHECK((rows.ok() || rows.status().code() == Code::kLimitExceeded));
  }
  for (const char* op : {" * ", " - ", " / ", " % ", " ^ ", " || ", " IN ", " + ", " =~ ", " STARTS WITH ", " IS NULL = "}) {
    auto rows = s.connection->Query("RETURN 1" + Repeat(std::string(op) + "1", 999) + " AS x");
    INFO(op << rows.status().ToString().substr(0, 300));
    CHECK((rows.ok() || rows.status().position().line == 1 || rows.status().code() == Code::kTypeError));
    CHECK(s.One("RETURN 1") == "1");
  }
  for (const char* postfix : {".a", "[0]", "[0..1]", " IS NULL", " IS :: INTEGER"}) {
    auto rows = s.connection->Query("WITH null AS n RETURN n" + Repeat(postfix, 999) + " AS x");
    INFO(postfix << rows.status().ToString().substr(0, 300));
    CHECK((rows.ok() || rows.status().position().line == 1));
    CHECK(s.One("RETURN 1") == "1");
  }
}
