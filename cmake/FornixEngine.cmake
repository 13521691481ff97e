# Libraries of the functions alone: time zones (Hinnant's date), regular expressions (RE2) and Unicode (utf8proc).
# Nothing outside engine/function includes their headers. LZ4 is engine/exec/spill's.
target_link_libraries(fornix_engine PRIVATE date::date-tz fornix_third::re2 fornix_third::utf8proc fornix_third::lz4)
