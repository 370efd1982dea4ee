// The program: hands its words and environment to cli.
#include <unistd.h>

#include "cli/cli.hpp"

int main(int count, char** words) {
  muster::cli::Invocation invocation;
  invocation.words.assign(words, words + count);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    invocation.environment.emplace_back(*entry);
  }
  return muster::cli::main(invocation);
}
