// SubmitCall: what `muster submit` is asked in a test, with files that are kept in memory.
#pragma once

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "front/call.hpp"
#include "front/job/front.hpp"

namespace muster::front {

class SubmitCall : public testing::Test {
 protected:
  Call asked(std::vector<std::string> words) {
    return {.called = "submit",
            .words = std::move(words),
            .environment = {"HOME=/home/u"},
            .current_folder = "/here",
            .read_file = [this](const std::string& path, std::size_t) -> base::Result<std::string> {
              const auto found = files_.find(path);
              if (found == files_.end())
                return base::fail(base::Fault::bad_file, "", "no {}", path);
              return found->second;
            },
            .has_file = [this](const std::string& path) { return files_.contains(path); }};
  }

  static std::string first_complaint(const Call& call) {
    const auto read = read_submit(call);
    return read && !read->complaints.empty() ? to_string(read->complaints.front()) : "";
  }

  std::map<std::string, std::string> files_;
};

}  // namespace muster::front
