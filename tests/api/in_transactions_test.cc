// CALL {...} IN TRANSACTIONS beside other writers: what RETRY tries again, how often, and what is shown meanwhile. Another writer comes between
// by a procedure of the test's own, which a subquery calls in the middle of its transaction.
#include <functional>

#include "base/posix_file.h"
#include "engine/api/database_impl.h"
#include "engine/procedure/signature.h"
#include "tests/api/api_test_util.h"

namespace {

using namespace fornix;
using namespace fornix::test;

std::function<void()> meanwhile;   // what test.meanwhile() does

class MeanwhileCatalog : public planner::FunctionCatalog {
 public:
  MeanwhileCatalog() : procedure_([](engine::ExecutionContext&, std::span<const Value>) {
      meanwhile();
      return Status::Ok();
    }) {
    signature_ = engine::Signature("test.meanwhile", {}, {}, "Calls the test.");
    signature_.implementation = &procedure_;
  }
  const planner::FunctionSignature* FindFunction(std::string_view name) const override { return engine::DefaultCatalog().FindFunction(name); }
  const planner::ProcedureSignature* FindProcedure(std::string_view name) const override {
    return name == signature_.name ? &signature_ : engine::DefaultCatalog().FindProcedure(name);
  }
  std::string NearestFunction(std::string_view) const override { return ""; }
  std::string NearestProcedure(std::string_view) const override { return ""; }
  std::vector<const planner::FunctionSignature*> AllFunctions() const override { return engine::DefaultCatalog().AllFunctions(); }
  std::vector<const planner::ProcedureSignature*> AllProcedures() const override { return engine::DefaultCatalog().AllProcedures(); }

 private:
  planner::ProcedureSignature signature_;
  engine::VoidProcedure procedure_;
};

struct Contended : Session {
  explicit Contended(int losses_wanted) : losses(losses_wanted) {
    static const MeanwhileCatalog catalog;
    connection.reset();
    auto opened = engine::OpenDatabase(PosixFileSystem(), ":memory:", {}, catalog);
    REQUIRE(opened.ok());
    database = std::move(*opened);
    connection = database->Connect();
    other = database->Connect();
    Run("CREATE (:Counter {n: 0})");
    meanwhile = [this] {
      calls++;
      if (calls <= losses && !other->Query("MATCH (c:Counter) SET c.n = c.n + 100").ok()) std::abort();
    };
  }
  ~Contended() { other.reset(); }
  std::string Statement(const std::string& on_error) {
    return "UNWIND [1] AS i CALL (i) { MATCH (c:Counter) SET c.n = c.n + 1 WITH c CALL test.meanwhile() RETURN c.n AS n } IN TRANSACTIONS " + on_error + " RETURN n";
  }
  int losses, calls = 0;
  std::unique_ptr<Connection> other;
};

}  // namespace

TEST_CASE("ON ERROR RETRY tries a transaction again that lost against another, until it is through") {
  for (const std::string on_error : {"ON ERROR RETRY", "ON ERROR RETRY FOR 60 SECONDS", "ON ERROR RETRY 1.5e2 SEC THEN FAIL", "ON ERROR RETRY THEN BREAK"}) {
    Contended s(4);
    CHECK(s.Rows(s.Statement(on_error)) == Strings{"401"});
    CHECK(s.calls == 5);
    CHECK(s.One("MATCH (c:Counter) RETURN c.n") == "401");
  }
}

TEST_CASE("without RETRY, or when its time is over, the loss is an error, and what comes THEN is done") {
  Contended fails(1);
  auto failed = fails.connection->Query(fails.Statement(""));
  CHECK(failed.status().code() == Code::kTransactionConflict);
  Contended over(1000000);
  CHECK(over.connection->Query(over.Statement("ON ERROR RETRY FOR 0.01 SECONDS")).status().code() == Code::kTransactionConflict);
  CHECK(over.calls > 1);
  Contended goes_on(1000000);
  CHECK(goes_on.Rows(goes_on.Statement("ON ERROR RETRY FOR 0.01 SECONDS THEN CONTINUE")) == Strings{"null"});
  CHECK(goes_on.One("MATCH (c:Counter) RETURN c.n = " + std::to_string(100 * goes_on.calls)) == "true");
}

TEST_CASE("a batch that lost doesn't make the batches before it run again") {
  Contended s(0);
  meanwhile = [&] {
    if (++s.calls == 2 && !s.other->Query("MATCH (c:Counter) SET c.n = c.n + 100").ok()) std::abort();
  };
  auto rows = s.connection->Query("UNWIND [1, 2, 3] AS i CALL (i) { MATCH (c:Counter) SET c.n = c.n + 1 CREATE (:Done {i: i}) WITH c CALL test.meanwhile() "
                                  "RETURN c.n AS n } IN TRANSACTIONS OF 1 ROW RETURN n");
  CHECK(rows.status().code() == Code::kTransactionConflict);
  CHECK(s.calls == 2);
  CHECK(s.Rows("MATCH (d:Done) RETURN d.i") == Strings{"1"});
  CHECK(s.One("MATCH (c:Counter) RETURN c.n") == "101");
}

TEST_CASE("what can't succeed later isn't tried again") {
  Contended s(0);
  auto rows = s.connection->Query("UNWIND [0] AS i CALL (i) { CALL test.meanwhile() RETURN 1 / i AS n } IN TRANSACTIONS ON ERROR RETRY RETURN n");
  CHECK(rows.status().code() == Code::kArithmeticError);
  CHECK(s.calls == 1);
}

TEST_CASE("a cancel ends the wait between two tries") {
  Contended s(1000000);
  const auto before = meanwhile;
  meanwhile = [&] {
    before();
    if (s.calls == 5) s.connection->Cancel();
  };
  CHECK(s.connection->Query(s.Statement("ON ERROR RETRY FOR 1000 SECONDS THEN CONTINUE")).status().code() == Code::kCancelled);
}

TEST_CASE("an inner transaction is shown with its outer one, and ends with it") {
  Contended s(0);
  Strings shown;
  meanwhile = [&] {
    auto rows = s.other->Query("SHOW TRANSACTIONS YIELD transactionId AS id, outerTransactionId AS outer, currentQuery AS q "
                               "WHERE NOT q STARTS WITH 'SHOW' RETURN outer = '', q STARTS WITH 'UNWIND', id ORDER BY id");
    if (!rows.ok()) std::abort();
    std::string inner;
    for (const Row& row : *rows) {
      shown.push_back(ToText(row[0]) + " " + ToText(row[1]));
      if (!row[0].AsBoolean()) inner = row[2].AsString();
    }
    if (!s.other->Query("TERMINATE TRANSACTION $id", {{"id", Value(inner)}}).ok()) std::abort();
  };
  const Status status = s.connection->Query(s.Statement("ON ERROR CONTINUE")).status();
  CHECK(status.detail() == "Terminated");
  CHECK(shown == Strings{"true true", "false true"});
  CHECK(s.One("MATCH (c:Counter) RETURN c.n") == "0");
}
