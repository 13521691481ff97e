#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace fornix {

size_t Utf8Prefix(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  while (end - p >= 8) {
    uint64_t word;
    std::memcpy(&word, p, sizeof word);
    if ((word & 0x8080808080808080ull) != 0) break;
    p += 8;
  }
  while (p < end) {
    const auto lead = static_cast<unsigned char>(*p);
    if (lead < 0x80) {
      ++p;
      continue;
    }
    const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if (lead < 0xC2 || lead > 0xF4 || end - p <= more) break;
    uint32_t code = lead & (0x3F >> more);
    bool continued = true;
    for (int i = 1; i <= more; ++i) {
      const auto c = static_cast<unsigned char>(p[i]);
      continued &= (c & 0xC0) == 0x80;
      code = code << 6 | (c & 0x3F);
    }
    if (!continued) break;
    if ((more == 2 && (code < 0x800 || (code >= 0xD800 && code <= 0xDFFF))) || (more == 3 && (code < 0x10000 || code > 0x10FFFF))) break;
    p += more + 1;
  }
  return static_cast<size_t>(p - text.data());
}

}  // namespace fornix
