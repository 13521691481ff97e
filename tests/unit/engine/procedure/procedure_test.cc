// Procedures and schema commands, through text.
#include "tests/unit/engine/exec/test_graph.h"

namespace fornix::engine {

TEST_CASE("a registered table is a procedure: inputs select rows, outputs come in table order") {
  for (size_t batch : {size_t{0}, size_t{1}, size_t{1024}}) {
    TestGraph g(batch);
    ProcedureCatalog catalog;
    g.catalog = &catalog;
    REQUIRE(catalog.RegisterTable("test.my.proc(name :: STRING?, id :: INTEGER?) :: (city :: STRING?, country_code :: INTEGER?)",
                                  {{Value("Ann"), Value(1), Value("Berlin"), Value(49)},
                                   {Value("Ann"), Value(1), Value("Paris"), Value(33)},
                                   {Value("Bob"), Value(2), Value("Rome"), Value(39)},
                                   {Value(), Value(3), Value("Nowhere"), Value()}})
                .ok());
    CHECK(g.Run("CALL test.my.proc('Ann', 1) YIELD city, country_code RETURN city, country_code") == Rows{"'Berlin' | 49", "'Paris' | 33"});
    CHECK(g.Run("CALL test.my.proc(null, 3)") == Rows{"'Nowhere' | null"});
    CHECK(g.Run("UNWIND [1, 2, 9] AS i WITH i, CASE i WHEN 1 THEN 'Ann' ELSE 'Bob' END AS n CALL test.my.proc(n, i) YIELD city AS c RETURN i, c") ==
          Rows{"1 | 'Berlin'", "1 | 'Paris'", "2 | 'Rome'"});
    CHECK(g.Run("CALL test.my.proc", Map{{"name", Value("Bob")}, {"id", Value(2)}}) == Rows{"'Rome' | 39"});
    REQUIRE(catalog.RegisterTable("test.num(in :: FLOAT?) :: (out :: STRING?)", {{Value(42.0), Value("close enough")}}).ok());
    CHECK(g.Run("CALL test.num(42)") == Rows{"'close enough'"});
    REQUIRE(catalog.RegisterTable("test.doNothing() :: ()", {}).ok());
    CHECK(g.Run("CALL test.doNothing()").empty());
    CHECK(g.Run("UNWIND [1, 2] AS x CALL test.doNothing() RETURN x") == Rows{"1", "2"});
    CHECK(catalog.NearestProcedure("test.doNothin") == "test.doNothing");
    catalog.UnregisterTables();
    CHECK(catalog.FindProcedure("test.my.proc") == nullptr);
    CHECK(catalog.FindProcedure("DB.LABELS") != nullptr);
  }
}

TEST_CASE("a signature that can't be read, or a row of the wrong width, is refused with the reason") {
  ProcedureCatalog catalog;
  CHECK(catalog.RegisterTable("no parenthesis", {}).code() == Code::kSyntaxError);
  CHECK(catalog.RegisterTable("p(a :: WHAT) :: ()", {}).code() == Code::kSyntaxError);
  CHECK(catalog.RegisterTable("p(a :: STRING) :: (b :: STRING)", {{Value("x")}}).code() == Code::kSyntaxError);
}

TEST_CASE("the database tells its labels, types, keys and version") {
  TestGraph g;
  g.Run("CREATE (:A:B {x: 1})-[:R]->(:C), (:Gone)");
  g.Run("MATCH (n:Gone) DELETE n");
  CHECK(g.Sorted("CALL db.labels()") == Rows{"'A'", "'B'", "'C'"});
  CHECK(g.Run("CALL db.relationshipTypes()") == Rows{"'R'"});
  CHECK(g.Run("CALL db.propertyKeys() YIELD propertyKey RETURN propertyKey") == Rows{"'x'"});
  CHECK(g.Run("CALL dbms.components() YIELD name, versions, edition") == Rows{"'Neo4j Kernel' | ['5.26.0'] | 'community'"});
  CHECK(g.Run("CALL db.ping()") == Rows{"true"});
  CHECK(g.Run("CALL db.awaitIndexes(10)").empty());
}

TEST_CASE("indexes are made from their definition, shown with all columns, and dropped") {
  TestGraph g;
  g.Run("CREATE INDEX by_name FOR (n:Person) ON (n.name, n.age)");
  CHECK(g.counters.indexes_added == 1);
  g.Run("CREATE INDEX by_name IF NOT EXISTS FOR (n:Person) ON (n.name, n.age)");
  CHECK(g.counters.indexes_added == 0);
  CHECK(g.Run("SHOW INDEXES YIELD name, state, type, entityType, labelsOrTypes, properties, owningConstraint") ==
        Rows{"'by_name' | 'ONLINE' | 'RANGE' | 'NODE' | ['Person'] | ['name', 'age'] | null"});
  CHECK(g.Run("SHOW INDEXES YIELD createStatement") == Rows{"'CREATE RANGE INDEX by_name FOR (n:Person) ON (n.name, n.age)'"});
  CHECK(g.Run("SHOW RANGE INDEXES YIELD name") == Rows{"'by_name'"});
  CHECK(g.Run("SHOW VECTOR INDEXES YIELD name").empty());
  g.Run("DROP INDEX $n", Map{{"n", Value("by_name")}});
  CHECK(g.counters.indexes_removed == 1);
  g.Run("DROP INDEX by_name IF EXISTS");
  CHECK_FALSE(g.Try("DROP INDEX by_name").ok());
  CHECK(g.Error("CREATE FULLTEXT INDEX f FOR (n:A) ON EACH [n.x]").code() == Code::kNotAvailable);
}

TEST_CASE("constraints are made, shown with their index and type, filtered by word, and dropped") {
  TestGraph g;
  g.Run("CREATE CONSTRAINT u FOR (n:P) REQUIRE n.id IS UNIQUE");
  g.Run("CREATE CONSTRAINT e FOR (n:P) REQUIRE n.name IS NOT NULL");
  g.Run("CREATE CONSTRAINT t FOR ()-[r:R]-() REQUIRE r.w IS :: INTEGER");
  CHECK(g.Run("SHOW CONSTRAINTS YIELD name, type, entityType, labelsOrTypes, properties, ownedIndex, propertyType") ==
        Rows{"'e' | 'NODE_PROPERTY_EXISTENCE' | 'NODE' | ['P'] | ['name'] | null | null",
             "'t' | 'RELATIONSHIP_PROPERTY_TYPE' | 'RELATIONSHIP' | ['R'] | ['w'] | null | 'INTEGER'", "'u' | 'UNIQUENESS' | 'NODE' | ['P'] | ['id'] | 'u' | null"});
  CHECK(g.Run("SHOW UNIQUENESS CONSTRAINTS YIELD name") == Rows{"'u'"});
  g.Run("DROP CONSTRAINT u");
  CHECK(g.counters.constraints_removed == 1);
}

TEST_CASE("options of a vector index are checked by name and range") {
  TestGraph g;
  const std::string head = "CREATE VECTOR INDEX v FOR (n:M) ON (n.emb) OPTIONS {indexConfig: ";
  CHECK(g.Error(head + "{`vector.dimensions`: 0}}").message().find("1 to 16384") != std::string::npos);
  CHECK(g.Error(head + "{`vector.similarity_function`: 'manhattan'}}").message().find("'cosine'") != std::string::npos);
  CHECK(g.Error(head + "{`vector.dimension`: 3}}").message().find("vector.dimensions") != std::string::npos);
  g.Run(head + "{`vector.dimensions`: 3, `vector.similarity_function`: 'EUCLIDEAN', `vector.hnsw.m`: 8}}");
  CHECK(g.Run("SHOW VECTOR INDEXES YIELD options RETURN options.indexConfig.`vector.dimensions`, options.indexConfig.`vector.similarity_function`, options.indexConfig.`vector.hnsw.m`") ==
        Rows{"3 | 'euclidean' | 8"});
}

TEST_CASE("a graph type closes the vocabulary") {
  TestGraph g;
  g.Run("ALTER CURRENT GRAPH TYPE SET { (:Memory => {text :: STRING NOT NULL}), (:Memory)-[:ABOUT =>]->(:Goal), (:Goal => {}) } CLOSED");
  CHECK(g.Run("SHOW CURRENT GRAPH TYPE YIELD labels, relationshipTypes, closed") == Rows{"['Goal', 'Memory'] | ['ABOUT'] | true"});
  g.Run("CREATE (:Memory {text: 'x'})-[:ABOUT]->(:Goal)");
  CHECK_FALSE(g.Try("CREATE (:Memori {text: 'x'})").ok());
}

TEST_CASE("SHOW PROCEDURES and FUNCTIONS list what there is, SHOW's own sources apart") {
  TestGraph g;
  CHECK(g.Run("SHOW PROCEDURES YIELD name WHERE name = 'db.labels'") == Rows{"'db.labels'"});
  CHECK(g.Run("SHOW PROCEDURES YIELD name WHERE name STARTS WITH 'show.'").empty());
  CHECK(g.Run("SHOW FUNCTIONS YIELD name, aggregating WHERE name = 'count'") == Rows{"'count' | true"});
}

}  // namespace fornix::engine
