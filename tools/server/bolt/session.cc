#include "tools/server/bolt/session.h"

#include <algorithm>

#include "tools/server/bolt/frames.h"
#include "tools/server/bolt/metadata.h"
#include "tools/server/limits.h"

namespace fornix::bolt {
namespace {

using Clock = std::chrono::steady_clock;

enum Tag : uint8_t {
  kHello = 0x01, kGoodbye = 0x02, kReset = 0x0F, kRun = 0x10, kBegin = 0x11, kCommit = 0x12, kRollback = 0x13, kDiscard = 0x2F, kPull = 0x3F,
  kTelemetry = 0x54, kRoute = 0x66, kLogon = 0x6A, kLogoff = 0x6B, kSuccess = 0x70, kRecord = 0x71, kIgnored = 0x7E, kFailure = 0x7F,
};
constexpr size_t kFetchRows = 256;           // at a time

int64_t MillisSince(Clock::time_point begun) { return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun).count(); }

const Map& MapAt(const Message& message, size_t i) {
  static const Map none;
  return i < message.fields.size() && message.fields[i].type() == Type::kMap ? message.fields[i].AsMap() : none;
}
std::string TextAt(const Map& map, std::string_view key) {
  const Value* v = map.Find(key);
  return v != nullptr && v->type() == Type::kString ? v->AsString() : std::string();
}
int64_t IntegerAt(const Map& map, std::string_view key, int64_t otherwise) {
  const Value* v = map.Find(key);
  return v != nullptr && v->type() == Type::kInteger ? v->AsInteger() : otherwise;
}

// The kinds of fields that each message has; a driver may leave out the last ones of none of them.
bool HasFields(const Message& m) {
  const auto is = [&](std::initializer_list<Type> types) {
    return m.fields.size() == types.size() && std::equal(types.begin(), types.end(), m.fields.begin(), [](Type t, const Value& v) { return v.type() == t; });
  };
  switch (m.tag) {
    case kHello:
    case kLogon:
    case kBegin:
    case kPull:
    case kDiscard: return is({Type::kMap});
    case kRun: return is({Type::kString, Type::kMap, Type::kMap});
    case kTelemetry: return is({Type::kInteger});
    case kRoute: return m.fields.size() == 3 && m.fields[0].type() == Type::kMap && m.fields[1].type() == Type::kList;
    default: return m.fields.empty();
  }
}

}  // namespace

Session::Session(Host* host, Version version, bool by_manifest, std::string connection_id)
    : host_(host),
      version_(version),
      by_manifest_(by_manifest),
      connection_id_(std::move(connection_id)),
      dialect_(DialectOf(version, false)),
      connection_(host->database->Connect()) {}

Session::~Session() {
  streams_.clear();                          // cursors go before their connection
}

void Session::Interrupt() {
  std::lock_guard lock(interrupt_mutex_);
  resets_.fetch_add(1, std::memory_order_acq_rel);
  connection_->Cancel();
}

bool Session::InterruptAgain() {
  std::lock_guard lock(interrupt_mutex_);
  if (resets_.load(std::memory_order_acquire) == 0) return false;
  connection_->Cancel();
  return true;
}

// Results that nobody will have to their end.
void Session::Abandon() {
  for (const auto& [qid, stream] : streams_) TellSlow(stream);
  streams_.clear();
}

void Session::RollBack() {
  Abandon();
  if (!connection_->in_transaction()) return;
  static_cast<void>(connection_->Rollback().ok());
  host_->metrics.transactions_rolled_back.fetch_add(1, std::memory_order_relaxed);
}

void Session::Leave() {
  RollBack();
  SetState(State::kClosed);
}

Session::Progress Session::Handle(const std::string& bytes, std::string* out) {
  if (state() == State::kClosed) return Progress::kClose;
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  Result<Message> message = Unpacker({data, bytes.size()}, dialect_).ReadMessage();
  if (!message.ok()) {
    if (!authenticated()) return Violation(message.status().message(), out);
    // The frame is whole, so what follows can be read; the statement can't.
    if (state() == State::kFailed || resets_.load(std::memory_order_acquire) > 0) return Ignored(out);
    return Fail(message.status(), out);
  }
  if (!HasFields(*message)) return Violation("message " + std::to_string(message->tag) + " with fields that it doesn't have", out);
  return Answer(*message, out);
}

Session::Progress Session::Answer(const Message& message, std::string* out) {
  const State now = state();
  if (message.tag == kGoodbye) return SetState(State::kClosed), Progress::kClose;
  if (message.tag == kReset && authenticated()) return Reset(out);
  if (authenticated() && resets_.load(std::memory_order_acquire) > 0) return Ignored(out);   // a RESET behind it overtakes it
  if (now == State::kFailed) return Ignored(out);
  switch (message.tag) {
    case kHello:
      if (now == State::kConnected) return Hello(message, out);
      break;
    case kLogon:
      if (now == State::kHelloSaid && version_ >= Version{5, 1}) return Logon(MapAt(message, 0), out);
      break;
    case kLogoff:
      if (now != State::kReady || version_ < Version{5, 1}) break;
      SetState(State::kHelloSaid);
      return Success({}, out);
    case kTelemetry:
      if (now != State::kReady || version_ < Version{5, 4}) break;
      return Success({}, out);
    case kRoute:
      if (now == State::kReady) return Route(message, out);
      break;
    case kRun:
      if (now == State::kReady || now == State::kTransaction) return Run(message, out);
      break;
    case kBegin:
      if (now == State::kReady) return Begin(MapAt(message, 0), out);
      break;
    case kCommit:
      if (now == State::kTransaction) return Commit(out);
      break;
    case kRollback:
      if (now == State::kTransaction) return Rollback(out);
      break;
    case kPull:
    case kDiscard:
      if (now == State::kStreaming || now == State::kTransaction) return Pull(MapAt(message, 0), message.tag == kDiscard, out);
      break;
    default: return Violation("there is no message " + std::to_string(message.tag), out);
  }
  return Violation("message " + std::to_string(message.tag) + " isn't one for this moment", out);
}

Session::Progress Session::Hello(const Message& message, std::string* out) {
  const Map& extra = MapAt(message, 0);
  const Value* routing = extra.Find("routing");
  if (routing != nullptr && routing->type() == Type::kMap) routing_address_ = TextAt(routing->AsMap(), "address");
  SetFilters(extra, &severity_, &disabled_);
  Map reply{{"server", Value(host_->server_agent)}, {"connection_id", Value(connection_id_)}, {"hints", Value(Map())}};
  const Value* patches = extra.Find("patch_bolt");
  if (version_.major == 4 && patches != nullptr && patches->type() == Type::kList) {
    for (const Value& patch : patches->AsList()) {
      if (patch.type() != Type::kString || patch.AsString() != "utc") continue;
      dialect_ = DialectOf(version_, true);
      reply.Set("patch_bolt", Value(List{Value("utc")}));
    }
  }
  if (by_manifest_) reply.Set("protocol_version", Value(std::to_string(version_.major) + "." + std::to_string(version_.minor)));
  if (version_ >= Version{5, 1}) {
    SetState(State::kHelloSaid);
    return Success(reply, out);
  }
  SetState(State::kReady);                   // who may come in is asked before the socket is accepted
  return Success(reply, out);
}

Session::Progress Session::Logon(const Map& auth, std::string* out) {
  const std::string scheme = TextAt(auth, "scheme");
  if (!scheme.empty() && scheme != "none" && scheme != "basic") {
    Fail(Status(Code::kUsage, "the authentication scheme '" + scheme.substr(0, 40) + "' isn't known: use basic or none").Detail("Unauthorized"), out);
    SetState(State::kClosed);
    return Progress::kClose;
  }
  SetState(State::kReady);
  return Success({}, out);
}

// What BEGIN and an auto-commit RUN say about the transaction.
Status Session::CheckExtra(const Map& extra) const {
  const std::string database = TextAt(extra, "db");
  if (!database.empty() && database != "neo4j" && database != "system" && database != host_->database_name) {
    return Status(Code::kSchemaNotFound, "there is no database '" + database.substr(0, 80) + "': this server has `" + host_->database_name +
                                             "`, also called `neo4j`").Detail("DatabaseNotFound");
  }
  if (!TextAt(extra, "imp_user").empty()) return Status(Code::kNotAvailable, "acting as another user (imp_user) is not available yet");
  const Value* bookmarks = extra.Find("bookmarks");
  if (bookmarks != nullptr && bookmarks->type() == Type::kList) {
    for (const Value& bookmark : bookmarks->AsList()) {
      if (bookmark.type() == Type::kString && IsBookmark(bookmark.AsString())) continue;
      return Status(Code::kUsage, "no bookmark of this server: " + (bookmark.type() == Type::kString ? bookmark.AsString().substr(0, 80) : "not a string"))
          .Detail("InvalidBookmark");
    }
  }
  if (IntegerAt(extra, "tx_timeout", 0) < 0) return Status(Code::kUsage, "tx_timeout takes milliseconds, 0 or more");
  return Status::Ok();
}

void Session::SetFilters(const Map& from, std::string* severity, std::vector<std::string>* disabled) const {
  *severity = TextAt(from, "notifications_minimum_severity");
  disabled->clear();
  for (const char* key : {"notifications_disabled_categories", "notifications_disabled_classifications"}) {
    const Value* list = from.Find(key);
    if (list == nullptr || list->type() != Type::kList) continue;
    for (const Value& name : list->AsList()) {
      if (name.type() == Type::kString) disabled->push_back(name.AsString());
    }
  }
}

Session::Progress Session::Begin(const Map& extra, std::string* out) {
  if (Status status = CheckExtra(extra); !status.ok()) return Fail(status, out);
  SetFilters(extra, &transaction_severity_, &transaction_disabled_);
  TransactionOptions options;
  options.read_only = TextAt(extra, "mode") == "r";
  options.timeout = std::chrono::milliseconds(IntegerAt(extra, "tx_timeout", 0));
  const auto most = host_->transaction_timeout_max;
  if (most.count() != 0 && (options.timeout.count() == 0 || options.timeout > most)) options.timeout = most;
  if (Status status = connection_->Begin(options); !status.ok()) return Fail(status, out);
  SetState(State::kTransaction);
  Map reply;
  if (version_ >= Version{5, 8} && TextAt(extra, "db").empty()) reply.Set("db", Value("neo4j"));
  return Success(reply, out);
}

Session::Progress Session::Run(const Message& message, std::string* out) {
  const bool alone = state() == State::kReady;
  const Map& extra = MapAt(message, 2);
  ExecuteOptions options;
  if (alone) {
    if (Status status = CheckExtra(extra); !status.ok()) return Fail(status, out);
    SetFilters(extra, &transaction_severity_, &transaction_disabled_);
    options.timeout = std::chrono::milliseconds(IntegerAt(extra, "tx_timeout", 0));
    const auto most = host_->transaction_timeout_max;
    if (most.count() != 0 && (options.timeout.count() == 0 || options.timeout > most)) options.timeout = most;
  }
  Stream stream;
  stream.begun = Clock::now();
  const std::string& text = message.fields[0].AsString();
  if (alone && TextAt(extra, "mode") == "r") {
    const Result<std::unique_ptr<Prepared>> prepared = connection_->Prepare(text);
    if (!prepared.ok()) return Fail(WithText(prepared.status(), text), out);
    if ((*prepared)->query_type() != QueryType::kRead && !IsExplain(text)) {
      return Fail(Status(Code::kReadOnly, "writing in a session of read mode isn't allowed"), out);
    }
  }
  Metrics& metrics = host_->metrics;
  metrics.statements.fetch_add(1, std::memory_order_relaxed);
  Result<std::unique_ptr<Cursor>> cursor = connection_->Execute(text, MapAt(message, 1), options);
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - stream.begun).count();
  metrics.statement_micros.fetch_add(static_cast<uint64_t>(micros), std::memory_order_relaxed);
  if (host_->slow.count() != 0) stream.text = text.substr(0, kSlowTextBytesMax);
  if (!cursor.ok()) {
    TellSlow(stream);
    return Fail(WithText(cursor.status(), text), out);
  }
  stream.cursor = std::move(*cursor);
  stream.first_millis = MillisSince(stream.begun);
  List fields;
  for (const std::string& column : stream.cursor->columns()) fields.push_back(Value(column));
  Map reply{{"fields", Value(std::move(fields))}, {"t_first", Value(stream.first_millis)}};
  if (alone) {
    if (version_ >= Version{5, 8} && TextAt(extra, "db").empty()) reply.Set("db", Value("neo4j"));
    streams_.clear();
    last_qid_ = -1;
    SetState(State::kStreaming);
  }
  ++last_qid_;
  if (!alone) reply.Set("qid", Value(last_qid_));
  streams_[last_qid_] = std::move(stream);
  return Success(reply, out);
}

Session::Progress Session::Pull(const Map& extra, bool discard, std::string* out) {
  const int64_t n = IntegerAt(extra, "n", 0);
  if (n == 0 || n < -1) return Violation("PULL and DISCARD take n, -1 or at least 1", out);
  int64_t qid = IntegerAt(extra, "qid", -1);
  if (qid == -1) qid = last_qid_;
  if (streams_.find(qid) == streams_.end()) {
    return Fail(Status(Code::kUsage, "there is no open result " + std::to_string(qid)), out);
  }
  pulling_ = {qid, n, discard};
  // Nobody wants the rest, and a statement that only reads needn't run to its end for it.
  Stream& stream = streams_.at(qid);
  if (discard && n < 0 && stream.cursor->query_type() == QueryType::kRead && !stream.cursor->summary().profiled) return Finish(streams_.find(qid), out);
  return Continue(out);
}

Session::Progress Session::Continue(std::string* out) {
  if (resets_.load(std::memory_order_acquire) > 0) return Ignored(out);
  const auto at = streams_.find(pulling_.qid);
  Stream& stream = at->second;
  const size_t before = out->size();
  for (;;) {
    while (stream.next < stream.rows.size() && pulling_.left != 0) {
      if (!pulling_.discard) Record(stream.rows[stream.next], out), ++stream.sent;
      ++stream.next;
      if (pulling_.left > 0) --pulling_.left;
      if (out->size() - before >= kPartBytes) return Progress::kMore;
    }
    if (stream.next < stream.rows.size()) break;               // enough, and there are more
    stream.rows.clear();
    stream.next = 0;
    if (stream.cursor->done()) return Finish(at, out);
    // One more than wanted: whether there are more is part of the answer.
    const size_t want = pulling_.left < 0 ? kFetchRows : static_cast<size_t>(std::min<int64_t>(pulling_.left, kFetchRows - 1)) + 1;
    if (Status status = stream.cursor->Fetch(want, &stream.rows); !status.ok()) return Fail(status, out);
  }
  return Success({{"has_more", Value(true)}}, out);
}

Session::Progress Session::Finish(std::map<int64_t, Stream>::iterator at, std::string* out) {
  const Stream& stream = at->second;
  const Summary& summary = stream.cursor->summary();
  Saw(summary.commit);
  Map metadata = SummaryMap(summary, version_, {&transaction_severity_, &severity_, &transaction_disabled_, &disabled_}, stream.cursor->columns().empty());
  metadata.Set("t_last", Value(MillisSince(stream.begun)));
  metadata.Set("db", Value("neo4j"));
  if (state() == State::kStreaming) metadata.Set("bookmark", Value(Bookmark()));
  host_->metrics.rows.fetch_add(stream.sent, std::memory_order_relaxed);
  TellSlow(stream);
  streams_.erase(at);
  if (state() == State::kStreaming) SetState(State::kReady);
  return Success(metadata, out);
}

// From RUN to its end, its client's waiting included.
void Session::TellSlow(const Stream& stream) const {
  const int64_t millis = MillisSince(stream.begun);
  if (host_->slow.count() == 0 || millis < host_->slow.count()) return;
  host_->metrics.slow_statements.fetch_add(1, std::memory_order_relaxed);
  if (host_->on_slow) host_->on_slow({connection_id_, stream.text, millis, stream.sent});
}

Session::Progress Session::Commit(std::string* out) {
  streams_.clear();
  const Result<uint64_t> commit = connection_->Commit();
  if (!commit.ok()) return Fail(commit.status(), out);
  Saw(*commit);
  SetState(State::kReady);
  host_->metrics.transactions_committed.fetch_add(1, std::memory_order_relaxed);
  return Success({{"bookmark", Value(Bookmark())}}, out);
}

Session::Progress Session::Rollback(std::string* out) {
  streams_.clear();
  if (Status status = connection_->Rollback(); !status.ok()) return Fail(status, out);
  host_->metrics.transactions_rolled_back.fetch_add(1, std::memory_order_relaxed);
  SetState(State::kReady);
  return Success({}, out);
}

Session::Progress Session::Reset(std::string* out) {
  RollBack();
  SetState(State::kReady);
  std::lock_guard lock(interrupt_mutex_);
  if (resets_.load(std::memory_order_acquire) > 0) resets_.fetch_sub(1, std::memory_order_acq_rel);
  return Success({}, out);
}

Session::Progress Session::Route(const Message& message, std::string* out) {
  const Map& routing = MapAt(message, 0);
  // 4.3 had the database's name where there is a map now.
  const std::string database = message.fields[2].type() == Type::kString ? message.fields[2].AsString() : TextAt(MapAt(message, 2), "db");
  if (Status status = CheckExtra(Map{{"db", Value(database)}}); !status.ok()) return Fail(status, out);
  std::string address = TextAt(routing, "address");
  if (address.empty()) address = routing_address_.empty() ? host_->advertised_address : routing_address_;
  List servers;
  for (const char* role : {"ROUTE", "READ", "WRITE"}) {
    servers.push_back(Value(Map{{"addresses", Value(List{Value(address)})}, {"role", Value(role)}}));
  }
  constexpr int64_t kSeconds = 300;
  return Success({{"rt", Value(Map{{"ttl", Value(kSeconds)}, {"db", Value(database.empty() ? "neo4j" : database)}, {"servers", Value(std::move(servers))}})}}, out);
}

Session::Progress Session::Success(const Map& metadata, std::string* out) const {
  std::string message;
  Packer packer(&message, dialect_);
  packer.StructHeader(kSuccess, 1);
  packer.Any(Value(metadata));
  AppendChunked(message, out);
  return Progress::kDone;
}

Session::Progress Session::Ignored(std::string* out) const {
  std::string message;
  Packer(&message, dialect_).StructHeader(kIgnored, 0);
  AppendChunked(message, out);
  return Progress::kDone;
}

Session::Progress Session::Fail(const Status& status, std::string* out) {
  Abandon();
  const std::string_view code = status.neo4j_code();
  Metrics& metrics = host_->metrics;
  (code.find("Client") != code.npos ? metrics.failures_client : code.find("Transient") != code.npos ? metrics.failures_transient : metrics.failures_database)
      .fetch_add(1, std::memory_order_relaxed);
  std::string message;
  Packer packer(&message, dialect_);
  packer.StructHeader(kFailure, 1);
  packer.Any(Value(FailureMap(status, version_)));
  AppendChunked(message, out);
  SetState(State::kFailed);
  return Progress::kDone;
}

Session::Progress Session::Violation(const std::string& what, std::string* out) {
  Fail(Status(Code::kUsage, what).Detail("Protocol"), out);
  SetState(State::kClosed);
  return Progress::kClose;
}

void Session::Record(const Row& row, std::string* out) const {
  std::string message;
  Packer packer(&message, dialect_);
  packer.StructHeader(kRecord, 1);
  packer.ListHeader(row.size());
  for (const Value& v : row) packer.Any(v);
  AppendChunked(message, out);
}

// For the bookmarks of all sessions.
void Session::Saw(uint64_t commit) {
  uint64_t seen = host_->commit.load(std::memory_order_relaxed);
  while (seen < commit && !host_->commit.compare_exchange_weak(seen, commit)) {
  }
}

std::string Session::Bookmark() const { return BookmarkOf(host_->commit.load(std::memory_order_relaxed)); }

}  // namespace fornix::bolt
