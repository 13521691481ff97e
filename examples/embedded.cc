// Fornix inside a program: a schema, three memories with vectors, and one question that starts at the nearest memories and
// goes on to what they support.  usage: embedded FILE
#include <fornix/database.h>

#include <cstdio>
#include <cstdlib>

// An example may stop at the first error; a program would hand the Status on.
template <typename T>
T Take(fornix::Result<T> result) {
  if (result.ok()) return std::move(result).value();
  std::fprintf(stderr, "%s\n", result.status().ToString().c_str());
  std::exit(1);
}

int main(int argc, char** argv) {
  using fornix::List, fornix::Map, fornix::Value;
  auto database = Take(fornix::Database::Open(argc > 1 ? argv[1] : ":memory:"));
  auto connection = database->Connect();
  Take(connection->Query("CREATE CONSTRAINT goal_name FOR (g:Goal) REQUIRE g.name IS UNIQUE"));
  Take(connection->Query("CREATE VECTOR INDEX emb FOR (m:Memory) ON (m.embedding) "
                         "OPTIONS {indexConfig: {`vector.dimensions`: 3, `vector.similarity_function`: 'cosine'}}"));
  Take(connection->Query("CREATE (:Goal {name: 'run a marathon'}), (:Goal {name: 'sleep well'})"));

  struct { const char *text, *goal; List embedding; } memories[] = {
      {"ran ten kilometres by the river", "run a marathon", {0.9, 0.1, 0.0}},
      {"bought new running shoes", "run a marathon", {0.7, 0.6, 0.1}},
      {"no coffee after noon", "sleep well", {0.0, 0.2, 0.9}}};
  for (auto& memory : memories) {
    Take(connection->Query("MATCH (g:Goal {name: $goal}) CREATE (:Memory {text: $text, embedding: $embedding})-[:SUPPORTS]->(g)",
                           {{"goal", memory.goal}, {"text", memory.text}, {"embedding", memory.embedding}}));
  }

  auto rows = Take(connection->Query("MATCH (m:Memory) SEARCH m IN (VECTOR INDEX emb FOR $q LIMIT 2) SCORE AS score "
                                     "MATCH (m)-[:SUPPORTS]->(g:Goal) RETURN m.text, g.name, score ORDER BY score DESC",
                                     {{"q", List{1.0, 0.0, 0.0}}}));
  for (const fornix::Row& row : rows) {
    std::printf("%.3f  %-34s -> %s\n", row[2].AsNumber(), row[0].AsString().c_str(), row[1].AsString().c_str());
  }
  connection.reset();
  fornix::Status closed = database->Close();
  if (!closed.ok()) std::fprintf(stderr, "%s\n", closed.ToString().c_str());
  return closed.ok() ? 0 : 1;
}
