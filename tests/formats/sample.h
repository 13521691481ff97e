// What the files of all formats hold: the sample of tests/corrupt with a few nodes and a hub. Must not change, or
// old files would be compared with another text.
#pragma once

#include "tests/corrupt/sample.h"

namespace fornix::formats {

inline constexpr corrupt::SampleSize kSize{.nodes = 24, .hub = 2'100, .text_bytes = 6'000};

}  // namespace fornix::formats
