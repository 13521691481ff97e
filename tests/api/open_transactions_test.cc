// SHOW TRANSACTIONS and TERMINATE TRANSACTIONS over several connections: what is shown while it is open and no longer, and that a terminated
// transaction ends by name, wherever it is: in a statement, between two, before its commit.
#include <atomic>
#include <thread>

#include "tests/api/api_test_util.h"

namespace {

using namespace fornix;
using namespace fornix::test;

void IsTerminated(const Status& status) {
  INFO(status.ToString());
  CHECK(status.code() == Code::kCancelled);
  CHECK(status.detail() == "Terminated");
  CHECK(status.neo4j_code() == "Neo.ClientError.Transaction.Terminated");
}

// The id of the transaction whose query holds `text`, or that is idle if it is empty.
std::string IdOf(Session& s, const std::string& text) {
  const Map parameters{{"text", Value(text)}};
  return s.One("SHOW TRANSACTIONS YIELD transactionId AS id, currentQuery AS q "
               "WHERE NOT q STARTS WITH 'SHOW' AND (q CONTAINS $text AND $text <> '' OR q = '' AND $text = '') RETURN id", parameters);
}

}  // namespace

TEST_CASE("every open transaction of a database is shown, with its query while one runs") {
  Session s;
  auto other = s.database->Connect(), third = s.database->Connect();
  CHECK(s.Rows("SHOW TRANSACTIONS YIELD currentQuery RETURN currentQuery") ==
        Strings{"'SHOW TRANSACTIONS YIELD currentQuery RETURN currentQuery'"});
  REQUIRE(other->Begin().ok());
  const std::string all = "SHOW TRANSACTIONS YIELD database AS d, username AS u, status AS s, currentQuery AS q, currentQueryId AS i, connectionId AS c, "
                          "elapsedTime AS e, startTime AS t WHERE NOT q STARTS WITH 'SHOW' RETURN d, u, s, q, i = '' AS idle, c, "
                          "e IS :: DURATION AS timed, t STARTS WITH '2' AS at";
  CHECK(s.Rows(all) == Strings{"'neo4j' | '' | 'Running' | '' | true | 'connection-2' | true | true"});
  REQUIRE(other->Query("CREATE (:A)").ok());
  CHECK(s.Rows(all).size() == 1);
  // A result that is still fetched holds its transaction open: one by itself, one in the explicit transaction.
  auto cursor = third->Execute("UNWIND range(1, 10) AS alone RETURN alone"), inside = other->Execute("UNWIND range(1, 10) AS inside RETURN inside");
  REQUIRE((cursor.ok() && inside.ok()));
  std::vector<Row> rows;
  REQUIRE((*cursor)->Fetch(1, &rows).ok());
  CHECK(s.Rows(all) == Strings{"'neo4j' | '' | 'Running' | 'UNWIND range(1, 10) AS inside RETURN inside' | false | 'connection-2' | true | true",
                               "'neo4j' | '' | 'Running' | 'UNWIND range(1, 10) AS alone RETURN alone' | false | 'connection-3' | true | true"});
  while (!(*inside)->done()) REQUIRE((*inside)->Fetch(100, &rows).ok());
  while (!(*cursor)->done()) REQUIRE((*cursor)->Fetch(100, &rows).ok());
  CHECK(s.Rows(all) == Strings{"'neo4j' | '' | 'Running' | '' | true | 'connection-2' | true | true"});
  REQUIRE(other->Commit().ok());
  CHECK(s.Rows(all).empty());
  // One that failed is there until it is rolled back, and one that is dropped with its connection is gone.
  REQUIRE(other->Begin().ok());
  CHECK_FALSE(other->Query("RETURN 1 / 0").ok());
  CHECK(s.Rows(all).size() == 1);
  other.reset();
  CHECK(s.Rows(all).empty());
}

TEST_CASE("a terminated transaction that is idle ends at its next statement, and leaves nothing") {
  Session s;
  auto other = s.database->Connect();
  for (const bool commits : {false, true}) {
    REQUIRE(other->Begin().ok());
    REQUIRE(other->Query("CREATE (:A)").ok());
    const std::string id = IdOf(s, "");
    CHECK(s.Rows("TERMINATE TRANSACTION " + id) == Strings{id + " | '' | 'Transaction terminated.'"});
    CHECK(s.One("SHOW TRANSACTIONS " + id + " YIELD status RETURN status") == "'Terminated'");
    if (commits) {
      IsTerminated(other->Commit().status());
      CHECK_FALSE(other->in_transaction());
    } else {
      IsTerminated(other->Query("RETURN 1").status());
      CHECK(other->Query("RETURN 1").status().code() == Code::kTransactionClosed);
      CHECK_FALSE(other->Commit().ok());
    }
    CHECK(s.One("MATCH (n:A) RETURN count(n)") == "0");
    CHECK(s.Rows("TERMINATE TRANSACTION " + id + " YIELD message RETURN message") == Strings{"'Transaction not found.'"});
    CHECK(other->Query("RETURN 1").ok());
  }
}

TEST_CASE("a statement that runs is ended by TERMINATE from another connection, reads and writes alike") {
  Session s;
  for (const std::string text : {"UNWIND range(1, 100000000000) AS long RETURN count(long)", "UNWIND range(1, 100000000000) AS long MERGE (:A {i: long % 10})"}) {
    auto other = s.database->Connect();
    Status status;
    std::thread runs([&] { status = other->Query(text).status(); });
    Strings found;
    while (found.empty()) {
      found = s.Rows("SHOW TRANSACTIONS YIELD transactionId AS id, currentQuery AS q WHERE q CONTAINS 'long' AND NOT q STARTS WITH 'SHOW' "
                     "TERMINATE TRANSACTIONS id YIELD message RETURN message");
    }
    CHECK(found == Strings{"'Transaction terminated.'"});
    runs.join();
    IsTerminated(status);
    CHECK(s.One("MATCH (n:A) RETURN count(n)") == "0");
    CHECK(other->Query("RETURN 1").ok());
  }
}

TEST_CASE("the rows of a terminated transaction end in its error") {
  Session s;
  auto other = s.database->Connect();
  auto cursor = other->Execute("UNWIND range(1, 1000000) AS rows_of RETURN rows_of");
  REQUIRE(cursor.ok());
  std::vector<Row> rows;
  REQUIRE((*cursor)->Fetch(1, &rows).ok());
  s.Run("TERMINATE TRANSACTION " + IdOf(s, "rows_of"));
  Status status;
  while (status.ok() && !(*cursor)->done()) status = (*cursor)->Fetch(1000, &rows);
  IsTerminated(status);
  CHECK(rows.size() < 10000);
}

TEST_CASE("TERMINATE acts when it is executed, whether or not its rows are fetched") {
  Session s;
  auto other = s.database->Connect();
  REQUIRE(other->Begin().ok());
  const std::string id = IdOf(s, "");
  REQUIRE(s.connection->Execute("EXPLAIN TERMINATE TRANSACTION " + id).ok());
  CHECK(other->Query("RETURN 1").ok());
  {
    auto cursor = s.connection->Execute("TERMINATE TRANSACTION " + id + " YIELD message RETURN message");
    REQUIRE(cursor.ok());
    IsTerminated(other->Query("RETURN 1").status());
    std::vector<Row> rows;
    REQUIRE((*cursor)->Fetch(10, &rows).ok());
    REQUIRE(rows.size() == 1);
    CHECK(ToText(rows[0][0]) == "'Transaction terminated.'");
  }
  CHECK(s.Rows("SHOW TRANSACTIONS YIELD status WHERE status = 'Terminated' RETURN status").size() == 1);
  REQUIRE(other->Rollback().ok());
  CHECK(s.Rows("SHOW TRANSACTIONS YIELD status RETURN status").size() == 1);
}

TEST_CASE("connections come, go and are looked at from several threads") {
  Session s;
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; i++) {
    threads.emplace_back([&] {
      while (!stop) {
        auto connection = s.database->Connect();
        if (!connection->Begin().ok()) std::abort();
        (void)connection->Query("CREATE (:A)");
        (void)connection->Query("MATCH (n:A) RETURN n LIMIT 3");
      }
    });
  }
  size_t seen = 0, ended = 0;
  while (seen < 100 || ended < 10) {
    seen += s.Rows("SHOW TRANSACTIONS YIELD transactionId RETURN transactionId").size();
    ended += s.Rows("SHOW TRANSACTIONS YIELD transactionId AS id, currentQuery AS q WHERE q STARTS WITH 'CREATE' TERMINATE TRANSACTIONS id "
                    "YIELD message WHERE message = 'Transaction terminated.' RETURN message").size();
  }
  stop = true;
  for (std::thread& t : threads) t.join();
  CHECK(s.Rows("SHOW TRANSACTIONS YIELD transactionId RETURN transactionId").size() == 1);
}
