#include "storage/index/key.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <iostream>
#include <limits>

#include "base/random.h"
#include "base/value_compare.h"
#include "base/value_format.h"

namespace fornix::storage {
namespace {

std::vector<Value> Samples() {
  const double inf = std::numeric_limits<double>::infinity();
  std::vector<Value> v;
  for (int64_t i : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{255}, int64_t{256}, int64_t{1} << 53, (int64_t{1} << 53) + 1,
                    (int64_t{1} << 53) - 1, -(int64_t{1} << 53) - 1, INT64_MAX, INT64_MAX - 1, INT64_MAX - 1024, INT64_MIN,
                    INT64_MIN + 1}) {
    v.emplace_back(i);
  }
  for (double d : {0.0, -0.0, 1.0, 1.5, -1.5, 0x1p53, 0x1p53 + 2, 0x1p63, -0x1p63, 1e300, -1e300, inf, -inf, 5e-324, static_cast<double>(NAN)}) v.emplace_back(d);
  for (const char* s : {"", "a", "b", "ab", "aa", "A", "\xc3\xa4", "\xff"}) v.emplace_back(s);
  v.emplace_back(std::string("a\0", 2));
  v.emplace_back(std::string("a\0b", 3));
  v.emplace_back(std::string("\0", 1));
  v.push_back(Value::Bytes("a"));
  v.push_back(Value::Bytes(""));
  v.emplace_back(true);
  v.emplace_back(false);
  v.emplace_back(List{});
  v.emplace_back(List{1});
  v.emplace_back(List{1, 2});
  v.emplace_back(List{2});
  v.emplace_back(List{"a", "b"});
  v.emplace_back(List{"ab"});
  for (int64_t d : {-1, 0, 1, 20000}) v.emplace_back(Date{d});
  for (int64_t n : {int64_t{0}, int64_t{1}, int64_t{86'399'999'999'999}}) v.emplace_back(LocalTime{n});
  v.emplace_back(Time{3'600'000'000'000, 3600});
  v.emplace_back(Time{0, 0});
  v.emplace_back(Time{0, -3600});
  v.emplace_back(LocalDateTime{-1, 999'999'999});
  v.emplace_back(LocalDateTime{0, 0});
  v.emplace_back(LocalDateTime{0, 1});
  v.emplace_back(DateTime{0, 0, 0, ""});
  v.emplace_back(DateTime{0, 0, 3600, ""});
  v.emplace_back(DateTime{0, 0, 3600, "Europe/Stockholm"});
  v.emplace_back(DateTime{0, 0, 3600, "Europe/Paris"});
  v.emplace_back(DateTime{-5, 7, 0, ""});
  v.emplace_back(Duration{1, 0, 0, 0});
  v.emplace_back(Duration{0, 30, 0, 0});
  v.emplace_back(Duration{0, 31, 0, 0});
  v.emplace_back(Duration{0, 30, 37746, 0});
  v.emplace_back(Duration{-1, 30, 37746, 0});
  v.emplace_back(Duration{0, 0, -1, 999'999'999});
  v.emplace_back(Duration{INT64_MAX, 0, 0, 0});
  v.emplace_back(Point{7203, 1, 2, 0});
  v.emplace_back(Point{7203, 1, -2, 0});
  v.emplace_back(Point{4979, 1, 2, 3});
  v.push_back(Value::Vector({1, 2}));
  v.push_back(Value::Vector({1, -2}));
  v.push_back(Value::Vector({3}));
  return v;
}

std::string Key(const Value& v) {
  std::string key;
  REQUIRE(AppendKey(v, &key));
  return key;
}
int Sign(int i) { return (i > 0) - (i < 0); }

}  // namespace

TEST_CASE("keys are ordered as the values are, within a kind and between kinds") {
  const std::vector<Value> samples = Samples();
  for (const Value& a : samples) {
    for (const Value& b : samples) {
      INFO(ToText(a) << " and " << ToText(b));
      CHECK(Sign(Key(a).compare(Key(b))) == Sign(Order(a, b)));
    }
  }
}

TEST_CASE("keys of random integers and floats are ordered exactly") {
  const uint64_t seed = 20261130;
  std::cout << "seed=" << seed << "\n";
  Random random(seed);
  auto draw = [&]() -> Value {
    const int64_t i = static_cast<int64_t>(random.Next()) >> random.Below(63);
    switch (random.Below(3)) {
      case 0: return i;
      case 1: return static_cast<double>(i);
      default: return std::nextafter(static_cast<double>(i), random.OneIn(2) ? INFINITY : -INFINITY);
    }
  };
  for (int n = 0; n < 20000; ++n) {
    const Value a = draw(), b = random.OneIn(2) ? draw() : Value(a.type() == Type::kInteger ? Value(static_cast<double>(a.AsInteger())) : a);
    if (Sign(Key(a).compare(Key(b))) != Sign(Order(a, b))) FAIL(ToText(a) << " and " << ToText(b));
  }
}

TEST_CASE("no key is a prefix of another, so composite keys order by the first difference") {
  const std::vector<Value> samples = Samples();
  for (const Value& a : samples) {
    for (const Value& b : samples) {
      const std::string x = Key(a), y = Key(b);
      if (x == y) continue;
      INFO(ToText(a) << " and " << ToText(b));
      CHECK_FALSE(y.compare(0, x.size(), x) == 0);
    }
  }
}

TEST_CASE("null, maps and what holds them have no key, and NaN equals nothing") {
  std::string key;
  CHECK_FALSE(AppendKey(Value(), &key));
  CHECK_FALSE(AppendKey(Value(Map{{"a", 1}}), &key));
  CHECK_FALSE(AppendKey(Value(List{1, Value()}), &key));
  CHECK(key.empty());
  CHECK(SameKey(1, 1.0));
  CHECK(SameKey(0.0, -0.0));
  CHECK_FALSE(SameKey(NAN, NAN));
  CHECK_FALSE(SameKey(List{NAN}, List{NAN}));
}

}  // namespace fornix::storage
