// Where the values of shared rows go.
#include "job/shared_keys.hpp"

#include "base/words.hpp"

namespace muster::job {

void add_input(JobFile& job, const Found& found) {
  Input& input = job.inputs.emplace_back();
  input.name = found.key;
  input.mark = found.key_mark;
  store(input.value, found);
}

void add_path(JobFile& job, const Found& found) {
  store(job.inputs.back().value, found);
  job.inputs.back().is_path = true;
}

// Its key is all that tells that it is a folder.
void add_folder(JobFile& job, const Found& found) {
  add_path(job, found);
  Input& input = job.inputs.back();
  if (!input.type) input.type = Text{"uri_folder", found.key_mark, found.key_mark};
}

void add_output(JobFile& job, const Found& found) {
  Output& output = job.outputs.emplace_back();
  output.name = found.key;
  output.mark = found.key_mark;
  store(output.path, found);
}

void set_conda(JobFile& job, const Found& found) {
  Conda& conda = job.conda.emplace();
  conda.begin = found.node.begin;
  store(conda.file, found);
  if (!conda.file) conda.map = std::make_shared<const Node>(found.node);
}

void choose_by_word(JobFile& job, const Found& found) {
  const std::string word = base::lower(found.node.text);
  Framework framework = Framework::mpi;
  if (word == "tensorflow") framework = Framework::tensorflow;
  if (word == "pytorch" || word == "torch.distributed") framework = Framework::pytorch;
  job.frameworks.push_back({framework, found.node.begin});
}

}  // namespace muster::job
