#include "engine/import/csv_header.h"

#include <catch2/catch.hpp>

namespace fornix::engine {

TEST_CASE("headers: roles, names, types, lists, id spaces and options of neo4j-admin are understood") {
  auto columns = ParseCsvHeader({"personId:ID(Person){id-type: integer}", "name", "tags:string[]", "age:INT", ":LABEL", "x:IGNORE",
                                 "at:datetime{timezone:Europe/Stockholm}", "a:b:double", "embedding:vector"},
                                true, "n.csv");
  INFO(columns.status().ToString());
  REQUIRE(columns.ok());
  const auto& c = *columns;
  CHECK((c[0].role == ColumnRole::kId && c[0].name == "personId" && c[0].space == "Person" && c[0].options.at("id-type") == "integer"));
  CHECK((c[1].role == ColumnRole::kProperty && c[1].name == "name" && c[1].type == ColumnType::kString && !c[1].list));
  CHECK((c[2].type == ColumnType::kString && c[2].list));
  CHECK(c[3].type == ColumnType::kInt);
  CHECK(c[4].role == ColumnRole::kLabels);
  CHECK(c[5].role == ColumnRole::kIgnore);
  CHECK((c[6].type == ColumnType::kDateTime && c[6].options.at("timezone") == "Europe/Stockholm"));
  CHECK((c[7].name == "a:b" && c[7].type == ColumnType::kFloat));
  CHECK(c[8].type == ColumnType::kVector);
  auto relationships = ParseCsvHeader({":START_ID(Person)", ":END_ID", ":TYPE", "since:date"}, false, "r.csv");
  REQUIRE(relationships.ok());
  CHECK((*relationships)[0].space == "Person");
  CHECK((*relationships)[2].role == ColumnRole::kType);
}

TEST_CASE("headers: what can't be meant is refused, naming file and column") {
  auto message = [](std::vector<std::string> fields, bool nodes) {
    auto columns = ParseCsvHeader(fields, nodes, "f.csv");
    REQUIRE(!columns.ok());
    CHECK(columns.status().message().find("f.csv") == 0);
    return columns.status().message();
  };
  CHECK(message({":ID", "x:strnig"}, true).find("'x:strnig'") != std::string::npos);
  CHECK(message({":ID", ":ID"}, true).find("one id") != std::string::npos);
  CHECK(message({":ID", ":START_ID"}, true).find("relationships") != std::string::npos);
  CHECK(message({":START_ID", ":TYPE"}, false).find(":END_ID") != std::string::npos);
  CHECK(message({":ID", "a", "a:int"}, true).find("twice") != std::string::npos);
  CHECK(message({":ID", ""}, true).find("name") != std::string::npos);
  CHECK(message({"x:string(Space)"}, true).find("id space") != std::string::npos);
  CHECK(message({":ID(Space"}, true).find("close") != std::string::npos);
}

}  // namespace fornix::engine
