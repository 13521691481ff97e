// Text into dates, times and durations: every form of ISO 8601 that Cypher takes, and the text that must be refused.
#include <catch2/catch.hpp>

#include "base/calendar.h"
#include "engine/function/temporal/arithmetic.h"
#include "engine/function/temporal/parse.h"
#include "tests/unit/engine/function/call.h"

using namespace fornix;
using namespace fornix::engine;

TEST_CASE("one day in all its spellings") {
  // 2023-03-15 is a Wednesday, in week 11, the 74th day of the year and of its quarter.
  for (const char* text : {"2023-03-15", "20230315", "2023-W11-3", "2023W113", "2023-074", "2023074", "2023-Q1-74", "2023Q174",
      "+2023-03-15"}) {
    INFO(text);
    CHECK(Say("date", {text}) == "2023-03-15");
  }
}

TEST_CASE("parts left out from the right are the first of their period") {
  CHECK(Say("date", {"2023-03"}) == "2023-03-01");
  CHECK(Say("date", {"202303"}) == "2023-03-01");
  CHECK(Say("date", {"2023"}) == "2023-01-01");
  CHECK(Say("date", {"2023-W11"}) == "2023-03-13");
  CHECK(Say("date", {"2023-Q2"}) == "2023-04-01");
}

TEST_CASE("years of up to nine digits need a sign") {
  CHECK(Say("date", {"+999999999-12-31"}) == "+999999999-12-31");
  CHECK(Say("date", {"-999999999-01-01"}) == "-999999999-01-01");
  CHECK(Say("date", {"-0044-03-15"}) == "-0044-03-15");
  CHECK(Say("date", {"12345-01-01"}) == "ArgumentError/InvalidArgumentValue");
  CHECK(Say("date", {"+1234567890-01-01"}) == "ArgumentError/InvalidArgumentValue");
}

TEST_CASE("days that don't exist and text that isn't a date are refused") {
  for (const char* text : {"", "x", "202", "2023-13", "2023-02-29", "2023-04-31", "2023-00-01", "2023-1-1", "2023-366", "2023-000",
                           "2023-W53", "2024-W00", "2023-W11-8", "2023-Q5", "2023-Q1-91", "2023-03-15x", "2023-03-15T10:00", "2023-"}) {
    INFO(text);
    CHECK(Say("date", {text}) == "ArgumentError/InvalidArgumentValue");
  }
  CHECK(Say("date", {"2024-366"}) == "2024-12-31");
}

TEST_CASE("times with and without colons, with a fraction of up to nine digits") {
  CHECK(Say("localtime", {"07:05:09.25"}) == "07:05:09.25");
  CHECK(Say("localtime", {"070509,000000001"}) == "07:05:09.000000001");
  CHECK(Say("localtime", {"0705"}) == "07:05");
  CHECK(Say("localtime", {"07"}) == "07:00");
  for (const char* text : {"24:00", "12:60", "12:00:60", "12:0", "1", "12:00:00.", "12:00:00.0000000001", "12:0000"}) {
    INFO(text);
    CHECK(Say("localtime", {text}) == "ArgumentError/InvalidArgumentValue");
  }
}

TEST_CASE("offsets to the second, at most 18 hours") {
  CHECK(Say("time", {"07:05+01"}) == "07:05+01:00");
  CHECK(Say("time", {"0705-0330"}) == "07:05-03:30");
  CHECK(Say("time", {"07:05+02:05:59"}) == "07:05+02:05:59");
  CHECK(Say("time", {"07:05-00:00"}) == "07:05Z");
  CHECK(Say("time", {"07:05"}) == "07:05Z");
  CHECK(Say("time", {"07:05+18:00:01"}) == "ArgumentError/InvalidArgumentValue");
  CHECK(Say("time", {"07:05+1"}) == "ArgumentError/InvalidArgumentValue");
  CHECK(Say("time", {"07:05 Z"}) == "ArgumentError/InvalidArgumentValue");
}

TEST_CASE("datetimes with an offset, a zone, both or none") {
  CHECK(Say("datetime", {"2023-07-01T12:00+02:00"}) == "2023-07-01T12:00+02:00");
  CHECK(Say("datetime", {"2023-07-01T12:00[Europe/Berlin]"}) == "2023-07-01T12:00+02:00[Europe/Berlin]");
  CHECK(Say("datetime", {"20230101T1200+0100[Europe/Berlin]"}) == "2023-01-01T12:00+01:00[Europe/Berlin]");
  CHECK(Say("datetime", {"2023-07-01"}) == "2023-07-01T00:00Z");
  CHECK(Say("localdatetime", {"2023-W11-3T0705"}) == "2023-03-15T07:05");
  for (const char* text : {"2023-07-01T12:00[Europe/Atlantis]", "2023-07-01T12:00[Europe/Berlin",
      "2023-07-01T12:00+05:00[Europe/Berlin]", "2023-07-01T"}) {
    INFO(text);
    CHECK(Say("datetime", {text}) == "ArgumentError/InvalidArgumentValue");
  }
}

TEST_CASE("clocks going forward leave a gap, going back an overlap that the offset decides") {
  // Berlin 2023: forward on March 26 from 02:00 to 03:00, back on October 29 from 03:00 to 02:00.
  CHECK(Say("datetime", {"2023-03-26T02:30[Europe/Berlin]"}) == "2023-03-26T03:30+02:00[Europe/Berlin]");
  CHECK(Say("datetime", {"2023-10-29T02:30[Europe/Berlin]"}) == "2023-10-29T02:30+02:00[Europe/Berlin]");
  CHECK(Say("datetime", {"2023-10-29T02:30+01:00[Europe/Berlin]"}) == "2023-10-29T02:30+01:00[Europe/Berlin]");
}

TEST_CASE("summer time goes on after the zone data end") {
  CHECK(Say("datetime", {"2087-07-01T12:00[Europe/Berlin]"}) == "2087-07-01T12:00+02:00[Europe/Berlin]");
  CHECK(Say("datetime", {"2087-01-01T12:00[Europe/Berlin]"}) == "2087-01-01T12:00+01:00[Europe/Berlin]");
  CHECK(Say("datetime", {"+999999999-12-31T00:00[Europe/Berlin]"}) == "+999999999-12-31T00:00+01:00[Europe/Berlin]");
  CHECK(Call("datetime", {"-999999999-01-01T00:00[Europe/Berlin]"}).ok());
}

TEST_CASE("durations in units and in the form of a date") {
  CHECK(Say("duration", {"P1Y2M3W4DT5H6M7.8S"}) == "P1Y2M25DT5H6M7.8S");
  CHECK(Say("duration", {"PT90M"}) == "PT1H30M");
  CHECK(Say("duration", {"P-1DT-1,5S"}) == "P-1DT-1.5S");
  CHECK(Say("duration", {"-P1Y"}) == "P-1Y");
  CHECK(Say("duration", {"P0.5Y"}) == "P6M");
  CHECK(Say("duration", {"P1.5D"}) == "P1DT12H");
  CHECK(Say("duration", {"P0001-02-03T04:05:06.7"}) == "P1Y2M3DT4H5M6.7S");
  for (const char* text : {"", "P", "PT", "1Y", "P1", "P1H", "PT1D", "P1D2Y", "P1Y1Y", "P1.2.3D", "P1YT", "P99999999999999999999Y"}) {
    INFO(text);
    CHECK_FALSE(Call("duration", {text}).ok());
  }
}

TEST_CASE("a tenth of a month is a tenth, though no double is") {
  // 0.1 month = 262,974.6 s = 3 days and 3,774.6 s.
  CHECK(Say("duration", {"P5.1M"}) == "P5M3DT1H2M54.6S");
  CHECK(Say("duration", {Map{{"months", 5.1}}}) == "P5M3DT1H2M54.6S");
  CHECK(Say("duration", {Map{{"days", 0.9}}}) == "PT21H36M");
}

TEST_CASE("what is written is read back, at random") {
  uint64_t seed = 20231;
  INFO("seed=" << seed);
  Random random(seed);
  auto between = [&](int64_t low, int64_t high) { return low + static_cast<int64_t>(random.Below(static_cast<uint64_t>(high - low) + 1)); };
  for (int i = 0; i < 3000; ++i) {
    int64_t days = random.OneIn(2) ? between(DaysMin(), DaysMax()) : between(-200'000, 200'000);
    int64_t seconds = days * kSecondsPerDay + between(0, kSecondsPerDay - 1);
    int32_t nanos = random.OneIn(2) ? 0 : static_cast<int32_t>(between(0, 999'999'999));
    int32_t offset = static_cast<int32_t>(between(-64'800, 64'800));
    if (days < DaysMin() + 2 || days > DaysMax() - 2) offset = 0;
    for (const Value& v : {Value(Date{days}), Value(LocalTime{between(0, kNanosPerDay - 1)}),
        Value(Time{between(0, kNanosPerDay - 1), offset}),
                           Value(LocalDateTime{seconds, nanos}), Value(DateTime{seconds, nanos, offset, ""})}) {
      std::string text = ToText(v);
      INFO(text);
      Result<Value> read = ParseInstant(v.type(), text);
      REQUIRE(read.ok());
      REQUIRE(*read == v);
    }
    Duration d{between(-100'000, 100'000), between(-100'000, 100'000), between(-1'000'000'000, 1'000'000'000), nanos};
    INFO(FormatDuration(d));
    Result<Duration> read = ParseDuration(FormatDuration(d));
    REQUIRE(read.ok());
    REQUIRE(Value(*read) == Value(d));
  }
}
