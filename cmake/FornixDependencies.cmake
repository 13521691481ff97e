# The third-party libraries that end up in every program which links Fornix, as targets. Our build includes this file, and
# so does the installed fornixConfig.cmake: a library is found again on the machine where it is linked, by the same words.
#   fornix_third::antlr4     the parser's runtime
#   fornix_third::utf8proc   Unicode classes, case and normal forms
#   fornix_third::re2        regular expressions
#   fornix_third::lz4      compression of extents and spilled runs
#   date::date-tz            time zones, with the system's zone data
#   Threads::Threads
# Header-only libraries (Boost, xsimd) are needed to build Fornix alone: no public header includes them.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(date CONFIG)

function(fornix_third_party name)
  if(TARGET fornix_third::${name})
    return()
  endif()
  string(TOUPPER "FORNIX_${name}_LIBRARY" variable)
  find_library(${variable} NAMES ${ARGN} REQUIRED)
  add_library(fornix_third::${name} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(fornix_third::${name} PROPERTIES IMPORTED_LOCATION "${${variable}}")
endfunction()

# The archives first: Debian's runtime of the parser is large, and a program needs a tenth of it.
fornix_third_party(antlr4 libantlr4-runtime.a antlr4-runtime)
fornix_third_party(utf8proc libutf8proc.a utf8proc)
fornix_third_party(re2 re2)
fornix_third_party(lz4 liblz4.a lz4)
