#include "engine/import/id_map.h"

#include <catch2/catch.hpp>
#include <iostream>
#include <map>
#include <string>

#include "base/random.h"

namespace fornix::engine {
namespace {

void Compare(const IdMap& map, const std::map<std::string, uint64_t>& expected, std::vector<std::string> asked) {
  for (const auto& [id, node] : expected) asked.push_back(id);
  std::vector<std::string_view> views(asked.begin(), asked.end());
  std::vector<uint64_t> nodes(views.size());
  map.Find(views, nodes.data());
  CHECK(map.size() == expected.size());
  size_t wrong = 0;
  for (size_t i = 0; i < asked.size(); ++i) {
    auto found = expected.find(asked[i]);
    wrong += nodes[i] != (found == expected.end() ? IdMap::kNone : found->second);
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("id map: dense numbers, sparse numbers and texts are found, others aren't, a second insert changes nothing") {
  const uint64_t seed = std::getenv("FORNIX_SEED") ? std::strtoull(std::getenv("FORNIX_SEED"), nullptr, 10) : SystemRandom64();
  std::cout << "seed=" << seed << "\n";
  Random random(seed);
  for (int kind = 0; kind < 5; ++kind) {
    IdMap map(nullptr);
    std::map<std::string, uint64_t> expected;
    for (uint64_t i = 0; i < 20'000; ++i) {
      std::string id;
      if (kind == 0) id = std::to_string(i + random.Below(3));
      if (kind == 1) id = std::to_string(random.Next() >> 4);
      if (kind == 2) id = "person-" + std::to_string(random.Below(1'000'000));
      if (kind == 3) id = random.OneIn(2) ? std::to_string(random.Below(100'000)) : "x" + std::string(random.Below(40), 'y') + std::to_string(random.Below(1000));
      if (kind == 4) id = std::to_string(i < 10'000 ? i : random.Below(uint64_t{1} << 50));   // dense first, then not
      const uint64_t node = kind == 1 ? random.Below(uint64_t{1} << 40) : i;
      auto inserted = map.Insert(id, node);
      REQUIRE(inserted.ok());
      const bool is_new = expected.emplace(id, node).second;
      if (*inserted != is_new) FAIL("insert of " << id << " in round " << kind);
    }
    Compare(map, expected, {"", "-1", "007", "18446744073709551615", "99999999999999999999", "none", "12 ", "4000000000"});
  }
}

TEST_CASE("id map: '1', '01' and '+1' are three ids") {
  IdMap map(nullptr);
  CHECK(*map.Insert("1", 10));
  CHECK(*map.Insert("01", 11));
  CHECK(*map.Insert("+1", 12));
  Compare(map, {{"1", 10}, {"01", 11}, {"+1", 12}}, {"001"});
}

TEST_CASE("id map: where memory ends, the insert says so") {
  IdMap map([](uint64_t bytes) { return bytes > 1 << 20 ? Status(Code::kResourceExhausted, "too small") : Status::Ok(); });
  Status status;
  for (uint64_t i = 0; i < 1'000'000 && status.ok(); ++i) status = map.Insert("id-" + std::to_string(i), i).status();
  CHECK(status.code() == Code::kResourceExhausted);
}

TEST_CASE("id map: ten million dense ids take 40 to 80 MB") {
  IdMap map(nullptr);
  uint64_t refused = 0;
  for (uint64_t i = 0; i < 10'000'000; ++i) refused += !map.Insert(std::to_string(i), i).ok();
  CHECK(refused == 0);
  CHECK(map.bytes() <= 80'000'000);
}

}  // namespace fornix::engine
