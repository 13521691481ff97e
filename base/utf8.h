// Whether bytes are UTF-8 (Unicode 15, table 3-7): no overlong form, no surrogate, nothing above U+10FFFF, no character cut in two.
#pragma once

#include <cstddef>
#include <string_view>

namespace fornix {

// How many bytes at the beginning of `text` are whole characters; text.size() if all are.
size_t Utf8Prefix(std::string_view text);
inline bool IsUtf8(std::string_view text) { return Utf8Prefix(text) == text.size(); }

}  // namespace fornix
