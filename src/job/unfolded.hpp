// unfolded: job files that Azure ML's SDK has written, in the form in which people write them.
// Pure.
#pragma once

#include "job/node.hpp"

namespace muster::job {

// What `job.dump(FILE)` writes of a command(...) holds its command in a component, beside which
// stand values for inputs; trials of a sweep are components, too, whose command names what varies
// as an input; a pipeline within a pipeline lacks inputs whose parameter has no annotation; True
// and False are 1 and 0; and a path of this machine has "azureml:" in front. Other files stay what
// they are.
[[nodiscard]] SharedNode unfolded(SharedNode root);

}  // namespace muster::job
