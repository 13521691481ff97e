// ReadFailure: what a read of the base throws when the disk fails or bytes are damaged. Beside bad_alloc the one exception that
// crosses folders (docs/decisions/004): it ends the statement, whose transaction is rolled back, with the status it carries.
#pragma once

#include <exception>

#include "fornix/status.h"

namespace fornix {

class ReadFailure : public std::exception {
 public:
  explicit ReadFailure(Status status) : status_(std::move(status)) {}
  const Status& status() const { return status_; }
  const char* what() const noexcept override { return status_.message().c_str(); }

 private:
  Status status_;
};

// The value of a result, or the throw.
template <typename T>
T ValueOrThrow(Result<T> result) {
  if (!result.ok()) throw ReadFailure(result.status());
  return std::move(result).value();
}

}  // namespace fornix
