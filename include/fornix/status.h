// Status and Result<T>: how every call of Fornix says whether it worked.
//
// A Status is ok or it carries a code, a message that says what, where and what to try, and (for mistakes in query
// text) a line and a column, both counted from 1. Result<T> is a Status or a T. Neither may be ignored.
// Copying is cheap (a shared pointer when not ok); both are safe to move between threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace fornix {

// One code per kind of failure. `error_table.h` in base maps each to its Neo4j code and GQLSTATUS.
enum class Code : uint16_t {
  kOk = 0,
  // The user's mistakes.
  kSyntaxError,             // the text can't be parsed, or breaks a rule that needs no data
  kTypeError,               // a value of the wrong type
  kArgumentError,           // a value out of its range
  kParameterMissing,
  kParameterInvalid,
  kEntityNotFound,          // an element that was deleted, or never was
  kSemanticError,           // a statement that means nothing, found while it runs
  kProcedureNotFound,
  kProcedureError,
  kConstraintViolation,     // a rule of the schema refused the commit
  kDeleteConnected,         // DELETE of a node that still has relationships
  kArithmeticError,         // division by zero, integer overflow
  kSchemaConflict,          // an index or constraint that exists already, or can't be made
  kSchemaNotFound,
  kTransactionConflict,     // another transaction committed first; the same transaction may be tried again
  kTransactionClosed,       // committed, rolled back, or doomed by an earlier error
  kNotAvailable,            // a construct that a later version brings: "not available yet"
  kReadOnly,                // a write where writing isn't allowed
  kUsage,                   // a wrong call of the interface
  // Limits.
  kLimitExceeded,           // a named limit of docs/limits.md
  kResourceExhausted,       // memory
  kCancelled,
  kDeadlineExceeded,
  // The world's mistakes.
  kIoError,
  kCorruption,              // bytes on disk that can't be right
  kBusy,                    // another process or handle holds the file
  kInternal,                // our mistake
};

// Where in the query text; line 0 means unknown. Columns count code points, offsets count bytes.
struct SourcePosition {
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t offset = 0;
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message) : state_(std::make_shared<State>(State{code, {}, {}, std::move(message), {}})) {}
  static Status Ok() { return {}; }

  bool ok() const { return state_ == nullptr; }
  Code code() const { return state_ ? state_->code : Code::kOk; }
  const std::string& message() const;
  SourcePosition position() const { return state_ ? state_->position : SourcePosition{}; }
  // A short stable word for the exact rule that was broken, such as "UndefinedVariable"; may be empty.
  const std::string& detail() const;
  // True when the statement was refused before it ran (the openCypher "compile time").
  bool compile_time() const { return state_ && state_->compile_time; }
  // True when running the same transaction again may succeed.
  bool retryable() const { return code() == Code::kTransactionConflict; }
  // "Neo.ClientError.Statement.SyntaxError" and "42001": what drivers expect.
  std::string_view neo4j_code() const;
  std::string_view gql_status() const;
  std::string ToString() const;

  // Builders: each returns *this changed; a no-op on an ok status.
  Status&& At(SourcePosition position) &&;
  Status&& Detail(std::string detail) &&;
  Status&& CompileTime() &&;

 private:
  struct State {
    Code code;
    bool compile_time = false;
    SourcePosition position;
    std::string message;
    std::string detail;
  };
  std::shared_ptr<State> state_;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}              // NOLINT: implicit on purpose
  Result(Status status) : status_(std::move(status)) {       // NOLINT
    if (status_.ok()) status_ = Status(Code::kInternal, "a Result was made from an ok Status without a value");
  }
  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return std::move(*value_); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return std::move(*value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace fornix

#define FORNIX_CONCAT_INNER(a, b) a##b
#define FORNIX_CONCAT(a, b) FORNIX_CONCAT_INNER(a, b)
// Leaves the function with the status when `expr` isn't ok.
#define RETURN_IF_ERROR(expr)                                   \
  do {                                                          \
    if (::fornix::Status status_in_macro = (expr); !status_in_macro.ok()) [[unlikely]] \
      return status_in_macro;                                   \
  } while (false)
// ASSIGN_OR_RETURN(auto x, F()): x = the value, or leaves the function with the status.
#define ASSIGN_OR_RETURN(lhs, expr) ASSIGN_OR_RETURN_INNER(FORNIX_CONCAT(result_in_macro_, __LINE__), lhs, expr)
#define ASSIGN_OR_RETURN_INNER(result, lhs, expr) \
  auto result = (expr);                           \
  if (!result.ok()) [[unlikely]]                  \
    return result.status();            \
  lhs = std::move(result).value()
