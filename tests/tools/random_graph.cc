#include "tests/tools/random_graph.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>

#include "tools/export/export.h"
#include "tools/export/typed_text.h"

namespace fornix::test {
namespace {

std::string RandomText(Random* random) {
  static const std::vector<std::string> pieces = {"a", "b", " ", ";", ",", "\"", "'", "\\", "\n", "\r\n", "\t", "\xc3\xa5", "\xf0\x9f\x98\x80", "{", "]", ":", "`", "$", "#", "\x01", "~"};
  std::string out;
  for (uint64_t n = random->Below(8); n > 0; --n) out += pieces[random->Below(pieces.size())];
  return out;
}

double RandomFloat(Random* random) {
  switch (random->Below(7)) {
    case 0: return std::numeric_limits<double>::quiet_NaN();
    case 1: return random->OneIn(2) ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
    case 2: return -0.0;
    case 3: return static_cast<double>(random->Below(1000));
    case 4: return 5e-324 * static_cast<double>(random->Below(100));
    case 5: return std::numeric_limits<double>::max();
    default: return (random->Unit() - 0.5) * 1e6;
  }
}

int64_t RandomInteger(Random* random) {
  switch (random->Below(4)) {
    case 0: return std::numeric_limits<int64_t>::min();
    case 1: return std::numeric_limits<int64_t>::max();
    default: return static_cast<int64_t>(random->Below(2000)) - 1000;
  }
}

int64_t Days(Random* random) { return static_cast<int64_t>(random->Below(2'000'000)) - 1'000'000; }
int32_t Nanos(Random* random) { return random->OneIn(2) ? 0 : static_cast<int32_t>(random->Below(1'000'000'000)); }
int32_t Offset(Random* random) { return (static_cast<int32_t>(random->Below(73)) - 36) * 1800; }
int64_t OfDay(Random* random) { return static_cast<int64_t>(random->Below(86'400'000'000'000)); }

Value RandomPoint(Random* random) {
  static constexpr int32_t srids[] = {7203, 9157, 4326, 4979};
  Point p{srids[random->Below(4)], (random->Unit() - 0.5) * 300, (random->Unit() - 0.5) * 150, 0};
  if (p.has_z()) p.z = random->Unit();
  return Value(p);
}

Value RandomList(Random* random) {
  List list;
  const uint64_t kind = random->Below(4), n = random->Below(12);
  const Type type = RandomValue(random, true).type();
  for (uint64_t i = 0; i < n; ++i) {
    if (kind == 0) list.emplace_back(random->Unit());                                         // packed as doubles where long
    else if (kind == 1) list.emplace_back(static_cast<double>(random->Below(64)) / 8);        // as floats
    else if (kind == 2) list.emplace_back(RandomText(random));
    else {                                     // a list's elements have one type
      Value v = RandomValue(random, true);
      while (v.type() != type) v = RandomValue(random, true);
      list.push_back(std::move(v));
    }
  }
  return Value(std::move(list));
}

}  // namespace

Value RandomValue(Random* random, bool in_list) {
  switch (random->Below(in_list ? 13 : 15)) {
    case 0: return Value(random->OneIn(2));
    case 1: return Value(RandomInteger(random));
    case 2: return Value(RandomFloat(random));
    case 3: return Value(RandomText(random));
    case 4: return Value::Bytes(RandomText(random) + std::string(random->Below(2), '\xff'));
    case 5: return Value(Date{Days(random)});
    case 6: return Value(LocalTime{OfDay(random)});
    case 7: return Value(Time{OfDay(random), Offset(random)});
    case 8: return Value(LocalDateTime{Days(random) * 86'400 + static_cast<int64_t>(random->Below(86'400)), Nanos(random)});
    case 9: {
      DateTime t{static_cast<int64_t>(random->Below(3'000'000'000)), Nanos(random), Offset(random), ""};
      if (random->OneIn(3)) {                  // Singapore: one offset for decades
        t.seconds = 1'000'000'000 + static_cast<int64_t>(random->Below(600'000'000));
        t.offset_seconds = 8 * 3600;
        t.zone = "Asia/Singapore";
      }
      return Value(t);
    }
    case 10:
      return Value(Duration{static_cast<int64_t>(random->Below(200)) - 100, static_cast<int64_t>(random->Below(200)) - 100,
                            static_cast<int64_t>(random->Below(200'000)) - 100'000, Nanos(random)});
    case 11: return RandomPoint(random);
    case 12: return Value(RandomText(random));
    case 13: {
      std::vector<float> elements;
      for (uint64_t n = 1 + random->Below(6); n > 0; --n) elements.push_back(static_cast<float>(random->Unit() - 0.5));
      return Value::Vector(std::move(elements));
    }
    default: return RandomList(random);
  }
}

void FillRandomly(Connection* connection, uint64_t seed, int nodes, int relationships) {
  Random random(seed);
  auto run = [connection](const std::string& text, const Map& parameters) {
    auto rows = connection->Query(text, parameters);
    INFO(text << ": " << rows.status().ToString());
    REQUIRE(rows.ok());
  };
  const std::vector<std::string> labels = {"Person", "Two words", "Quo`te", "L\xc3\xa5ng", "Thing"};
  const std::vector<std::string> keys = {"name", "a b", "x:y", "mixed", "p\"q", "v", "w(1", "z{2"};
  auto properties = [&] {
    Map map;
    for (const std::string& key : keys) {
      // Some properties have one type throughout, as in real data; the others any.
      if (key == "name") map.Set(key, RandomText(&random));
      else if (key == "v") map.Set(key, Value(RandomInteger(&random)));
      else if (random.OneIn(2)) map.Set(key, RandomValue(&random));
    }
    return map;
  };
  REQUIRE(connection->Begin().ok());
  for (int i = 0; i < nodes; ++i) {
    List some;
    for (const std::string& label : labels) {
      if (random.OneIn(3)) some.emplace_back(label);
    }
    Map map = properties();
    map.Set("uid", Value(static_cast<int64_t>(i)));
    run("CREATE (n) SET n = $p SET n:$($l)", {{"p", Value(map)}, {"l", Value(some)}});
  }
  REQUIRE(connection->Commit().ok());
  run("CREATE CONSTRAINT fill FOR (n:Person) REQUIRE n.uid IS UNIQUE", {});
  run("DROP CONSTRAINT fill", {});
  REQUIRE(connection->Begin().ok());
  const std::vector<std::string> types = {"KNOWS", "HAS PART", "T`x"};
  for (int i = 0; i < relationships; ++i) {
    run("MATCH (a {uid: $a}), (b {uid: $b}) CREATE (a)-[r:$($t)]->(b) SET r = $p",
        {{"a", Value(static_cast<int64_t>(random.Below(static_cast<uint64_t>(nodes))))},
         {"b", Value(static_cast<int64_t>(random.Below(static_cast<uint64_t>(nodes))))},
         {"t", Value(types[random.Below(types.size())])},
         {"p", Value(random.OneIn(4) ? Map() : properties())}});
  }
  REQUIRE(connection->Commit().ok());
}

std::vector<std::string> ContentOf(Connection* connection) {
  std::vector<std::string> out;
  auto text = [](const Map& properties) {
    std::string line;
    for (const auto& [key, value] : properties) {
      line += " " + key + "=";
      tools::AppendTypedJson(value, &line);
    }
    return line;
  };
  auto nodes = connection->Query("MATCH (n) RETURN n");
  REQUIRE(nodes.ok());
  for (const Row& row : *nodes) {
    std::string line = "node";
    for (const std::string& label : row[0].AsNode().labels) line += ":" + label;
    out.push_back(line + text(row[0].AsNode().properties));
  }
  auto relationships = connection->Query("MATCH (a)-[r]->(b) RETURN a.uid, r, b.uid");
  REQUIRE(relationships.ok());
  for (const Row& row : *relationships) {
    const Relationship& r = row[1].AsRelationship();
    std::string line = "relationship " + r.type + " ";
    tools::AppendTypedJson(row[0], &line);
    line += " ";
    tools::AppendTypedJson(row[2], &line);
    out.push_back(line + text(r.properties));
  }
  auto schema = tools::SchemaStatements(connection);
  REQUIRE(schema.ok());
  out.insert(out.end(), schema->begin(), schema->end());
  std::sort(out.begin(), out.end());
  return out;
}

ScratchDirectory::ScratchDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "fornix-tools-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  path_ = name;
}
ScratchDirectory::~ScratchDirectory() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

uint64_t TestSeed() {
  const char* given = std::getenv("FORNIX_SEED");
  const uint64_t seed = given ? std::strtoull(given, nullptr, 10) : SystemRandom64();
  std::cout << "seed=" << seed << " rerun: FORNIX_SEED=" << seed << "\n";
  return seed;
}

}  // namespace fornix::test
