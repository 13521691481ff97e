// A failure stops the test case, with its text. Includes Catch; headers that use CHECK of base/check.h come before it.
#pragma once

#include <catch2/catch.hpp>
#include <utility>

#include "fornix/status.h"

namespace fornix::corrupt {

inline void Must(const Status& status) {
  INFO(status.ToString());
  REQUIRE(status.ok());
}
template <typename T>
T Must(Result<T> result) {
  Must(result.status());
  return std::move(result).value();
}

}  // namespace fornix::corrupt
