// System calls that lie, linked into a child of their own before the library's: what FORNIX_STUMBLE names goes wrong at every call.
//   close   closes, and says EIO, as a network's disk may at the end
//   clock   the wall clock is an hour earlier at every look; the monotonic one goes on as it should
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <string_view>

namespace {
bool Stumbles(const char* what) {
  const char* wanted = std::getenv("FORNIX_STUMBLE");
  return wanted != nullptr && std::string_view(wanted) == what;
}
}  // namespace

extern "C" int close(int fd) {
  const long done = syscall(SYS_close, fd);
  if (done == 0 && Stumbles("close")) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(done);
}

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static std::atomic<long> looks{0};
  const long done = syscall(SYS_clock_gettime, clock, time);
  if (done == 0 && clock == CLOCK_REALTIME && Stumbles("clock")) time->tv_sec -= 3600 * ++looks;
  return static_cast<int>(done);
}
