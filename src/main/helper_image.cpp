// The assembler puts the helper's file among what is only read. Until it is wanted, no page of it
// is in memory.
#include "main/helper_image.hpp"

asm(".pushsection .rodata.muster_helper, \"a\"\n"
    ".global muster_helper_begin\n"
    ".global muster_helper_end\n"
    "muster_helper_begin:\n"
    ".incbin \"" MUSTER_HELPER_FILE
    "\"\n"
    "muster_helper_end:\n"
    ".popsection\n");

extern "C" const char muster_helper_begin[];
extern "C" const char muster_helper_end[];

namespace muster {

std::string_view helper_image() {
  return {muster_helper_begin, static_cast<std::size_t>(muster_helper_end - muster_helper_begin)};
}

}  // namespace muster
