// Code points of UTF-8 text: counting and cutting. Cypher's positions in strings count code points, not bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/interrupt.h"

namespace fornix::engine {

inline bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

inline int64_t CodePoints(std::string_view s) {
  CountText(s.size());
  return static_cast<int64_t>(s.size()) - std::count_if(s.begin(), s.end(), IsContinuation);
}

// The byte where code point `index` begins; the end of the text if there are fewer.
inline size_t ByteOf(std::string_view s, int64_t index) {
  size_t i = 0;
  for (; i < s.size() && index > 0; --index) {
    if (index % 4096 == 0) CountWork(4096 / kTextBytesAUnit);
    ++i;
    while (i < s.size() && IsContinuation(s[i])) ++i;
  }
  return i;
}

}  // namespace fornix::engine
