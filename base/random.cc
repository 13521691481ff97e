// Numbers from the operating system, and the uuid made of them.
#include "base/random.h"

#include <sys/random.h>

#include <cstring>

#include "base/check.h"
#include "base/uuid.h"

namespace fornix {

uint64_t SystemRandom64() {
  uint64_t value = 0;
  // Up to 256 bytes getrandom neither comes back short nor is interrupted once the pool is ready.
  CHECK(getrandom(&value, sizeof(value), 0) == sizeof(value));
  return value;
}

Uuid NewUuid() {
  Uuid uuid;
  const uint64_t words[2] = {SystemRandom64(), SystemRandom64()};
  std::memcpy(uuid.bytes.data(), words, sizeof(words));
  uuid.bytes[6] = (uuid.bytes[6] & std::byte{0x0f}) | std::byte{0x40};
  uuid.bytes[8] = (uuid.bytes[8] & std::byte{0x3f}) | std::byte{0x80};
  return uuid;
}

std::string Uuid::ToString() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[static_cast<unsigned>(bytes[i]) >> 4];
    text += kDigits[static_cast<unsigned>(bytes[i]) & 15];
  }
  return text;
}

}  // namespace fornix
