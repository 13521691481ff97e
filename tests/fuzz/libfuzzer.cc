// The entry that libFuzzer calls; FORNIX_FUZZ_TARGET is one of the functions of target.h.
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fornix::fuzz::FORNIX_FUZZ_TARGET({data, size});
  return 0;
}
