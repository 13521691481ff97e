// Progress of a long command on standard error: on a terminal one line that is written again and again (stage, rate, time left), else a
// plain line when a stage has ended.
// Threads: one call at a time.
#pragma once

#include <cstdint>
#include <string>

namespace fornix::shell {

class Progress {
 public:
  Progress();
  ~Progress() { Clear(); }
  // `fraction` of the stage, below 0 where it isn't known; `unit`: "rows".
  void Update(const std::string& stage, uint64_t done, const char* unit, double fraction);
  // Ends the last stage.
  void Finish();

 private:
  void Clear();
  void EndStage();
  const bool terminal_;
  std::string stage_;
  const char* unit_ = "";
  uint64_t done_ = 0;
  uint64_t began_ns_ = 0, shown_ns_ = 0;
  bool line_shown_ = false;
};

// "1,234,567"
std::string Grouped(uint64_t n);
// "4.2 s", "3 min 12 s"
std::string Duration(double seconds);

}  // namespace fornix::shell
