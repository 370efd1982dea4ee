// The program: hands its words and environment to cli.
#include <unistd.h>
#include <utility>

#include "base/variables.hpp"
#include "cli/cli.hpp"
#include "cli/speak.hpp"
#include "main/helper_image.hpp"
#include "process/guard.hpp"
#include "process/helper_outside.hpp"
#include "process/helper_program.hpp"
#include "process/room_to_start.hpp"
#include "process/shortage.hpp"

namespace {

int run(int count, char** words) {
  muster::process::set_helper(muster::helper_image());
  muster::cli::Invocation invocation;
  invocation.words.assign(words, words + count);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    invocation.environment.emplace_back(*entry);
  }
  muster::process::set_outside(
      muster::base::value_of(invocation.environment, muster::process::kOutside));
  return muster::cli::main(std::move(invocation));
}

}  // namespace

int main(int count, char** words) {
  if (const auto missing = muster::process::missing_room()) return muster::cli::complain(*missing);
  const auto code = muster::process::caught([&] { return run(count, words); });
  muster::process::wait_for_guards();
  return code ? *code : muster::cli::complain(code.error());
}
