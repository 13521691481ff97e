#include "tools/shell/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/clock.h"

namespace fornix::shell {
namespace {
constexpr uint64_t kShowEveryNanos = 100'000'000;
constexpr int kBarWidth = 24;
}  // namespace

std::string Grouped(uint64_t n) {
  std::string out = std::to_string(n);
  for (size_t at = out.size(); at > 3;) out.insert(at -= 3, ",");
  return out;
}

std::string Duration(double seconds) {
  char text[48];
  if (seconds < 60) std::snprintf(text, sizeof text, "%.1f s", seconds);
  else std::snprintf(text, sizeof text, "%d min %d s", static_cast<int>(seconds / 60), static_cast<int>(seconds) % 60);
  return text;
}

Progress::Progress() : terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::Clear() {
  if (line_shown_) std::fputs("\r\x1b[K", stderr);
  line_shown_ = false;
}

void Progress::EndStage() {
  Clear();
  if (stage_.empty()) return;
  const double seconds = static_cast<double>(MonotonicNanos() - began_ns_) / 1e9;
  if (done_ == 0) {
    std::fprintf(stderr, "%s: %s\n", stage_.c_str(), Duration(seconds).c_str());
  } else {
    std::fprintf(stderr, "%s: %s %s, %s, %s a second\n", stage_.c_str(), Grouped(done_).c_str(), unit_, Duration(seconds).c_str(),
                 Grouped(static_cast<uint64_t>(static_cast<double>(done_) / std::max(seconds, 1e-3))).c_str());
  }
  stage_.clear();
}

void Progress::Finish() { EndStage(); }

void Progress::Update(const std::string& stage, uint64_t done, const char* unit, double fraction) {
  const uint64_t now = MonotonicNanos();
  if (stage != stage_) {
    EndStage();
    stage_ = stage;
    began_ns_ = now;
  }
  done_ = done;
  unit_ = unit;
  if (!terminal_ || now - shown_ns_ < kShowEveryNanos) return;
  shown_ns_ = now;
  const double seconds = static_cast<double>(now - began_ns_) / 1e9;
  std::string line = stage + " ";
  if (fraction >= 0) {
    const int full = static_cast<int>(std::min(fraction, 1.0) * kBarWidth);
    line += "[" + std::string(static_cast<size_t>(full), '=') + std::string(static_cast<size_t>(kBarWidth - full), ' ') + "] " +
            std::to_string(static_cast<int>(fraction * 100)) + " %";
  }
  if (done > 0 && seconds > 0) line += ", " + Grouped(static_cast<uint64_t>(static_cast<double>(done) / seconds)) + " " + unit + " a second";
  if (fraction > 0.01 && seconds > 0.5) line += ", " + Duration(seconds * (1 - fraction) / fraction) + " left";
  std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
  line_shown_ = true;
}

}  // namespace fornix::shell
