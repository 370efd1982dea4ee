// The helper program: what needs shared libraries. Only muster starts it.
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <unistd.h>
#include <vector>

#include "helper/answer.hpp"
#include "pmix/process.hpp"
#include "process/helper_program.hpp"
#include "process/shortage.hpp"
#include "process/task_descriptors.hpp"

namespace {

int run(int count, char** words) {
  // The library's threads still run at its end: nothing but _Exit is safe then.
  if (count == 2 && std::string_view(words[1]) == "pmix-server") {
    std::_Exit(muster::pmix::serve_standard());
  }
  const std::vector<std::string> question(words + 1, words + count);
  return muster::process::tell_owner(muster::helper::answer(question));
}

}  // namespace

int main(int count, char** words) {
  if (count == 0) return EXIT_FAILURE;
  ::prctl(PR_SET_NAME, "muster");               // it was started by the path of a descriptor
  ::close(muster::process::kWireupDescriptor);  // the program's own file
  const auto code = muster::process::caught([&] { return run(count, words); });
  return code ? *code : muster::process::tell_owner(tl::unexpected(code.error()));
}
