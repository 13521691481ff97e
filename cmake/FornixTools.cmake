# build/fornix: the shell and the command line. A client of include/fornix like any user's program.
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBEDIT REQUIRED IMPORTED_TARGET libedit)

# The allocator of our executables (docs/decisions/006): the C library's, or mimalloc, whose Debian library takes malloc over in whoever
# links it; so the library of ours never does (002). Sanitizers bring their own.
add_library(fornix_allocator INTERFACE)
if(FORNIX_MIMALLOC AND NOT FORNIX_SANITIZE)
  find_library(MIMALLOC mimalloc REQUIRED)
  target_link_libraries(fornix_allocator INTERFACE -Wl,--no-as-needed ${MIMALLOC} -Wl,--as-needed)
endif()

# Shared by the shell and the demo: JSON and tables of values.
add_library(fornix_present STATIC tools/shell/json.cc tools/shell/table.cc)
target_include_directories(fornix_present PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/include")
target_link_libraries(fornix_present PUBLIC fornix_base nlohmann_json::nlohmann_json PRIVATE fornix_third::utf8proc fornix_warnings)

# The commands that work on files: import, export, dump, check. A library, for their tests.
file(GLOB tool_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/tools/import/*.cc" "${CMAKE_CURRENT_SOURCE_DIR}/tools/export/*.cc"
  "${CMAKE_CURRENT_SOURCE_DIR}/tools/dump/*.cc" "${CMAKE_CURRENT_SOURCE_DIR}/tools/check/*.cc")
add_library(fornix_tools STATIC ${tool_sources} tools/shell/progress.cc)
target_link_libraries(fornix_tools PUBLIC fornix_present fornix_engine PRIVATE fornix_warnings)

# The Bolt server: a client of include/fornix too. The one place that sees Boost.Asio.
add_library(fornix_server STATIC tools/server/command.cc tools/server/metrics.cc tools/server/bolt/frames.cc tools/server/bolt/metadata.cc tools/server/bolt/packer.cc
  tools/server/bolt/remote.cc  tools/server/bolt/server.cc tools/server/bolt/session.cc tools/server/bolt/tls.cc tools/server/bolt/unpacker.cc tools/server/bolt/zones.cc)
find_package(OpenSSL 3 REQUIRED)
target_compile_definitions(fornix_server PRIVATE BOOST_ASIO_NO_DEPRECATED)
target_link_libraries(fornix_server PUBLIC fornix_tools PRIVATE OpenSSL::SSL date::date-tz fornix_warnings)

add_executable(fornix tools/shell/main.cc tools/shell/tool_commands.cc tools/shell/runner.cc tools/shell/shell.cc)
target_link_libraries(fornix PRIVATE fornix_server fornix_tools fornix_present fornix_engine CLI11::CLI11 PkgConfig::LIBEDIT fornix_allocator fornix_warnings)

# The demo, and its data as a library of its own for the test of its answers.
find_package(ZLIB REQUIRED)
add_library(fornix_demo_data STATIC tools/demo/memory_data.cc)
target_link_libraries(fornix_demo_data PUBLIC fornix_present fornix_engine PRIVATE fornix_warnings)
add_executable(fornix_demo tools/demo/main.cc tools/demo/crash_show.cc tools/demo/wordnet.cc)
target_link_libraries(fornix_demo PRIVATE fornix_demo_data ZLIB::ZLIB fornix_allocator fornix_warnings)
