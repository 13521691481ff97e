// Random rows and statements that run with and without room: what spills must not show in the answer.
#pragma once

#include "base/random.h"
#include "engine/exec/spill/spill_file.h"
#include "tests/unit/engine/exec/test_graph.h"

namespace fornix::engine {

// Any kind of value; few different ones where `variety` is small, so that keys meet.
inline Value RandomValue(Random* random, uint64_t variety, int depth = 0) {
  const uint64_t n = random->Next() % variety;
  switch (random->Next() % (depth < 2 ? 14 : 11)) {
    case 0: return Value();
    case 1: return Value(n % 2 == 0);
    case 2: return Value(static_cast<double>(n) / 2);
    case 3: return Value(std::string(n % 40, 'x') + std::to_string(n));
    case 4: return Value(Date{static_cast<int64_t>(n)});
    case 5: return Value(Duration{static_cast<int64_t>(n), 1, 2, 3});
    case 6: return Value(DateTime{static_cast<int64_t>(n), 5, 3600, n % 2 == 0 ? "Europe/Stockholm" : ""});
    case 7: return Value(Time{static_cast<int64_t>(n), 60});
    case 8: return Value(Point{9157, static_cast<double>(n), 2, 3});
    case 9: return Value::Vector({static_cast<float>(n), 1.5f});
    case 10: return Value(static_cast<int64_t>(n) - 5);
    case 11: return Value(List{RandomValue(random, variety, depth + 1), RandomValue(random, variety, depth + 1)});
    case 12: return Value(Map{{"a", RandomValue(random, variety, depth + 1)}, {"b", Value(static_cast<int64_t>(n))}});
    default: return Value(static_cast<int64_t>(n));
  }
}

// $rows: maps with `k` (mixed kinds), `n` (integers) and `s` (texts).
inline Map RandomRows(uint64_t seed, size_t count, uint64_t variety) {
  Random random(seed);
  List rows;
  for (size_t i = 0; i < count; i++) {
    rows.push_back(Value(Map{{"i", Value(static_cast<int64_t>(i))},
                             {"k", RandomValue(&random, variety)},
                             {"n", Value(static_cast<int64_t>(random.Next() % variety))},
                             {"s", Value(std::string(random.Next() % 30, 'a') + std::to_string(random.Next() % variety))}}));
  }
  return Map{{"rows", Value(std::move(rows))}};
}

inline uint64_t SpilledRuns(const TestGraph& g) {
  uint64_t runs = 0;
  for (const auto& p : g.profile) runs += p.spilled_runs;
  return runs;
}

// The statement without a limit, then with `limit` at several batch sizes: the same rows, and at least `runs_min` runs. With
// `ordered` also in the same order.
inline void CheckSpills(const std::string& text, const Map& parameters, size_t limit, uint64_t runs_min, bool ordered,
                        const std::vector<std::string>& set_up = {}) {
  SpillFolder folder(PosixFileSystem(), "");
  TestGraph plain;
  for (const std::string& statement : set_up) plain.Run(statement, parameters);
  Rows expected = plain.Run(text, parameters);
  if (!ordered) std::sort(expected.begin(), expected.end());
  for (size_t batch : {size_t{0}, size_t{1}, size_t{1024}}) {
    TestGraph g(batch);
    for (const std::string& statement : set_up) g.Run(statement, parameters);
    g.options.spill = &folder;
    g.options.memory_bytes_max = limit;
    g.options.profile = true;
    INFO(text << " limit " << limit << " batch " << batch);
    Rows rows = g.Run(text, parameters);
    if (!ordered) std::sort(rows.begin(), rows.end());
    CHECK(rows == expected);
    CHECK(SpilledRuns(g) >= runs_min);
  }
}

}  // namespace fornix::engine
