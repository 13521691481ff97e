// The bytes of a Bolt client, before and after it has logged on, against a server's side without a socket. Each input has a database of its own, so the
// same bytes do the same. Whatever comes, what the server answers are whole messages of Bolt.
#include <memory>
#include <vector>

#include "fornix/database.h"
#include "tests/fuzz/target.h"
#include "tools/server/bolt/frames.h"
#include "tools/server/bolt/session.h"

namespace fornix::fuzz {
namespace {

constexpr int kPartsMax = 50;
constexpr int kMessagesMax = 200;
constexpr size_t kBeforeLogon = 64 << 10;

struct Side {
  Side() {
    DatabaseOptions options;
    options.memory_bytes_max = uint64_t{128} << 20;
    options.statement_memory_bytes_max = uint64_t{48} << 20;
    auto opened = Database::Open(":memory:", options);
    Expect(opened.ok(), opened.status().ToString());
    database = std::move(opened).value();
    host.database = database.get();
    host.database_name = "fuzz";
    host.server_agent = "Neo4j/5.26.0 (Fornix)";
    host.advertised_address = "localhost:7687";
    host.transaction_timeout_max = std::chrono::milliseconds(150);
  }
  std::unique_ptr<Database> database;
  bolt::Host host;
};

// What the server says: SUCCESS, RECORD, IGNORED or FAILURE, each whole.
void JudgeAnswers(std::string answers, bolt::Dialect dialect) {
  bolt::Dechunker dechunker;
  dechunker.set_message_bytes_max(size_t{1} << 30);
  for (;;) {
    auto next = dechunker.Next(&answers);
    Expect(next.ok(), "an answer in wrong chunks");
    if (!next->has_value()) break;
    const std::string& bytes = **next;
    Expect(bytes.size() >= 2, "an answer of " + std::to_string(bytes.size()) + " bytes");
    const auto tag = static_cast<uint8_t>(bytes[1]);
    Expect(tag == 0x70 || tag == 0x71 || tag == 0x7E || tag == 0x7F, "an answer with the tag " + std::to_string(tag));
    if (tag == 0x71) continue;               // may hold elements, which a client's side reads and the server's doesn't
    auto message = bolt::Unpacker({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, dialect).ReadMessage();
    Expect(message.ok(), message.status().ToString());
  }
  Expect(answers.empty(), "half an answer");
}

// Messages until the session closes or the bytes end.
void Converse(bolt::Session* session, std::string* in, bolt::Dialect dialect) {
  bolt::Dechunker dechunker;
  dechunker.set_message_bytes_max(kBeforeLogon);
  for (int messages = 0; messages < kMessagesMax; ++messages) {
    auto message = dechunker.Next(in);
    if (!message.ok() || !message->has_value()) break;
    if ((*message)->size() >= 2 && (**message)[1] == 0x0F && session->authenticated()) session->Interrupt();
    std::string out;
    bolt::Session::Progress progress = session->Handle(**message, &out);
    for (int parts = 0; progress == bolt::Session::Progress::kMore; ++parts) {
      if (parts == kPartsMax) session->Interrupt();
      progress = session->Continue(&out);
    }
    JudgeAnswers(std::move(out), dialect);
    if (progress == bolt::Session::Progress::kClose) break;
  }
  session->Leave();
}

}  // namespace

void FuzzBolt(std::span<const uint8_t> input) {
  Side side;
  std::string in(reinterpret_cast<const char*>(input.data()), input.size()), out;
  bolt::Handshake handshake;
  if (handshake.Feed(&in, &out) != bolt::Handshake::Outcome::kDone) return;
  bolt::Session session(&side.host, handshake.version(), handshake.by_manifest(), "bolt-1");
  Converse(&session, &in, bolt::DialectOf(handshake.version(), false));
}

void FuzzBoltSession(std::span<const uint8_t> input) {
  if (input.empty()) return;
  constexpr bolt::Version kVersions[] = {{4, 4}, {5, 0}, {5, 4}, {5, 6}, {5, 8}, {6, 0}};
  const bolt::Version version = kVersions[input[0] % std::size(kVersions)];
  Side side;
  bolt::Session session(&side.host, version, true, "bolt-1");
  std::string out;
  const auto say = [&](std::string_view message) { static_cast<void>(session.Handle(std::string(message), &out)); };
  say(std::string_view("\xB1\x01\xA0", 3));
  if (version >= bolt::Version{5, 1}) say(std::string_view("\xB1\x6A\xA0", 3));
  Expect(session.authenticated(), "no logon");
  std::string in(reinterpret_cast<const char*>(input.data()) + 1, input.size() - 1);
  Converse(&session, &in, bolt::DialectOf(version, false));
}

}  // namespace fornix::fuzz
