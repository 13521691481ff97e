// SHORTEST k against its definition: all paths that use no relationship twice, by length, in small random graphs with loops and parallel
// relationships. The search of its own and the way over all matches have to agree with it, in every direction, with every bound.
#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/random.h"
#include "tests/api/api_test_util.h"

namespace {

using namespace fornix;
using namespace fornix::test;

struct Found {
  size_t length;
  std::string relationships;
  bool operator<(const Found& other) const { return std::pair(length, relationships) < std::pair(other.length, other.relationships); }
};

std::vector<Found> PathsOf(Session& s, const std::string& pattern, const Map& ends) {
  auto rows = s.connection->Query("MATCH p = " + pattern + " RETURN length(p) AS l, [r IN relationships(p) | id(r)] AS ids", ends);
  INFO(pattern << ": " << rows.status().ToString());
  REQUIRE(rows.ok());
  std::vector<Found> found;
  for (const Row& row : *rows) found.push_back({static_cast<size_t>(row[0].AsInteger()), ToText(row[1])});
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<size_t> LengthsOf(const std::vector<Found>& paths) {
  std::vector<size_t> lengths;
  for (const Found& p : paths) lengths.push_back(p.length);
  return lengths;
}

// Of all lengths, sorted, those of the k shortest, or all of the k shortest lengths.
std::vector<size_t> Selected(const std::vector<size_t>& all, size_t k, bool groups) {
  std::vector<size_t> selected;
  std::set<size_t> kinds;
  for (size_t length : all) {
    kinds.insert(length);
    if (groups ? kinds.size() > k : selected.size() == k) break;
    selected.push_back(length);
  }
  return selected;
}

}  // namespace

TEST_CASE("SHORTEST k gives the k shortest of all paths, whatever the graph, the direction and the bounds") {
  const char* given = std::getenv("FORNIX_SEED");
  const uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : SystemRandom64();
  INFO("seed=" << seed << " rerun: FORNIX_SEED=" << seed);
  Random random(seed);
  for (int graph = 0; graph < 8; graph++) {
    Session s;
    constexpr uint64_t kNodes = 5;
    s.Run("UNWIND range(0, 4) AS i CREATE (:N {i: i})");
    for (int r = 0; r < 8; r++) {
      s.Run("MATCH (a:N {i: $a}), (b:N {i: $b}) CREATE (a)-[:T]->(b)",
            {{"a", Value(static_cast<int64_t>(random.Next() % kNodes))}, {"b", Value(static_cast<int64_t>(random.Next() % kNodes))}});
    }
    for (const char* arrows : {"-[:T]->", "<-[:T]-", "-[:T]-"}) {
      for (const char* hops : {"+", "*", "{2,}", "{1,3}", "{,2}", "{3}"}) {
        const std::string relationship = std::string(arrows) + hops;
        for (int pair = 0; pair < 2; pair++) {
          const Map ends{{"a", Value(static_cast<int64_t>(random.Next() % kNodes))}, {"b", Value(static_cast<int64_t>(random.Next() % kNodes))}};
          const std::string plain = "(a:N {i: $a})" + relationship + "(b:N {i: $b})";
          const std::vector<Found> all = PathsOf(s, plain, ends);
          const size_t k = 1 + random.Next() % 4;
          for (const bool groups : {false, true}) {
            const std::string selector = "SHORTEST " + std::to_string(k) + (groups ? " GROUPS " : " ");
            const std::vector<size_t> wanted = Selected(LengthsOf(all), k, groups);
            for (const std::string& pattern : {selector + plain, selector + "(" + plain + " WHERE a.i >= 0)"}) {
              INFO(pattern << " from " << ToText(*ends.Find("a")) << " to " << ToText(*ends.Find("b")) << ", graph " << graph);
              const std::vector<Found> found = PathsOf(s, pattern, ends);
              CHECK(LengthsOf(found) == wanted);
              CHECK(std::includes(all.begin(), all.end(), found.begin(), found.end()));
            }
          }
        }
      }
    }
  }
}
