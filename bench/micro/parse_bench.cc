// The parser: texts of growing length, warm; a long list of constants; a refused text.
#include <benchmark/benchmark.h>

#include <string>

#include "grammar/parse.h"

namespace {

void Parse(benchmark::State& state, const std::string& text) {
  for (auto _ : state) {
    auto result = fornix::grammar::Parse(text);
    benchmark::DoNotOptimize(result);
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}

void ParseOne(benchmark::State& state) { Parse(state, "RETURN 1"); }
void ParseLookup(benchmark::State& state) { Parse(state, "MATCH (n:Person {id: $id}) RETURN n.name AS name, n.age AS age"); }
void ParseExpand(benchmark::State& state) {
  Parse(state,
        "MATCH (m:Memory) SEARCH m IN (VECTOR INDEX emb FOR $q LIMIT 10) SCORE AS s MATCH (m)-[:SUPPORTS|ABOUT]->(g:Goal) WHERE "
        "g.open = true AND NOT "
        "(g)-[:DONE]->() RETURN m.text AS text, g.name AS goal, s ORDER BY s DESC LIMIT 5");
}
void ParseVector(benchmark::State& state) {
  std::string text = "MATCH (n:Memory {id: $id}) SET n.embedding = [0.0123";
  for (int i = 1; i < 384; ++i) text += ", -0.0456789";
  Parse(state, text + "]");
}
void ParseError(benchmark::State& state) { Parse(state, "MATCH (n:Person) WERE n.x = 1 RETURN n"); }

BENCHMARK(ParseOne);
BENCHMARK(ParseLookup);
BENCHMARK(ParseExpand);
BENCHMARK(ParseVector);
BENCHMARK(ParseError);

}  // namespace
