#include "tools/server/bolt/server.h"

#include <algorithm>
#include <atomic>
#include <boost/asio.hpp>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "tools/server/bolt/frames.h"
#include "tools/server/bolt/session.h"
#include "tools/server/bolt/tls.h"
#include "tools/server/limits.h"

namespace fornix::bolt {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

constexpr size_t kReadBytes = 32 << 10;
constexpr std::chrono::milliseconds kInterruptAgain{20};
constexpr size_t kHeldBack = 128;            // bytes of answers: less is a SUCCESS without rows
constexpr uint8_t kResetTag = 0x0F, kRunTag = 0x10, kCommitTag = 0x12;

bool MayTakeLong(const std::string& message) {
  return message.size() >= 2 && (static_cast<uint8_t>(message[1]) == kRunTag || static_cast<uint8_t>(message[1]) == kCommitTag);
}

class Link;

struct Shared {
  explicit Shared(const ServerOptions& given) : options(given) {}
  const ServerOptions options;
  Host host;
  std::unique_ptr<asio::thread_pool> workers;
  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::shared_ptr<Link>> links;     // under mutex
  bool stopping = false;                     // under mutex
  std::atomic<uint64_t> connections{0};
};

// One client. What the I/O thread and a worker both touch is under mutex_; the session is the worker's (but Interrupt).
class Link : public std::enable_shared_from_this<Link> {
 public:
  Link(Shared* shared, tcp::socket socket) : shared_(shared), socket_(std::move(socket)), timer_(socket_.get_executor()), again_(socket_.get_executor()) {}

  void Start() {
    ErrorCode ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    Expect(shared_->options.logon_seconds_max);
    if (shared_->options.tls == nullptr) return Read();
    tls_context_ = shared_->options.tls->context();
    tls_ = std::make_unique<asio::ssl::stream<tcp::socket&>>(socket_, *tls_context_);
    tls_->async_handshake(asio::ssl::stream_base::server, [self = shared_from_this()](ErrorCode error) {
      if (error) return self->Leave();
      self->Read();
    });
  }
  // From any thread: nothing more is read; a statement that runs may end.
  void Close() {
    asio::post(socket_.get_executor(), [self = shared_from_this()] { self->Leave(); });
  }
  bool busy() {
    std::lock_guard lock(mutex_);
    return working_ || !queue_.empty();
  }

 private:
  // ---- I/O thread
  void Expect(uint32_t seconds) {
    if (seconds == 0) {
      timer_.cancel();
      return;
    }
    timer_.expires_after(std::chrono::seconds(seconds));
    timer_.async_wait([self = shared_from_this(), seconds](ErrorCode error) {
      if (error) return;
      // Whoever waits for his statement isn't idle.
      if (self->logged_on_ && self->busy()) return self->Expect(seconds);
      self->Leave();
    });
  }
  // A worker has taken the client's LOGON; whatever is asked for from now on, or nothing for a while.
  void LookForLogon() {
    if (logged_on_ || session_ == nullptr || !session_->authenticated()) return;
    logged_on_ = true;
    dechunker_.set_message_bytes_max(shared_->options.message_bytes_max);
    Expect(shared_->options.idle_seconds_max);
  }

  void Read() {
    if (reading_ || left_) return;
    reading_ = true;
    auto read = [self = shared_from_this()](ErrorCode error, size_t n) {
      self->reading_ = false;
      if (error) return self->Leave();
      self->in_.append(self->buffer_, n);
      self->Take();
    };
    if (tls_ != nullptr) {
      tls_->async_read_some(asio::buffer(buffer_), std::move(read));
    } else {
      socket_.async_read_some(asio::buffer(buffer_), std::move(read));
    }
  }

  void Take() {
    if (left_) return;
    if (session_ == nullptr) {
      std::string answer;
      const Handshake::Outcome outcome = handshake_.Feed(&in_, &answer);
      if (!answer.empty()) unsent_ += answer.size(), Send(std::move(answer));
      if (outcome == Handshake::Outcome::kRefused) return CloseWhenSent();
      if (outcome == Handshake::Outcome::kMore) return Read();
      session_ = std::make_unique<Session>(&shared_->host, handshake_.version(), handshake_.by_manifest(),
                                           "bolt-" + std::to_string(shared_->connections.fetch_add(1) + 1));
      dechunker_.set_message_bytes_max(kBeforeLogonBytesMax);
    }
    for (;;) {
      LookForLogon();
      Result<std::optional<std::string>> message = dechunker_.Next(&in_);
      if (!message.ok()) return Leave();
      if (!message->has_value()) break;
      const bool reset = (*message)->size() >= 2 && static_cast<uint8_t>((**message)[1]) == kResetTag;
      if (reset && logged_on_) Interrupt();
      bool full;
      {
        std::lock_guard lock(mutex_);
        shared_->host.metrics.messages.fetch_add(1, std::memory_order_relaxed);
        shared_->host.metrics.bytes_received.fetch_add((*message)->size(), std::memory_order_relaxed);
        queued_bytes_ += (*message)->size();
        queue_.push_back(std::move(**message));
        full = queue_.size() >= kQueuedMessagesMax || queued_bytes_ >= kQueuedBytesMax;
      }
      Wake();
      if (!full) continue;
      paused_ = true;                        // Worked reads on
      return;
    }
    Expect(logged_on_ ? shared_->options.idle_seconds_max : shared_->options.logon_seconds_max);
    Read();
  }

  void Interrupt() {
    session_->Interrupt();
    InterruptLater();
  }
  void InterruptLater() {
    again_.expires_after(kInterruptAgain);
    again_.async_wait([self = shared_from_this()](ErrorCode error) {
      if (!error && self->session_->InterruptAgain() && !self->ended()) self->InterruptLater();
    });
  }
  bool ended() {
    std::lock_guard lock(mutex_);
    return finished_;
  }

  // Counted in unsent_ by who made them.
  void Send(std::string bytes) {
    out_.append(bytes);
    Write();
  }
  void Write() {
    if (writing_ || left_ || out_.empty()) return;
    writing_ = true;
    sending_.swap(out_);
    out_.clear();
    auto written = [self = shared_from_this()](ErrorCode error, size_t n) {
      self->writing_ = false;
      self->shared_->host.metrics.bytes_sent.fetch_add(n, std::memory_order_relaxed);
      self->unsent_ -= n;
      if (error) return self->Leave();
      self->Write();
      if (self->closing_ && !self->writing_) return self->Leave();
      if (self->unsent_ <= kUnsentBytesLow) self->Wake();
    };
    if (tls_ != nullptr) {
      asio::async_write(*tls_, asio::buffer(sending_), std::move(written));
    } else {
      asio::async_write(socket_, asio::buffer(sending_), std::move(written));
    }
  }
  void CloseWhenSent() {
    closing_ = true;
    if (!writing_) Leave();
  }

  void Leave() {
    if (left_) return;
    left_ = true;
    timer_.cancel();
    ErrorCode ignored;
    socket_.shutdown(tcp::socket::shutdown_both, ignored);
    socket_.close(ignored);
    if (session_ != nullptr) Interrupt();
    {
      std::lock_guard lock(mutex_);
      queue_.clear();
      gone_ = true;
    }
    Wake();
  }

  // A worker has ended a piece of work.
  void Worked(std::string bytes, bool close) {
    if (left_) return;
    LookForLogon();
    if (!bytes.empty()) Send(std::move(bytes));
    if (close) return CloseWhenSent();
    if (!paused_) return;
    {
      std::lock_guard lock(mutex_);
      if (queue_.size() > kQueuedMessagesMax / 2 || queued_bytes_ > kQueuedBytesMax / 2) return;
    }
    paused_ = false;
    Take();
  }

  // ---- from any thread
  void Wake() {
    {
      std::lock_guard lock(mutex_);
      if (working_ || finished_) return;
      if (!gone_ && (unsent_ > kUnsentBytesHigh || (!more_ && queue_.empty()))) return;
      working_ = true;
    }
    asio::post(*shared_->workers, [self = shared_from_this()] { self->Work(); });
  }

  // ---- a worker
  // Answers of pipelined messages leave together, but none waits behind a statement that may take long.
  void Work() {
    std::string answer;
    const auto flush = [&](bool close) {
      if (answer.empty() && !close) return;
      unsent_ += answer.size();
      asio::post(socket_.get_executor(), [self = shared_from_this(), answer = std::move(answer), close]() mutable { self->Worked(std::move(answer), close); });
      answer.clear();
    };
    for (;;) {
      std::string message;
      bool more = false;
      {
        std::lock_guard lock(mutex_);
        if (gone_) break;
        more = more_;
        if (unsent_ + answer.size() > kUnsentBytesHigh || (!more && queue_.empty())) {
          flush(false);                      // under the lock, so that Wake comes before or after both
          working_ = false;
          return;
        }
        if (!more) {
          message = std::move(queue_.front());
          queue_.pop_front();
          queued_bytes_ -= message.size();
        }
      }
      if (answer.size() >= kPartBytes || (answer.size() >= kHeldBack && !more && MayTakeLong(message))) flush(false);
      Session::Progress progress;
      try {
        progress = more ? session_->Continue(&answer) : session_->Handle(message, &answer);
      } catch (const std::bad_alloc&) {
        progress = Session::Progress::kClose;
      }
      {
        std::lock_guard lock(mutex_);
        more_ = progress == Session::Progress::kMore;
      }
      if (progress != Session::Progress::kClose) continue;
      flush(true);
      break;
    }
    if (session_ != nullptr) session_->Leave();
    {
      std::lock_guard lock(mutex_);
      finished_ = true;
      working_ = false;
    }
    std::lock_guard lock(shared_->mutex);
    shared_->links.erase(shared_from_this());
    shared_->changed.notify_all();
  }

  Shared* const shared_;
  tcp::socket socket_;
  std::shared_ptr<asio::ssl::context> tls_context_;   // the one of when it connected
  std::unique_ptr<asio::ssl::stream<tcp::socket&>> tls_;
  asio::steady_timer timer_, again_;
  Handshake handshake_;
  Dechunker dechunker_;
  char buffer_[kReadBytes];
  std::string in_, out_, sending_;
  bool reading_ = false, writing_ = false, closing_ = false, left_ = false, logged_on_ = false, paused_ = false;
  std::atomic<size_t> unsent_{0};
  std::unique_ptr<Session> session_;         // made once, by the I/O thread, before any work

  std::mutex mutex_;
  std::deque<std::string> queue_;
  size_t queued_bytes_ = 0;
  bool working_ = false;
  bool more_ = false;                        // a PULL has more to say
  bool gone_ = false, finished_ = false;
};

class AsioServer : public Server {
 public:
  explicit AsioServer(const ServerOptions& options) : shared_(options) {}
  ~AsioServer() override { Stop(); }

  Status Open(Database* database, const std::string& name) {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    const unsigned io = shared_.options.io_threads != 0 ? shared_.options.io_threads : cores;
    for (unsigned i = 0; i < io; ++i) contexts_.push_back(std::make_unique<asio::io_context>(1));
    acceptor_ = std::make_unique<tcp::acceptor>(*contexts_[0]);
    pause_ = std::make_unique<asio::steady_timer>(*contexts_[0]);
    ErrorCode error;
    const auto address = asio::ip::make_address(shared_.options.address, error);
    if (error) return Status(Code::kUsage, "'" + shared_.options.address + "' is no IP address");
    if (!address.is_loopback()) {
      return Status(Code::kNotAvailable, "users and passwords are not available yet, so the server listens on loopback only, not on " + shared_.options.address);
    }
    const tcp::endpoint endpoint(address, shared_.options.port);
    acceptor_->open(endpoint.protocol(), error);
    if (!error) acceptor_->set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_->bind(endpoint, error);
    if (!error) acceptor_->listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      return Status(error == asio::error::address_in_use ? Code::kBusy : Code::kIoError,
                    shared_.options.address + ":" + std::to_string(shared_.options.port) + ": " + error.message());
    }
    port_ = acceptor_->local_endpoint().port();
    Host& host = shared_.host;
    host.database = database;
    host.database_name = name;
    host.server_agent = "Neo4j/5.26.0 (Fornix/" + std::string(Database::Version()) + ")";
    host.advertised_address = shared_.options.advertised_address.empty() ? shared_.options.address + ":" + std::to_string(port_) : shared_.options.advertised_address;
    host.slow = std::chrono::milliseconds(shared_.options.slow_millis);
    host.on_slow = shared_.options.on_slow;
    host.transaction_timeout_max = std::chrono::seconds(shared_.options.transaction_seconds_max);
    shared_.workers = std::make_unique<asio::thread_pool>(shared_.options.workers != 0 ? shared_.options.workers : std::max(16u, 4 * cores));
    Accept();
    for (auto& context : contexts_) {
      guards_.push_back(asio::make_work_guard(*context));
      threads_.emplace_back([&context] { context->run(); });
    }
    return Status::Ok();
  }

  uint16_t port() const override { return port_; }
  uint32_t sessions() const override {
    std::lock_guard lock(shared_.mutex);
    return static_cast<uint32_t>(shared_.links.size());
  }

  std::string metrics() const override { return MetricsText(shared_.host.metrics, sessions()); }

  void Stop() override {
    if (threads_.empty()) return;
    asio::post(*contexts_[0], [this] {
      ErrorCode ignored;
      acceptor_->close(ignored);
    });
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(shared_.options.stop_seconds_max);
    std::unique_lock lock(shared_.mutex);
    shared_.stopping = true;
    // Those without work go at once, the others when they have ended theirs.
    for (bool late = false; !shared_.links.empty(); late = std::chrono::steady_clock::now() >= until) {
      for (const auto& link : shared_.links) {
        if (late || !link->busy()) link->Close();
      }
      shared_.changed.wait_for(lock, std::chrono::milliseconds(20));
    }
    lock.unlock();
    shared_.workers->join();
    guards_.clear();
    for (auto& context : contexts_) context->stop();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  void Accept() {
    asio::io_context& context = *contexts_[next_++ % contexts_.size()];
    acceptor_->async_accept(context, [this](ErrorCode error, tcp::socket socket) {
      if (error == asio::error::operation_aborted || !acceptor_->is_open()) return;
      if (!error) Welcome(std::move(socket));
      if (!error) return Accept();
      // No descriptor is left, say: others may end theirs.
      pause_->expires_after(std::chrono::milliseconds(50));
      pause_->async_wait([this](ErrorCode cancelled) {
        if (!cancelled) Accept();
      });
    });
  }
  void Welcome(tcp::socket socket) {
    auto link = std::make_shared<Link>(&shared_, std::move(socket));
    {
      std::lock_guard lock(shared_.mutex);
      if (shared_.stopping || shared_.links.size() >= shared_.options.sessions_max) {
        ++shared_.host.metrics.sessions_refused;
        return;                              // closes it
      }
      ++shared_.host.metrics.sessions_opened;
      shared_.links.insert(link);
    }
    link->Start();
  }

  mutable Shared shared_;
  std::vector<std::unique_ptr<asio::io_context>> contexts_;
  std::vector<asio::executor_work_guard<asio::io_context::executor_type>> guards_;
  std::unique_ptr<tcp::acceptor> acceptor_;
  std::unique_ptr<asio::steady_timer> pause_;
  std::vector<std::thread> threads_;
  uint16_t port_ = 0;
  size_t next_ = 0;
};

}  // namespace

Result<std::unique_ptr<Server>> Server::Start(Database* database, const std::string& name, const ServerOptions& options) {
  auto server = std::make_unique<AsioServer>(options);
  RETURN_IF_ERROR(server->Open(database, name));
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace fornix::bolt
