// Every function and operator with every kind of value, the ends of all ranges among them: an answer or an error, never a
// crash, and an answer of a type that the signature promises. Sanitizers make this test sharp.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "base/calendar.h"
#include "base/utf8.h"
#include "base/value_check.h"
#include "base/value_compare.h"
#include "tests/unit/engine/function/call.h"

using namespace fornix;
using namespace fornix::engine;

namespace {

std::vector<Value> HostileValues() {
  Node node{7, {"L"}, Map{{"p", 1}}};
  Relationship relationship{8, "T", 7, 3, {}};
  int64_t last = DaysMax() * kSecondsPerDay + 86'399, first = DaysMin() * kSecondsPerDay;
  std::vector<Value> values = {
      Value(), true, false, 0, 1, -1, 53, 366, INT64_MAX, INT64_MIN, 0.0, -0.0, 0.5, 1e300, 5e-324, -1e19,
      std::numeric_limits<double>::infinity(), std::nan(""), "", "a", " \t", "year", "nanosecond", "2023-03-15", "P1Y", "12:00",
      "Europe/Berlin", "+18:00", "99999999999999999999", "-", "(", "\xff\xfe", "\xc3", "a\xe2\x82", std::string(1000, 'x'),
      Value::Bytes(std::string("\0\1", 2)), List{}, List{1, 2.5, -3}, List{Value()}, List{"a", List{"b"}}, Map{}, Map{{"year", 2023}},
      Map{{"x", 1}, {"y", std::nan("")}}, Map{{"date", Date{0}}, {"hour", 1}}, Map{{"timezone", "Europe/Berlin"}},
      Map{{"epochMillis", INT64_MIN}}, Map{{"months", 1e18}, {"days", -0.1}}, Map{{"hours", INT64_MIN}}, node, relationship,
      Path{{Value::NodeRef(1)}, {}}, Value::NodeRef(1), Value::NodeRef(9), Value::RelationshipRef(5), Date{0}, Date{DaysMin()},
          Date{DaysMax()},
      LocalTime{kNanosPerDay - 1}, Time{0, 64'800}, Time{kNanosPerDay - 1, -64'800}, LocalDateTime{last, 999'999'999},
          LocalDateTime{first, 0},
      DateTime{0, 0, 0, ""}, DateTime{1'700'000'000, 1, 3600, "Europe/Berlin"}, DateTime{last, 999'999'999, 0, ""},
          DateTime{first, 0, 0, "UTC"},
      DateTime{0, 0, 60, "Nowhere/Land"}, Duration{}, Duration{INT64_MAX, INT64_MAX, INT64_MAX, 999'999'999},
          Duration{INT64_MIN, INT64_MIN, INT64_MIN, 0},
      Duration{1, -1, 1, 1}, Point{7203, 1e308, -1e308, 0}, Point{4979, 180, 90, 1e308}, Value::Vector({}),
          Value::Vector({1, -2.5f, 3e38f})};
  List all(values.begin(), values.end());
  values.emplace_back(std::move(all));
  return values;
}

// Everything in it that is a text is UTF-8.
bool RightTexts(const Value& v) {
  if (v.type() == Type::kString) return IsUtf8(v.AsString());
  if (v.type() == Type::kList) return std::all_of(v.AsList().begin(), v.AsList().end(), RightTexts);
  return v.type() != Type::kMap || std::all_of(v.AsMap().begin(), v.AsMap().end(), [](const auto& e) { return IsUtf8(e.first) && RightTexts(e.second); });
}

// What must hold for any answer: it can be written, ordered and hashed, its temporal parts keep their ranges, and right texts give right texts.
void CheckAnswer(const Value& v, bool right_texts) {
  REQUIRE_FALSE(ToText(v).empty());
  REQUIRE(Order(v, v) == 0);
  REQUIRE(Hash(v) == Hash(Value(v)));
  if (right_texts) REQUIRE(RightTexts(v));
  if (v.type() != Type::kPoint && v.type() != Type::kString) REQUIRE(WhatIsWrong(v) == "");
}

Type Plain(Type t) { return t == Type::kNodeRef ? Type::kNode : t == Type::kRelationshipRef ? Type::kRelationship : t; }

}  // namespace

TEST_CASE("every function answers or errs for every kind of argument, and its signature tells the type of the answer") {
  uint64_t seed = 4711;
  INFO("seed=" << seed);
  Random random(seed);
  const std::vector<Value> values = HostileValues();
  for (const planner::FunctionSignature* f : BuiltinFunctions().AllFunctions()) {
    if (f->aggregate) continue;
    int args_max = f->args_max < 0 ? 3 : f->args_max;
    for (int round = 0; round < 400; ++round) {
      int n = f->args_min + static_cast<int>(random.Below(static_cast<uint64_t>(args_max - f->args_min + 1)));
      std::vector<Value> arguments;
      std::string said = f->name + "(";
      for (int i = 0; i < n; ++i) {
        // The first argument goes through all values; half of the others are of a type the signature accepts.
        TypeSet accepted = f->arguments[std::min<size_t>(static_cast<size_t>(i), f->arguments.size() - 1)];
        const Value* pick = &values[i == 0 ? static_cast<size_t>(round) % values.size() : random.Below(values.size())];
        for (int tries = 0; i > 0 && tries < 50 && round % 2 == 0 && !accepted.Has(Plain(pick->type())); ++tries) {
          pick = &values[random.Below(values.size())];
        }
        arguments.push_back(*pick);
        said += ToText(*pick).substr(0, 200) + ", ";
      }
      INFO(said);
      Result<Value> answer = Call(f->name, arguments);
      if (!answer.ok()) {
        REQUIRE_FALSE(answer.status().message().empty());
        REQUIRE(answer.status().code() != Code::kInternal);
        continue;
      }
      CheckAnswer(*answer, std::all_of(arguments.begin(), arguments.end(), RightTexts));
      REQUIRE((answer->is_null() || f->result.Has(Plain(answer->type()))));
      if (f->deterministic) REQUIRE(*Call(f->name, arguments) == *answer);
      if (n == 0) break;
    }
  }
}

TEST_CASE("every operator answers or errs for every pair of values") {
  const std::vector<Value> values = HostileValues();
  FunctionContext context;
  TwoNodes elements;
  context.elements = &elements;
  for (const Value& a : values) {
    for (const Value& b : values) {
      const bool right = RightTexts(a) && RightTexts(b);
      for (auto op : {Add, Subtract, Multiply, Divide, Modulo, Power, Concatenate, In, StartsWith, EndsWith, Contains, MatchesRegex}) {
        Result<Value> answer = op(a, b);
        if (answer.ok()) CheckAnswer(*answer, right);
      }
      Result<Value> item = Subscript(context, a, b);
      if (item.ok()) CheckAnswer(*item, right);
      Result<Value> part = Slice(a, &b, nullptr);
      if (part.ok()) CheckAnswer(*part, right);
      // The comparisons agree with each other.
      REQUIRE((Order(a, b) < 0) == (Order(b, a) > 0));
      if (Equals(a, b) == Truth::kTrue) {
        REQUIRE(Equivalent(a, b));
        REQUIRE(LessThan(a, b) != Truth::kTrue);
      }
      if (Equivalent(a, b)) REQUIRE(Hash(a) == Hash(b));
      if (LessThan(a, b) == Truth::kTrue) REQUIRE(Order(a, b) < 0);
    }
    Result<Value> negated = Negate(a);
    if (negated.ok()) CheckAnswer(*negated, RightTexts(a));
    for (const char* key : {"year", "nanoseconds", "epochMillis", "offset", "x", "p", ""}) {
      Result<Value> component = GetProperty(context, a, key);
      if (component.ok()) CheckAnswer(*component, RightTexts(a));
    }
  }
}

TEST_CASE("aggregates take every kind of value or say what they want") {
  for (const planner::FunctionSignature* f : BuiltinFunctions().AllFunctions()) {
    if (!f->aggregate) continue;
    auto aggregator = (*static_cast<const AggregateFunction*>(f->implementation))();
    for (const Value& v : HostileValues()) {
      std::vector<Value> row = {v, 0.5};
      row.resize(f->arguments.size());
      Status added = aggregator->Add(row);
      if (!added.ok()) CHECK_FALSE(added.message().empty());
    }
    Result<Value> answer = aggregator->Finish();
    if (answer.ok()) CheckAnswer(*answer, false);
  }
}
