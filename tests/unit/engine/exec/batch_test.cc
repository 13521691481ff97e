#include "engine/exec/batch.h"

#undef CHECK   // base/check.h has one too, and so has Catch
#include <catch2/catch.hpp>

namespace fornix::engine {

TEST_CASE("a column is typed while its values allow it and boxed from the first that doesn't") {
  Column c;
  c.AppendNull();
  CHECK(c.kind() == ColumnKind::kNull);
  c.AppendInt(7);
  CHECK(c.kind() == ColumnKind::kInt);
  CHECK(c.IsNull(0));
  CHECK_FALSE(c.no_nulls());
  c.Append(Value("x"));
  CHECK(c.kind() == ColumnKind::kBoxed);
  CHECK(c.ValueAt(0).is_null());
  CHECK(c.ValueAt(1) == Value(7));
  CHECK(c.ValueAt(2) == Value("x"));
  c.AppendNode(NodeId(3));
  CHECK(c.ValueAt(3) == Value::NodeRef(3));
}

TEST_CASE("ranges and gathered rows keep nulls and change kind where the other column has another") {
  Column ints, texts, out;
  ints.AppendInt(1);
  ints.AppendNull();
  ints.AppendInt(3);
  texts.Append(Value("a"));
  out.AppendRange(ints, 1, 2);
  CHECK(out.kind() == ColumnKind::kInt);
  CHECK(out.IsNull(0));
  CHECK(out.int_at(1) == 3);
  out.AppendRange(texts, 0, 1);
  CHECK(out.kind() == ColumnKind::kBoxed);
  CHECK(out.ValueAt(2) == Value("a"));
  const std::vector<uint32_t> rows{2, 0, 0};
  Column gathered;
  gathered.Gather(ints, rows);
  CHECK(gathered.size() == 3);
  CHECK(gathered.int_at(0) == 3);
  CHECK(gathered.int_at(2) == 1);
  gathered.AppendRepeated(ints, 1, 2);
  CHECK(gathered.IsNull(4));
}

TEST_CASE("keeping rows compacts all filled columns of a batch and leaves the others unset") {
  Batch batch(3);
  for (int i = 0; i < 4; i++) {
    batch.column(0).AppendInt(i);
    batch.column(2).Append(Value(std::to_string(i)));
  }
  batch.set_rows(4);
  const std::vector<uint32_t> rows{1, 3};
  batch.Keep(rows);
  CHECK(batch.rows() == 2);
  CHECK(batch.column(0).int_at(1) == 3);
  CHECK(batch.column(2).ValueAt(0) == Value("1"));
  CHECK_FALSE(batch.column(1).filled());
}

TEST_CASE("entries of different kinds are the same key when their values are equivalent") {
  Column ints, floats, boxed;
  ints.AppendInt(1);
  floats.AppendFloat(1.0);
  boxed.Append(Value("x"));
  boxed.Append(Value(1));
  CHECK(EquivalentAt(ints, 0, floats, 0));
  CHECK(HashAt(ints, 0) == HashAt(floats, 0));
  CHECK(EquivalentAt(ints, 0, boxed, 1));
  CHECK(HashAt(ints, 0) == HashAt(boxed, 1));
  CHECK(OrderAt(boxed, 0, ints, 0) < 0);
}

}  // namespace fornix::engine
