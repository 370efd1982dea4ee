// Lists of objects go in, and what kubectl prints of each is compared with what was sent.
#include "cluster/creation.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>

#include "kubernetes/state.hpp"
#include "kubernetes/text.hpp"

namespace muster::cluster {
namespace {

using kubernetes::Value;

// A call has 30 seconds.
constexpr std::size_t kCallMax = 250;

std::string list_of(std::span<const Value> objects) {
  if (objects.size() == 1) return kubernetes::to_json(objects.front());
  return kubernetes::to_json(kubernetes::object()
                                 .add("apiVersion", "v1")
                                 .add("kind", "List")
                                 .add("items", std::vector<Value>(objects.begin(), objects.end())));
}

Refused of_error(base::Error error) { return {Refusal::other, std::move(error)}; }

// kubectl prints them in the order in which they were sent.
Answered<std::vector<Value>> compared(const Server& server, std::span<const Value> sent,
                                      const std::string& printed) {
  auto stored = read_documents(printed);
  if (!stored) return tl::unexpected(of_error(std::move(stored.error())));
  if (stored->size() != sent.size()) {
    return tl::unexpected(
        of_error({base::Fault::internal,
                  fmt::format("kubectl has made {} objects of {}", stored->size(), sent.size()),
                  {},
                  {}}));
  }
  for (std::size_t i = 0; i < sent.size(); ++i) {
    auto error = dropped(server, sent[i], (*stored)[i]);
    if (error) return tl::unexpected(of_error(std::move(*error)));
  }
  return std::move(*stored);
}

// kubectl knows the fields of older servers, and refuses others itself.
Refused with_version(Refused refused, const Server& server) {
  if (refused.error.what.find("unknown field") != std::string::npos) {
    refused.error.what += fmt::format(" (the server is {})", server.version);
  }
  return refused;
}

Answered<std::vector<Value>> create_some(const Kubectl& kubectl, const Server& server,
                                         std::span<const Value> objects) {
  const auto printed = kubectl.ask({"create", "--filename=-", "--output=json"}, list_of(objects));
  if (!printed) return tl::unexpected(with_version(printed.error(), server));
  return compared(server, objects, *printed);
}

std::string text_after(std::string_view answer, std::string_view key) {
  const std::size_t at = answer.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = answer.substr(at + key.size());
  return std::string(rest.substr(0, rest.find('"')));
}

}  // namespace

Server read_server(std::string_view answer) {
  constexpr int kFirst = 22;
  return {text_after(answer, "\"gitVersion\": \""),
          std::atoi(text_after(answer, "\"minor\": \"").c_str()) >= kFirst};
}

Answered<Server> ask_server(const Kubectl& kubectl) {
  return kubectl.ask({"get", "--raw=/version"}).map([](const std::string& answer) {
    return read_server(answer);
  });
}

Answered<std::vector<Value>> create(const Kubectl& kubectl, const Server& server,
                                    const std::vector<Value>& objects) {
  std::vector<Value> all;
  std::span<const Value> rest = objects;
  while (!rest.empty()) {
    const std::size_t some = std::min(rest.size(), kCallMax);
    auto stored = create_some(kubectl, server, rest.first(some));
    if (!stored) return stored;
    std::ranges::move(*stored, std::back_inserter(all));
    rest = rest.subspan(some);
  }
  return all;
}

// Each ends with a brace that begins a line; those within are indented.
base::Result<std::vector<Value>> read_documents(std::string_view text) {
  constexpr std::string_view kEnd = "\n}\n";
  std::vector<Value> documents;
  while (!text.empty()) {
    const std::size_t end = text.find(kEnd);
    const std::size_t size = end == std::string_view::npos ? text.size() : end + kEnd.size();
    auto document = kubernetes::read_json(text.substr(0, size));
    if (!document) return tl::unexpected(std::move(document.error()));
    documents.push_back(std::move(*document));
    text.remove_prefix(size);
  }
  return documents;
}

std::optional<base::Error> dropped(const Server& server, const Value& sent, const Value& stored) {
  const std::vector<std::string> fields = kubernetes::dropped_fields(sent, stored);
  if (fields.empty()) return std::nullopt;
  return base::Error{
      base::Fault::cannot_start,
      fmt::format("the server ({}) does not know {} of {} {}, and has left it out", server.version,
                  fmt::join(fields, ", "), kubernetes::text_at(sent, "kind"),
                  kubernetes::text_at(sent, "metadata.name")),
      "leave out what asks for it in the job or in the target, or take a newer server",
      {}};
}

}  // namespace muster::cluster
