// The ISO calendar in whole days: proleptic Gregorian dates, ISO weeks and quarters, counted from 1970-01-01.
//
// Everything is 64-bit arithmetic on days, so the whole range of Cypher's dates (years -999,999,999 to +999,999,999)
// works alike; time zones are another matter (engine/function/temporal/zone.h). Pure functions, no checks of ranges:
// callers validate with the Is...() and DaysIn...() functions first.
#pragma once

#include <cstdint>

namespace fornix {

inline constexpr int64_t kYearMax = 999'999'999;             // Cypher's range, and that of the ISO profile it follows
inline constexpr int64_t kYearMin = -kYearMax;
inline constexpr int64_t kSecondsPerDay = 86'400;
inline constexpr int64_t kNanosPerSecond = 1'000'000'000;
inline constexpr int64_t kNanosPerDay = kSecondsPerDay * kNanosPerSecond;

struct CivilDate {
  int64_t year = 1970;
  int month = 1;
  int day = 1;
};
struct IsoWeekDate {
  int64_t week_year = 1970;                                  // the year the week counts for
  int week = 1;                                              // 1..53
  int day = 4;                                               // Monday is 1
};

constexpr int64_t FloorDiv(int64_t a, int64_t b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0))); }
constexpr int64_t FloorMod(int64_t a, int64_t b) { return a % b + ((a % b != 0) && ((a < 0) != (b < 0)) ? b : 0); }

constexpr bool IsLeapYear(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }
int DaysInMonth(int64_t year, int month);                    // month 1..12
constexpr int DaysInYear(int64_t year) { return IsLeapYear(year) ? 366 : 365; }
int DaysInQuarter(int64_t year, int quarter);                // quarter 1..4
int WeeksInYear(int64_t week_year);                          // 52 or 53

int64_t DaysFromCivil(int64_t year, int month, int day);
CivilDate CivilFromDays(int64_t days);
int64_t DaysFromWeek(const IsoWeekDate& date);
IsoWeekDate WeekFromDays(int64_t days);
int DayOfWeek(int64_t days);                                 // 1 (Monday) .. 7
int DayOfYear(int64_t days);                                 // 1 .. 366
int DayOfQuarter(int64_t days);                              // 1 .. 92
int64_t DaysMin();                                           // of -999999999-01-01
int64_t DaysMax();                                           // of +999999999-12-31

// The same day of the month `months` later; the 31st becomes the last day of a shorter month.
int64_t AddMonths(int64_t days, int64_t months);

}  // namespace fornix
