// What a server counts, as Prometheus text (/metrics), and whether it answers (/health), over HTTP on a port of its own.
//   https://prometheus.io/docs/instrumenting/exposition_formats
// Threads: counters from any; HttpPort's functions from one.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "fornix/status.h"

namespace fornix::bolt {

struct Metrics {
  std::atomic<uint64_t> sessions_opened{0}, sessions_refused{0};
  std::atomic<uint64_t> messages{0}, bytes_received{0}, bytes_sent{0};
  std::atomic<uint64_t> statements{0}, rows{0};
  std::atomic<uint64_t> failures_client{0}, failures_transient{0}, failures_database{0};
  std::atomic<uint64_t> transactions_committed{0}, transactions_rolled_back{0};
  std::atomic<uint64_t> slow_statements{0};
  std::atomic<uint64_t> statement_micros{0};   // of all statements, until their first row is known
};

std::string MetricsText(const Metrics& metrics, uint32_t sessions_open);

// Serves GET and HEAD of /metrics and /health on loopback; anything else is 404 or 405. A client gets two seconds.
class HttpPort {
 public:
  struct Pages {
    std::function<std::string()> metrics;
    std::function<bool()> healthy;             // false: 503
  };
  static Result<std::unique_ptr<HttpPort>> Start(const std::string& address, uint16_t port, Pages pages);
  virtual ~HttpPort() = default;               // stops it
  virtual uint16_t port() const = 0;
};

}  // namespace fornix::bolt
