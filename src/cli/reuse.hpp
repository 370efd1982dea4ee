// Reuse: a step that would do what one did before takes that one's outputs instead.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "front/pipeline_request.hpp"

namespace muster::cli {

// What a step depends on, as one hash: command, variables, layout, code, and the contents of its
// inputs. Empty for a step that is not declared deterministic, and for one of which something
// cannot be compared, which is then told.
struct ReuseKey {
  std::string key;
  std::string why_not;  // of one that is declared deterministic
};
// `elsewhere`: folders of steps, and where what they would hold lies now; may be empty.
using Elsewhere = std::map<std::string, std::string>;
[[nodiscard]] ReuseKey reuse_key(const front::PipelineRequest& request,
                                 const front::StepRequest& step, const Elsewhere& elsewhere = {});

// What the kernel says of the contents of which a step depends, before its key is computed and once
// it has run: where both are the same, so is the key, and nothing is read a second time. Empty
// where that cannot be told from it.
[[nodiscard]] std::string reuse_stamp(const front::PipelineRequest& request,
                                      const front::StepRequest& step);

// The folder of the record whose outputs are those of such a step: it completed, and they are as it
// left them.
[[nodiscard]] std::optional<std::string> find_reusable(const front::PipelineRequest& request,
                                                       const std::string& key);

// Once a step has completed: others may take its outputs, unless these cannot be compared.
[[nodiscard]] base::Result<void> offer_for_reuse(const front::PipelineRequest& request,
                                                 const std::string& key, const std::string& folder);

// Offers of records that have gone: files below `records`, with what they take on the disk. Runs in
// `except` count as gone.
struct StaleOffer {
  std::string path;
  std::uint64_t bytes = 0;
};
[[nodiscard]] std::vector<StaleOffer> stale_offers(const std::string& records,
                                                   const std::set<std::string>& except);

}  // namespace muster::cli
