// What is thrown below ends at the public interface: an error of that statement, whose transaction is rolled back or doomed.
#include <new>

#include "base/read_failure.h"
#include "engine/api/database_impl.h"
#include "engine/procedure/signature.h"
#include "tests/api/api_test_util.h"

namespace fornix::test {
namespace {

// CALL test.throw(kind): "memory", "read", or anything else, which lets the row pass.
class ThrowingProcedure : public engine::Procedure {
 public:
  Result<std::unique_ptr<engine::ProcedureStream>> Call(engine::ExecutionContext&, std::span<const Value> arguments) const override {
    const std::string& kind = arguments[0].AsString();
    if (kind == "memory") throw std::bad_alloc();
    if (kind == "read") throw ReadFailure(Status(Code::kCorruption, "extent 12 at 49152: checksum differs"));
    return std::unique_ptr<engine::ProcedureStream>();
  }
};

class ThrowingCatalog : public engine::ProcedureCatalog {
 public:
  ThrowingCatalog() : signature_(engine::Signature("test.throw", {engine::StringField("kind")}, {}, "Throws.")) {
    signature_.implementation = static_cast<engine::Procedure*>(&procedure_);
  }
  const planner::ProcedureSignature* FindProcedure(std::string_view name) const override {
    return name == "test.throw" ? &signature_ : ProcedureCatalog::FindProcedure(name);
  }

 private:
  ThrowingProcedure procedure_;
  planner::ProcedureSignature signature_;
};

struct ThrowingSession {
  ThrowingCatalog catalog;
  std::unique_ptr<Database> database;
  std::unique_ptr<Connection> connection;

  ThrowingSession() {
    database = std::move(*engine::OpenDatabase(PosixFileSystem(), ":memory:", {}, catalog));
    connection = database->Connect();
  }
  Status Run(std::string_view text) { return connection->Query(text).status(); }
  int64_t Count() { return (*connection->Query("MATCH (n) RETURN count(*)"))[0][0].AsInteger(); }
};

const std::pair<const char*, Code> kKinds[] = {{"'memory'", Code::kResourceExhausted}, {"'read'", Code::kCorruption}};

}  // namespace

TEST_CASE("an exception in a statement is that statement's error, with the status it carries") {
  ThrowingSession s;
  for (const auto& [kind, code] : kKinds) {
    const Status read = s.Run(std::string("CALL test.throw(") + kind + ") RETURN 1");
    CHECK(read.code() == code);
    CHECK(!read.message().empty());
    // Rows that came before it have been given out.
    auto cursor = s.connection->Execute(std::string("UNWIND ['no', ") + kind + "] AS kind CALL test.throw(kind) RETURN kind");
    REQUIRE(cursor.ok());
    std::vector<Row> rows;
    Status status;
    while (status.ok() && !(*cursor)->done()) status = (*cursor)->Fetch(1, &rows);
    CHECK(status.code() == code);
    CHECK((*cursor)->done());
    CHECK(s.Run("RETURN 1").ok());
  }
  CHECK(s.Run("CALL test.throw('read') RETURN 1").message().find("extent 12") != std::string::npos);
}

TEST_CASE("an exception rolls an auto-commit statement back, inner transactions included") {
  ThrowingSession s;
  for (const auto& [kind, code] : kKinds) {
    const std::string call = std::string("CALL test.throw(") + kind + ")";
    CHECK(s.Run("CREATE (:N) WITH 1 AS x " + call + " RETURN x").code() == code);
    CHECK(s.Count() == 0);
    CHECK(s.Run("UNWIND [1, 2] AS x CALL (x) { CREATE (:N) WITH x WHERE x = 2 " + call + " } IN TRANSACTIONS OF 2 ROWS").code() == code);
    CHECK(s.Count() == 0);
  }
}

TEST_CASE("an exception dooms an explicit transaction until ROLLBACK, also one that comes with a later row") {
  ThrowingSession s;
  for (const auto& [kind, code] : kKinds) {
    for (bool later : {false, true}) {
      REQUIRE(s.connection->Begin().ok());
      REQUIRE(s.Run("CREATE (:N)").ok());
      const std::string rows = later ? "UNWIND ['no', " + std::string(kind) + "] AS kind " : "WITH " + std::string(kind) + " AS kind ";
      CHECK(s.Run(rows + "CALL test.throw(kind) RETURN kind").code() == code);
      for (const char* text : {"RETURN 1", "CREATE (:N)"}) {
        const Status refused = s.Run(text);
        CHECK(refused.code() == Code::kTransactionClosed);
        CHECK(refused.message().find("ROLLBACK") != std::string::npos);
      }
      CHECK(!s.connection->Commit().ok());
      CHECK(s.Count() == 0);
    }
  }
}

}  // namespace fornix::test
