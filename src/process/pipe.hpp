// make_pipe: a pipe whose both ends close on exec, so that no task inherits one by accident.
#pragma once

#include "base/error.hpp"
#include "process/unique_fd.hpp"

namespace muster::process {

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

[[nodiscard]] base::Result<Pipe> make_pipe();

}  // namespace muster::process
