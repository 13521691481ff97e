// Distances of instants and what adding them back gives.
#include <catch2/catch.hpp>

#include "base/calendar.h"
#include "engine/function/temporal/arithmetic.h"
#include "tests/unit/engine/function/call.h"

using namespace fornix;
using namespace fornix::engine;

namespace {
std::string Distance(const char* unit, const Value& a, const Value& b) { return Say(std::string("duration.") + unit, {a, b}); }
Value Day(const char* text) { return *Call("date", {text}); }
Value Local(const char* text) { return *Call("localdatetime", {text}); }
Value Zoned(const char* text) { return *Call("datetime", {text}); }
}  // namespace

TEST_CASE("between two dates: whole months, then days, in either direction") {
  CHECK(Distance("between", Day("2023-01-15"), Day("2024-03-20")) == "P1Y2M5D");
  CHECK(Distance("between", Day("2024-03-20"), Day("2023-01-15")) == "P-1Y-2M-5D");
  CHECK(Distance("inMonths", Day("2023-01-31"), Day("2023-02-28")) == "PT0S");
  CHECK(Distance("inDays", Day("2023-01-31"), Day("2024-01-31")) == "P365D");
  CHECK(Distance("inSeconds", Day("2023-01-31"), Day("2023-02-01")) == "PT24H");
}

TEST_CASE("a day counts only when it is complete on the clock") {
  CHECK(Distance("between", Local("2023-01-01T12:00"), Local("2023-01-02T10:00")) == "PT22H");
  CHECK(Distance("between", Local("2023-01-02T10:00"), Local("2023-01-01T12:00")) == "PT-22H");
  CHECK(Distance("between", Local("2023-01-01T12:00"), Local("2023-02-01T11:59:59.5")) == "P30DT23H59M59.5S");
  CHECK(Distance("inDays", Local("2023-01-03T00:00"), Local("2023-01-01T00:00:01")) == "P-1D");
}

TEST_CASE("what one of them lacks comes from the other") {
  CHECK(Distance("between", Day("2023-05-01"), *Call("localtime", {"16:30"})) == "PT16H30M");
  CHECK(Distance("inMonths", *Call("localtime", {"16:30"}), Day("2023-05-01")) == "PT0S");
  CHECK(Distance("between", *Call("localtime", {"14:30"}), *Call("time", {"16:30+05:00"})) == "PT2H");
  CHECK(Distance("between", *Call("time", {"14:30Z"}), *Call("time", {"16:30+01:00"})) == "PT1H");
  CHECK(Distance("between", Local("2023-05-01T10:00"), Zoned("2023-05-01T12:00+05:00")) == "PT2H");
}

TEST_CASE("days are the wall clock's, seconds are real") {
  // Berlin's 2023-10-29 has 25 hours, its 2023-03-26 has 23.
  Value before = Zoned("2023-10-28T12:00[Europe/Berlin]"), after = Zoned("2023-10-29T12:00[Europe/Berlin]");
  CHECK(Distance("between", before, after) == "P1D");
  CHECK(Distance("inSeconds", before, after) == "PT25H");
  CHECK(Distance("inSeconds", Local("2023-03-26T00:00"), Zoned("2023-03-26T12:00[Europe/Berlin]")) == "PT11H");
}

TEST_CASE("zones are compared in the first one's") {
  CHECK(Distance("between", Zoned("2023-05-01T23:00+00:00"), Zoned("2023-05-02T10:00+10:00")) == "PT1H");
  CHECK(Distance("inDays", Zoned("2023-05-01T00:00+00:00"), Zoned("2023-05-02T05:00+10:00")) == "PT0S");
}

TEST_CASE("null and other types") {
  CHECK(Distance("between", Value(), Day("2023-01-01")) == "null");
  CHECK(Distance("between", 1, Day("2023-01-01")) == "TypeError/InvalidArgumentValue");
  CHECK(Distance("inSeconds", Day("-999999999-01-01"), Day("+999999999-12-31")) == "PT17531639991192H");
}

TEST_CASE("adding the distance to the start gives the end, at random") {
  uint64_t seed = 77;
  INFO("seed=" << seed);
  Random random(seed);
  auto instant = [&] {
    int64_t seconds = static_cast<int64_t>(random.Below(4'000'000'000)) - 2'000'000'000;
    return Value(LocalDateTime{seconds, static_cast<int32_t>(random.Below(1'000'000'000))});
  };
  for (int i = 0; i < 5000; ++i) {
    Value a = instant(), b = instant();
    Result<Duration> all = Between(a, b, DurationUnit::kAll), seconds = Between(a, b, DurationUnit::kSeconds);
    REQUIRE(all.ok());
    REQUIRE(seconds.ok());
    INFO(ToText(a) << " to " << ToText(b) << " is " << FormatDuration(*all));
    REQUIRE(*AddToInstant(a, *all) == b);
    REQUIRE(*AddToInstant(a, *seconds) == b);
    // All parts point the same way.
    bool forward = all->months >= 0 && all->days >= 0 && all->seconds >= 0;
    bool backward = all->months <= 0 && all->days <= 0 && all->seconds <= 0;
    REQUIRE((forward || backward));
  }
}
