#include "tests/unit/storage/base/fixture.h"

#include "base/calendar.h"
#include "storage/base/column.h"
#include "storage/txn/value_codec.h"

namespace fornix::storage::base_test {
namespace {

// The bytes of a column of the values (null: absent), decoded again.
struct Made {
  CellArena arena;
  StoredProperties stored;
  std::vector<Cell> cells;
  std::vector<std::byte> bytes;
  Column column;

  explicit Made(const std::vector<Value>& values, unsigned first = 0) {
    stored.reserve(values.size());
    for (const Value& value : values) {
      stored.push_back(PackProperty(PropertyId(1), value));
      cells.push_back(CellOf(stored.back(), &arena));
    }
    ByteWriter out;
    REQUIRE(EncodeColumn(first, cells, nullptr, &out));
    out.Zeros(kPackedTail);
    bytes = out.Take();
    column = Must(Decode(bytes));
  }
  static Result<Column> Decode(const std::vector<std::byte>& from) {
    ByteReader in(std::span<const std::byte>(from).first(from.size() - kPackedTail));
    return Column::Decode(&in, 1000);
  }
};

void SameValues(const TestFile& file, const std::vector<Value>& values, unsigned first = 0) {
  Made made(values, first);
  const ValueReader reader(&file.context, OwnerSpace::kNodeChunk, 3, 1, 9);
  std::vector<uint64_t> ids;
  for (size_t i = 0; i < values.size(); ++i) {
    const unsigned slot = first + static_cast<unsigned>(i);
    ids.push_back(7 * kChunkSlots + slot);
    if (!(made.column.Get(slot, reader) == values[i])) FAIL("slot " << slot);
    if (made.column.Has(slot) == values[i].is_null()) FAIL("slot " << slot);
    if (!SameCell(made.column.CellAt(slot), made.cells[i])) FAIL("cell " << slot);
  }
  std::vector<Value> out(values.size(), Value(true));
  made.column.Gather(ids, out.data(), reader);
  for (size_t i = 0; i < values.size(); ++i) {
    if (!(out[i] == values[i])) FAIL("gathered " << i);
  }
}

}  // namespace

TEST_CASE("packed numbers of every width come back") {
  Random random(5);
  for (unsigned width = 0; width <= 64; ++width) {
    const uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
    std::vector<uint64_t> numbers(200);
    for (uint64_t& number : numbers) number = random.Next() & mask;
    numbers[7] = mask;
    ByteWriter out;
    WritePackedNumbers(numbers.size(), 0, mask, &out, [&](size_t i) { return numbers[i]; });
    out.Zeros(kPackedTail);
    ByteReader in(out.bytes().first(out.size() - kPackedTail));
    const PackedNumbers packed = Must(ReadPackedNumbers(&in, numbers.size()));
    REQUIRE(in.empty());
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (packed[i] != numbers[i]) FAIL("width " << width << " at " << i);
    }
  }
}

TEST_CASE("a column gives back values of every kind, mixed or alone, with gaps") {
  TestFile file;
  Random random(11);
  std::vector<Value> integers, texts, mixed, same, floats, sparse(4000), extremes;
  for (int i = 0; i < 4096; ++i) {
    integers.emplace_back(static_cast<int64_t>(random.Below(100'000)) - 50'000);
    texts.emplace_back(RandomText(random, 20));
    mixed.push_back(random.OneIn(3) ? Value() : RandomValue(random));
    same.emplace_back(0.5);
    floats.emplace_back(random.Unit());
  }
  sparse[5] = Value(int64_t{9});
  sparse[3999] = Value(int64_t{-1});
  extremes = {Value(std::numeric_limits<int64_t>::min()), Value(std::numeric_limits<int64_t>::max()), Value(int64_t{0})};
  SameValues(file, integers);
  SameValues(file, texts);
  SameValues(file, mixed);
  SameValues(file, same);
  SameValues(file, floats);
  SameValues(file, sparse, 96);
  SameValues(file, extremes, 4093);
  SameValues(file, {Value()  , Value("")});
  SameValues(file, {Value(true), Value(false), Value(), Value(true)});
  SameValues(file, {Value(List{}), Value(List{}), Value(List{})});
}

TEST_CASE("few different texts take a dictionary, equal values nothing, small ranges few bits") {
  std::vector<Value> colours, constants, numbers;
  for (int i = 0; i < 4096; ++i) {
    colours.emplace_back(i % 3 == 0 ? "a red thing" : i % 3 == 1 ? "a green thing" : "a blue thing");
    constants.emplace_back("always the same");
    numbers.emplace_back(int64_t{1'000'000} + i % 16);
  }
  REQUIRE(Made(colours).column.encoding() == Encoding::kDictionary);
  REQUIRE(Made(colours).bytes.size() < 1100);
  REQUIRE(Made(constants).bytes.size() < 50);
  REQUIRE(Made(numbers).bytes.size() < 2100);
}

TEST_CASE("slots without an element cost no bitmap") {
  std::vector<Cell> cells(4096);
  for (size_t i = 0; i < cells.size(); ++i) {
    cells[i].kind = i % 5 == 0 ? CellKind::kDead : CellKind::kInteger;
    cells[i].integer = 3;
  }
  ByteWriter out;
  REQUIRE(EncodeColumn(0, cells, nullptr, &out));
  REQUIRE(out.size() < 16);
  ByteWriter none;
  std::vector<Cell> dead(9);
  REQUIRE_FALSE(EncodeColumn(0, dead, nullptr, &none));
  REQUIRE(none.size() == 0);
}

TEST_CASE("a column of dates or local times out of their range, with right checksums, is Corruption") {
  for (const Value& right : {Value(Date{DaysMax()}), Value(Date{DaysMin()}), Value(LocalTime{kNanosPerDay - 1}), Value(LocalTime{0})}) {
    const Made made({right, right.type() == Type::kDate ? Value(Date{1}) : Value(LocalTime{1}), right});
    const ValueReader reader(nullptr, OwnerSpace::kNodeChunk, 3, 1, 9);
    REQUIRE(made.column.Get(0, reader) == right);
  }
  for (const Value& wrong : {Value(Date{DaysMax() + 1}), Value(Date{INT64_MIN}), Value(LocalTime{kNanosPerDay}), Value(LocalTime{-1}), Value(LocalTime{INT64_MAX})}) {
    CellArena arena;
    std::vector<Cell> cells;
    for (int i = 0; i < 3; ++i) cells.push_back(CellOf(PackProperty(PropertyId(1), i == 1 ? wrong : wrong.type() == Type::kDate ? Value(Date{1}) : Value(LocalTime{1})), &arena));
    ByteWriter out;
    REQUIRE(EncodeColumn(0, cells, nullptr, &out));
    out.Zeros(kPackedTail);
    const Result<Column> column = Made::Decode(out.Take());
    INFO(column.status().ToString());
    REQUIRE(column.status().code() == Code::kCorruption);
  }
}

TEST_CASE("values with temporal parts out of their range, with right checksums, are Corruption") {
  for (const Value& wrong : {Value(Date{DaysMin() - 1}), Value(LocalTime{kNanosPerDay}), Value(Time{0, 64'801}), Value(Time{-1, 0}), Value(LocalDateTime{INT64_MAX, 0}),
                             Value(LocalDateTime{0, 1'000'000'000}), Value(DateTime{INT64_MIN, 0, 0, ""}), Value(DateTime{0, 0, -64'801, ""}),
                             Value(Duration{0, 0, 0, 1'000'000'000})}) {
    ByteWriter out;
    EncodeValue(wrong, &out);
    ByteReader in(out.bytes());
    const Result<Value> value = DecodeValue(&in);
    INFO(value.status().ToString());
    REQUIRE(value.status().code() == Code::kCorruption);
  }
}

TEST_CASE("damaged column pieces give Corruption or other values, never a crash") {
  TestFile file;
  const ValueReader reader(&file.context, OwnerSpace::kNodeChunk, 3, 1, 9);
  Random random(21);
  for (int round = 0; round < 60; ++round) {
    std::vector<Value> values;
    const bool mixed = random.OneIn(2), texts = random.OneIn(2);
    for (int i = 0; i < 100; ++i) {
      values.push_back(random.OneIn(4) ? Value() : mixed ? RandomValue(random) : texts ? Value(RandomText(random, 5)) : Value(int64_t{i}));
    }
    values[50] = Value("x");
    const Made made(values);
    for (int damage = 0; damage < 200; ++damage) {
      std::vector<std::byte> bytes = made.bytes;
      for (uint64_t flips = 1 + random.Below(3); flips > 0; --flips) {
        bytes[random.Below(bytes.size() - kPackedTail)] ^= std::byte(1u << random.Below(8));
      }
      if (random.OneIn(4)) bytes.resize(std::max<size_t>(random.Below(bytes.size()), kPackedTail));
      const Result<Column> column = Made::Decode(bytes);
      if (!column.ok()) continue;
      for (unsigned slot = 0; slot < kChunkSlots; slot += 7) {
        try {
          (void)column->Get(slot, reader);
        } catch (const ReadFailure&) {
        }
        if (column->floats() == nullptr) (void)column->CellAt(slot);
      }
    }
  }
}

}  // namespace fornix::storage::base_test
