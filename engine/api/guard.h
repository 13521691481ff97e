// Guarded: the border at which exceptions end. Three kinds may cross folders: bad_alloc, ReadFailure of a base that can't be
// read, and Interruption of a statement that is to end; each public call turns them into a status, after what stood below has been unwound (a transaction that goes out of
// scope is rolled back).
#pragma once

#include <new>

#include "base/interrupt.h"
#include "base/read_failure.h"

namespace fornix::engine {

inline Status OutOfMemory() {
  return {Code::kResourceExhausted,
          "the machine gave no more memory; take fewer rows, end other statements, or open the database with a smaller memory_bytes_max"};
}

// f() returns a Status or a Result; so does this.
template <typename F>
auto Guarded(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const ReadFailure& failure) {
    return failure.status();
  } catch (const Interruption& interruption) {
    return interruption.status();
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  }
}

}  // namespace fornix::engine
