// A client's side of a conversation with a Session, without a socket.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fornix/database.h"
#include "tools/server/bolt/frames.h"
#include "tools/server/bolt/packstream.h"
#include "tools/server/bolt/session.h"

namespace fornix::bolt {

inline std::span<const uint8_t> BytesOf(const std::string& text) { return {reinterpret_cast<const uint8_t*>(text.data()), text.size()}; }

inline std::string Pack(uint8_t tag, const List& fields, Dialect dialect = {}) {
  std::string out;
  Packer packer(&out, dialect);
  packer.StructHeader(tag, static_cast<uint8_t>(fields.size()));
  for (const Value& field : fields) packer.Any(field);
  return out;
}

constexpr uint8_t kSuccessTag = 0x70, kRecordTag = 0x71, kIgnoredTag = 0x7E, kFailureTag = 0x7F;

class Client {
 public:
  explicit Client(Version version = {5, 4}) : version_(version) {
    database_ = std::move(Database::Open(":memory:").value());
    host_.database = database_.get();
    host_.database_name = "memory";
    host_.server_agent = "Neo4j/5.26.0 (Fornix)";
    host_.advertised_address = "localhost:7687";
    session_ = std::make_unique<Session>(&host_, version, false, "bolt-1");
  }
  ~Client() { session_.reset(); }

  // All answers to one message; `closed` if the server hangs up behind them.
  std::vector<Message> Say(uint8_t tag, List fields = {}) { return SayBytes(Pack(tag, fields, DialectOf(version_, false))); }
  std::vector<Message> SayBytes(const std::string& message) {
    std::string out;
    Session::Progress progress = session_->Handle(message, &out);
    while (progress == Session::Progress::kMore) ++parts, progress = session_->Continue(&out);
    closed = progress == Session::Progress::kClose;
    return Answers(std::move(out));
  }
  Message SayOne(uint8_t tag, List fields = {}) {
    std::vector<Message> all = Say(tag, std::move(fields));
    return all.empty() ? Message{} : all.back();
  }
  void Greet() {
    Say(0x01, {Value(Map{{"user_agent", Value("test")}})});
    if (version_ >= Version{5, 1}) Say(0x6A, {Value(Map{{"scheme", Value("none")}})});
  }
  std::vector<Message> Run(const std::string& text, Map parameters = {}, Map extra = {}) {
    return Say(0x10, {Value(text), Value(std::move(parameters)), Value(std::move(extra))});
  }
  std::vector<Message> Pull(int64_t n, int64_t qid = -1) { return Say(0x3F, {Value(Map{{"n", Value(n)}, {"qid", Value(qid)}})}); }
  Session& session() { return *session_; }
  Database& database() { return *database_; }

  bool closed = false;
  int parts = 0;

 private:
  std::vector<Message> Answers(std::string bytes) const {
    Dechunker dechunker;
    dechunker.set_message_bytes_max(size_t{1} << 30);
    std::vector<Message> messages;
    for (;;) {
      auto next = dechunker.Next(&bytes);
      if (!next.ok() || !next->has_value()) return messages;
      messages.push_back(std::move(Unpacker(BytesOf(**next), DialectOf(version_, false)).ReadMessage().value()));
    }
  }

  const Version version_;
  std::unique_ptr<Database> database_;
  Host host_;
  std::unique_ptr<Session> session_;
};

inline const Map& Metadata(const Message& message) { return message.fields.at(0).AsMap(); }
inline std::string CodeOf(const Message& failure) {
  const Value* code = Metadata(failure).Find("code");
  if (code == nullptr) code = Metadata(failure).Find("neo4j_code");
  return code == nullptr ? "" : code->AsString();
}

}  // namespace fornix::bolt
