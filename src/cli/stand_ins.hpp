// The part of muster's Python package that stands in for Azure ML's SDK in the processes of a job.
#pragma once

#include <string>

namespace muster::cli {

// The folder that PYTHONPATH has to name, of the package that was installed, or built, with such a
// program; empty: there is none.
[[nodiscard]] std::string stand_ins_beside(const std::string& program);

// Whether a program in the folder of a job's code, or below, has the name of the SDK in it.
[[nodiscard]] bool names_azureml(const std::string& code);

}  // namespace muster::cli
