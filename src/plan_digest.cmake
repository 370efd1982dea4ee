# Writes OUTPUT, the definition of wire::plan_digest(), from the bytes of FILES.
set(all "")
separate_arguments(FILES)
foreach(file ${FILES})
  file(SHA256 ${file} one)
  string(APPEND all ${one})
endforeach()
string(SHA256 digest "${all}")
string(SUBSTRING ${digest} 0 16 digest)
file(WRITE ${OUTPUT} "// Made by src/plan_digest.cmake.
#include \"wire/plan_digest.hpp\"

std::uint64_t muster::wire::plan_digest() { return 0x${digest}; }
")
