// Gives the processes MLflow's variables.
#include "front/job/metrics.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "front/request.hpp"
#include "sweep/metric_text.hpp"

namespace muster::front {
namespace {

bool is_exported(const model::App& app, std::string_view name) {
  return std::ranges::count(app.exports, name, &model::EnvSetting::name) > 0;
}

}  // namespace

bool keep_metrics(const std::string& record, model::JobSpec& spec) {
  const std::string folder = fmt::format("{}/{}", record, kMetricsFolder);
  bool is_kept = false;
  for (model::App& app : spec.apps) {
    if (is_exported(app, kTrackingUri)) continue;
    app.exports.push_back({std::string(kTrackingUri), sweep::file_uri(folder)});
    if (!is_exported(app, kAllowFileStore)) {
      app.exports.push_back({std::string(kAllowFileStore), "true"});
    }
    is_kept = true;
  }
  return is_kept;
}

}  // namespace muster::front
