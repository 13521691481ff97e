// The demo's data and questions, end to end: expected rows were reckoned from the files with exact cosines and plain loops.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/value_format.h"
#include "tests/api/api_test_util.h"
#include "tools/demo/memory_data.h"
#include "tools/shell/json.h"

namespace {

using namespace fornix;
using namespace fornix::test;

// Scores to three digits, lists sorted: as in answers.jsonl.
nlohmann::json Normal(const Value& value) {
  nlohmann::json json = nlohmann::json::parse(shell::Dump(shell::ToJson(value)));
  if (json.is_number_float()) return std::round(json.get<double>() * 1000) / 1000;
  if (json.is_array()) std::sort(json.begin(), json.end());
  return json;
}

}  // namespace

TEST_CASE("the six questions about a year of memories have the answers that the files give") {
  auto data = demo::ReadMemoryData(FORNIX_SOURCE_DIR "/examples/memory");
  INFO(data.status().ToString());
  REQUIRE(data.ok());
  Session s;
  Status loaded = demo::LoadSchema(*s.connection, *data);
  if (loaded.ok()) loaded = demo::LoadRows(*s.connection, *data);
  INFO(loaded.ToString());
  REQUIRE(loaded.ok());
  CHECK(s.One("MATCH (n) RETURN count(*)") == std::to_string(data->nodes));
  CHECK(s.One("MATCH ()-[r]->() RETURN count(*)") == std::to_string(data->relationships));

  std::ifstream in(FORNIX_SOURCE_DIR "/examples/memory/answers.jsonl");
  size_t checked = 0;
  for (std::string line; std::getline(in, line); ++checked) {
    nlohmann::json answer = nlohmann::json::parse(line);
    const demo::Question& question = data->questions.at(checked);
    REQUIRE(question.id == answer["id"]);
    INFO(question.id);
    auto cursor = s.connection->Execute(question.cypher, demo::ParametersOf(question));
    INFO(cursor.status().ToString());
    REQUIRE(cursor.ok());
    CHECK((*cursor)->columns() == answer["columns"].get<std::vector<std::string>>());
    std::vector<Row> rows;
    while (!(*cursor)->done()) REQUIRE((*cursor)->Fetch(1000, &rows).ok());
    REQUIRE(rows.size() == answer["rows"].size());
    for (size_t r = 0; r < rows.size(); ++r) {
      for (size_t c = 0; c < rows[r].size(); ++c) {
        nlohmann::json expected = answer["rows"][r][c];
        if (expected.is_array()) std::sort(expected.begin(), expected.end());
        INFO("row " << r << ", column " << c << ": " << ToText(rows[r][c]));
        CHECK(Normal(rows[r][c]) == expected);
      }
    }
  }
  CHECK(checked == 6);
}

TEST_CASE("writes outside the demo's vocabulary are refused and leave nothing") {
  auto data = demo::ReadMemoryData(FORNIX_SOURCE_DIR "/examples/memory");
  REQUIRE(data.ok());
  Session s;
  REQUIRE(demo::LoadSchema(*s.connection, *data).ok());
  REQUIRE(demo::LoadRows(*s.connection, *data).ok());
  std::string before = s.One("MATCH (n) RETURN count(*)") + s.One("MATCH ()-[r]->() RETURN count(*)");
  for (const demo::RefusedWrite& write : data->refused) {
    Status status = s.Error(write.cypher);
    INFO(write.id << ": " << status.ToString());
    CHECK(status.code() == Code::kConstraintViolation);
  }
  CHECK(s.One("MATCH (n) RETURN count(*)") + s.One("MATCH ()-[r]->() RETURN count(*)") == before);
}
