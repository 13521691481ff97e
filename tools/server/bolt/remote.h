// A Connection to a server that speaks Bolt 5.1 or later: the same interface as in the same process (fornix/connection.h), so that the
// shell and the tests work over the network unchanged.
//
// What differs: Prepare keeps the text (the server's plan cache does the rest) and asks EXPLAIN for its columns; batch_rows,
// memory_bytes_max and optimize of ExecuteOptions stay here. Outside of a transaction the server has one open result a connection: another Execute first
// fetches the rest of the one before.
// Thread safety: as Connection.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "fornix/connection.h"

namespace fornix::bolt {

struct RemoteAddress {
  std::string host = "localhost";
  uint16_t port = 7687;
  std::string user, password;                // empty: scheme none
  std::string database;                      // empty: the server's own
  bool tls = false;
  bool trust_anybody = false;                // a certificate that nobody has signed will do
};
// "bolt://host:port/database", "bolt://user:password@host"; bolt+s:// with TLS, bolt+ssc:// with a certificate that nobody need have signed. Usage
// if it is none.
Result<RemoteAddress> ParseAddress(const std::string& url);
Result<std::unique_ptr<Connection>> ConnectRemote(const RemoteAddress& address);

}  // namespace fornix::bolt
