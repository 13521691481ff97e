// What the tests of the base share: a data file in memory with its cache, and values of every kind.
#pragma once

#include "base/check.h"
#undef CHECK
#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <vector>

#include "base/fault_file.h"
#include "base/random.h"
#include "base/value_format.h"
#include "storage/base/base_writer.h"

namespace fornix::storage::base_test {

template <typename T>
T Must(Result<T> result) {
  INFO(result.status().ToString());
  REQUIRE(result.ok());
  return std::move(result).value();
}
inline void Must(const Status& status) {
  INFO(status.ToString());
  REQUIRE(status.ok());
}

// A data file without root slots: the roots are in the test's hands.
struct TestFile {
  explicit TestFile(uint64_t budget_bytes = uint64_t{1} << 30) : budget(budget_bytes), cache(&budget) {
    file = ExtentFile::New(Must(files.Open("/base", {.write = true, .create = true})));
    context = {file.get(), &cache, &label_sets};
  }
  FaultFileSystem files;
  MemoryBudget budget;
  FrameCache cache;
  LabelSets label_sets;
  std::unique_ptr<ExtentFile> file;
  BaseContext context;
  uint64_t seq = 0;
  void Begin(uint64_t oldest = 0) { Must(file->BeginWriting(++seq, oldest)); }
  void Commit() {
    (void)Must(file->FinishWriting());
    file->Committed();
  }
};

inline std::string RandomText(Random& random, size_t max) {
  std::string text(random.Below(max + 1), ' ');
  for (char& c : text) c = static_cast<char>('a' + random.Below(26));
  return text;
}

// Storable values of all kinds; `large` allows blobs and long lists of floats.
inline Value RandomValue(Random& random, bool large = false) {
  switch (random.Below(large ? 19 : 16)) {
    case 0: return Value(static_cast<int64_t>(random.Next()));
    case 1: return Value(static_cast<int64_t>(random.Below(1000)));
    case 2: return Value(random.OneIn(2));
    case 3: return Value(random.Unit());
    case 4: return Value(RandomText(random, 12));
    case 5: return Value(RandomText(random, 300));
    case 6: return Value("red");
    case 7: return Value(Date{static_cast<int64_t>(random.Below(40'000)) - 20'000});
    case 8: return Value(LocalTime{static_cast<int64_t>(random.Below(86'400'000'000'000))});
    case 9: return Value(DateTime{static_cast<int64_t>(random.Below(2'000'000'000)), 5, 3600, "Europe/Stockholm"});
    case 10: return Value(Duration{1, -2, 3, 4});
    case 11: return Value(List{Value(int64_t{1}), Value(int64_t{-7})});
    case 12: return Value(List{Value("x"), Value(RandomText(random, 9))});
    case 13: return Value(Point{7203, random.Unit(), 2, 0});
    case 14: return Value::Bytes(std::string("\0\1\2", 3));
    case 15: return Value::Vector({1.5f, -0.0f, 3});
    case 16: return Value(std::string(5000 + random.Below(20'000), static_cast<char>('a' + random.Below(26))));
    case 17: {
      std::vector<float> elements(random.OneIn(8) ? 80 : 128);
      for (float& f : elements) f = static_cast<float>(random.Unit());
      return Value::Vector(std::move(elements));
    }
    default: {
      List list;
      for (int i = 0; i < 96; ++i) list.emplace_back(random.Unit());
      return Value(std::move(list));
    }
  }
}

}  // namespace fornix::storage::base_test
