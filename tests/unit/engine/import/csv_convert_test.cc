#include "engine/import/csv_convert.h"

#include <catch2/catch.hpp>

#include "base/value_format.h"

namespace fornix::engine {
namespace {

// The value as Cypher writes it, "-" for none, "! reason" if refused.
std::string Convert(std::string_view header, std::string_view text, bool quoted = false) {
  auto columns = ParseCsvHeader({":ID", std::string(header)}, true, "f.csv");
  INFO(columns.status().ToString());
  REQUIRE(columns.ok());
  storage::RowBytes row;
  std::string reason;
  if (!CsvConverter((*columns)[1], PropertyId(7), ';').Append(text, quoted, &row, &reason)) {
    CHECK(row.empty());
    return "! " + reason;
  }
  storage::StoredProperties properties;
  REQUIRE(storage::DecodeRow(row.bytes(), &properties).ok());
  if (properties.empty()) return "-";
  REQUIRE(properties.size() == 1);
  CHECK(properties[0].key == PropertyId(7));
  const Value value = storage::UnpackProperty(properties[0]);
  return std::string(TypeName(value.type())) + " " + ToText(value);
}

}  // namespace

TEST_CASE("columns: every type of the header reads its values") {
  CHECK(Convert("x", "abc") == "STRING 'abc'");
  CHECK(Convert("x", "") == "-");
  CHECK(Convert("x", "", true) == "STRING ''");
  CHECK(Convert("x:int", "") == "-");
  CHECK(Convert("x:long", "-9223372036854775808") == "INTEGER -9223372036854775808");
  CHECK(Convert("x:int", " +42 ") == "INTEGER 42");
  CHECK(Convert("x:byte", "-128") == "INTEGER -128");
  CHECK(Convert("x:float", "1.5e3") == "FLOAT 1500.0");
  CHECK(Convert("x:double", "NaN") == "FLOAT NaN");
  CHECK(Convert("x:double", "-Infinity") == "FLOAT -Infinity");
  CHECK(Convert("x:double", "1e-400") == "FLOAT 0.0");
  CHECK(Convert("x:boolean", "TRUE") == "BOOLEAN true");
  CHECK(Convert("x:char", "\xc3\xa5") == "STRING '\xc3\xa5'");
  CHECK(Convert("x:date", "2020-02-29").find("2020-02-29") != std::string::npos);
  CHECK(Convert("x:localtime", "10:11:12.5").find("10:11:12.5") != std::string::npos);
  CHECK(Convert("x:time", "10:11:12+02:00").find("+02:00") != std::string::npos);
  CHECK(Convert("x:localdatetime", "2020-02-29T10:11").find("2020-02-29T10:11") != std::string::npos);
  CHECK(Convert("x:datetime", "2020-02-29T10:11:12Z").find("2020-02-29T10:11:12Z") != std::string::npos);
  CHECK(Convert("x:datetime{timezone: Europe/Stockholm}", "2020-07-01T10:11:12").find("+02:00[Europe/Stockholm]") != std::string::npos);
  CHECK(Convert("x:duration", "P1Y2M10DT2H30M").find("P1Y2M10DT2H30M") != std::string::npos);
  CHECK(Convert("x:point", "{latitude: 55.6, longitude: 12.9}").find("4326") != std::string::npos);
  CHECK(Convert("x:point", "{x: 1, y: 2, z: 3}").find("9157") != std::string::npos);
  CHECK(Convert("x:point{crs: WGS-84}", "{x: 1, y: 2}").find("4326") != std::string::npos);
  CHECK(Convert("x:string[]", "a;b;") == "LIST ['a', 'b', '']");
  CHECK(Convert("x:int[]", "1; 2;3") == "LIST [1, 2, 3]");
  CHECK(Convert("x:int[]", "[1, 2]") == "LIST [1, 2]");
  CHECK(Convert("x:float[]", "1;2;3;4;5;6;7;8.5") == "LIST [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.5]");
  CHECK(Convert("x:vector", "1;2.5").starts_with("VECTOR"));
  CHECK(Convert("x:vector", "[1, 2.5]").starts_with("VECTOR"));
  CHECK(Convert("x:bytes", "00ff").starts_with("BYTES"));
  CHECK(Convert("x:any", "[{\"~date\": \"2020-02-29\"}]").starts_with("LIST ["));
  CHECK(Convert("x:any", "{\"~float\": \"NaN\"}") == "FLOAT NaN");
}

TEST_CASE("columns: a value that isn't one is refused with the column and the text") {
  for (auto [header, text] : std::vector<std::pair<std::string, std::string>>{
           {"x:int", "12a"}, {"x:int", "2147483648"}, {"x:byte", "128"}, {"x:long", "9223372036854775808"}, {"x:float", "1,5"},
           {"x:boolean", "yes"}, {"x:char", "ab"}, {"x:date", "2021-02-29"}, {"x:datetime", "noon"}, {"x:duration", "1 day"},
           {"x:point", "1 2"}, {"x:point", "{x: 1}"}, {"x:point", "{x: 1, y: 2, w: 3}"}, {"x:point", "{latitude: 91, longitude: 0}"},
           {"x:int[]", "1;;2"}, {"x:vector", "1;b"}, {"x:bytes", "0g"}, {"x:any", "{\"a\": 1}"}, {"x:any", "[[1]]"}, {"x:any", "[1, \"a\"]"}, {"x:any", "[null]"},
           {"x:string", "\xff\xfe"}, {"x:string", "\xed\xa0\x80"}}) {
    INFO(header << " " << text);
    CHECK(Convert(header, text).starts_with("! column 'x': "));
  }
}

}  // namespace fornix::engine
