// One test for each detail of a compile-time error, with its position; most with a text beside it that is right.
#include "tests/unit/planner/fixture.h"

using fornix::planner::test::Planner;

TEST_CASE("a variable that nobody defined is named with the nearest one") {
  Planner p;
  CHECK(p.Error("MATCH (person) RETURN persn") == "SyntaxError UndefinedVariable 1:23");
  CHECK(p.Message("MATCH (person) RETURN persn").find("`person`") != std::string::npos);
  CHECK(p.Error("MATCH (a) WITH a AS b RETURN a") == "SyntaxError UndefinedVariable 1:30");
  CHECK(p.Error("MATCH (n) WHERE (n)-[r]->() RETURN n") == "SyntaxError UndefinedVariable 1:22");
  CHECK(p.Error("MATCH (a) RETURN DISTINCT a.name ORDER BY a.age") == "SyntaxError UndefinedVariable 1:43");
  CHECK(p.Error("MATCH (a) RETURN DISTINCT a.name ORDER BY a.name") == "");
  CHECK(p.Error("CREATE (a {x: a.y})") == "SyntaxError UndefinedVariable 1:15");
  CHECK(p.Error("CREATE (a {x: 1}), (b {y: a.x})") == "");
}

TEST_CASE("a variable keeps its kind") {
  Planner p;
  CHECK(p.Error("MATCH ()-[r]->() MATCH (r) RETURN r") == "SyntaxError VariableTypeConflict 1:25");
  CHECK(p.Error("MATCH (r)-[r]->() RETURN r") == "SyntaxError VariableTypeConflict 1:12");
  CHECK(p.Error("MATCH p = ()-->(), (p) RETURN p") == "SyntaxError VariableTypeConflict 1:21");
  CHECK(p.Error("WITH 1 AS n MATCH (n) RETURN n") == "SyntaxError VariableTypeConflict 1:20");
  CHECK(p.Error("MATCH (n) WITH [n] AS ns MATCH (ns) RETURN ns") == "SyntaxError VariableTypeConflict 1:33");
  CHECK(p.Error("MATCH (n) WITH collect(n) AS ns UNWIND ns AS m MATCH (m)-->() RETURN m") == "");
  CHECK(p.Error("MATCH ()-[a]->()-[b]->() WITH [a, b] AS r MATCH ()-[r*]->() RETURN r") == "");
}

TEST_CASE("what is defined is not defined again") {
  Planner p;
  CHECK(p.Error("MATCH (a) CREATE (a)") == "SyntaxError VariableAlreadyBound 1:19");
  CHECK(p.Error("MATCH (a) CREATE (a:Person)-[:KNOWS]->()") == "SyntaxError VariableAlreadyBound 1:19");
  CHECK(p.Error("MATCH (a) CREATE (a)-[:KNOWS]->()") == "");
  CHECK(p.Error("MATCH (a)-[r]->(b) MERGE (a)-[r]->(b)") == "SyntaxError VariableAlreadyBound 1:31");
  CHECK(p.Error("MATCH (p) MATCH p = ()-->() RETURN p") == "SyntaxError VariableAlreadyBound 1:17");
  CHECK(p.Error("WITH 1 AS x UNWIND [1] AS x RETURN x") == "SyntaxError VariableAlreadyBound 1:27");
  CHECK(p.Error("WITH 1 AS label CALL db.labels() YIELD label RETURN label") == "SyntaxError VariableAlreadyBound 1:40");
}

TEST_CASE("types that can't be right are refused") {
  Planner p;
  CHECK(p.Error("RETURN 1 AND true") == "SyntaxError InvalidArgumentType 1:8");
  CHECK(p.Error("RETURN NOT 'x'") == "SyntaxError InvalidArgumentType 1:12");
  CHECK(p.Error("RETURN null AND true") == "");
  CHECK(p.Error("RETURN $x AND true") == "");
  CHECK(p.Error("RETURN 1 IN 2") == "SyntaxError InvalidArgumentType 1:13");
  CHECK(p.Error("MATCH (n) WHERE (n) RETURN n") == "SyntaxError InvalidArgumentType 1:17");
  CHECK(p.Error("RETURN any(x IN ['a'] WHERE x % 2 = 0)") == "SyntaxError InvalidArgumentType 1:29");
  CHECK(p.Error("MATCH (n) RETURN length(n)") == "SyntaxError InvalidArgumentType 1:25");
  CHECK(p.Error("MATCH p = ()-->() RETURN p.x") == "SyntaxError InvalidArgumentType 1:26");
  CHECK(p.Error("WITH 1 AS n RETURN n.x") == "TypeError InvalidArgumentType 1:20");
  CHECK(p.Error("MATCH (n) RETURN n LIMIT 1.5") == "SyntaxError InvalidArgumentType 1:26");
  CHECK(p.Error("CALL test.add(true)") == "SyntaxError InvalidArgumentType 1:15");
  CHECK(p.Error("DELETE 1") == "SyntaxError InvalidArgumentType 1:8");
}

TEST_CASE("aggregates stand only where rows are grouped") {
  Planner p;
  CHECK(p.Error("MATCH (n) WHERE count(n) > 1 RETURN n") == "SyntaxError InvalidAggregation 1:17");
  CHECK(p.Error("RETURN [x IN [1] | count(*)]") == "SyntaxError InvalidAggregation 1:20");
  CHECK(p.Error("MATCH (n) RETURN n.x ORDER BY max(n.y)") == "SyntaxError InvalidAggregation 1:31");
  CHECK(p.Error("RETURN count(count(*))") == "SyntaxError NestedAggregation 1:14");
  CHECK(p.Error("RETURN count(rand())") == "SyntaxError NonConstantExpression 1:14");
  CHECK(p.Error("MATCH (n) RETURN n.x + count(*)") == "SyntaxError AmbiguousAggregationExpression 1:18");
  CHECK(p.Error("MATCH (n) RETURN n.x, n.x + count(*)") == "");
  CHECK(p.Error("MATCH (n) RETURN n, n.x + count(*)") == "");
  CHECK(p.Error("MATCH (n) RETURN n.x AS x, sum(n.y) ORDER BY n.x + sum(n.y)") == "");
  CHECK(p.Error("MATCH (n) RETURN count(n.y) AS c ORDER BY n.x + count(n.y)") == "SyntaxError UndefinedVariable 1:43");
  CHECK(p.Error("MATCH (n) CALL (n) { MATCH (n)--(m) RETURN n.x + count(m) AS c } RETURN c") == "");
}

TEST_CASE("columns have one name each, and expressions in WITH have one at all") {
  Planner p;
  CHECK(p.Error("RETURN 1 AS a, 2 AS a") == "SyntaxError ColumnNameConflict 1:21");
  CHECK(p.Error("MATCH (a) WITH a, count(*) RETURN a") == "SyntaxError NoExpressionAlias 1:19");
  CHECK(p.Error("MATCH () RETURN *") == "SyntaxError NoVariablesInScope 1:17");
  CHECK(p.Error("RETURN 1 AS a UNION RETURN 2 AS b") == "SyntaxError DifferentColumnsInUnion 1:21");
  CHECK(p.Error("RETURN 1 AS a UNION RETURN 2 AS a UNION ALL RETURN 3 AS a") == "SyntaxError InvalidClauseComposition 1:35");
}

TEST_CASE("clauses stand where they have a meaning") {
  Planner p;
  CHECK(p.Error("MATCH (n)") == "SyntaxError UnexpectedSyntax 1:1");
  CHECK(p.Error("MATCH (n) WHERE EXISTS { MATCH (n) SET n.x = 1 } RETURN n") == "SyntaxError InvalidClauseComposition 1:36");
  CHECK(p.Error("MATCH (n) RETURN (n)-->()") == "SyntaxError UnexpectedSyntax 1:18");
  CHECK(p.Error("MATCH (n) RETURN size((n)-->())") == "SyntaxError UnexpectedSyntax 1:23");
  CHECK(p.Error("MATCH (n) WHERE NOT (n)-->() OR (n)<--() RETURN n") == "");
  CHECK(p.Error("CALL { WITH 1 AS x RETURN x } RETURN x") == "SyntaxError InvalidClauseComposition 1:8");
}

TEST_CASE("counts of rows are constant and not negative") {
  Planner p;
  CHECK(p.Error("MATCH (n) RETURN n SKIP n.x") == "SyntaxError NonConstantExpression 1:25");
  CHECK(p.Error("MATCH (n) RETURN n LIMIT -1") == "SyntaxError NegativeIntegerArgument 1:26");
  CHECK(p.Error("MATCH (n) RETURN n LIMIT $n + 1") == "");
}

TEST_CASE("relationships to be written say all that they need") {
  Planner p;
  CHECK(p.Error("CREATE ()-->()") == "SyntaxError NoSingleRelationshipType 1:10");
  CHECK(p.Error("CREATE ()-[:A|B]->()") == "SyntaxError NoSingleRelationshipType 1:10");
  CHECK(p.Error("CREATE ()-[:A]-()") == "SyntaxError RequiresDirectedRelationship 1:10");
  CHECK(p.Error("MATCH (a), (b) MERGE (a)-[:A]-(b)") == "");
  CHECK(p.Error("CREATE ()-[:A*2]->()") == "SyntaxError CreatingVarLength 1:10");
  CHECK(p.Error("MATCH (n) DELETE n:Person") == "SyntaxError InvalidDelete 1:18");
  CHECK(p.Error("MATCH (a)-[r]->()-[r]->(b) RETURN a") == "SyntaxError RelationshipUniquenessViolation 1:20");
}

TEST_CASE("a parameter is no property map of what is matched") {
  Planner p;
  CHECK(p.Error("MATCH (n $p) RETURN n") == "SyntaxError InvalidParameterUse 1:10");
  CHECK(p.Error("MERGE (n $p)") == "SyntaxError InvalidParameterUse 1:10");
  CHECK(p.Error("CREATE (n $p)") == "");
}

TEST_CASE("functions and procedures are known, or the nearest is named") {
  Planner p;
  CHECK(p.Error("RETURN toUper('a')") == "SyntaxError UnknownFunction 1:8");
  CHECK(p.Message("RETURN toUper('a')").find("`toUpper`") != std::string::npos);
  CHECK(p.Error("RETURN toUpper()") == "SyntaxError InvalidNumberOfArguments 1:8");
  CHECK(p.Error("CALL db.lables()") == "ProcedureNotFound ProcedureNotFound 1:1");
  CHECK(p.Message("CALL db.lables()").find("`db.labels`") != std::string::npos);
  CHECK(p.Error("CALL test.add()") == "SyntaxError InvalidNumberOfArguments 1:1");
  CHECK(p.Error("CALL test.add(1)") == "");
  CHECK(p.Error("CALL test.add YIELD sum RETURN sum") == "SyntaxError InvalidArgumentPassingMode 1:1");
  CHECK(p.Error("CALL test.add") == "");
  CHECK(p.Error("CALL test.add(1) YIELD total RETURN total") == "SyntaxError UndefinedVariable 1:24");
}

TEST_CASE("a search needs a vector index of the right kind and a variable of its own MATCH") {
  Planner p;
  CHECK(p.Error("MATCH (m) SEARCH m IN (VECTOR INDEX emp FOR $q LIMIT 3) RETURN m").find("SchemaNotFound") == 0);
  CHECK(p.Message("MATCH (m) SEARCH m IN (VECTOR INDEX emp FOR $q LIMIT 3) RETURN m").find("`emb`") != std::string::npos);
  CHECK(p.Error("MATCH (m) MATCH (m) SEARCH m IN (VECTOR INDEX emb FOR $q LIMIT 3) RETURN m").find("SyntaxError VariableAlreadyBound") == 0);
  CHECK(p.Error("MATCH ()-[m]->() SEARCH m IN (VECTOR INDEX emb FOR $q LIMIT 3) RETURN m").find("SyntaxError VariableTypeConflict") == 0);
  CHECK(p.Error("MATCH (m) SEARCH m IN (VECTOR INDEX emb FOR m.x LIMIT 3) RETURN m").find("SyntaxError UndefinedVariable") == 0);
}

TEST_CASE("what a later version brings is refused by its name") {
  Planner p;
  for (const char* text : {"LOAD CSV FROM 'x' AS row RETURN row", "CREATE FULLTEXT INDEX f FOR (n:Person) ON EACH [n.name]", "SHOW DATABASES"}) {
    INFO(text);
    CHECK(p.Message(text).find("is not available yet") != std::string::npos);
  }
}
