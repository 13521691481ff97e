// Values as bytes and back, in every dialect; and bytes that are no values: an error that says where, never a crash or a promise believed.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "tests/bolt/bolt_test_util.h"

namespace fornix::bolt {
namespace {

Value RoundTrip(const Value& v, Dialect dialect = {}) {
  const std::string bytes = Pack(0x10, {v}, dialect);
  Result<Message> message = Unpacker(BytesOf(bytes), dialect).ReadMessage();
  INFO(message.status().ToString());
  REQUIRE(message.ok());
  REQUIRE(message->fields.size() == 1);
  return message->fields[0];
}
Status Refusal(const std::string& bytes, Dialect dialect = {}) {
  const Result<Message> message = Unpacker(BytesOf(bytes), dialect).ReadMessage();
  return message.status();
}
std::string Of(std::initializer_list<int> bytes) {
  std::string out;
  for (int b : bytes) out.push_back(static_cast<char>(b));
  return out;
}

Value RandomValue(std::mt19937& random, int depth) {
  const auto bits = [&] { return static_cast<int64_t>(uint64_t{random()} << 32 | random()); };
  switch (random() % (depth > 0 ? 15 : 13)) {
    case 0: return Value();
    case 1: return Value(random() % 2 == 0);
    case 2: return Value(bits() >> (random() % 64));
    case 3: return Value(std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 100) - 50));
    case 4: return Value(std::string(random() % 400, 'a'));
    case 5: return Value::Bytes(std::string(random() % 400, '\xFF'));
    case 6: return Value(Date{bits() % 100000});
    case 7: return Value(LocalTime{bits() & 0xFFFFFFFF});
    case 8: return Value(Time{bits() & 0xFFFFFFFF, static_cast<int32_t>(random() % 3600)});
    case 9: return Value(LocalDateTime{bits() % 1000000000, static_cast<int32_t>(random() % 1000000000)});
    case 10: return Value(DateTime{bits() % 1000000000, static_cast<int32_t>(random() % 1000000000), 3600, {}});
    case 11: return Value(Duration{bits() % 100, bits() % 100, bits() % 100, static_cast<int32_t>(random() % 1000000000)});
    case 12: return random() % 2 == 0 ? Value(Point{7203, 1.5, 2.5, 0}) : Value(Point{9157, 1.5, 2.5, -3.5});
    case 13: {
      List list(random() % 20);
      for (Value& v : list) v = RandomValue(random, depth - 1);
      return Value(std::move(list));
    }
    default: {
      Map map;
      for (uint32_t i = random() % 20; i > 0; --i) map.Set("k" + std::to_string(i), RandomValue(random, depth - 1));
      return Value(std::move(map));
    }
  }
}

}  // namespace

TEST_CASE("every value comes back as it was") {
  const auto seed = std::random_device()();
  std::printf("packstream: seed=%u\n", seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 3000; ++i) {
    const Value v = RandomValue(random, 3);
    CHECK(RoundTrip(v) == v);
    CHECK(RoundTrip(v, DialectOf({4, 4}, false)) == v);
    CHECK(RoundTrip(v, DialectOf({6, 0}, false)) == v);
  }
  for (const int64_t n : {int64_t{-17}, int64_t{-16}, int64_t{127}, int64_t{128}, int64_t{-128}, int64_t{-129}, int64_t{32767}, int64_t{-32769}, int64_t{1} << 31,
                          (int64_t{1} << 53) + 1, INT64_MAX, INT64_MIN}) {
    CHECK(RoundTrip(Value(n)) == Value(n));
  }
  for (const double d : {0.0, -0.0, 1e308, std::numeric_limits<double>::infinity(), std::nan("")}) CHECK(RoundTrip(Value(d)) == Value(d));
  for (const size_t n : {15, 16, 255, 256, 65535, 65536}) {
    CHECK(RoundTrip(Value(std::string(n, 'x'))).AsString().size() == n);
    CHECK(RoundTrip(Value::Bytes(std::string(n, 'x'))).AsBytes().size() == n);
    CHECK(RoundTrip(Value(List(n, Value(1)))).AsList().size() == n);
  }
}

TEST_CASE("a named zone keeps its instant, with UTC seconds and with local ones") {
  const DateTime summer{1593640800, 5, 7200, "Europe/Stockholm"};    // 2020-07-02T00:00+02:00
  for (const Version version : {Version{4, 4}, Version{5, 0}}) {
    const Value back = RoundTrip(Value(summer), DialectOf(version, false));
    CHECK(back.AsDateTime().seconds == summer.seconds);
    CHECK(back.AsDateTime().offset_seconds == 7200);
    CHECK(back.AsDateTime().zone == "Europe/Stockholm");
  }
  CHECK(Refusal(Of({0xB1, 0x10, 0xB3, 0x69, 1, 2, 0x83, 'X', '/', 'Y'})).message().find("X/Y") != std::string::npos);
}

TEST_CASE("a vector is a structure from 6.0 on and a list of floats before") {
  const Value v = Value::Vector({1.5f, -2.25f, 0.0f});
  CHECK(RoundTrip(v, DialectOf({6, 0}, false)) == v);
  CHECK(RoundTrip(v, DialectOf({5, 8}, false)) == Value(List{Value(1.5), Value(-2.25), Value(0.0)}));
  // 16-bit integers, as a driver may send them.
  const Result<Message> sent = Unpacker(BytesOf(Of({0xB1, 0x10, 0xB2, 0x56, 0xCC, 1, 0xC9, 0xCC, 4, 0x01, 0x00, 0xFF, 0xFE})), DialectOf({6, 0}, false)).ReadMessage();
  REQUIRE(sent.ok());
  CHECK(sent->fields[0].AsVector() == std::vector<float>{256.0f, -2.0f});
  CHECK(!Refusal(Of({0xB1, 0x10, 0xB2, 0x56, 0xCC, 1, 0xC9, 0xCC, 3, 1, 0, 0}), DialectOf({6, 0}, false)).ok());
}

TEST_CASE("what is cut short anywhere is an error") {
  const auto seed = std::random_device()();
  std::printf("packstream cut: seed=%u\n", seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 300; ++i) {
    const std::string bytes = Pack(0x10, {RandomValue(random, 2), Value("end")});
    for (size_t cut = 0; cut < bytes.size(); cut += 1 + random() % 7) CHECK(!Refusal(bytes.substr(0, cut)).ok());
    std::string damaged = bytes;
    for (int hits = 0; hits < 3; ++hits) damaged[random() % damaged.size()] = static_cast<char>(random());
    static_cast<void>(Refusal(damaged).ok());   // any answer, no crash
    CHECK(!Refusal(bytes + "x").ok());
  }
}

TEST_CASE("no size is believed that the bytes don't hold") {
  for (const int marker : {0x8F, 0x9F, 0xAF, 0xBF}) CHECK(!Refusal(Of({0xB1, 0x10, marker})).ok());
  for (const int marker : {0xCC, 0xD0, 0xD4, 0xD8}) {
    CHECK(!Refusal(Of({0xB1, 0x10, marker, 0xFF, 0x01})).ok());
    CHECK(!Refusal(Of({0xB1, 0x10, marker + 1, 0xFF, 0xFF, 0x01})).ok());
    CHECK(!Refusal(Of({0xB1, 0x10, marker + 2, 0xFF, 0xFF, 0xFF, 0xFF, 0x01})).ok());
  }
  for (const int reserved : {0xC4, 0xC5, 0xC6, 0xC7, 0xCF, 0xD3, 0xD7, 0xDB, 0xDC, 0xE0, 0xEF}) CHECK(!Refusal(Of({0xB1, 0x10, reserved, 0, 0, 0, 0})).ok());
  std::string deep = Of({0xB1, 0x10});
  deep.append(100000, static_cast<char>(0x91));
  CHECK(Refusal(deep).message().find("nested") != std::string::npos);
  CHECK(!Refusal(Of({0xB1, 0x10, 0xA2, 0x81, 'a', 1, 0x81, 'a', 2})).ok());   // a key twice
  CHECK(!Refusal(Of({0xB1, 0x10, 0xA1, 1, 2})).ok());                          // a key that is a number
  CHECK(!Refusal(Of({0xB1, 0x10, 0x81, 0xFF})).ok());                          // no UTF-8
  CHECK(!Refusal(Of({0xB1, 0x10, 0xB2, 0x44, 1, 2})).ok());                    // a date of two fields
  CHECK(Refusal(Of({0xB1, 0x10, 0xB1, 0x4E, 1})).message().find("elementId") != std::string::npos);
}

}  // namespace fornix::bolt
