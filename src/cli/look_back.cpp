// Reads each run's record only when those after it do not have what is looked for.
#include "cli/look_back.hpp"

#include "store/folder.hpp"
#include "store/reader.hpp"

namespace muster::cli {

std::string look_back(std::string pipeline, const std::string& step,
                      const std::function<bool(const std::string& folder)>& found) {
  constexpr int kRunsBackMax = 10'000;  // no circle goes on for ever
  for (int i = 0; i < kRunsBackMax && !pipeline.empty(); ++i) {
    std::string folder = store::step_folder(pipeline, step);
    if (found(folder)) return folder;
    const auto record = store::read_record(pipeline);
    pipeline = record ? record->rerun_of : "";
  }
  return "";
}

}  // namespace muster::cli
