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
add_executable(bench_storage bench/storage/storage.cc bench/storage/run.cc bench/storage/commits.cc bench/storage/hub.cc)
target_link_libraries(bench_storage PRIVATE fornix_bench_common fornix_engine fornix_allocator fornix_warnings)

find_package(ZLIB REQUIRED)
add_executable(bench_query bench/query/query.cc bench/common/social_graph.cc)
target_link_libraries(bench_query PRIVATE fornix_bench_common fornix_engine fornix_allocator fornix_warnings ZLIB::ZLIB)

# The vector index on real data, and beside hnswlib where its header is installed (`./dev compare vector` sees to that).
add_library(fornix_bench_dataset STATIC bench/vector/dataset.cc)
target_link_libraries(fornix_bench_dataset PUBLIC fornix_bench_common fornix_vector PRIVATE ZLIB::ZLIB fornix_warnings)
add_library(fornix_bench_public_index STATIC EXCLUDE_FROM_ALL bench/vector/public_index.cc)
target_link_libraries(fornix_bench_public_index PUBLIC fornix_bench_dataset fornix_engine PRIVATE fornix_warnings)
add_executable(bench_vector bench/vector/vector.cc)
target_link_libraries(bench_vector PRIVATE fornix_bench_public_index fornix_allocator fornix_warnings)
find_path(HNSWLIB_INCLUDE hnswlib/hnswlib.h)
if(HNSWLIB_INCLUDE)
  add_executable(bench_vector_peers EXCLUDE_FROM_ALL bench/vector/compare.cc bench/vector/compare_codes.cc bench/vector/peer_hnswlib.cc)
  set_source_files_properties(bench/vector/peer_hnswlib.cc PROPERTIES COMPILE_OPTIONS "-O3;-march=native;-w")
  target_link_libraries(bench_vector_peers PRIVATE fornix_bench_public_index fornix_allocator fornix_warnings)
endif()

# Our side of `./dev compare graph`; see bench/graph/compare.py.
add_executable(bench_graph_peer EXCLUDE_FROM_ALL bench/graph/peer.cc)
target_link_libraries(bench_graph_peer PRIVATE fornix_bench_common fornix_engine fornix_allocator fornix_warnings)

# The CSV files of `./dev bench storage` and of comparisons with other importers.
add_executable(bench_generate EXCLUDE_FROM_ALL bench/storage/generate.cc)
target_link_libraries(bench_generate PRIVATE fornix_base fornix_warnings)

add_executable(bench_bolt bench/bolt/bolt.cc)
target_link_libraries(bench_bolt PRIVATE fornix_bench_common fornix_server fornix_allocator fornix_warnings)
