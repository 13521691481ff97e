// Every kind of value comes back from its bytes as it was, and damaged bytes are an error.
#include "engine/exec/spill/value_codec.h"
#include "tests/unit/engine/exec/spill/spill_test_util.h"

namespace fornix::engine {

TEST_CASE("values of every kind come back from a run's bytes") {
  const List values{Value(), Value(true), Value(INT64_MIN), Value(-0.0), Value("text"), Value::Bytes(std::string("\0\1", 2)), Value(List{}),
                    Value(Map{{"", Value()}}), Value(Date{-5}), Value(LocalTime{7}), Value(Time{1, -3600}), Value(LocalDateTime{-1, 9}),
                    Value(DateTime{-7, 999999999, 7200, "Europe/Stockholm"}), Value(Duration{-1, 2, -3, 4}), Value(Point{7203, 1, 2, 0}),
                    Value::Vector({}), Value::Vector({1.5f, -2.5f}), Value::NodeRef(UINT64_MAX), Value::RelationshipRef(0),
                    Value(Node{7, {"A", "B"}, Map{{"x", Value(1)}}}), Value(Relationship{8, "T", 1, 2, Map{{"y", Value("z")}}}),
                    Value(Path{{Value::NodeRef(1), Value::NodeRef(2)}, {Value::RelationshipRef(3)}})};
  Column column;
  ByteWriter out;
  for (const Value& v : values) {
    Column one;
    one.Append(v);
    WriteEntry(one, 0, &out);
  }
  ByteReader in(out.bytes());
  for (const Value& v : values) {
    CAPTURE(ToText(v));
    REQUIRE(ReadEntry(&in, &column).ok());
    const Value back = column.ValueAt(column.size() - 1);
    CHECK(back == v);
    CHECK(back.type() == v.type());
    if (v.type() == Type::kNode) CHECK(back.AsNode().labels == v.AsNode().labels);
    if (v.type() == Type::kRelationship) CHECK(back.AsRelationship().type == "T");
    if (v.type() == Type::kRelationship) CHECK(back.AsRelationship().properties.Find("y")->AsString() == "z");
  }
  CHECK(in.empty());
}

TEST_CASE("cut and changed bytes of values are errors or other values, never a crash") {
  const uint64_t seed = SystemRandom64();
  INFO("seed=" << seed);
  Random random(seed);
  for (int round = 0; round < 2000; round++) {
    ByteWriter out;
    WriteValue(RandomValue(&random, 1000), &out);
    std::vector<std::byte> bytes = out.Take();
    if (random.Next() % 2 == 0) bytes.resize(random.Next() % bytes.size());
    if (!bytes.empty()) bytes[random.Next() % bytes.size()] = static_cast<std::byte>(random.Next());
    ByteReader in(bytes);
    (void)ReadValue(&in);
  }
}

}  // namespace fornix::engine
