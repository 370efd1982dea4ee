// Ground: what the requests of a pipeline's steps are made from.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "front/call.hpp"
#include "front/job/options.hpp"
#include "front/job/place.hpp"
#include "job/graph.hpp"

namespace muster::front {

// A target that steps name, with the hosts of the pool that are its.
struct PoolPlace {
  job::Place place;
  std::vector<std::size_t> hosts;  // index: PipelineRequest::hosts
};

// It outlives the reading.
struct Ground {
  Call call;
  JobDraft draft;
  job::Graph graph;
  std::vector<std::string> sources;  // of marks in the graph: job::sources_of()
  std::vector<PoolPlace> places;
  std::vector<std::size_t> place_of_step;
};

using SharedGround = std::shared_ptr<const Ground>;

}  // namespace muster::front
