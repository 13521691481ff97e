// Walks through all cases instead of drawing some: the body of the loop asks for choices, and each round of the loop gives
// the next combination of answers, until all have been.
//
//   Exhaustive all;
//   while (all.Next()) { int a = all.Below(2); int b = all.Below(a + 1); ... }   // (0,0) (1,0) (1,1)
//
// How many choices are asked, and their bounds, may depend on the answers before. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "base/check.h"

namespace fornix {

class Exhaustive {
 public:
  // False when there is no further case.
  bool Next() {
    if (!started_) return started_ = true;
    while (!choices_.empty() && choices_.back().value + 1 == choices_.back().bound) choices_.pop_back();
    if (choices_.empty()) return false;
    ++choices_.back().value;
    at_ = 0;
    return true;
  }
  // A number in [0, bound), bound > 0.
  uint32_t Below(uint32_t bound) {
    CHECK(bound > 0);
    if (at_ == choices_.size()) choices_.push_back({0, bound});
    CHECK(choices_[at_].bound == bound);  // else the body isn't a function of its choices
    return choices_[at_++].value;
  }

 private:
  struct Choice {
    uint32_t value;
    uint32_t bound;
  };
  std::vector<Choice> choices_;
  size_t at_ = 0;
  bool started_ = false;
};

}  // namespace fornix
