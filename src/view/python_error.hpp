// The exception of a Python rank, from what it wrote to TORCHELASTIC_ERROR_FILE.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::view {

struct PythonError {
  std::string what;                 // "ValueError: bad batch"
  std::string absent;               // as absent_tasks() says of the message
  std::vector<std::string> frames;  // "train.py:40 in step: loss = f(x)", innermost first
};

// Reads torch's error.json (torch/distributed/elastic/multiprocessing/errors/error_handler.py), or
// its older plain form. Frames are the innermost three of the program's own code: not of installed
// packages, nor of Python itself. Empty `what`: this is no such file.
[[nodiscard]] PythonError python_error(std::string_view text);

}  // namespace muster::view
