// fornix serve: a database for Bolt drivers.
#pragma once

#include <string>

#include "tools/server/bolt/server.h"

namespace fornix::tools {

struct ServeCommand {
  std::string file, memory;
  bool read_only = false;
  std::string auth = "none";
  std::string tls_certificate, tls_key;      // PEM files; empty: no TLS
  int32_t metrics_port = -1;                 // 0: any free one; -1: none
  bolt::ServerOptions server;
};
// Serves until SIGINT or SIGTERM, then lets running statements end and closes the file. 0: so it went; 1: it couldn't be opened, served or closed;
// 2: what isn't available yet.
int RunServe(const ServeCommand& command);

}  // namespace fornix::tools
