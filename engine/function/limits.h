// Bounds of functions, each with its reason; docs/limits.md is printed from here and from the other headers of that name.
#pragma once

#include <cstddef>

namespace fornix::engine {

// Texts (engine/function/limits.h).
inline constexpr size_t kRegexStepsMax = size_t{8} << 20;             // pattern's steps times text's bytes: 5 ns each at the worst, 40 ms that no cancel ends; 25 steps on 330 KiB
inline constexpr size_t kCombiningMarksMax = 1'024;                   // in a row: sorting them takes quadratic time; Unicode's stream-safe format allows 30

}  // namespace fornix::engine
