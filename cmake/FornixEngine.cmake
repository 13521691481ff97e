# Libraries of the functions alone: time zones (Hinnant's date, with the system's zone data), regular expressions (RE2)
# and Unicode case and normal forms (utf8proc). Nothing outside engine/function includes their headers.
find_package(date CONFIG REQUIRED)
find_library(FORNIX_RE2 re2 REQUIRED)
find_library(FORNIX_UTF8PROC utf8proc REQUIRED)
get_target_property(engine_type fornix_engine TYPE)
if(NOT engine_type STREQUAL "INTERFACE_LIBRARY")
  target_link_libraries(fornix_engine PRIVATE date::date-tz ${FORNIX_RE2} ${FORNIX_UTF8PROC})
endif()
