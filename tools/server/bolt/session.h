// Session: one client's conversation, from HELLO to GOODBYE, without its socket. Bolt 4.4, 5.0 to 5.4, 5.6 to 5.8 and 6.0
// (neo4j.com/docs/bolt/current/bolt/message); the states are those of its server state tables.
//
//   connected -> (5.1 on: hello said) -> ready <-> streaming            auto-commit
//                                        ready <-> in a transaction     several results may be open, named by qid
//   any -> failed: everything is IGNORED until RESET;  any -> closed: the connection has to be ended
// A message that the state doesn't allow fails and closes. RESET overtakes: Interrupt, from any thread, ends the running statement, and
// everything queued before the RESET is IGNORED.
// A PULL is answered in parts of about kPartBytes, so that a slow reader holds up a few of them and not a result.
// Threads: Handle, Continue, Leave and the destructor one at a time; Interrupt and InterruptAgain from any.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "fornix/connection.h"
#include "fornix/database.h"
#include "tools/server/bolt/packstream.h"
#include "tools/server/metrics.h"

namespace fornix::bolt {

struct SlowStatement {
  std::string_view connection, text;         // of the text the first kSlowTextBytesMax; parameters are never told
  int64_t millis = 0;
  uint64_t rows = 0;
};

// What all sessions of a server share.
struct Host {
  Database* database = nullptr;
  std::string database_name;                 // the file's stem; `neo4j` means the same
  std::string server_agent;                  // "Neo4j/5.26.0 (Fornix/0.1.0)"
  std::string advertised_address;            // "host:port", where a client doesn't say under which name it knows us
  std::chrono::milliseconds transaction_timeout_max{0};   // 0: what the client asks for
  std::chrono::milliseconds slow{0};         // statements that take longer are told to on_slow; 0: none are
  std::function<void(const SlowStatement&)> on_slow;
  std::atomic<uint64_t> commit{0};           // the newest that a session has seen, for bookmarks
  Metrics metrics;
};

class Session {
 public:
  enum class Progress : uint8_t { kDone, kMore, kClose };

  Session(Host* host, Version version, bool by_manifest, std::string connection_id);
  ~Session();

  // One message in, its answers (chunked) appended. kMore: Continue has more of them.
  Progress Handle(const std::string& message, std::string* out);
  Progress Continue(std::string* out);
  // A RESET has arrived, or the client is gone: the running statement ends.
  void Interrupt();
  // Ends the statement that a worker began in the moment of Interrupt; false once nothing is to be interrupted any more.
  bool InterruptAgain();
  // The client is gone: rolls back what is open.
  void Leave();
  bool authenticated() const { return state_.load(std::memory_order_relaxed) >= State::kReady; }

 private:
  enum class State : uint8_t { kConnected, kHelloSaid, kReady, kStreaming, kTransaction, kFailed, kClosed };
  struct Stream {
    std::unique_ptr<Cursor> cursor;
    std::vector<Row> rows;                   // fetched, the next at `next`
    size_t next = 0;
    std::chrono::steady_clock::time_point begun;
    int64_t first_millis = 0;
    std::string text;                        // where slow statements are told
    uint64_t sent = 0;                       // rows
  };
  struct Pulling {                           // a PULL or DISCARD under way
    int64_t qid = -1;
    int64_t left = 0;                        // rows; -1: all
    bool discard = false;
  };

  void Abandon();
  void RollBack();
  Progress Answer(const Message& message, std::string* out);
  Progress Hello(const Message& message, std::string* out);
  Progress Logon(const Map& auth, std::string* out);
  Progress Run(const Message& message, std::string* out);
  Progress Begin(const Map& extra, std::string* out);
  Progress Commit(std::string* out);
  Progress Rollback(std::string* out);
  Progress Pull(const Map& extra, bool discard, std::string* out);
  Progress Reset(std::string* out);
  Progress Route(const Message& message, std::string* out);
  Progress Finish(std::map<int64_t, Stream>::iterator at, std::string* out);
  void TellSlow(const Stream& stream) const;
  Status CheckExtra(const Map& extra) const;
  void SetFilters(const Map& from, std::string* severity, std::vector<std::string>* disabled) const;

  Progress Success(const Map& metadata, std::string* out) const;
  Progress Ignored(std::string* out) const;
  Progress Fail(const Status& status, std::string* out);
  // The client breaks the protocol: nothing that follows can be trusted.
  Progress Violation(const std::string& what, std::string* out);
  void Record(const Row& row, std::string* out) const;
  void Saw(uint64_t commit);
  std::string Bookmark() const;
  State state() const { return state_.load(std::memory_order_relaxed); }
  void SetState(State state) { state_.store(state, std::memory_order_relaxed); }

  Host* const host_;
  const Version version_;
  const bool by_manifest_;
  const std::string connection_id_;
  Dialect dialect_;
  std::unique_ptr<Connection> connection_;
  std::atomic<State> state_{State::kConnected};   // written by the handling thread alone
  std::mutex interrupt_mutex_;               // so that no statement behind an answered RESET is cancelled for it
  std::atomic<int> resets_{0};               // that have arrived and weren't answered yet; changed under the mutex
  std::map<int64_t, Stream> streams_;        // by qid; the one of an auto-commit statement is 0
  int64_t last_qid_ = -1;
  Pulling pulling_;
  std::string routing_address_;
  std::string severity_, transaction_severity_;
  std::vector<std::string> disabled_, transaction_disabled_;
};

}  // namespace fornix::bolt
