// TransactionRegistry: the open transactions of a database, for SHOW TRANSACTIONS and TERMINATE TRANSACTIONS.
//
// An OpenTransaction is a link in the registry's list, owned by whoever runs the transaction: a cursor, a connection, a statement that
// commits by itself, one of IN TRANSACTIONS. To end one from outside is to set its flag, which the run looks at wherever it looks for a
// cancel; the transaction itself is only ever touched by its own thread. One in the middle of nothing ends at its next statement or commit.
//
// A statement takes the mutex twice, at its begin and its end, and no row takes it. Threads: the registry from any; Open, BeginQuery,
// EndQuery and Close from the thread that runs the transaction.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "fornix/status.h"

namespace fornix::engine {

inline constexpr size_t kShownQueryBytesMax = size_t{64} << 10;   // a text of megabytes isn't copied to be looked at; a person reads less

class OpenTransaction;

class TransactionRegistry {
 public:
  // What is known of one, at the moment of asking. Times of the wall clock in microseconds, of the monotonic one in nanoseconds; 0: none.
  struct Shown {
    uint64_t number = 0, outer = 0, connection = 0, query = 0;
    int64_t started_micros = 0, query_micros = 0;
    uint64_t started_ns = 0, query_ns = 0;
    std::string text;                        // empty: no query runs
    bool terminated = false;
  };
  TransactionRegistry() = default;
  TransactionRegistry(const TransactionRegistry&) = delete;
  TransactionRegistry& operator=(const TransactionRegistry&) = delete;

  std::vector<Shown> All() const;            // by number
  // False if there is none of this number. One of IN TRANSACTIONS ends with the statement around it.
  bool Terminate(uint64_t number);
  uint64_t NewConnection() { return connections_.fetch_add(1) + 1; }

 private:
  friend class OpenTransaction;
  mutable std::mutex mutex_;
  OpenTransaction* newest_ = nullptr;        // guarded by mutex_, as all links and what Shown copies
  uint64_t numbers_ = 0, queries_ = 0;
  std::atomic<uint64_t> connections_{0};
};

class OpenTransaction {
 public:
  OpenTransaction() = default;
  ~OpenTransaction() { Close(); }
  OpenTransaction(const OpenTransaction&) = delete;
  OpenTransaction& operator=(const OpenTransaction&) = delete;

  // `query` empty: it begins idle. Nothing happens without a registry.
  void Open(TransactionRegistry* registry, uint64_t connection, std::string_view query);
  // One of IN TRANSACTIONS, which runs what its statement runs.
  void OpenInside(OpenTransaction* outer);
  // Returns the query's number. EndQuery does nothing if another one began since; 0: whichever runs.
  uint64_t BeginQuery(std::string_view text);
  void EndQuery(uint64_t query);
  void Close();

  bool terminated() const { return terminated_.load(std::memory_order_relaxed); }
  // Cancelled, detail Terminated; ok while nobody asked for its end.
  Status CheckTerminated() const;
  std::string id() const;                    // "neo4j-transaction-7"

 private:
  friend class TransactionRegistry;
  void Link(TransactionRegistry* registry);  // both under the mutex
  void SetQuery(std::string_view text);

  TransactionRegistry* registry_ = nullptr;
  OpenTransaction *older_ = nullptr, *newer_ = nullptr, *outer_ = nullptr;
  TransactionRegistry::Shown shown_;
  std::atomic<bool> terminated_{false};
};

// The name of a transaction as clients see it, and its number back; false if it is no such name. `here`: of this database.
std::string TransactionName(uint64_t number);
bool ParseTransactionName(std::string_view name, bool* here, uint64_t* number);

}  // namespace fornix::engine
