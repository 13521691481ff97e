// The "Parameters" items of the list of bad inputs.
#include <cmath>

#include "tests/api/api_test_util.h"

namespace {

using namespace fornix;
using namespace fornix::test;

Map With(std::string_view name, Value value) {
  Map map;
  map.Set(name, std::move(value));
  return map;
}
Value Floats(size_t n, double each) { return Value(List(n, Value(each))); }

}  // namespace

TEST_CASE("a missing parameter is named, an extra one is ignored") {
  Session s;
  Status status = s.Error("RETURN $a + $b AS x", With("a", Value(1)));
  CHECK(status.code() == Code::kParameterMissing);
  CHECK(status.message().find("$b") != std::string::npos);
  CHECK(s.One("RETURN $a AS x", Map({{"a", Value(1)}, {"database_", Value("neo4j")}})) == "1");
}

TEST_CASE("a parameter of the wrong type gives an error that says both") {
  Session s;
  Status status = s.Error("RETURN toUpper($x) AS x", With("x", Value(5)));
  CHECK(status.code() == Code::kTypeError);
  CHECK(s.Error("UNWIND [1] AS i RETURN i + $x.y AS x", With("x", Value(5))).code() == Code::kTypeError);
}

TEST_CASE("map parameters with an empty, a long and a repeated key") {
  Session s;
  std::string long_key(64 << 10, 'k');
  Map map({{"", Value(1)}, {long_key, Value(2)}});
  CHECK(s.One("RETURN size(keys($m)) AS x", With("m", Value(map))) == "2");
  Map twice = Map::FromEntries({{"a", Value(1)}, {"a", Value(2)}});
  CHECK(s.One("RETURN $m.a AS x", With("m", Value(twice))) == "2");
}

TEST_CASE("values nested 10,000 deep are refused, 100 deep ones work") {
  Session s;
  auto nested = [](int depth) {
    Value v(1);
    for (int i = 0; i < depth; ++i) v = Value(List{v});
    return v;
  };
  CHECK(s.One("RETURN size($x) AS x", With("x", nested(100))) == "1");
  Status status = s.Error("RETURN $x AS x", With("x", nested(10000)));
  CHECK(status.code() == Code::kLimitExceeded);
  CHECK(status.message().find("128") != std::string::npos);
}

TEST_CASE("text that isn't UTF-8 is refused wherever it stands in a parameter, and the place is named") {
  Session s;
  for (const std::string_view bad : {"a\xff", "a\xe2\x82", "a\xed\xa0\x80", "a\xc0\xaf"}) {
    for (const Value& value : {Value(bad), Value(List{Value(1), Value(List{Value(bad)})}), Value(Map({{"k", Value(bad)}}))}) {
      const Status status = s.Error("CREATE (n:N {x: $x})", With("x", value));
      CHECK(status.code() == Code::kParameterInvalid);
      CHECK(status.message() == "parameter $x is no STRING: it isn't UTF-8 from its byte 1 on");
    }
    CHECK(s.Error("RETURN $x AS x", With("x", Value(Map({{std::string(bad), Value(1)}})))).code() == Code::kParameterInvalid);
    CHECK(s.Error("RETURN 1 AS x", With(bad, Value(1))).code() == Code::kParameterInvalid);
  }
  CHECK(s.One("RETURN $x IS :: STRING AS x", With("x", Value::Bytes("\xff"))) == "false");   // bytes may be anything
}

TEST_CASE("what can't be a property is refused where it is set") {
  Session s;
  for (const Value& bad : {Value(List{Value(1), Value("a")}), Value(Map({{"a", Value(1)}})), Value(List{Value(List{Value(1)})}), Value(List{Value()})}) {
    Status status = s.Error("CREATE (:P {x: $x})", With("x", bad));
    INFO(status.ToString());
    CHECK(status.code() == Code::kTypeError);
    CHECK(status.detail() == "InvalidPropertyType");
  }
  CHECK(s.One("MATCH (n) RETURN count(*)") == "0");
  s.Run("CREATE (:P {x: $x})", With("x", Value(List{Value(1), Value(2.5)})));   // numbers mix
}

TEST_CASE("NaN, -0.0 and the infinities as value, key and sort key") {
  Session s;
  for (double d : {std::nan(""), -0.0, static_cast<double>(INFINITY), -static_cast<double>(INFINITY)}) s.Run("CREATE (:N {x: $x})", With("x", Value(d)));
  CHECK(s.One("MATCH (n:N) WHERE n.x = $x RETURN count(*)", With("x", Value(std::nan("")))) == "0");
  CHECK(s.One("MATCH (n:N) WHERE n.x = 0 RETURN count(*)") == "1");
  CHECK(s.Rows("MATCH (n:N) RETURN n.x ORDER BY n.x") == Strings{"-Infinity", "-0.0", "Infinity", "NaN"});
  CHECK(s.One("MATCH (n:N) RETURN count(DISTINCT n.x)") == "4");
  s.Run("CREATE CONSTRAINT k FOR (k:K) REQUIRE k.x IS UNIQUE");
  s.Run("CREATE (:K {x: 0.0})");
  CHECK(s.Error("CREATE (:K {x: -0.0})").code() == Code::kConstraintViolation);
  CHECK(s.One("MATCH (k:K {x: -0.0}) RETURN count(*)") == "1");
}

TEST_CASE("bad vectors are refused by name, in writes and in queries") {
  Session s;
  s.Run("CREATE VECTOR INDEX emb FOR (m:M) ON (m.e) OPTIONS {indexConfig: {`vector.dimensions`: 3, `vector.similarity_function`: 'cosine'}}");
  Status wrong = s.Error("CREATE (:M {e: $e})", With("e", Floats(4, 1)));
  CHECK(wrong.message().find("4") != std::string::npos);
  CHECK(wrong.message().find("3") != std::string::npos);
  CHECK(!s.Error("CREATE (:M {e: $e})", With("e", Floats(3, std::nan("")))).message().empty());
  CHECK(!s.Error("CREATE (:M {e: $e})", With("e", Floats(3, INFINITY))).message().empty());
  CHECK(s.Error("CREATE (:M {e: $e})", With("e", Floats(3, 0))).message().find("zero") != std::string::npos);
  CHECK(s.One("MATCH (m:M) RETURN count(*)") == "0");
  s.Run("CREATE (:M {e: $e})", With("e", Floats(3, 1)));
  const char* query = "CALL db.index.vector.queryNodes('emb', 5, $q) YIELD node, score RETURN score";
  CHECK(s.Error(query, With("q", Floats(4, 1))).message().find("4") != std::string::npos);
  CHECK(!s.Error(query, With("q", Floats(3, 0))).message().empty());
  CHECK(!s.Error(query, With("q", Value("no vector"))).message().empty());
  CHECK(s.Rows(query, With("q", Floats(3, 2))).size() == 1);
  for (int dimensions : {0, 65536, -1}) {
    Status status = s.Error("CREATE VECTOR INDEX bad FOR (m:Bad) ON (m.e) OPTIONS {indexConfig: {`vector.dimensions`: " + std::to_string(dimensions) + "}}");
    CHECK(status.message().find("16") != std::string::npos);   // says the legal range
  }
}

TEST_CASE("bad vectors are refused in every spelling of a write and of a search, and the next statement works") {
  Session s;
  s.Run("CREATE VECTOR INDEX emb FOR (m:M) ON (m.e) OPTIONS {indexConfig: {`vector.dimensions`: 3, `vector.similarity_function`: 'cosine'}}");
  s.Run("CREATE VECTOR INDEX rel FOR ()-[r:R]-() ON (r.e) OPTIONS {indexConfig: {`vector.dimensions`: 3, `vector.similarity_function`: 'cosine'}}");
  s.Run("CREATE (a:M {id: 1, e: [1, 2, 3]})-[:R {id: 1, e: [1, 2, 3]}]->(:N)");
  const Value bad[] = {Floats(2, 1), Floats(4, 1), Floats(65536, 1), Floats(3, 0), Floats(3, std::nan("")), Floats(3, -INFINITY), Floats(3, 1e39)};
  for (const Value& v : bad) {
    for (const char* write : {"MATCH (m:M {id: 1}) SET m.e = $e", "MATCH (m:M {id: 1}) SET m += {e: $e}", "MERGE (m:M {id: 2}) ON CREATE SET m.e = $e", "CREATE (:N {e: $e}) WITH 1 AS x MATCH (n:N) SET n:M",
                              "MATCH (m:M {id: 1}) CALL db.create.setNodeVectorProperty(m, 'e', $e)", "MATCH ()-[r:R]->() SET r.e = $e",
                              "MATCH (n:N) CREATE (n)-[:R {e: $e}]->(n)", "MATCH ()-[r:R]->() CALL db.create.setRelationshipVectorProperty(r, 'e', $e)"}) {
      INFO(write);
      CHECK(!s.Error(write, With("e", v)).message().empty());
    }
    for (const char* search : {"MATCH (m:M) SEARCH m IN (VECTOR INDEX emb FOR $e LIMIT 1) RETURN m.id", "MATCH (m:M) SEARCH m IN (VECTOR INDEX emb FOR $e WHERE m.id = 1 LIMIT 1) RETURN m.id",
                               "CALL db.index.vector.queryNodes('emb', 1, $e) YIELD node RETURN node.id", "CALL db.index.vector.queryNodes('emb', 1, $e, {exact: true}) YIELD node RETURN node.id",
                               "CALL db.index.vector.queryRelationships('rel', 1, $e) YIELD relationship RETURN relationship.id"}) {
      INFO(search);
      CHECK(!s.Error(search, With("e", v)).message().empty());
    }
    CHECK(s.One("MATCH (m:M) SEARCH m IN (VECTOR INDEX emb FOR [1, 2, 3] LIMIT 5) RETURN collect(m.id)") == "[1]");
  }
  CHECK(s.One("MATCH (m:M)-[r:R]->() RETURN m.e, r.e") == "[1, 2, 3] | [1, 2, 3]");
  // By the functions, which know no index.
  for (const Value& v : {Floats(2, 1), Floats(0, 1), Floats(3, 0)}) {
    CHECK(!s.Error("MATCH (m:M) RETURN m.id ORDER BY vector.similarity.cosine(m.e, $e) DESC LIMIT 1", With("e", v)).message().empty());
  }
}

TEST_CASE("a string of 16 MB passes as parameter, property and result") {
  Session s;
  std::string big(16 << 20, 'b');
  s.Run("CREATE (:Big {x: $x})", With("x", Value(big)));
  CHECK(s.One("MATCH (n:Big) RETURN size(n.x)") == std::to_string(big.size()));
}

TEST_CASE("a property above the limit is refused by name") {
  Session s;
  Status status = s.Error("CREATE (:Big {x: $x})", With("x", Value(std::string((64 << 20) + 1, 'b'))));
  CHECK(status.message().find("64 MiB") != std::string::npos);
}

TEST_CASE("elements are no parameters") {
  Session s;
  auto rows = s.connection->Query("CREATE (n:A) RETURN n");
  REQUIRE(rows.ok());
  Status status = s.Error("RETURN $n.x AS x", With("n", (*rows)[0][0]));
  CHECK(status.message().find("$n") != std::string::npos);
}

TEST_CASE("parameters where only a literal is legal") {
  Session s;
  CHECK(!s.Error("MATCH (n:$l) RETURN n", With("l", Value("A"))).message().empty());
  CHECK(s.Error("RETURN 1 AS x LIMIT $n", With("n", Value(-1))).detail() == "NegativeIntegerArgument");
  CHECK(s.Error("RETURN 1 AS x LIMIT $n", With("n", Value(1.5))).detail() == "InvalidArgumentType");
  CHECK(s.One("RETURN 1 AS x LIMIT $n", With("n", Value(int64_t{9223372036854775807}))) == "1");
  CHECK(s.Error("RETURN 1 AS x LIMIT 9223372036854775808").detail() == "IntegerOverflow");
  CHECK(s.Error("RETURN 1 AS x SKIP $n", With("n", Value("1"))).detail() == "InvalidArgumentType");
}

TEST_CASE("a string of 1 GB is measured as a parameter, and refused by name as a property") {
  DatabaseOptions options;
  options.statement_memory_bytes_max = 256 << 20;
  Session s(":memory:", options);
  Map parameters = With("x", Value(std::string(size_t{1} << 30, 'b')));
  CHECK(s.One("RETURN size($x) AS n", parameters) == std::to_string(size_t{1} << 30));
  CHECK(s.Error("CREATE (:Big {x: $x})", parameters).message().find("64 MiB") != std::string::npos);
  CHECK(s.Error("RETURN $x + $x AS y", parameters).code() == Code::kResourceExhausted);
  CHECK(s.Error("RETURN $x =~ 'b*' AS y", parameters).code() == Code::kLimitExceeded);
  CHECK(s.One("MATCH (n) RETURN count(*)") == "0");
}

TEST_CASE("what is wrong with a long value is told in a short message") {
  Session s;
  Map parameters({{"list", Value(List(3'000'000, Value("some text")))}, {"text", Value(std::string(8 << 20, 'a'))}});
  Map large;
  for (int i = 0; i < 2000; ++i) large.Set("key" + std::to_string(i), Value(List(100, Value(i))));
  parameters.Set("map", Value(large));
  for (const char* text :
       {"RETURN toUpper($list) AS x", "RETURN $list.name AS x", "RETURN $list['a'] AS x", "MATCH (n) WHERE $list RETURN n", "UNWIND [1] AS i WITH i WHERE $text RETURN i",
        "RETURN 5 + $map AS x", "RETURN $map + 1 AS x", "CREATE (n $list) RETURN n", "CREATE (n {a: $map})", "RETURN 1 AS x SKIP $list", "RETURN $list[$text] AS x", "RETURN date($text) AS x",
        "RETURN datetime($map) AS x", "RETURN duration($text) AS x", "RETURN point($map) AS x", "RETURN $text =~ $text AS x", "RETURN 1 =~ '(' + $text AS x", "CALL db.awaitIndex($text)",
        "RETURN range($text, 1) AS x", "RETURN reduce(a = 0, x IN $text | a + x) AS x", "RETURN [x IN $map | x] AS x", "RETURN all(x IN $text WHERE x) AS x",
        "FOREACH (x IN $map | CREATE ())", "MATCH (n) DELETE $list", "RETURN apoc.convert.fromJsonList($text) AS x", "RETURN sum($list) AS x", "RETURN normalize($text, $text) AS x",
        "CREATE INDEX $text FOR (n:N) ON (n.x)", "CREATE VECTOR INDEX v FOR (n:N) ON (n.x) OPTIONS $map", "CREATE (:$($text))", "MATCH (n) WITH n LIMIT 0 SET n = $list"}) {
    auto rows = s.connection->Query(text, parameters);
    INFO(text << ": " << rows.status().message().substr(0, 300));
    CHECK(rows.status().message().size() < 4000);
    CHECK(s.One("RETURN 1") == "1");
  }
}
