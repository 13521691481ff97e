// SpaceMap: which pages of a data file were reached, and through what; every page must be reached once or be free, never both.
// Threads: one.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "storage/page/extent.h"

namespace fornix::storage {

const char* ExtentKindName(ExtentKind kind);

class SpaceMap {
 public:
  SpaceMap(uint64_t file_pages, std::function<void(std::string)> problem) : pages_(file_pages, State::kUnknown), problem_(std::move(problem)) {}
  void Reach(const ExtentRef& ref, ExtentKind kind);
  void Free(uint32_t first, uint32_t pages);
  // Pages that neither reached; as ranges.
  void TellLost();

  struct Kind {
    uint64_t extents = 0, pages = 0;
  };
  const std::array<Kind, 256>& kinds() const { return kinds_; }
  uint64_t extents() const { return extents_; }
  uint64_t free_pages() const { return free_; }

 private:
  enum class State : uint8_t { kUnknown, kReached, kFree };
  std::vector<State> pages_;
  const std::function<void(std::string)> problem_;
  std::array<Kind, 256> kinds_{};
  uint64_t extents_ = 0, free_ = 0;
};

}  // namespace fornix::storage
