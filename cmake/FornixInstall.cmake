# `cmake --install`: the public headers, the static libraries and find_package(fornix) with the target fornix::fornix; the
# command line beside them. The test of it is tests/install.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# What a user links. The folders' libraries are parts of it and nobody's business.
add_library(fornix_public INTERFACE)
set_target_properties(fornix_public PROPERTIES EXPORT_NAME fornix)
target_link_libraries(fornix_public INTERFACE fornix_engine)
target_compile_features(fornix_public INTERFACE cxx_std_20)
target_include_directories(fornix_public INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
add_library(fornix::fornix ALIAS fornix_public)

install(TARGETS fornix_public fornix_engine fornix_planner fornix_storage fornix_vector fornix_wal fornix_grammar fornix_parser fornix_base
  EXPORT fornix ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS fornix RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/include/fornix" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/fornix")
install(EXPORT fornix NAMESPACE fornix:: FILE fornixTargets.cmake DESTINATION ${package_dir})
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/fornixConfig.cmake" @ONLY CONTENT
[[# find_package(fornix): the target fornix::fornix, and the libraries that it stands on.
include("${CMAKE_CURRENT_LIST_DIR}/FornixDependencies.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/fornixTargets.cmake")
]])
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/fornixConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/fornixConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/fornixConfigVersion.cmake"
  "${CMAKE_CURRENT_SOURCE_DIR}/cmake/FornixDependencies.cmake" DESTINATION ${package_dir})
