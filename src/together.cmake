# How sources are compiled: several of a folder as one text, and what most of them include only once.

option(MUSTER_UNITY "compile sources of a room together; OFF for many small changes" ON)
set(MUSTER_UNITY_FILES 16 CACHE STRING "how many of them at the most")

# What most sources include. <filesystem> is not among them: its std::quoted would be meant by the
# `quoted` of some rooms. That each header includes what it needs is checked without these.
set(LIBRARY_HEADERS <algorithm> <array> <charconv> <chrono> <cstdint> <cstring> <deque> <functional>
    <limits> <map> <memory> <optional> <set> <span> <string> <string_view> <utility> <variant> <vector>
    <fmt/format.h> <tl/expected.hpp>)

# The sources to compile for a folder below the current one, given as paths relative to the current one.
# With MUSTER_UNITY they are texts that include up to MUSTER_UNITY_FILES of the folder's own; those whose
# property SKIP_UNITY_BUILD_INCLUSION or COMPILE_DEFINITIONS is set stay by themselves. CMake's UNITY_BUILD
# does the same with absolute paths, with which __FILE__ would differ from checkout to checkout, and a
# compiler cache would find nothing of another one.
function(compiled_together result folder)
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${folder}/*.cpp)
  set(made)
  set(text)
  set(count 0)
  string(REPLACE "/" "." name ${folder})
  foreach(source ${sources})
    get_source_file_property(skipped ${source} SKIP_UNITY_BUILD_INCLUSION)
    get_source_file_property(defined ${source} COMPILE_DEFINITIONS)
    if(NOT MUSTER_UNITY OR skipped OR defined)
      list(APPEND made ${source})
      continue()
    endif()
    string(APPEND text "#include \"${source}\"\n")
    math(EXPR count "${count} + 1")
    math(EXPR rest "${count} % ${MUSTER_UNITY_FILES}")
    if(rest EQUAL 0)
      list(APPEND texts "${text}")
      set(text)
    endif()
  endforeach()
  if(text)
    list(APPEND texts "${text}")
  endif()
  set(number 0)
  foreach(text ${texts})
    set(file ${CMAKE_CURRENT_BINARY_DIR}/together/${name}.${number}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
    list(APPEND made ${file})
    math(EXPR number "${number} + 1")
  endforeach()
  set(${result} ${made} PARENT_SCOPE)
endfunction()
