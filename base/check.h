// CHECK stops the process on our own mistake before it can write a wrong thing; it is on in every build.
// DCHECK is for hot loops and only on in debug and sanitizer builds. Neither is for bad input or bad bytes on disk.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace fornix {
[[noreturn]] inline void CheckFailed(const char* what, const char* file, int line) {
  std::fprintf(stderr, "fornix: internal error: %s does not hold at %s:%d\n", what, file, line);
  std::abort();
}
}  // namespace fornix

#define CHECK(condition) ((condition) ? (void)0 : ::fornix::CheckFailed(#condition, __FILE__, __LINE__))
#ifdef FORNIX_DEBUG
#define DCHECK(condition) CHECK(condition)
#else
#define DCHECK(condition) ((void)0)
#endif
