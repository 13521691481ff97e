// The conversation: what each message answers in each state, several results at once, failures, RESET.
#include <catch2/catch.hpp>
#include <thread>

#include "tests/bolt/bolt_test_util.h"

namespace fornix::bolt {
namespace {
constexpr uint8_t kHello = 0x01, kGoodbye = 0x02, kReset = 0x0F, kRun = 0x10, kBegin = 0x11, kCommit = 0x12, kRollback = 0x13, kDiscard = 0x2F, kPull = 0x3F,
                  kTelemetry = 0x54, kRoute = 0x66, kLogon = 0x6A, kLogoff = 0x6B;
const Value kEmpty = Value(Map());
}  // namespace

TEST_CASE("a client greets, asks, pulls") {
  for (const Version version : {Version{4, 4}, Version{5, 0}, Version{5, 1}, Version{5, 4}, Version{5, 6}, Version{5, 8}, Version{6, 0}}) {
    Client client(version);
    const Message hello = client.SayOne(kHello, {Value(Map{{"user_agent", Value("test/1")}})});
    REQUIRE(hello.tag == kSuccessTag);
    CHECK(Metadata(hello).Find("server")->AsString().starts_with("Neo4j/"));
    CHECK(Metadata(hello).Find("connection_id") != nullptr);
    if (version >= Version{5, 1}) {
      CHECK(!client.session().authenticated());
      CHECK(client.SayOne(kLogon, {Value(Map{{"scheme", Value("basic")}, {"principal", Value("neo4j")}, {"credentials", Value("x")}})}).tag == kSuccessTag);
    }
    CHECK(client.session().authenticated());
    const std::vector<Message> ran = client.Run("UNWIND range(1, 5) AS x RETURN x, $p AS p", Map{{"p", Value("é")}});
    REQUIRE(ran.size() == 1);
    REQUIRE(ran[0].tag == kSuccessTag);
    CHECK(*Metadata(ran[0]).Find("fields") == Value(List{Value("x"), Value("p")}));
    std::vector<Message> rows = client.Pull(2);
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].fields[0] == Value(List{Value(1), Value("é")}));
    CHECK(Metadata(rows[2]).Find("has_more")->AsBoolean());
    rows = client.Pull(3);                     // exactly the rest: there is no more, and it says so
    REQUIRE(rows.size() == 4);
    const Map& end = Metadata(rows[3]);
    CHECK(end.Find("has_more") == nullptr);
    CHECK(end.Find("type")->AsString() == "r");
    CHECK(end.Find("bookmark")->AsString().starts_with("fornix:"));
    CHECK((end.Find("statuses") != nullptr) == (version >= Version{5, 6}));
    CHECK(client.SayOne(kGoodbye).tag == 0);
    CHECK(client.closed);
  }
}

TEST_CASE("several results are open in one transaction, each under its number") {
  Client client;
  client.Greet();
  CHECK(client.SayOne(kBegin, {kEmpty}).tag == kSuccessTag);
  CHECK(Metadata(client.Run("UNWIND range(1, 1000) AS x RETURN x")[0]).Find("qid")->AsInteger() == 0);
  CHECK(Metadata(client.Run("UNWIND range(1, 10) AS y RETURN -y")[0]).Find("qid")->AsInteger() == 1);
  CHECK(client.Run("CREATE (:A)").size() == 1);
  std::vector<Message> a = client.Pull(2, 0), b = client.Pull(1, 1);
  CHECK(a[1].fields[0] == Value(List{Value(2)}));
  CHECK(b[0].fields[0] == Value(List{Value(-1)}));
  CHECK(client.Pull(-1).back().tag == kSuccessTag);          // the latest: CREATE
  CHECK(client.Pull(-1, 0).size() == 999);
  CHECK(client.SayOne(kDiscard, {Value(Map{{"n", Value(-1)}, {"qid", Value(1)}})}).tag == kSuccessTag);
  CHECK(Metadata(client.SayOne(kCommit)).Find("bookmark")->AsString().starts_with("fornix:"));
  CHECK(client.Run("MATCH (n:A) RETURN count(n)").size() == 1);
  CHECK(client.Pull(-1)[0].fields[0] == Value(List{Value(1)}));
}

TEST_CASE("a large result comes in parts") {
  Client client;
  client.Greet();
  client.Run("UNWIND range(1, 20000) AS x RETURN x, 'some text to fill the row'");
  CHECK(client.Pull(-1).size() == 20001);
  CHECK(client.parts > 5);
}

TEST_CASE("after a failure everything is ignored until RESET, and the transaction is gone") {
  Client client;
  client.Greet();
  client.SayOne(kBegin, {kEmpty});
  client.Run("CREATE (:Lost)");
  client.Pull(-1);
  const Message failure = client.Run("RETURN foo")[0];
  REQUIRE(failure.tag == kFailureTag);
  CHECK(CodeOf(failure) == "Neo.ClientError.Statement.SyntaxError");
  CHECK(Metadata(failure).Find("message")->AsString().find("(line 1, column 8 (offset: 7))") != std::string::npos);
  for (int i = 0; i < 3; ++i) CHECK(client.Run("RETURN 1")[0].tag == kIgnoredTag);
  CHECK(client.SayOne(kCommit).tag == kIgnoredTag);
  CHECK(client.SayOne(kReset).tag == kSuccessTag);
  client.Run("MATCH (n:Lost) RETURN count(n)");
  CHECK(client.Pull(-1)[0].fields[0] == Value(List{Value(0)}));
}

TEST_CASE("errors carry what each version knows of them") {
  for (const Version version : {Version{5, 6}, Version{5, 7}, Version{6, 0}}) {
    Client client(version);
    client.Greet();
    const Message failure = client.Run("RETURN 1 +")[0];
    REQUIRE(failure.tag == kFailureTag);
    CHECK(CodeOf(failure) == "Neo.ClientError.Statement.SyntaxError");
    const Map& m = Metadata(failure);
    CHECK((m.Find("gql_status") != nullptr) == (version >= Version{5, 7}));
    if (version < Version{5, 7}) continue;
    CHECK(m.Find("gql_status")->AsString() == "42001");
    CHECK(m.Find("description") != nullptr);
    CHECK(m.Find("diagnostic_record")->AsMap().Find("CURRENT_SCHEMA")->AsString() == "/");
  }
  Client client;
  client.Greet();
  CHECK(CodeOf(client.Run("RETURN 1", {}, Map{{"db", Value("other")}})[0]) == "Neo.ClientError.Database.DatabaseNotFound");
  client.SayOne(kReset);
  CHECK(CodeOf(client.Run("CREATE (:A)", {}, Map{{"mode", Value("r")}})[0]) == "Neo.ClientError.Statement.AccessMode");
  client.SayOne(kReset);
  CHECK(client.Run("/* so */ explain CREATE (:A)", {}, Map{{"mode", Value("r")}})[0].tag == kSuccessTag);
  client.Pull(-1);
  CHECK(CodeOf(client.Run("RETURN 1", {}, Map{{"bookmarks", Value(List{Value("FB:xyz")})}})[0]) == "Neo.ClientError.Transaction.InvalidBookmark");
  client.SayOne(kReset);
  client.SayOne(kBegin, {Value(Map{{"mode", Value("r")}})});
  CHECK(client.Run("CREATE (:A)")[0].tag == kFailureTag);
}

// Every message in every state: an answer, or a failure and the end; never silence, a crash or the wrong state.
TEST_CASE("each message in each state is answered or ends the connection") {
  const std::vector<std::pair<uint8_t, List>> messages = {
      {kHello, {kEmpty}}, {kLogon, {kEmpty}}, {kLogoff, {}}, {kGoodbye, {}}, {kReset, {}}, {kRun, {Value("RETURN 1"), kEmpty, kEmpty}}, {kBegin, {kEmpty}},
      {kCommit, {}}, {kRollback, {}}, {kDiscard, {Value(Map{{"n", Value(-1)}})}}, {kPull, {Value(Map{{"n", Value(-1)}})}}, {kTelemetry, {Value(1)}},
      {kRoute, {kEmpty, Value(List()), kEmpty}}, {0x33, {}}};
  const std::string allowed[] = {"HG", "LG", "OGRUBTr", "GRDP", "GRUCKDP", "GR*"};     // by state: letters of the messages below
  const std::string letters = "HLOGRUBCKDPTr?";
  for (size_t state = 0; state < 6; ++state) {
    for (size_t m = 0; m < messages.size(); ++m) {
      Client client;
      if (state >= 1) client.SayOne(kHello, {kEmpty});
      if (state >= 2) client.SayOne(kLogon, {kEmpty});
      if (state == 3) client.Run("RETURN 1");
      if (state == 4) client.SayOne(kBegin, {kEmpty}), client.Run("RETURN 1");
      if (state == 5) client.Run("RETURN");
      const std::vector<Message> answers = client.Say(messages[m].first, messages[m].second);
      const bool ok = allowed[state].find(letters[m]) != std::string::npos;
      INFO("state " << state << ", message " << letters[m]);
      if (messages[m].first == kGoodbye) {
        CHECK(client.closed);
      } else if (ok) {
        REQUIRE(!answers.empty());
        CHECK(answers.back().tag == kSuccessTag);
        CHECK(!client.closed);
      } else if (state == 5) {
        REQUIRE(answers.size() == 1);
        CHECK(answers[0].tag == kIgnoredTag);
      } else {
        REQUIRE(answers.size() == 1);
        CHECK(answers[0].tag == kFailureTag);
        CHECK(client.closed);
      }
    }
  }
}

TEST_CASE("fields that a message doesn't have end the connection; a value that is none fails the statement") {
  for (const auto& [tag, fields] : std::vector<std::pair<uint8_t, List>>{
           {kRun, {Value("RETURN 1")}}, {kRun, {Value(1), kEmpty, kEmpty}}, {kPull, {}}, {kPull, {Value(1)}}, {kBegin, {}}, {kRoute, {kEmpty}}, {kCommit, {Value(1)}}}) {
    Client client;
    client.Greet();
    CHECK(client.SayOne(tag, fields).tag == kFailureTag);
    CHECK(client.closed);
  }
  for (const int64_t n : {int64_t{0}, int64_t{-2}, INT64_MIN}) {
    Client client;
    client.Greet();
    client.Run("RETURN 1");
    CHECK(client.Pull(n).back().tag == kFailureTag);
    CHECK(client.closed);
  }
  Client client;
  client.Greet();
  std::string bytes = Pack(kRun, {Value("RETURN $x"), Value(Map{{"x", Value(Date{1})}}), kEmpty});
  bytes[bytes.find('\x44')] = '\x4E';          // a node where a date was
  const std::vector<Message> answers = client.SayBytes(bytes);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].tag == kFailureTag);
  CHECK(!client.closed);
  client.SayOne(kReset);
  client.Run("RETURN 1");
  CHECK(client.Pull(INT64_MAX).size() == 2);
}

TEST_CASE("RESET ends the statement that runs, and what stood between is ignored") {
  Client client;
  client.Greet();
  std::atomic<bool> begun{false};
  std::thread other([&] {
    while (!begun) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    client.session().Interrupt();
  });
  begun = true;
  client.Run("UNWIND range(1, 10000000000) AS x WITH x WHERE x < 0 RETURN x");
  const std::vector<Message> pulled = client.Pull(-1);
  other.join();
  REQUIRE(pulled.size() == 1);
  CHECK((pulled[0].tag == kFailureTag || pulled[0].tag == kIgnoredTag));
  CHECK(client.Run("RETURN 1")[0].tag == kIgnoredTag);
  CHECK(client.session().InterruptAgain());
  CHECK(client.SayOne(kReset).tag == kSuccessTag);
  CHECK(!client.session().InterruptAgain());
  client.Run("RETURN 1");
  CHECK(client.Pull(-1).size() == 2);
}

TEST_CASE("a routing table names this server in all three roles") {
  Client client;
  client.Say(kHello, {Value(Map{{"routing", Value(Map{{"address", Value("db.example:7687")}})}})});
  client.Say(kLogon, {kEmpty});
  const Message answer = client.SayOne(kRoute, {Value(Map{{"address", Value("db.example:7687")}}), Value(List()), Value(Map{{"db", Value("neo4j")}})});
  REQUIRE(answer.tag == kSuccessTag);
  const Map& table = Metadata(answer).Find("rt")->AsMap();
  CHECK(table.Find("servers")->AsList().size() == 3);
  for (const Value& server : table.Find("servers")->AsList()) CHECK(*server.AsMap().Find("addresses") == Value(List{Value("db.example:7687")}));
}

TEST_CASE("a client that leaves in a transaction leaves nothing") {
  Client client;
  client.Greet();
  client.SayOne(kBegin, {kEmpty});
  client.Run("CREATE (:Gone)");
  client.Pull(-1);
  client.session().Leave();
  auto rows = client.database().Connect()->Query("MATCH (n) RETURN count(n)");
  CHECK((*rows)[0][0] == Value(0));
}

}  // namespace fornix::bolt
