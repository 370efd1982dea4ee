// The program: hands its words and environment to cli.
#include <cstdlib>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "cli/cli.hpp"
#include "cli/speak.hpp"
#include "pmix/process.hpp"
#include "process/guard.hpp"
#include "process/shortage.hpp"

namespace {

int run(int count, char** words) {
  // A process that an agent starts, never a person. The library's threads still run at its end:
  // nothing but _Exit is safe then.
  if (count == 2 && std::string_view(words[1]) == "pmix-server") {
    std::_Exit(muster::pmix::serve_standard());
  }
  muster::cli::Invocation invocation;
  invocation.words.assign(words, words + count);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    invocation.environment.emplace_back(*entry);
  }
  return muster::cli::main(std::move(invocation));
}

}  // namespace

int main(int count, char** words) {
  const auto code = muster::process::caught([&] { return run(count, words); });
  muster::process::wait_for_guards();
  return code ? *code : muster::cli::complain(code.error());
}
