// Short makers for the Status of the world's mistakes. The text says what, where, expected and found.
#pragma once

#include <string>
#include <utility>

#include "fornix/status.h"

namespace fornix {

inline Status Corruption(std::string message) { return {Code::kCorruption, std::move(message)}; }
inline Status IoError(std::string message) { return {Code::kIoError, std::move(message)}; }
inline Status Busy(std::string message) { return {Code::kBusy, std::move(message)}; }
inline Status UsageError(std::string message) { return {Code::kUsage, std::move(message)}; }

}  // namespace fornix
