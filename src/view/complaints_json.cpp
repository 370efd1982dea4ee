// Complaints about a file as JSON.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "view/complaints.hpp"
#include "view/utf8.hpp"

namespace muster::view {
namespace {

using Json = nlohmann::ordered_json;

Json asked_json(const std::vector<model::AskedOfTarget>& asked) {
  Json list = Json::array();
  for (const model::AskedOfTarget& one : asked) {
    const Json fine = one.is_fine ? Json(*one.is_fine) : Json();
    list.push_back(Json{{"about", utf8(one.about)},
                        {"fine", fine},
                        {"what", utf8(one.what)},
                        {"hint", utf8(one.hint)}});
  }
  return list;
}

bool says_no(const model::AskedOfTarget& one) { return one.is_fine == false; }

}  // namespace

std::string complaints_json(const model::CheckedFile& file, std::span<const base::Error> complaints,
                            const std::vector<std::string>& notices) {
  Json list = Json::array();
  for (const base::Error& error : complaints) {
    list.push_back(Json{{"what", utf8(error.what)},
                        {"hint", utf8(error.hint)},
                        {"file", utf8(error.place.source)},
                        {"line", error.place.line},
                        {"column", error.place.column}});
  }
  Json told = Json::array();
  for (const std::string& notice : notices) told.push_back(utf8(notice));
  Json inputs = Json::array();
  for (const model::DeclaredInput& one : file.inputs) {
    inputs.push_back(Json{{"name", utf8(one.name)}, {"required", one.is_required}});
  }
  Json outputs = Json::array();
  for (const std::string& name : file.outputs) outputs.push_back(utf8(name));
  const bool fine = complaints.empty() && std::ranges::none_of(file.asked, says_no);
  Json whole = {{"file", utf8(file.path)},
                {"fine", fine},
                {"complaints", std::move(list)},
                {"notices", std::move(told)},
                {"inputs", std::move(inputs)},
                {"outputs", std::move(outputs)},
                {"has_artifacts", file.has_artifacts}};
  if (!file.run_configuration.empty()) {
    whole["run_configuration"] = Json::parse(file.run_configuration);
  }
  if (!file.target.empty()) {
    whole["target"] = utf8(file.target);
    whole["asked"] = asked_json(file.asked);
  }
  return whole.dump(2) + "\n";
}

}  // namespace muster::view
