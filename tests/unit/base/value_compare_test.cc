// Equality, comparability and order as openCypher defines them; expected values come from that definition.
#include "base/value_compare.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace fornix;

namespace {
const double kNaN = std::numeric_limits<double>::quiet_NaN();
Value ListOf(std::initializer_list<Value> items) { return Value(List(items)); }
}  // namespace

TEST_CASE("null equals nothing, not even null") {
  CHECK(Equals(Value(), Value()) == Truth::kUnknown);
  CHECK(Equals(Value(1), Value()) == Truth::kUnknown);
}

TEST_CASE("integers and floats are equal by value, exactly, above 2^53 too") {
  CHECK(Equals(Value(1), Value(1.0)) == Truth::kTrue);
  CHECK(Equals(Value(int64_t{9007199254740993}), Value(9007199254740992.0)) == Truth::kFalse);
  CHECK(LessThan(Value(9007199254740992.0), Value(int64_t{9007199254740993})) == Truth::kTrue);
  CHECK(Equals(Value(INT64_MAX), Value(0x1p63)) == Truth::kFalse);
  CHECK(LessThan(Value(INT64_MAX), Value(0x1p63)) == Truth::kTrue);
  CHECK(Equals(Value(INT64_MIN), Value(-0x1p63)) == Truth::kTrue);
  CHECK(Equals(Value("1"), Value(1)) == Truth::kFalse);
}

TEST_CASE("NaN is unequal to all, and neither less nor greater than a number") {
  CHECK(Equals(Value(kNaN), Value(kNaN)) == Truth::kFalse);
  CHECK(Equals(Value(kNaN), Value("a")) == Truth::kFalse);
  CHECK(LessThan(Value(kNaN), Value(1)) == Truth::kFalse);
  CHECK(LessOrEqual(Value(1), Value(kNaN)) == Truth::kFalse);
  CHECK(LessThan(Value(kNaN), Value("a")) == Truth::kUnknown);
  CHECK(Equivalent(Value(kNaN), Value(kNaN)));
}

TEST_CASE("a null inside a list makes equality unknown unless another element or the size decides it") {
  CHECK(Equals(ListOf({1, 2}), ListOf({1})) == Truth::kFalse);
  CHECK(Equals(ListOf({Value()}), ListOf({1})) == Truth::kUnknown);
  CHECK(Equals(ListOf({1, 2}), ListOf({Value(), 3})) == Truth::kFalse);
  CHECK(Equals(ListOf({1, 2}), ListOf({Value(), 2})) == Truth::kUnknown);
  CHECK(Equals(ListOf({ListOf({1})}), ListOf({ListOf({1}), ListOf({Value()})})) == Truth::kFalse);
}

TEST_CASE("maps with different keys are unequal, with a null value unknown") {
  CHECK(Equals(Value(Map{}), Value(Map{{"k", Value()}})) == Truth::kFalse);
  CHECK(Equals(Value(Map{{"k", Value()}}), Value(Map{{"k", Value()}})) == Truth::kUnknown);
  CHECK(Equals(Value(Map{{"k", 1}, {"l", Value()}}), Value(Map{{"k", 2}, {"l", 1}})) == Truth::kFalse);
  CHECK(Equals(Value(Map{{"k", 1}}), Value(Map{{"k", 1.0}})) == Truth::kTrue);
}

TEST_CASE("lists compare element by element, a longer one after its prefix") {
  CHECK(LessOrEqual(ListOf({1}), ListOf({1, 0})) == Truth::kTrue);
  CHECK(LessOrEqual(ListOf({1}), ListOf({1, Value()})) == Truth::kTrue);
  CHECK(LessOrEqual(ListOf({1, Value()}), ListOf({1, 2})) == Truth::kUnknown);
  CHECK(LessOrEqual(ListOf({3, Value()}), ListOf({1, 2})) == Truth::kFalse);
  CHECK(LessThan(ListOf({1}), ListOf({"a"})) == Truth::kUnknown);
}

TEST_CASE("values of different kinds, maps and durations aren't comparable") {
  CHECK(LessThan(Value(1), Value("1")) == Truth::kUnknown);
  CHECK(LessThan(Value(Map{}), Value(Map{})) == Truth::kUnknown);
  CHECK(LessThan(Value(Duration{0, 1, 0, 0}), Value(Duration{0, 2, 0, 0})) == Truth::kUnknown);
  CHECK(LessThan(Value(false), Value(true)) == Truth::kTrue);
}

TEST_CASE("ascending order goes through the kinds from maps to null") {
  Node node;
  node.id = 7;
  Relationship relationship;
  Path path{{Value::NodeRef(1)}, {}};
  std::vector<Value> ascending = {Value(Map{{"a", "map"}}), Value(node), Value(relationship), ListOf({"list"}), Value(path),
                                  Value(DateTime{}), Value(LocalDateTime{}), Value(Date{}), Value(Time{}), Value(LocalTime{}),
                                  Value(Duration{}), Value(Point{}), Value("text"), Value(false), Value(1.5), Value(kNaN),
                                  Value::Vector({1.0f}), Value::Bytes("b"), Value()};
  for (size_t i = 0; i < ascending.size(); ++i) {
    for (size_t j = 0; j < ascending.size(); ++j) {
      INFO(i << " against " << j);
      int c = Order(ascending[i], ascending[j]);
      CHECK((c < 0) == (i < j));
      CHECK((c > 0) == (i > j));
    }
  }
}

TEST_CASE("lists in order: shorter prefix first, nulls last") {
  std::vector<Value> ascending = {ListOf({}), ListOf({"a"}), ListOf({"a", 1}), ListOf({1}), ListOf({1, "a"}),
                                  ListOf({1, Value()}), ListOf({Value(), 1}), ListOf({Value(), 2})};
  for (size_t i = 0; i + 1 < ascending.size(); ++i) CHECK(Order(ascending[i], ascending[i + 1]) < 0);
}

TEST_CASE("times and datetimes compare as instants; the same instant in another zone is another value") {
  Time ten_plus_one{36'000'000'000'000, 3600}, half_past_nine{34'200'000'000'000, 0}, nine{32'400'000'000'000, 0};
  CHECK(LessThan(Value(ten_plus_one), Value(half_past_nine)) == Truth::kTrue);
  CHECK(Equals(Value(ten_plus_one), Value(nine)) == Truth::kFalse);
  DateTime a{1000, 0, 0, ""}, b{1000, 0, 3600, ""};
  CHECK(Equals(Value(a), Value(b)) == Truth::kFalse);
  CHECK(Order(Value(a), Value(b)) < 0);
}

TEST_CASE("durations are equal part by part and ordered by their average length") {
  Duration day{0, 1, 0, 0}, hours{0, 0, 86400, 0}, month{1, 0, 0, 0};
  CHECK(Equals(Value(day), Value(hours)) == Truth::kFalse);
  CHECK(Order(Value(month), Value(Duration{0, 30, 0, 0})) > 0);
  CHECK(Order(Value(month), Value(Duration{0, 31, 0, 0})) < 0);
}

TEST_CASE("an element is the same by reference and as a result") {
  Node node;
  node.id = 7;
  CHECK(Equals(Value(node), Value::NodeRef(7)) == Truth::kTrue);
  CHECK(Hash(Value(node)) == Hash(Value::NodeRef(7)));
  CHECK(Equals(Value::NodeRef(7), Value::RelationshipRef(7)) == Truth::kFalse);
}

TEST_CASE("equivalent values hash alike") {
  CHECK(Equivalent(Value(), Value()));
  CHECK(Hash(Value(1)) == Hash(Value(1.0)));
  CHECK(Hash(Value(0.0)) == Hash(Value(-0.0)));
  CHECK(Hash(Value(kNaN)) == Hash(Value(-kNaN)));
  CHECK(Hash(ListOf({1, Value()})) == Hash(ListOf({1.0, Value()})));
  CHECK(Equivalent(Value(Map{{"a", Value()}}), Value(Map{{"a", Value()}})));
  CHECK_FALSE(Equivalent(Value(Map{{"a", Value()}}), Value(Map{})));
}
