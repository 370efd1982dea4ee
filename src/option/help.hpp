// options_help: a table of options as the middle part of a help text, below 100 columns.
#pragma once

#include <string>

#include "option/option.hpp"

namespace muster::option {

// A head line for each group, in the order in which groups first appear, and its options.
[[nodiscard]] std::string options_help(const OptionTexts& options);

}  // namespace muster::option
