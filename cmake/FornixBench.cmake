# bench_micro: Google Benchmark programs of bench/micro/*.cc in one binary; run it from a Release build.
find_package(benchmark REQUIRED)
file(GLOB bench_micro_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/bench/micro/*.cc")
add_executable(bench_micro ${bench_micro_sources})
target_include_directories(bench_micro PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(bench_micro PRIVATE
  fornix_engine fornix_vector fornix_wal fornix_base fornix_warnings benchmark::benchmark_main benchmark::benchmark)


# Figures through the public interface.
add_library(fornix_bench_common STATIC bench/common/report.cc)
target_include_directories(fornix_bench_common PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(fornix_bench_common PRIVATE fornix_warnings)
add_executable(bench_basic bench/graph/basic.cc)
target_link_libraries(bench_basic PRIVATE fornix_bench_common fornix_engine fornix_allocator fornix_warnings)
