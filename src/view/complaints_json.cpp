// Complaints about a file as JSON.
#include <nlohmann/json.hpp>

#include "view/complaints.hpp"
#include "view/utf8.hpp"

namespace muster::view {

std::string complaints_json(const model::CheckedFile& file, std::span<const base::Error> complaints,
                            const std::vector<std::string>& notices) {
  using Json = nlohmann::ordered_json;
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
  const Json whole = {{"file", utf8(file.path)},       {"fine", complaints.empty()},
                      {"complaints", std::move(list)}, {"notices", std::move(told)},
                      {"inputs", std::move(inputs)},   {"outputs", std::move(outputs)}};
  return whole.dump(2) + "\n";
}

}  // namespace muster::view
