// Schema commands, as the clients write them.
#include <catch2/catch.hpp>

#include "grammar/parse.h"
#include "grammar/print_ast.h"

using namespace fornix;

namespace {
std::string Printed(std::string_view text) {
  auto result = grammar::Parse(text);
  INFO(text);
  INFO(result.status().ToString());
  REQUIRE(result.ok());
  return grammar::ToString(**result);
}
}  // namespace

TEST_CASE("indexes of every kind are read") {
  CHECK(Printed("CREATE INDEX name FOR (n:L) ON (n.p, n.q)") == "CREATE INDEX name range labels L properties p, q");
  CHECK(Printed("CREATE INDEX FOR (n :`__Entity__`) ON (n.name)") == "CREATE INDEX range labels __Entity__ properties name");
  CHECK(Printed("create text index IF NOT EXISTS for ()-[e:T]-() on (e.p)") == "CREATE INDEX if not exists text types T properties p");
  CHECK(Printed("CREATE FULLTEXT INDEX search IF NOT EXISTS FOR (m:Memory|Note) ON EACH [m.name, m.type];") ==
        "CREATE INDEX search if not exists fulltext labels Memory, Note properties name, type");
  CHECK(Printed("CREATE VECTOR INDEX $name IF NOT EXISTS FOR (n:L) ON n.prop WITH [n.`a b`, n.c] OPTIONS { indexConfig: { "
                "`vector.dimensions`: toInteger($d), "
                "`vector.similarity_function`: $f } }") ==
        "CREATE INDEX $name if not exists vector labels L properties prop with a b, c OPTIONS {indexConfig: {vector.dimensions: "
        "toInteger($d), vector.similarity_function: $f}}");
  CHECK(Printed("DROP INDEX $name IF EXISTS") == "DROP INDEX $name if exists");
  CHECK(Printed("ALTER VECTOR INDEX emb SET OPTIONS {indexConfig: {`vector.quantization.type`: 'binary'}}") ==
        "ALTER INDEX emb OPTIONS {indexConfig: {vector.quantization.type: 'binary'}}");
  CHECK(Printed("ALTER INDEX $name IF EXISTS SET OPTIONS $options") == "ALTER INDEX $name if exists OPTIONS $options");
}

TEST_CASE("constraints of every kind are read") {
  CHECK(Printed("CREATE CONSTRAINT IF NOT EXISTS FOR (b:__Entity__) REQUIRE b.id IS UNIQUE;") ==
        "CREATE CONSTRAINT if not exists unique labels __Entity__ properties id");
  CHECK(Printed("CREATE CONSTRAINT c FOR (t:T) REQUIRE (t.a, t.b) IS NODE KEY") == "CREATE CONSTRAINT c key labels T properties a, b");
  CHECK(Printed("CREATE CONSTRAINT c FOR ()-[r:T]-() REQUIRE (r.k) IS RELATIONSHIP UNIQUE") ==
        "CREATE CONSTRAINT c unique types T properties k");
  CHECK(Printed("CREATE CONSTRAINT FOR (n:L) REQUIRE n.p IS NOT NULL") == "CREATE CONSTRAINT exists labels L properties p");
  CHECK(Printed("CREATE CONSTRAINT FOR (n:L) REQUIRE n.p IS :: LIST<INT NOT NULL> | varchar") ==
        "CREATE CONSTRAINT type labels L properties p :: LIST<INTEGER NOT NULL> | STRING");
  CHECK(Printed("CREATE CONSTRAINT FOR (n:L) REQUIRE n.p IS TYPED VECTOR<FLOAT32>(1536)") ==
        "CREATE CONSTRAINT type labels L properties p :: VECTOR<FLOAT32>(1536)");
  CHECK(Printed("CREATE CONSTRAINT FOR (n:L) REQUIRE n.p :: TIMESTAMP WITH TIME ZONE") ==
        "CREATE CONSTRAINT type labels L properties p :: ZONED DATETIME");
  CHECK(Printed("DROP CONSTRAINT c IF EXISTS") == "DROP CONSTRAINT c if exists");
}

TEST_CASE("graph types are read, closed or open") {
  CHECK(Printed(
            "ALTER CURRENT GRAPH TYPE SET { (p:Agent => :Actor {name :: STRING NOT NULL, email :: STRING IS KEY}) REQUIRE (p.a, "
            "p.b) IS UNIQUE,"
            " (:Agent)-[:KNOWS => {since :: DATE}]->(:Agent => ), CONSTRAINT c1 FOR (x:Actor) REQUIRE x.id IS UNIQUE } CLOSED") ==
        "ALTER GRAPH TYPE set closed\n  (Agent) implies Actor name :: STRING NOT NULL email :: STRING key\n  "
        "(Agent)-[KNOWS]->(Agent) since :: DATE\n"
        "  CREATE CONSTRAINT unique labels Agent properties a, b\n  CREATE CONSTRAINT c1 unique labels Actor properties id");
  CHECK(Printed("ALTER CURRENT GRAPH TYPE DROP { (:Agent =>), ()-[:KNOWS =>]->(), CONSTRAINT c1 }") ==
        "ALTER GRAPH TYPE drop\n  (Agent)\n  ()-[KNOWS]->()\n  DROP CONSTRAINT c1");
  CHECK(Printed("ALTER CURRENT GRAPH TYPE SET {} CLOSED") == "ALTER GRAPH TYPE set closed");
}

TEST_CASE("SHOW is read with its tail") {
  CHECK(Printed("SHOW INDEXES") == "SHOW indexes");
  CHECK(Printed("SHOW ALL CONSTRAINTS") == "SHOW constraints");
  CHECK(Printed("SHOW CURRENT GRAPH TYPE") == "SHOW graph type");
  CHECK(Printed("SHOW VECTOR INDEXES YIELD name, options WHERE name = $x RETURN options.indexConfig.`vector.dimensions` AS d") ==
        "SHOW indexes VECTOR YIELD name, options WHERE (name = $x) RETURN options.indexConfig.vector.dimensions AS d");
  CHECK(Printed("SHOW PROCEDURES YIELD name ORDER BY name SKIP 1 LIMIT 2 WHERE name = 'x' RETURN count(name) > 0 AS c") ==
        "SHOW procedures YIELD name ORDER BY name SKIP 1 LIMIT 2 WHERE (name = 'x') RETURN (count(name) > 0) AS c");
}

TEST_CASE("mistakes in schema commands are explained") {
  auto message = [](std::string_view text) {
    auto result = grammar::Parse(text);
    REQUIRE_FALSE(result.ok());
    return result.status().message();
  };
  CHECK_THAT(message("SHOW INDEXS"), Catch::Contains("did you mean INDEXES"));
  CHECK_THAT(message("CREATE CONSTRAINT FOR (n:L) REQUIRE n.p IS :: STRNG"), Catch::Contains("did you mean STRING"));
  CHECK_THAT(message("CREATE CONSTRAINT FOR (n:L) REQUIRE m.p IS UNIQUE"), Catch::Contains("`m` isn't defined"));
  CHECK_THAT(message("CREATE VECTOR INDEX i FOR (n:L) ON (n.a, n.b)"), Catch::Contains("on one property"));
}
