# The parser, generated from grammar/Cypher.g4 into the build directory: a library of its own with flags of its own.
# It is optimised in every build (tests parse a lot) and stays out of UBSan (the generated file takes minutes with it).
find_program(ANTLR4 antlr4 REQUIRED)
find_path(ANTLR4_INCLUDE antlr4-runtime.h PATHS /usr/include/antlr4-runtime /usr/local/include/antlr4-runtime REQUIRED)

if(FORNIX_FUZZ)
  # clang 14 makes no default constructor of a class with constant vectors, which the runtime's Vocabulary asks for; a copy of its headers asks for none.
  set(antlr4_copy "${CMAKE_CURRENT_BINARY_DIR}/antlr4-runtime")
  if(NOT EXISTS "${antlr4_copy}/Vocabulary.h")
    file(COPY "${ANTLR4_INCLUDE}/" DESTINATION "${antlr4_copy}")
    file(READ "${antlr4_copy}/Vocabulary.h" vocabulary)
    string(REPLACE "Vocabulary() = default;" "Vocabulary() {}" vocabulary "${vocabulary}")
    file(WRITE "${antlr4_copy}/Vocabulary.h" "${vocabulary}")
  endif()
  set(ANTLR4_INCLUDE "${antlr4_copy}")
endif()

set(parser_dir "${CMAKE_CURRENT_BINARY_DIR}/parser")
file(MAKE_DIRECTORY "${parser_dir}")
add_custom_command(
  OUTPUT "${parser_dir}/CypherParser.cpp" "${parser_dir}/CypherParser.h"
  COMMAND "${ANTLR4}" -Dlanguage=Cpp -no-listener -no-visitor -Werror -package fornix::parser -o "${parser_dir}" Cypher.g4
  WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/grammar"
  DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/grammar/Cypher.g4"
  COMMENT "antlr4 grammar/Cypher.g4")
add_library(fornix_parser STATIC "${parser_dir}/CypherParser.cpp" "${parser_dir}/CypherParser.h")
target_compile_options(fornix_parser PRIVATE -O2 -w -fno-char8_t)
if(FORNIX_SANITIZE MATCHES "undefined")
  target_compile_options(fornix_parser PRIVATE -fno-sanitize=undefined)
endif()
target_include_directories(fornix_parser SYSTEM PUBLIC $<BUILD_INTERFACE:${parser_dir}> $<BUILD_INTERFACE:${ANTLR4_INCLUDE}>)
target_link_libraries(fornix_parser PUBLIC fornix_third::antlr4 Threads::Threads)
