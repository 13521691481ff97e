// Server: Bolt on a TCP port, for any number of drivers at once.
//
//   one I/O thread a core    accepts, reads, cuts messages out of bytes, writes; never waits for the disk or a statement
//   a pool of workers        runs the messages of each session in order; a commit waits for its disk here, so that groups form
// Limits bound what a client can hold: sessions, bytes of a message (64 KiB before it has logged on), messages queued, bytes of answers not yet
// read by it (then its PULL rests), seconds from connecting to being logged on, idle seconds.
// A client that is gone: its statement ends, its transaction is rolled back.
// Threads: Start, Stop and Wait from one; port from any after Start.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "fornix/database.h"
#include "tools/server/bolt/session.h"
#include "tools/server/limits.h"

namespace fornix::bolt {

class TlsCertificate;                        // tools/server/bolt/tls.h

struct ServerOptions {
  std::string address = "127.0.0.1";         // loopback only, until there are users
  uint16_t port = 7687;                      // 0: any free one
  std::string advertised_address;            // for routing; empty: address:port
  uint32_t sessions_max = kSessionsMax;
  uint32_t message_bytes_max = kMessageBytesMax;
  uint32_t logon_seconds_max = kLogonSecondsMax;
  uint32_t idle_seconds_max = 0;             // 0: for ever
  uint32_t transaction_seconds_max = 0;      // 0: what clients ask for
  uint32_t stop_seconds_max = kStopSecondsMax;   // that running statements get when the server stops
  TlsCertificate* tls = nullptr;             // then nothing but TLS is spoken; outlives the server
  uint32_t slow_millis = 0;                  // statements that take longer are told to on_slow; 0: none
  std::function<void(const SlowStatement&)> on_slow;   // by workers, several at once
  uint32_t io_threads = 0;                   // 0: one a core
  uint32_t workers = 0;                      // 0: four a core, at least 16
};

class Server {
 public:
  // `name` is the file's stem: under it, and as `neo4j`, clients know the database. The database outlives the server.
  static Result<std::unique_ptr<Server>> Start(Database* database, const std::string& name, const ServerOptions& options);
  virtual ~Server() = default;
  virtual uint16_t port() const = 0;
  virtual uint32_t sessions() const = 0;
  virtual std::string metrics() const = 0;   // Prometheus text
  // No new sessions; running statements may end within stop_seconds_max, then they are cancelled. Blocks.
  virtual void Stop() = 0;
};

}  // namespace fornix::bolt
