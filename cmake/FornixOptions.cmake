# Options, compiler flags and the warnings that are errors in our own code.
option(FORNIX_TESTS "Build the tests" ON)
option(FORNIX_BENCH "Build the benchmarks" ON)
option(FORNIX_FUZZ "Build the fuzzers (clang only; see the preset fuzz)" OFF)
option(FORNIX_MIMALLOC "Link our executables with mimalloc: for measuring (docs/decisions/006)" OFF)
set(FORNIX_SANITIZE "" CACHE STRING "Sanitizers, as in -fsanitize= (address,undefined or thread); empty for none")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE}")
endif()

# x86-64-v2 is the floor of every machine sold since 2009; faster kernels are compiled apart and chosen at run time.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  add_compile_options(-march=x86-64-v2)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")      # CHECK stays on in every build, so no NDEBUG
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1 -DFORNIX_DEBUG=1")
if(FORNIX_SANITIZE)
  add_compile_options(-fsanitize=${FORNIX_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  # TSan doesn't see fences, and says so at each: storage/process/lock_file.cc has one, between processes.
  if(FORNIX_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)
  endif()
  add_link_options(-fsanitize=${FORNIX_SANITIZE})
endif()

add_library(fornix_warnings INTERFACE)
target_compile_options(fornix_warnings INTERFACE
  -Wall -Wextra -Werror -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wno-missing-field-initializers
  -Wno-maybe-uninitialized)   # g++ 12 sees it in every std::optional inside a Result at -O2
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(fornix_warnings INTERFACE -Wno-error -Wno-unknown-warning-option)   # g++ is the judge
endif()
