// Bolt's bytes before messages: the handshake that settles the version, and chunks.
//
//   handshake   60 60 B0 17, four proposals of four bytes; the answer is one version, or 00 00 01 FF and a manifest of all that are offered
//               (Bolt 5.7 on: neo4j.com/docs/bolt/current/bolt/handshake), to which the client answers with its choice and capabilities
//   messages    chunks of a u16 length, big-endian, and as many bytes; a chunk of length 0 ends a message, or is a NOOP between messages
// Threads: each object is one thread's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tools/server/bolt/packstream.h"

namespace fornix::bolt {

class Handshake {
 public:
  enum class Outcome : uint8_t { kMore, kDone, kRefused };
  // Takes bytes from *in (what it has used is removed) and appends what has to be sent. kRefused: send, then close.
  Outcome Feed(std::string* in, std::string* out);
  Version version() const { return version_; }
  bool by_manifest() const { return manifest_; }

 private:
  Outcome Choose(std::string* in);

  bool manifest_ = false;
  Version version_;
};

// Gathers chunks into messages.
class Dechunker {
 public:
  void set_message_bytes_max(size_t max) { max_ = max; }
  // Takes one message out of *in; nothing if it isn't whole yet. LimitExceeded where it is longer than the limit.
  Result<std::optional<std::string>> Next(std::string* in);

 private:
  size_t max_ = 0;
  std::string message_;
  size_t used_ = 0;              // of *in, until it is worth removing
};

// Appends one message as chunks.
void AppendChunked(std::string_view message, std::string* out);

}  // namespace fornix::bolt
