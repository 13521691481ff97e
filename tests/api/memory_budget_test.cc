// One budget governs a database's memory: who asks for more than is left fails alone and by name.
#include "engine/api/database_impl.h"
#include "tests/api/api_test_util.h"

namespace fornix::test {
namespace {

DatabaseOptions WithMemory(uint64_t bytes) {
  DatabaseOptions options;
  options.memory_bytes_max = bytes;
  return options;
}
Status RunWith(Connection& connection, std::string_view text, uint64_t bytes) {
  ExecuteOptions options;
  options.memory_bytes_max = bytes;
  auto cursor = connection.Execute(text, {}, options);
  if (!cursor.ok()) return cursor.status();
  std::vector<Row> rows;
  while (!(*cursor)->done()) RETURN_IF_ERROR((*cursor)->Fetch(1000, &rows));
  return Status::Ok();
}
bool Says(const Status& status, std::string_view words) { return status.message().find(words) != std::string::npos; }

const char* const kCollects = "UNWIND range(1, 1000) AS a UNWIND range(1, 700) AS b WITH collect(a * b) AS all RETURN size(all)";

}  // namespace

TEST_CASE("a statement may hold a quarter of the budget unless told otherwise") {
  Session s(":memory:", WithMemory(32 << 20));
  CHECK(s.Error(kCollects).code() == Code::kResourceExhausted);
  DatabaseOptions more = WithMemory(32 << 20);
  more.statement_memory_bytes_max = uint64_t{1} << 40;   // the budget is the upper bound of it
  Session wide(":memory:", more);
  CHECK(engine::CoreOf(*wide.database).statement_memory_bytes_max == 32 << 20);
}

TEST_CASE("a refusal names the operator, the limit and what can be done, and neighbours go on") {
  Session s(":memory:", WithMemory(16 << 20));
  auto other = s.database->Connect();
  MemoryBudget& budget = *engine::CoreOf(*s.database).budget;
  const uint64_t base = budget.used(MemoryUse::kQueries);
  const Status own = RunWith(*s.connection, kCollects, 4 << 20);
  INFO(own.ToString());
  CHECK(own.code() == Code::kResourceExhausted);
  CHECK(Says(own, "EagerAggregation"));
  CHECK(Says(own, "the statement may use"));
  CHECK(Says(own, "4194304"));
  CHECK(Says(own, "statement_memory_bytes_max"));
  CHECK(budget.used(MemoryUse::kQueries) == base);
  // Above the database's limit it is the database's that is named.
  const Status shared = RunWith(*s.connection, kCollects, 64 << 20);
  INFO(shared.ToString());
  CHECK(shared.code() == Code::kResourceExhausted);
  CHECK(Says(shared, "needs"));
  CHECK(Says(shared, "16777216"));
  CHECK(Says(shared, "memory_bytes_max"));
  CHECK(budget.used(MemoryUse::kQueries) == base);

  // A result that is open holds its memory; what is left is enough for others, and comes back when it ends.
  auto cursor = s.connection->Execute("UNWIND range(1, 60000) AS x WITH collect(x) AS all UNWIND all AS y RETURN y");
  std::vector<Row> rows;
  REQUIRE((*cursor)->Fetch(1, &rows).ok());
  CHECK(budget.used(MemoryUse::kQueries) > base);
  CHECK((*other->Query("RETURN 1"))[0][0] == Value(1));
  cursor->reset();
  CHECK(budget.used(MemoryUse::kQueries) == base);
}

}  // namespace fornix::test
