// What every command says in the same way: text, and a complaint with its exit code.
#pragma once

#include <cstdio>
#include <string>

#include "base/error.hpp"

namespace muster::cli {

void print(std::FILE* where, const std::string& text);
// Prints the error to stderr, with colours on a terminal; returns its exit code.
[[nodiscard]] int complain(const base::Error& error);

}  // namespace muster::cli
