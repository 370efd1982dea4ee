// What the expressions of a job stand for: values of its inputs, folders of its outputs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "job/complaints.hpp"
#include "job/expression.hpp"
#include "job/job_file.hpp"
#include "job/names.hpp"

namespace muster::job {

// --set inputs.NAME=VALUE
struct Setting {
  std::string key;
  std::string value;
};

// What is known of a name of data. An error says why it is not what it should be.
struct DataFound {
  std::optional<Reached> reached;  // nothing: nobody knows it
  std::string near = {};           // then, a hint at a name that may be meant; or nothing
};
using FindData = std::function<base::Result<DataFound>(const std::string& name)>;

// Where relative paths begin; all absolute.
struct Bases {
  std::string file;          // the job file's folder
  std::string here;          // in which settings were typed
  std::string outputs;       // of outputs that say no path; they lie below it, under their names
  std::string inputs = {};   // of those that are downloaded; empty: none is
  FindData find = {};        // empty: no names are known
  std::string home = {};     // what a path's ~/ stands for; empty: for itself
  std::string run = {};      // the run's name, for ${{name}} in the path of an output
  std::string runs_in = {};  // the run's copy of its code; empty: it has none
};

// Complaints: an input without a value, or with one that muster cannot reach; a setting that is of
// no input, or of the wrong type.
[[nodiscard]] Values values_of(const JobFile& job, const std::vector<Setting>& settings,
                               const Bases& bases, Complaints& complaints);

// Of whom, in complaints: "the input x of step a", and what sets it: "jobs.a.inputs.x".
struct Whose {
  Mark mark;
  std::string what;
  std::string setting;
};
// Where an input's value leads that lies elsewhere. Nothing: it has been complained about.
[[nodiscard]] std::optional<Reached> reached(const Input& input, const std::string& value,
                                             const Bases& bases, const Whose& whose,
                                             Complaints& complaints);

// "azureml:data:1", "https://host/file", "runs:/id/model": it lies elsewhere.
[[nodiscard]] bool is_in_azure(std::string_view path);
[[nodiscard]] bool is_elsewhere(std::string_view path);

// Of `azureml://datastores/...`, a place in Azure, no path is known either.
[[nodiscard]] bool says_path(const Output& output);

// What the job writes is one file, which nobody makes before; else a folder.
[[nodiscard]] bool is_file(const Output& output);
// Whether what such a file holds is a number, a word or a text, which is what an input bound to it
// stands for.
[[nodiscard]] bool is_value(const Output& output);

// Where such an output says no path, Azure ML means the folder in which the job runs, with its
// ./outputs and ./logs.
inline constexpr std::string_view kRunFolderName = "artifacts";
[[nodiscard]] bool is_run_folder(const Output& output);
// Of a job that runs in `folder` itself, which no copy can be made of here: nothing of it is
// brought back, in words.
[[nodiscard]] std::string empty_run_folder(std::string_view output, std::string_view folder);
// Whether it is there undeclared: of every command with code, as every run of Azure ML's has it.
[[nodiscard]] bool has_run_folder(const JobFile& job);

// Where an output lies.
[[nodiscard]] std::string output_path(const Output& output, const Bases& bases);

// A path that a person wrote, as a folder makes it absolute.
[[nodiscard]] std::string placed(const std::string& folder, const std::string& home,
                                 std::string_view path);

// A path as a folder makes it absolute.
[[nodiscard]] std::string below(const std::string& folder, std::string_view path);

}  // namespace muster::job
