#include "tools/server/bolt/remote.h"

#include <sys/socket.h>

#include <boost/asio.hpp>
#include <charconv>
#include <deque>
#include <mutex>

#include "tools/server/bolt/frames.h"
#include "tools/server/bolt/metadata.h"
#include "tools/server/bolt/tls.h"

namespace fornix::bolt {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

enum Tag : uint8_t {
  kHello = 0x01, kGoodbye = 0x02, kReset = 0x0F, kRun = 0x10, kBegin = 0x11, kCommit = 0x12, kRollback = 0x13, kDiscard = 0x2F, kPull = 0x3F,
  kLogon = 0x6A, kSuccess = 0x70, kRecord = 0x71, kIgnored = 0x7E, kFailure = 0x7F,
};
constexpr int64_t kPullRows = 1000;
constexpr size_t kReadBytes = 64 << 10;

// The bytes: whole messages in and out. Send from any thread, Receive from one.
class Wire {
 public:
  Status Open(const RemoteAddress& address) {
    boost::system::error_code error;
    tcp::resolver resolver(context_);
    const auto found = resolver.resolve(address.host, std::to_string(address.port), error);
    if (!error) asio::connect(socket_, found, error);
    if (!error) socket_.set_option(tcp::no_delay(true), error);
    if (error) return Status(Code::kIoError, address.host + ":" + std::to_string(address.port) + ": " + error.message());
    if (address.tls) RETURN_IF_ERROR(Encrypt(address));
    dechunker_.set_message_bytes_max(size_t{1} << 31);
    RETURN_IF_ERROR(Write(std::string("\x60\x60\xB0\x17\0\0\x01\xFF\0\x02\x08\x05\0\x03\x04\x05\0\0\0\0", 20)));
    ASSIGN_OR_RETURN(const std::string answer, Exactly(4));
    if (answer == std::string_view("\0\0\x01\xFF", 4)) return TakeManifest();
    version_ = {static_cast<uint8_t>(answer[3]), static_cast<uint8_t>(answer[2])};
    if (version_ < Version{5, 1}) return Status(Code::kIoError, "the server at " + address.host + " speaks no Bolt 5.1 or later");
    return Status::Ok();
  }
  Version version() const { return version_; }
  Dialect dialect() const {
    Dialect dialect = DialectOf(version_, false);
    dialect.elements = true;
    return dialect;
  }

  Status Send(std::initializer_list<std::pair<uint8_t, List>> messages) {
    std::string bytes;
    for (const auto& [tag, fields] : messages) {
      std::string message;
      Packer packer(&message, dialect());
      packer.StructHeader(tag, static_cast<uint8_t>(fields.size()));
      for (const Value& field : fields) packer.Any(field);
      AppendChunked(message, &bytes);
    }
    return Write(bytes);
  }
  Result<Message> Receive() {
    for (;;) {
      ASSIGN_OR_RETURN(const std::optional<std::string> next, dechunker_.Next(&in_));
      if (next) return Unpacker({reinterpret_cast<const uint8_t*>(next->data()), next->size()}, dialect()).ReadMessage();
      RETURN_IF_ERROR(Read());
    }
  }

  // Waits for no mutex; false if one is held (with TLS: half a record has come), or the bytes don't go.
  bool WriteAtOnce(std::string_view bytes) {
    if (tls_ == nullptr) return Write(bytes).ok();
    std::unique_lock lock(tls_mutex_, std::try_to_lock);
    return lock.owns_lock() && SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size())) == static_cast<int>(bytes.size());
  }
  Status Write(std::string_view bytes) {
    std::lock_guard lock(write_mutex_);
    while (!bytes.empty()) {
      const ssize_t n = tls_ != nullptr ? SendEncrypted(bytes) : ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return Status(Code::kIoError, "the connection to the server is lost");
      bytes.remove_prefix(static_cast<size_t>(n));
    }
    return Status::Ok();
  }
 private:
  // OpenSSL on the socket itself: that it has bytes, decrypted or not, can then be seen from outside.
  Status Encrypt(const RemoteAddress& address) {
    ASSIGN_OR_RETURN(context_tls_, ClientTls(!address.trust_anybody));
    tls_.reset(SSL_new(context_tls_->native_handle()));
    SSL_set_fd(tls_.get(), socket_.native_handle());
    SSL_set_tlsext_host_name(tls_.get(), address.host.c_str());
    if (!address.trust_anybody) SSL_set1_host(tls_.get(), address.host.c_str());
    if (SSL_connect(tls_.get()) == 1) return Status::Ok();
    const long verified = SSL_get_verify_result(tls_.get());
    const std::string why = verified != X509_V_OK ? std::string("its certificate isn't trusted: ") + X509_verify_cert_error_string(verified) : "it speaks no TLS 1.2 or later";
    return Status(Code::kIoError, address.host + ":" + std::to_string(address.port) + ": " + why);
  }
  // Reading and writing touch one state of OpenSSL, and Cancel may write while another thread waits for bytes: so that one waits outside of the mutex.
  ssize_t SendEncrypted(std::string_view bytes) {
    std::lock_guard lock(tls_mutex_);
    return SSL_write(tls_.get(), bytes.data(), static_cast<int>(std::min<size_t>(bytes.size(), 1 << 30)));
  }
  ssize_t ReceiveEncrypted(char* to) {
    for (;;) {
      boost::system::error_code error;
      {
        std::lock_guard lock(tls_mutex_);
        if (SSL_pending(tls_.get()) > 0 || (SSL_has_pending(tls_.get()) != 0) || socket_.available(error) > 0) return SSL_read(tls_.get(), to, static_cast<int>(kReadBytes));
      }
      socket_.wait(tcp::socket::wait_read, error);
      char peeked;
      if (error || ::recv(socket_.native_handle(), &peeked, 1, MSG_PEEK) <= 0) return 0;
    }
  }
  Status Read() {
    const size_t before = in_.size();
    in_.resize(before + kReadBytes);
    ssize_t n;
    do n = tls_ != nullptr ? ReceiveEncrypted(in_.data() + before) : ::recv(socket_.native_handle(), in_.data() + before, kReadBytes, 0);
    while (n < 0 && errno == EINTR);
    in_.resize(before + static_cast<size_t>(std::max<ssize_t>(n, 0)));
    return n > 0 ? Status::Ok() : Status(Code::kIoError, "the server has ended the connection");
  }
  Result<std::string> Exactly(size_t n) {
    while (in_.size() < n) RETURN_IF_ERROR(Read());
    std::string bytes = in_.substr(0, n);
    in_.erase(0, n);
    return bytes;
  }
  Result<uint64_t> Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      ASSIGN_OR_RETURN(const std::string byte, Exactly(1));
      value |= uint64_t{static_cast<uint8_t>(byte[0]) & 0x7Fu} << shift;
      if ((byte[0] & 0x80) == 0) return value;
    }
    return Status(Code::kIoError, "the server's manifest is none");
  }
  // Takes the newest that both know.
  Status TakeManifest() {
    ASSIGN_OR_RETURN(const uint64_t offers, Varint());
    if (offers > 256) return Status(Code::kIoError, "the server's manifest is none");
    for (uint64_t i = 0; i < offers; ++i) {
      ASSIGN_OR_RETURN(const std::string offer, Exactly(4));
      const auto range = static_cast<uint8_t>(offer[1]), minor = static_cast<uint8_t>(offer[2]), major = static_cast<uint8_t>(offer[3]);
      for (int m = minor; m >= std::max(0, minor - range); --m) {
        const Version v{major, static_cast<uint8_t>(m)};
        if (v <= Version{6, 0} && v >= Version{5, 1} && v > version_) version_ = v;
      }
    }
    RETURN_IF_ERROR(Varint().status());      // capabilities
    if (version_ == Version{}) return Status(Code::kIoError, "the server speaks no Bolt 5.1 to 6.0");
    const char choice[] = {0, 0, static_cast<char>(version_.minor), static_cast<char>(version_.major), 0};
    return Write(std::string_view(choice, sizeof choice));
  }

  asio::io_context context_;
  tcp::socket socket_{context_};
  Version version_;
  Dechunker dechunker_;
  std::string in_;
  std::mutex write_mutex_;
  std::unique_ptr<asio::ssl::context> context_tls_;
  struct FreeSsl {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  std::unique_ptr<SSL, FreeSsl> tls_;        // null without TLS
  std::mutex tls_mutex_;
};

class RemoteConnection;

class RemoteCursor : public Cursor {
 public:
  RemoteCursor(RemoteConnection* connection, std::string text) : connection_(connection), text_(std::move(text)) {}
  ~RemoteCursor() override;
  const std::vector<std::string>& columns() const override { return columns_; }
  QueryType query_type() const override { return summary_.query_type; }
  Status Fetch(size_t rows_max, std::vector<Row>* rows) override;
  bool done() const override { return rows_.empty() && ended_; }
  const Summary& summary() const override { return summary_; }

 private:
  friend class RemoteConnection;
  // Rows and their end: of a PULL that was sent.
  Status Await();

  RemoteConnection* connection_;             // null once it is gone
  const std::string text_;
  std::vector<std::string> columns_;
  std::deque<Row> rows_;
  bool ended_ = false;
  int64_t qid_ = -1;
  Summary summary_;
  Status failed_;
};

class RemoteConnection : public Connection {
 public:
  ~RemoteConnection() override {
    for (RemoteCursor* cursor : cursors_) cursor->connection_ = nullptr;
    static_cast<void>(wire_.Send({{kGoodbye, {}}}).ok());
  }

  Status Open(const RemoteAddress& address) {
    database_ = address.database;
    RETURN_IF_ERROR(wire_.Open(address));
    Map auth{{"scheme", Value(address.user.empty() ? "none" : "basic")}};
    if (!address.user.empty()) auth.Set("principal", Value(address.user)), auth.Set("credentials", Value(address.password));
    const std::string agent = "fornix/" + std::string("shell");
    RETURN_IF_ERROR(wire_.Send({{kHello, {Value(Map{{"user_agent", Value(agent)}, {"bolt_agent", Value(Map{{"product", Value(agent)}})}})}}, {kLogon, {Value(std::move(auth))}}}));
    for (int i = 0; i < 2; ++i) RETURN_IF_ERROR(Answer(nullptr).status());
    return Status::Ok();
  }

  Result<std::unique_ptr<Prepared>> Prepare(std::string_view text) override;
  Result<std::unique_ptr<Cursor>> Execute(std::string_view text, const Map& parameters, const ExecuteOptions& options) override;
  Result<std::unique_ptr<Cursor>> Execute(const Prepared& prepared, const Map& parameters, const ExecuteOptions& options) override;

  Status Begin(const TransactionOptions& options) override {
    if (in_transaction_) return Status(Code::kUsage, "a transaction is open already");
    RETURN_IF_ERROR(Gather());
    Map extra = Extra(options.timeout);
    if (options.read_only) extra.Set("mode", Value("r"));
    RETURN_IF_ERROR(Call(kBegin, {Value(std::move(extra))}));
    in_transaction_ = true;
    return Status::Ok();
  }
  Result<uint64_t> Commit() override {
    RETURN_IF_ERROR(Ready());
    if (!in_transaction_) return Status(Code::kTransactionClosed, "no transaction is open");
    Abandon();
    in_transaction_ = false;
    Map metadata;
    RETURN_IF_ERROR(Call(kCommit, {}, &metadata));
    const Value* bookmark = metadata.Find("bookmark");
    return bookmark != nullptr && bookmark->type() == Type::kString ? CommitOf(bookmark->AsString()) : 0;
  }
  void CommitAsync(std::function<void(Result<uint64_t>)> done) override { done(Commit()); }
  Status Rollback() override {
    if (!in_transaction_) return Status(Code::kTransactionClosed, "no transaction is open");
    Abandon();
    in_transaction_ = false;
    if (failed_) return Reset();
    return Call(kRollback, {});
  }
  bool in_transaction() const override { return in_transaction_; }
  void Cancel() override {
    // May be called by a signal that came in this very thread: nothing is waited for, nothing allocated.
    std::unique_lock lock(cancel_mutex_, std::try_to_lock);
    if (!lock.owns_lock() || !waiting_ || resets_ > 0) return;
    if (wire_.WriteAtOnce(std::string_view("\x00\x02\xB0\x0F\x00\x00", 6))) ++resets_;
  }

 private:
  friend class RemoteCursor;

  Map Extra(std::chrono::milliseconds timeout) const {
    Map extra;
    if (!database_.empty()) extra.Set("db", Value(database_));
    if (timeout.count() != 0) extra.Set("tx_timeout", Value(static_cast<int64_t>(timeout.count())));
    return extra;
  }
  // The end of one request: its SUCCESS; records before it go to `rows`. A FAILURE is its status.
  Result<Map> Answer(std::deque<Row>* rows) {
    for (;;) {
      {
        std::lock_guard lock(cancel_mutex_);
        waiting_ = true;
      }
      Result<Message> message = wire_.Receive();
      {
        std::lock_guard lock(cancel_mutex_);
        waiting_ = false;
      }
      RETURN_IF_ERROR(message.status());
      if (message->fields.size() != (message->tag == kIgnored ? 0u : 1u)) return Status(Code::kIoError, "the server's answer is none of Bolt");
      switch (message->tag) {
        case kRecord:
          if (message->fields[0].type() != Type::kList) return Status(Code::kIoError, "a record that is no list");
          if (rows != nullptr) rows->push_back(message->fields[0].AsList());
          continue;
        case kSuccess:
          if (message->fields[0].type() != Type::kMap) return Status(Code::kIoError, "a success without a map");
          return message->fields[0].AsMap();
        case kIgnored: {
          const bool ours = SettleResets();
          return Status(ours ? Code::kCancelled : Code::kTransactionClosed, ours ? "the statement was cancelled" : "the server ignored it: an earlier statement failed");
        }
        case kFailure: {
          failed_ = true;
          const Status status = message->fields[0].type() == Type::kMap ? StatusOfFailure(message->fields[0].AsMap()) : Status(Code::kIoError, "a failure without a map");
          first_error_ = status;
          SettleResets();
          return status;
        }
        default: return Status(Code::kIoError, "the server's answer is none of Bolt");
      }
    }
  }
  // A RESET of Cancel is answered behind what it ended. Whether there was one.
  bool SettleResets() {
    int resets;
    {
      std::lock_guard lock(cancel_mutex_);
      resets = std::exchange(resets_, 0);
    }
    for (int i = 0; i < resets; ++i) {
      Result<Message> message = wire_.Receive();
      while (message.ok() && message->tag != kSuccess) message = wire_.Receive();
    }
    if (resets > 0) failed_ = false, reset_in_transaction_ = in_transaction_;
    return resets > 0;
  }
  // After a failure outside of a transaction nothing is lost, and the next statement may come; a transaction waits for its ROLLBACK.
  Status Ready() {
    SettleLate();
    if (in_transaction_ && (failed_ || reset_in_transaction_)) {
      return Status(Code::kTransactionClosed,
                    "the transaction failed and takes no more statements until ROLLBACK; the first error was: " + first_error_.message());
    }
    return failed_ ? Reset() : Status::Ok();
  }
  // One that was sent in the moment in which its statement ended by itself.
  void SettleLate() {
    bool any;
    {
      std::lock_guard lock(cancel_mutex_);
      any = resets_ > 0;
    }
    if (any) SettleResets();
  }
  Status Reset() {
    SettleLate();
    reset_in_transaction_ = false;
    RETURN_IF_ERROR(wire_.Send({{kReset, {}}}));
    failed_ = false;
    return Answer(nullptr).status();
  }
  Status Call(uint8_t tag, List fields, Map* metadata = nullptr) {
    RETURN_IF_ERROR(Ready());
    RETURN_IF_ERROR(wire_.Send({{tag, std::move(fields)}}));
    Result<Map> answer = Answer(nullptr);
    if (answer.ok() && metadata != nullptr) *metadata = std::move(*answer);
    return answer.status();
  }
  // Fetches the rest of the open result, so that another request can follow.
  Status Gather() {
    if (in_transaction_) return Status::Ok();
    for (RemoteCursor* cursor : std::vector<RemoteCursor*>(cursors_)) {
      while (!cursor->ended_) RETURN_IF_ERROR(cursor->Await());
    }
    return Status::Ok();
  }
  // Their results end with the transaction.
  void Abandon() {
    for (RemoteCursor* cursor : cursors_) cursor->ended_ = true;
  }

  Wire wire_;
  std::string database_;
  std::vector<RemoteCursor*> cursors_;
  Status first_error_;                       // that doomed the transaction: a second one isn't asked for
  bool in_transaction_ = false, failed_ = false, reset_in_transaction_ = false;
  std::mutex cancel_mutex_;
  bool waiting_ = false;                     // under cancel_mutex_, as resets_
  int resets_ = 0;
};

class RemotePrepared : public Prepared {
 public:
  RemotePrepared(std::string text, std::vector<std::string> columns, QueryType type) : text_(std::move(text)), columns_(std::move(columns)), type_(type) {}
  const std::vector<std::string>& columns() const override { return columns_; }
  const std::vector<std::string>& parameters() const override { return parameters_; }
  QueryType query_type() const override { return type_; }
  const std::string& text() const { return text_; }

 private:
  const std::string text_;
  const std::vector<std::string> columns_, parameters_;
  const QueryType type_;
};

RemoteCursor::~RemoteCursor() {
  if (connection_ == nullptr) return;
  std::erase(connection_->cursors_, this);
  if (ended_) return;
  // Nobody wants the rest.
  ended_ = true;
  if (connection_->failed_ || connection_->reset_in_transaction_) return;
  if (!connection_->wire_.Send({{kDiscard, {Value(Map{{"n", Value(-1)}, {"qid", Value(qid_)}})}}}).ok()) return;
  static_cast<void>(connection_->Answer(nullptr).ok());
}

Status RemoteCursor::Await() {
  if (connection_ == nullptr) return Status(Code::kTransactionClosed, "the connection is closed");
  Result<Map> answer = connection_->wire_.Send({{kPull, {Value(Map{{"n", Value(kPullRows)}, {"qid", Value(qid_)}})}}}).ok()
                           ? connection_->Answer(&rows_)
                           : Result<Map>(Status(Code::kIoError, "the connection to the server is lost"));
  if (!answer.ok()) {
    ended_ = true;
    failed_ = answer.status();
    return failed_;
  }
  const Value* more = answer->Find("has_more");
  if (more != nullptr && more->is_true()) return Status::Ok();
  ended_ = true;
  const uint64_t rows = summary_.rows;
  summary_ = SummaryOf(*answer);
  summary_.rows = rows;
  return Status::Ok();
}

Status RemoteCursor::Fetch(size_t rows_max, std::vector<Row>* rows) {
  if (!failed_.ok()) return std::exchange(failed_, Status::Ok());
  if (rows_.empty() && !ended_) RETURN_IF_ERROR(Await());
  for (; rows_max > 0 && !rows_.empty(); --rows_max) {
    rows->push_back(std::move(rows_.front()));
    rows_.pop_front();
    ++summary_.rows;
  }
  // done() is true behind the last row, not one call later.
  if (rows_.empty() && !ended_) return Await();
  return Status::Ok();
}

Result<std::unique_ptr<Prepared>> RemoteConnection::Prepare(std::string_view text) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, Execute(IsExplain(text) ? std::string(text) : "EXPLAIN " + std::string(text), {}, {}));
  std::vector<Row> rows;
  while (!cursor->done()) RETURN_IF_ERROR(cursor->Fetch(1, &rows));
  return std::unique_ptr<Prepared>(std::make_unique<RemotePrepared>(std::string(text), cursor->columns(), cursor->query_type()));
}

Result<std::unique_ptr<Cursor>> RemoteConnection::Execute(const Prepared& prepared, const Map& parameters, const ExecuteOptions& options) {
  return Execute(static_cast<const RemotePrepared&>(prepared).text(), parameters, options);
}

Result<std::unique_ptr<Cursor>> RemoteConnection::Execute(std::string_view text, const Map& parameters, const ExecuteOptions& options) {
  RETURN_IF_ERROR(Gather());
  RETURN_IF_ERROR(Ready());
  auto cursor = std::make_unique<RemoteCursor>(this, std::string(text));
  RETURN_IF_ERROR(wire_.Send({{kRun, {Value(text), Value(parameters), Value(in_transaction_ ? Map() : Extra(options.timeout))}}}));
  ASSIGN_OR_RETURN(const Map answer, Answer(nullptr));
  if (const Value* fields = answer.Find("fields"); fields != nullptr && fields->type() == Type::kList) {
    for (const Value& field : fields->AsList()) cursor->columns_.push_back(field.type() == Type::kString ? field.AsString() : "");
  }
  if (const Value* qid = answer.Find("qid"); qid != nullptr && qid->type() == Type::kInteger) cursor->qid_ = qid->AsInteger();
  cursors_.push_back(cursor.get());
  // What writes has run: its error, if the commit had one, is the statement's.
  RETURN_IF_ERROR(cursor->Await());
  return std::unique_ptr<Cursor>(std::move(cursor));
}

}  // namespace

Result<RemoteAddress> ParseAddress(const std::string& url) {
  const auto wrong = [&](const std::string& what) {
    return Status(Code::kUsage, "'" + url + "' is no address: " + what + "; write it as bolt://host:7687 or bolt://user:password@host:7687/database");
  };
  RemoteAddress address;
  std::string_view rest = url;
  const size_t scheme = rest.find("://");
  std::string_view how = rest.substr(0, scheme == std::string_view::npos ? 0 : scheme);
  if (const size_t plus = how.find('+'); plus != std::string_view::npos) {
    const std::string_view trust = how.substr(plus + 1);
    if (trust != "s" && trust != "ssc") return wrong("behind the + stands s or ssc");
    address.tls = true;
    address.trust_anybody = trust == "ssc";
    how = how.substr(0, plus);
  }
  if (how != "bolt" && how != "neo4j") return wrong("it doesn't begin with bolt://");
  rest.remove_prefix(scheme + 3);
  if (const size_t slash = rest.find('/'); slash != std::string_view::npos) {
    address.database = rest.substr(slash + 1);
    rest = rest.substr(0, slash);
  }
  if (const size_t at = rest.rfind('@'); at != std::string_view::npos) {
    const std::string_view who = rest.substr(0, at);
    const size_t colon = who.find(':');
    address.user = who.substr(0, colon);
    if (colon != std::string_view::npos) address.password = who.substr(colon + 1);
    rest.remove_prefix(at + 1);
  }
  const size_t colon = rest.rfind(':');
  if (colon != std::string_view::npos && rest.find(']', colon) == std::string_view::npos) {
    const std::string_view port = rest.substr(colon + 1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
    if (error != std::errc() || end != port.data() + port.size()) return wrong("its port is none");
    rest = rest.substr(0, colon);
  }
  if (rest.starts_with('[') && rest.ends_with(']')) rest = rest.substr(1, rest.size() - 2);
  if (rest.empty()) return wrong("it names no host");
  address.host = rest;
  return address;
}

Result<std::unique_ptr<Connection>> ConnectRemote(const RemoteAddress& address) {
  auto connection = std::make_unique<RemoteConnection>();
  RETURN_IF_ERROR(connection->Open(address));
  return std::unique_ptr<Connection>(std::move(connection));
}

}  // namespace fornix::bolt
