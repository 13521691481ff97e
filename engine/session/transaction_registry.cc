#include "engine/session/transaction_registry.h"

#include <algorithm>
#include <charconv>

#include "base/clock.h"

namespace fornix::engine {

namespace {
constexpr std::string_view kDatabase = "neo4j", kMiddle = "-transaction-";
}  // namespace

std::string TransactionName(uint64_t number) { return std::string(kDatabase) + std::string(kMiddle) + std::to_string(number); }

bool ParseTransactionName(std::string_view name, bool* here, uint64_t* number) {
  const size_t at = name.rfind(kMiddle);
  if (at == std::string_view::npos || at == 0) return false;
  const char* const first = name.data() + at + kMiddle.size();
  const char* const last = name.data() + name.size();
  const auto [end, error] = std::from_chars(first, last, *number);
  *here = name.substr(0, at) == kDatabase;
  return error == std::errc() && end == last;
}

std::vector<TransactionRegistry::Shown> TransactionRegistry::All() const {
  std::vector<Shown> all;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const OpenTransaction* t = newest_; t != nullptr; t = t->older_) {
      all.push_back(t->shown_);
      all.back().terminated = t->terminated();
    }
  }
  std::reverse(all.begin(), all.end());
  return all;
}

bool TransactionRegistry::Terminate(uint64_t number) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (OpenTransaction* t = newest_; t != nullptr; t = t->older_) {
    if (t->shown_.number != number) continue;
    for (; t != nullptr; t = t->outer_) t->terminated_.store(true, std::memory_order_relaxed);
    return true;
  }
  return false;
}

void OpenTransaction::Open(TransactionRegistry* registry, uint64_t connection, std::string_view query) {
  Close();
  if (registry == nullptr) return;
  const std::lock_guard<std::mutex> lock(registry->mutex_);
  shown_ = {};
  shown_.connection = connection;
  Link(registry);
  SetQuery(query);
}

void OpenTransaction::OpenInside(OpenTransaction* outer) {
  Close();
  if (outer == nullptr || outer->registry_ == nullptr) return;
  const std::lock_guard<std::mutex> lock(outer->registry_->mutex_);
  shown_ = outer->shown_;
  shown_.outer = outer->shown_.number;
  outer_ = outer;
  Link(outer->registry_);
}

void OpenTransaction::Link(TransactionRegistry* registry) {
  registry_ = registry;
  terminated_.store(false, std::memory_order_relaxed);
  shown_.number = ++registry->numbers_;
  shown_.started_micros = WallMicros();
  shown_.started_ns = MonotonicNanos();
  older_ = registry->newest_;
  newer_ = nullptr;
  if (older_ != nullptr) older_->newer_ = this;
  registry->newest_ = this;
}

void OpenTransaction::SetQuery(std::string_view text) {
  if (text.empty()) {
    shown_.text.clear();
    shown_.query = 0;
    shown_.query_micros = 0;
    shown_.query_ns = 0;
    return;
  }
  size_t size = std::min(text.size(), kShownQueryBytesMax);
  while (size < text.size() && size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;   // between characters
  shown_.text.assign(text.substr(0, size));
  shown_.query = ++registry_->queries_;
  shown_.query_micros = WallMicros();
  shown_.query_ns = MonotonicNanos();
}

uint64_t OpenTransaction::BeginQuery(std::string_view text) {
  if (registry_ == nullptr) return 0;
  const std::lock_guard<std::mutex> lock(registry_->mutex_);
  SetQuery(text);
  return shown_.query;
}

void OpenTransaction::EndQuery(uint64_t query) {
  if (registry_ == nullptr) return;
  const std::lock_guard<std::mutex> lock(registry_->mutex_);
  if (query == 0 || query == shown_.query) SetQuery({});
}

void OpenTransaction::Close() {
  if (registry_ == nullptr) return;
  const std::lock_guard<std::mutex> lock(registry_->mutex_);
  if (older_ != nullptr) older_->newer_ = newer_;
  (newer_ != nullptr ? newer_->older_ : registry_->newest_) = older_;
  registry_ = nullptr;
  older_ = newer_ = outer_ = nullptr;
}

Status OpenTransaction::CheckTerminated() const {
  if (!terminated()) return Status::Ok();
  return Status(Code::kCancelled, "the transaction " + id() + " was terminated: TERMINATE TRANSACTION ended it, and all that it wrote is undone")
      .Detail("Terminated");
}

std::string OpenTransaction::id() const { return TransactionName(shown_.number); }

}  // namespace fornix::engine
