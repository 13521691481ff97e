# The fuzzers: clang with libFuzzer, AddressSanitizer and UBSan (preset fuzz; ./dev fuzz). Nothing else is built that way, so only the libraries
# a target needs are compiled; the generated parser is followed by the fuzzer and not sanitized (it takes minutes with UBSan).
add_subdirectory("${CMAKE_CURRENT_SOURCE_DIR}/tests/corrupt")
function(fornix_fuzzer name function)
  add_executable(fuzz_${name} "${CMAKE_CURRENT_SOURCE_DIR}/tests/fuzz/libfuzzer.cc" ${ARGN})
  target_compile_definitions(fuzz_${name} PRIVATE FORNIX_FUZZ_TARGET=${function})
  target_include_directories(fuzz_${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(fuzz_${name} PRIVATE fornix_corrupt fornix_warnings)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
endfunction()
fornix_fuzzer(log FuzzLog tests/fuzz/log.cc)
fornix_fuzzer(database FuzzDatabase tests/fuzz/database.cc)
fornix_fuzzer(query FuzzQuery tests/fuzz/statement.cc)
fornix_fuzzer(parameters FuzzParameters tests/fuzz/statement.cc)
target_link_libraries(fuzz_query PRIVATE fornix_engine)
target_link_libraries(fuzz_parameters PRIVATE fornix_engine)
# Run by hand: make_fuzz_corpus tests/fuzz/corpus
add_executable(make_fuzz_corpus tests/fuzz/make_corpus.cc)
target_link_libraries(make_fuzz_corpus PRIVATE fornix_corrupt fornix_warnings)
