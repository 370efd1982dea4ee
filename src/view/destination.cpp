// Looks a stream up in what was asked for.
#include "view/destination.hpp"

namespace muster::view {

using model::Stream;

const model::Route& route_of(const model::OutputSpec& output, const Speaker& speaker,
                             Stream stream) {
  const model::Routes* routes = &output.routes;
  if (!output.chosen.empty()) {
    const auto found = output.chosen.find(output.by_local_rank ? speaker.local_rank : speaker.rank);
    if (found != output.chosen.end()) routes = &found->second;
  }
  return stream == Stream::out ? routes->out : routes->err;
}

Stream shown_on(const model::OutputSpec& output, Stream stream) {
  return output.merge || output.xml ? Stream::out : stream;
}

std::string file_of(const model::OutputSpec& output, const Speaker& speaker, Stream stream) {
  std::string path;
  if (!route_of(output, speaker, stream).file) return path;
  append_pattern(path, stream == Stream::out ? output.out_file : output.err_file, speaker, stream,
                 {});
  return path;
}

}  // namespace muster::view
