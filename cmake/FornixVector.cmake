# The distance kernels: each file gets the flags of its own architecture, and distance.cc chooses at run time. They are
# optimised in every build: without inlining an xsimd kernel is 50 times slower, and tests would measure that.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(kernels "${CMAKE_CURRENT_SOURCE_DIR}/vector/distance/kernels")
  set_source_files_properties("${kernels}_sse42.cc" PROPERTIES COMPILE_OPTIONS "-O2;-msse4.2")
  set_source_files_properties("${kernels}_avx2.cc" PROPERTIES COMPILE_OPTIONS "-O2;-mavx2;-mfma")
  # g++ 12 takes the "undefined" registers of its own AVX-512 header for a mistake, hence -Wno-uninitialized.
  # AVX-512F with FMA and AVX2, which every processor that has it has too; no other AVX-512 part is used.
  set_source_files_properties("${kernels}_avx512.cc" PROPERTIES COMPILE_OPTIONS "-O2;-mavx512f;-mavx2;-mfma;-Wno-uninitialized")
  # The kernels over codes likewise. The AVX-512 set is run only where F, BW, VL, VNNI and VPOPCNTDQ are all there.
  set(kernels "${CMAKE_CURRENT_SOURCE_DIR}/vector/quantize/code_kernels")
  set_source_files_properties("${kernels}_sse42.cc" PROPERTIES COMPILE_OPTIONS "-O2;-msse4.2;-mpopcnt")
  set_source_files_properties("${kernels}_avx2.cc" PROPERTIES COMPILE_OPTIONS "-O2;-mavx2;-mfma;-mf16c;-mpopcnt")
  set_source_files_properties("${kernels}_avx512.cc" PROPERTIES COMPILE_OPTIONS
    "-O2;-mavx512f;-mavx512bw;-mavx512vl;-mavx512vnni;-mavx512vpopcntdq;-mavx2;-mfma;-mf16c;-Wno-uninitialized")
endif()
# The same holds for the graph: without optimisation its tests take minutes.
target_compile_options(fornix_vector PRIVATE $<$<CONFIG:Debug>:-O2>)
