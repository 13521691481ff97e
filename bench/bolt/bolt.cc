// bench bolt: what a client of the Bolt server waits for, by a raw client on loopback: a cached point read beside RETURN 1, many connections at
// once, a stream of rows, writers beside one.
//
//   bench_bolt [--json]        makes and removes its own file below $TMPDIR; server and clients share this machine's cores
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "base/clock.h"
#include "bench/common/report.h"
#include "fornix/database.h"
#include "tools/server/bolt/frames.h"
#include "tools/server/bolt/packstream.h"
#include "tools/server/bolt/server.h"

namespace {

using namespace fornix;
using namespace fornix::bench;

[[noreturn]] void Die(const std::string& why) {
  std::fprintf(stderr, "bench_bolt: %s\n", why.c_str());
  std::exit(1);
}

// One connection that speaks Bolt 5.4, blocking.
class Client {
 public:
  explicit Client(uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) Die("connect failed");
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    dechunker_.set_message_bytes_max(size_t{1} << 30);
    Write(std::string("\x60\x60\xB0\x17\0\0\x04\x05\0\0\0\0\0\0\0\0\0\0\0\0", 20));
    char version[4];
    if (read(socket_, version, 4) != 4 || version[3] != 5) Die("no handshake");
    Say({{0x01, {Value(Map{{"user_agent", Value("bench")}})}}, {0x6A, {Value(Map{{"scheme", Value("none")}})}}});
    Await(2);
  }
  ~Client() { close(socket_); }

  using Call = std::pair<uint8_t, List>;
  void Say(const std::vector<Call>& calls) {
    std::string bytes;
    for (const auto& [tag, fields] : calls) {
      std::string message;
      bolt::Packer packer(&message, {});
      packer.StructHeader(tag, static_cast<uint8_t>(fields.size()));
      for (const Value& field : fields) packer.Any(field);
      bolt::AppendChunked(message, &bytes);
    }
    Write(bytes);
  }
  void Write(const std::string& bytes) {
    for (size_t at = 0; at < bytes.size();) {
      const ssize_t n = write(socket_, bytes.data() + at, bytes.size() - at);
      if (n <= 0) Die("write failed");
      at += static_cast<size_t>(n);
    }
  }
  // Reads until so many SUCCESSes are in; how many RECORDs came.
  size_t Await(int successes) {
    size_t records = 0;
    while (successes > 0) {
      auto next = dechunker_.Next(&in_);
      if (!next.ok()) Die(next.status().ToString());
      if (!next->has_value()) {
        const size_t before = in_.size();
        in_.resize(before + (256 << 10));
        const ssize_t n = read(socket_, in_.data() + before, 256 << 10);
        if (n <= 0) Die("the server hung up");
        in_.resize(before + static_cast<size_t>(n));
        continue;
      }
      const auto tag = static_cast<uint8_t>((**next)[1]);
      if (tag == 0x71) ++records;
      if (tag == 0x70) --successes;
      if (tag == 0x7F) Die("a failure: " + next->value());
    }
    return records;
  }
  size_t Run(const std::string& text, const Map& parameters = {}, int64_t n = -1) {
    Say({{0x10, {Value(text), Value(parameters), Value(Map())}}, {0x3F, {Value(Map{{"n", Value(n)}})}}});
    return Await(2);
  }

 private:
  const int socket_;
  bolt::Dechunker dechunker_;
  std::string in_;
};

constexpr int64_t kNodes = 100000;

double MedianMicros(int rounds, const std::function<void(int)>& call) {
  for (int i = 0; i < rounds / 10; ++i) call(i);
  std::vector<double> us;
  for (int i = 0; i < rounds; ++i) {
    const uint64_t start = MonotonicNanos();
    call(i);
    us.push_back(static_cast<double>(MonotonicNanos() - start) / 1e3);
  }
  return Median(us);
}

// Calls a second of so many clients together, for a second and a half.
double Rate(uint16_t port, int clients, const std::function<void(Client*, int)>& call) {
  std::atomic<uint64_t> calls{0};
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int c = 0; c < clients; ++c) {
    threads.emplace_back([&, c] {
      Client client(port);
      for (int i = 0; !stop; ++i, ++calls) call(&client, c * 1000000 + i);
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const uint64_t before = calls, start = MonotonicNanos();
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  const double rate = static_cast<double>(calls - before) / (static_cast<double>(MonotonicNanos() - start) / 1e9);
  stop = true;
  for (std::thread& thread : threads) thread.join();
  return rate;
}

void Measure(uint16_t port, Report* report) {
  Client client(port);
  client.Run("UNWIND range(0, $n - 1) AS i CREATE (:Item {id: i, name: 'item ' + toString(i)})", Map{{"n", Value(kNodes)}});
  client.Run("CREATE CONSTRAINT item FOR (n:Item) REQUIRE n.id IS UNIQUE");
  const std::string read = "MATCH (n:Item {id: $id}) RETURN n.name";
  const double nothing = MedianMicros(5000, [&](int) { client.Run("RETURN 1"); });
  const double point = MedianMicros(5000, [&](int i) { client.Run(read, Map{{"id", Value(i * int64_t{7919} % kNodes)}}); });
  report->Add({"RETURN 1, p50", "aim", "us", nothing, 0});
  report->Add({"cached point read, p50", "aim", "us", point, 80});
  report->Add({"cached point read beside RETURN 1", "aim", "x", point / nothing, 1.5});
  report->Add({"point reads of 16 connections", "aim", "a second",
               Rate(port, 16, [&](Client* c, int i) { c->Run(read, Map{{"id", Value(i * int64_t{7919} % kNodes)}}); }), 20000, true});
  const uint64_t start = MonotonicNanos();
  if (client.Run("UNWIND range(1, 1000000) AS x RETURN x, x * 2") != 1000000) Die("rows are missing");
  report->Add({"1,000,000 rows of two integers", "aim", "rows/s", 1e6 / (static_cast<double>(MonotonicNanos() - start) / 1e9), 1e6, true});
  const auto write = [](Client* c, int i) { c->Run("CREATE (:Written {id: $id})", Map{{"id", Value(i)}}); };
  const double one = Rate(port, 1, write), many = Rate(port, 16, write);
  report->Add({"durable writes of 16 connections, of one = 1", "aim", "x", many / one, 4, true});
  report->Add({"durable writes of 16 connections", "aim", "a second", many, 0, true});
}

}  // namespace

int main(int argc, char** argv) {
  Report report("bolt", HasFlag(argc, argv, "--json"));
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("fornix-bench-bolt-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  {
    const uint64_t start = MonotonicNanos();
    auto database = Database::Open(folder / "bench.fornix");
    if (!database.ok()) Die(database.status().ToString());
    bolt::ServerOptions options;
    options.port = 0;
    auto server = bolt::Server::Start(database->get(), "bench", options);
    if (!server.ok()) Die(server.status().ToString());
    {
      Client first((*server)->port());
      first.Run("RETURN 1");
    }
    report.Add({"from opening the file to the first answer", "aim", "ms", static_cast<double>(MonotonicNanos() - start) / 1e6, 100});
    Measure((*server)->port(), &report);
    (*server)->Stop();
    server->reset();
  }
  std::filesystem::remove_all(folder);
  return report.Finish() ? 0 : 1;
}
