// The identity of a database: 16 random bytes, drawn when it is created, in its root slots and in every log segment.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace fornix {

struct Uuid {
  std::array<std::byte, 16> bytes{};
  friend bool operator==(const Uuid&, const Uuid&) = default;
  std::string ToString() const;  // 8-4-4-4-12 hexadecimal digits
};

Uuid NewUuid();  // version 4, from the operating system's generator

}  // namespace fornix
