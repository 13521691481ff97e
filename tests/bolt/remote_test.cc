// A server on a port of this machine, and our own client of it: the interface of a connection in the same process, over the network.
#include <catch2/catch.hpp>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "fornix/database.h"
#include "tools/server/bolt/remote.h"
#include "tools/server/bolt/server.h"
#include "tools/server/bolt/tls.h"

namespace fornix::bolt {
namespace {

struct Served {
  explicit Served(ServerOptions options = {}) {
    database = std::move(Database::Open(":memory:").value());
    options.port = 0;
    server = std::move(Server::Start(database.get(), "served", options).value());
  }
  ~Served() {
    server->Stop();
    server.reset();
  }
  std::unique_ptr<Connection> Connect() const { return std::move(ConnectRemote({"127.0.0.1", server->port(), "", "", ""}).value()); }
  std::unique_ptr<Database> database;
  std::unique_ptr<Server> server;
};

}  // namespace

TEST_CASE("values, elements, paths, counters and plans are those of a connection in the same process") {
  Served served;
  auto remote = served.Connect();
  auto local = served.database->Connect();
  auto created = remote->Execute("CREATE p = (:A:B {x: 1, d: date('2020-01-01'), l: [1, 2]})-[:R {w: 0.5}]->(:C)<-[:S]-(:D {t: datetime('2020-07-01T12:00[Europe/Stockholm]')}) RETURN p");
  REQUIRE(created.ok());
  std::vector<Row> rows;
  REQUIRE((*created)->Fetch(10, &rows).ok());
  CHECK((*created)->done());
  CHECK((*created)->summary().counters.nodes_created == 3);
  CHECK((*created)->query_type() == QueryType::kReadWrite);
  created->reset();
  for (const char* text : {"MATCH p = ()-[*0..2]-() RETURN p ORDER BY length(p), id(nodes(p)[0]), id(nodes(p)[-1])", "MATCH (n) RETURN n, labels(n), properties(n) ORDER BY id(n)",
                           "MATCH ()-[r]->() RETURN r, id(r) ORDER BY id(r)", "RETURN vector([1, 2, 3], 3, FLOAT32), point({x: 1, y: 2}), duration('P1M2DT3.5S'), null, [1, 'x', 2.5], {a: {b: true}}",
                           "UNWIND range(1, 5000) AS x RETURN x, toString(x)"}) {
    const auto a = remote->Query(text), b = local->Query(text);
    INFO(text);
    REQUIRE(a.ok());
    REQUIRE(b.ok());
    CHECK(*a == *b);
  }
  auto profiled = remote->Execute("PROFILE MATCH (n:A) RETURN n");
  REQUIRE(profiled.ok());
  REQUIRE((*profiled)->Fetch(10, &rows).ok());
  CHECK((*profiled)->summary().profiled);
  CHECK((*profiled)->summary().plan->op == "ProduceResults");
  CHECK((*profiled)->summary().plan_text.find("NodeByLabelScan") != std::string::npos);
}

TEST_CASE("an error over the network says what, where and how it is called") {
  Served served;
  auto remote = served.Connect();
  auto local = served.database->Connect();
  for (const char* text : {"RETURN foo", "RETURN 1 +", "RETURN 1 / 0", "RETURN $missing", "MATCH (n) RETURN no.such(n)", "CALL no.such()", "UNWIND [1, 0] AS x RETURN 1 / x", "RETURN 1 + {a: 1}"}) {
    const Status a = remote->Query(text).status(), b = local->Query(text).status();
    INFO(text);
    CHECK(a.code() == b.code());
    CHECK(a.detail() == b.detail());
    CHECK(a.message() == b.message());
    CHECK(a.compile_time() == b.compile_time());
    CHECK(a.position().line == b.position().line);
    CHECK(a.position().column == b.position().column);
  }
  CHECK(remote->Query("RETURN 1").ok());
}

TEST_CASE("transactions over the network: own writes, several results, conflicts, doom, rollback by leaving") {
  Served served;
  auto a = served.Connect(), b = served.Connect();
  REQUIRE(a->Query("CREATE (:N {x: 0})").ok());
  REQUIRE(a->Begin().ok());
  auto first = std::move(a->Execute("UNWIND range(1, 3000) AS x RETURN x").value()), second = std::move(a->Execute("UNWIND range(1, 3000) AS x RETURN -x").value());
  std::vector<Row> rows;
  while (!first->done()) REQUIRE(first->Fetch(100, &rows).ok());
  while (!second->done()) REQUIRE(second->Fetch(100, &rows).ok());
  CHECK(rows.size() == 6000);
  first.reset(), second.reset();
  REQUIRE(a->Query("MATCH (n:N) SET n.x = 1").ok());
  CHECK((*b->Query("MATCH (n:N) RETURN n.x"))[0][0] == Value(0));
  REQUIRE(b->Begin().ok());
  REQUIRE(b->Query("MATCH (n:N) SET n.x = 2").ok());
  REQUIRE(a->Commit().ok());
  CHECK(b->Commit().status().code() == Code::kTransactionConflict);
  CHECK(b->Query("RETURN 1").ok());
  REQUIRE(b->Begin().ok());
  CHECK(!b->Query("RETURN 1 / 0").ok());
  CHECK(b->Query("RETURN 1").status().code() == Code::kTransactionClosed);
  REQUIRE(b->Rollback().ok());
  REQUIRE(b->Begin().ok());
  REQUIRE(b->Query("CREATE (:Left)").ok());
  b.reset();
  for (int i = 0; i < 200 && served.server->sessions() > 1; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK((*a->Query("MATCH (n:Left) RETURN count(n)"))[0][0] == Value(0));
}

TEST_CASE("a cancel from another thread ends the statement and nothing behind it") {
  Served served;
  auto remote = served.Connect();
  for (int round = 0; round < 5; ++round) {
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20 + 30 * round));
      remote->Cancel();
    });
    const Status status = remote->Query("UNWIND range(1, 100000000000) AS x WITH x WHERE x < 0 RETURN x").status();
    other.join();
    CHECK((status.code() == Code::kCancelled || status.code() == Code::kTransactionClosed));
    CHECK((*remote->Query("RETURN 7"))[0][0] == Value(7));
  }
}

TEST_CASE("what stops: sessions beyond the limit, messages beyond theirs, silence before the logon, and the server itself beside running statements") {
  {
    ServerOptions options;
    options.sessions_max = 2;
    options.message_bytes_max = 100000;
    Served served(options);
    auto a = served.Connect(), b = served.Connect();
    CHECK(!ConnectRemote({"127.0.0.1", served.server->port(), "", "", ""}).ok());
    CHECK(a->Query("RETURN size($s)", Map{{"s", Value(std::string(50000, 'x'))}}).ok());
    CHECK(!a->Query("RETURN size($s)", Map{{"s", Value(std::string(200000, 'x'))}}).ok());
    CHECK(b->Query("RETURN 1").ok());
  }
  ServerOptions options;
  options.stop_seconds_max = 1;
  Served served(options);
  auto remote = served.Connect();
  std::thread stopping([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    served.server->Stop();
  });
  CHECK(!remote->Query("UNWIND range(1, 100000000000) AS x WITH x WHERE x < 0 RETURN x").ok());
  stopping.join();
  CHECK(served.server->sessions() == 0);
}

namespace {

// A certificate that nobody has signed, for localhost; and a key that isn't its.
struct Certificate {
  Certificate() : folder(std::filesystem::temp_directory_path() / ("fornix-tls-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder);
    for (const char* name : {"a", "b"}) {
      const std::string stem = folder / name;
      const std::string command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout " +
                                  stem + ".key -out " + stem + ".pem 2>/dev/null";
      REQUIRE(std::system(command.c_str()) == 0);
    }
  }
  ~Certificate() { std::filesystem::remove_all(folder); }
  std::string At(const char* name) const { return folder / name; }
  const std::filesystem::path folder;
};

}  // namespace

TEST_CASE("TLS: a server with a certificate speaks nothing else, and a client believes it as far as it was told to") {
  const Certificate files;
  CHECK(TlsCertificate::Read(files.At("a.pem"), files.At("b.key")).status().message().find("b.key") != std::string::npos);
  CHECK(TlsCertificate::Read(files.At("none.pem"), files.At("a.key")).status().message().find("none.pem") != std::string::npos);
  const auto certificate = std::move(TlsCertificate::Read(files.At("a.pem"), files.At("a.key")).value());
  ServerOptions options;
  options.tls = certificate.get();
  options.logon_seconds_max = 1;
  Served served(options);
  RemoteAddress address = ParseAddress("bolt+ssc://localhost:" + std::to_string(served.server->port())).value();
  for (int round = 0; round < 3; ++round) {
    auto remote = ConnectRemote(address);
    INFO(remote.status().ToString());
    REQUIRE(remote.ok());
    CHECK((*(*remote)->Query("UNWIND range(1, 50000) AS x RETURN sum(x), collect(x)"))[0][1].AsList().size() == 50000);
    CHECK((*remote)->Query("RETURN size($s)", Map{{"s", Value(std::string(3000000, 'x'))}}).ok());
    // Read anew between connections; a file that is none leaves the old one.
    if (round == 0) std::filesystem::copy_file(files.At("b.pem"), files.At("a.pem"), std::filesystem::copy_options::overwrite_existing);
    CHECK(certificate->ReadAgain().ok() == (round != 0));
    if (round == 0) std::filesystem::copy_file(files.At("b.key"), files.At("a.key"), std::filesystem::copy_options::overwrite_existing);
    CHECK((*remote)->Query("RETURN 1").ok());
  }
  address.trust_anybody = false;
  CHECK(ConnectRemote(address).status().message().find("certificate") != std::string::npos);
  address.tls = false;
  CHECK(!ConnectRemote(address).ok());
  // A cancel reaches a statement behind TLS too.
  address.tls = address.trust_anybody = true;
  auto remote = std::move(ConnectRemote(address).value());
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    remote->Cancel();
  });
  CHECK(!remote->Query("UNWIND range(1, 100000000000) AS x WITH x WHERE x < 0 RETURN x").ok());
  other.join();
  CHECK(remote->Query("RETURN 1").ok());
}

TEST_CASE("the time to log on is over with the logon, and a client that waits for its statement isn't idle") {
  ServerOptions options;
  options.logon_seconds_max = 1;
  {
    Served served(options);
    auto remote = served.Connect();
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    CHECK(remote->Query("RETURN 1").ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    CHECK(remote->Query("RETURN 1").ok());
  }
  options.idle_seconds_max = 1;
  Served served(options);
  auto busy = served.Connect(), idle = served.Connect();
  CHECK(busy->Execute("UNWIND range(1, 100000000000) AS x WITH x WHERE x < 0 RETURN x", {}, {.timeout = std::chrono::milliseconds(2500)}).status().code() == Code::kDeadlineExceeded);
  CHECK(busy->Query("RETURN 1").ok());
  CHECK(!idle->Query("RETURN 1").ok());
}

TEST_CASE("addresses of servers") {
  const auto parsed = ParseAddress("bolt://ann:p@ss@[::1]:7000/movies");
  REQUIRE(parsed.ok());
  CHECK(parsed->host == "::1");
  CHECK(parsed->port == 7000);
  CHECK(parsed->user == "ann");
  CHECK(parsed->password == "p@ss");
  CHECK(parsed->database == "movies");
  CHECK(ParseAddress("neo4j://db.example")->port == 7687);
  CHECK(ParseAddress("bolt+s://x")->tls);
  CHECK(!ParseAddress("bolt+s://x")->trust_anybody);
  CHECK(ParseAddress("neo4j+ssc://x")->trust_anybody);
  for (const char* bad : {"http://x", "bolt://", "bolt://x:y", "bolt://x:70000", "bolt+tls://x", "x"}) CHECK(ParseAddress(bad).status().code() == Code::kUsage);
}

}  // namespace fornix::bolt
