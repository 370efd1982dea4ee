// ComponentFiles: the files that a pipeline consists of, each read once.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/complaints.hpp"
#include "job/job_file.hpp"
#include "job/pipeline_file.hpp"
#include "job/read_pipeline.hpp"

namespace muster::job {

class ComponentFiles {
 public:
  // `text` and `complaints` outlive this.
  ComponentFiles(std::string_view text, const std::string& source, ReadComponent read,
                 Complaints& complaints);

  // The number of the file that another one names; nothing when it cannot be had, which has been
  // complained about.
  std::optional<std::uint32_t> open(std::uint32_t from, const Text& named);

  // Null when it is no YAML map.
  [[nodiscard]] const SharedNode& root(std::uint32_t file) const { return files_[file].root; }
  [[nodiscard]] std::string_view text(std::uint32_t file) const { return files_[file].text; }
  [[nodiscard]] const std::string& path(std::uint32_t file) const {
    return files_[file].about.path;
  }
  [[nodiscard]] std::vector<SourceFile> about() const;
  [[nodiscard]] Mark mark_of_part(const Text& value, std::string_view part) const;

 private:
  struct File {
    SourceFile about;
    std::string owned;
    std::string_view text;
    SharedNode root;
  };

  std::uint32_t add(SourceFile about, std::string text);

  ReadComponent read_;
  Complaints& complaints_;
  std::deque<File> files_;
  std::map<std::string, std::optional<std::uint32_t>> numbers_;  // nothing: it could not be read
};

}  // namespace muster::job
