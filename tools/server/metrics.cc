#include "tools/server/metrics.h"

#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <thread>

namespace fornix::bolt {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

constexpr std::chrono::seconds kClientSeconds{2};
constexpr size_t kHeaderBytesMax = 8 << 10;
constexpr size_t kClientsMax = 32;

class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(tcp::socket socket, const HttpPort::Pages* pages, std::atomic<size_t>* clients) : stream_(std::move(socket)), pages_(pages), clients_(clients) {
    parser_.header_limit(kHeaderBytesMax);
    parser_.body_limit(0);
  }
  ~Exchange() { --*clients_; }

  void Start() {
    stream_.expires_after(kClientSeconds);
    http::async_read(stream_, buffer_, parser_, [self = shared_from_this()](beast::error_code error, size_t) {
      if (!error) self->Answer();
    });
  }

 private:
  void Answer() {
    const auto& request = parser_.get();
    response_.version(request.version());
    response_.set(http::field::content_type, "text/plain; version=0.0.4; charset=utf-8");
    response_.keep_alive(false);
    const auto target = request.target();
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
      response_.result(http::status::method_not_allowed);
      response_.body() = "GET /metrics or /health\n";
    } else if (target == "/metrics") {
      response_.body() = pages_->metrics();
    } else if (target == "/health") {
      const bool healthy = pages_->healthy();
      if (!healthy) response_.result(http::status::service_unavailable);
      response_.body() = healthy ? "ok\n" : "the database takes no statements\n";
    } else {
      response_.result(http::status::not_found);
      response_.body() = "there is /metrics and /health\n";
    }
    response_.prepare_payload();
    if (request.method() == http::verb::head) response_.body().clear();
    http::async_write(stream_, response_, [self = shared_from_this()](beast::error_code, size_t) {
      beast::error_code ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    });
  }

  beast::tcp_stream stream_;
  const HttpPort::Pages* const pages_;
  std::atomic<size_t>* const clients_;
  beast::flat_buffer buffer_{kHeaderBytesMax};
  http::request_parser<http::empty_body> parser_;
  http::response<http::string_body> response_;
};

class BeastPort : public HttpPort {
 public:
  explicit BeastPort(Pages pages) : pages_(std::move(pages)) {}
  ~BeastPort() override {
    context_.stop();
    if (thread_.joinable()) thread_.join();
  }
  Status Open(const std::string& address, uint16_t port) {
    boost::system::error_code error;
    const tcp::endpoint endpoint(asio::ip::make_address(address, error), port);
    if (!error) acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) return Status(error == asio::error::address_in_use ? Code::kBusy : Code::kIoError, address + ":" + std::to_string(port) + ": " + error.message());
    Accept();
    thread_ = std::thread([this] { context_.run(); });
    return Status::Ok();
  }
  uint16_t port() const override { return acceptor_.local_endpoint().port(); }

 private:
  void Accept() {
    acceptor_.async_accept([this](beast::error_code error, tcp::socket socket) {
      if (!acceptor_.is_open()) return;
      // Too many: the socket closes by itself.
      if (!error && clients_ < kClientsMax) ++clients_, std::make_shared<Exchange>(std::move(socket), &pages_, &clients_)->Start();
      Accept();
    });
  }

  const Pages pages_;
  std::atomic<size_t> clients_{0};             // outlives the exchanges that the context holds
  asio::io_context context_{1};
  tcp::acceptor acceptor_{context_};
  std::thread thread_;
};

void Line(const char* name, const char* type, const char* help, uint64_t value, std::string* out) {
  *out += std::string("# HELP fornix_") + name + " " + help + "\n# TYPE fornix_" + name + " " + type + "\nfornix_" + name + " " + std::to_string(value) + "\n";
}

}  // namespace

std::string MetricsText(const Metrics& m, uint32_t sessions_open) {
  std::string out;
  Line("sessions", "gauge", "Connections that are open.", sessions_open, &out);
  Line("sessions_opened_total", "counter", "Connections that were accepted.", m.sessions_opened, &out);
  Line("sessions_refused_total", "counter", "Connections beyond the limit.", m.sessions_refused, &out);
  Line("messages_total", "counter", "Messages of Bolt that came.", m.messages, &out);
  Line("received_bytes_total", "counter", "Bytes of messages that came.", m.bytes_received, &out);
  Line("sent_bytes_total", "counter", "Bytes of answers.", m.bytes_sent, &out);
  Line("statements_total", "counter", "Statements that were begun.", m.statements, &out);
  Line("statement_microseconds_total", "counter", "Time of statements until their columns are known; what writes has run by then.", m.statement_micros, &out);
  Line("slow_statements_total", "counter", "Statements that took longer than --slow.", m.slow_statements, &out);
  Line("rows_total", "counter", "Rows that were sent.", m.rows, &out);
  Line("transactions_committed_total", "counter", "Explicit transactions that were committed.", m.transactions_committed, &out);
  Line("transactions_rolled_back_total", "counter", "Explicit transactions that were rolled back, those of clients that left included.", m.transactions_rolled_back, &out);
  out += "# HELP fornix_failures_total Statements and commits that failed, by whose fault.\n# TYPE fornix_failures_total counter\n";
  for (const auto& [kind, count] : {std::pair<const char*, uint64_t>{"client", m.failures_client}, {"transient", m.failures_transient}, {"database", m.failures_database}}) {
    out += std::string("fornix_failures_total{kind=\"") + kind + "\"} " + std::to_string(count) + "\n";
  }
  return out;
}

Result<std::unique_ptr<HttpPort>> HttpPort::Start(const std::string& address, uint16_t port, Pages pages) {
  auto opened = std::make_unique<BeastPort>(std::move(pages));
  RETURN_IF_ERROR(opened->Open(address, port));
  return std::unique_ptr<HttpPort>(std::move(opened));
}

}  // namespace fornix::bolt
