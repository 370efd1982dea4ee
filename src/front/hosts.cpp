// Asks the sources of hosts.
#include "front/hosts.hpp"

#include "front/call.hpp"

namespace muster::front {

using base::Result;

namespace {

// A shell drops a variable without a value, so that the next word is taken for the file.
base::Error about_empty_variable(base::Error error) {
  error.hint = fmt::format(
      "does a variable stand before it that is empty? ${} is set in the commands of jobs only",
      spec::kHostfile);
  return error;
}

// A name that no file has is a wrong name or, without an empty variable's word, the next word.
base::Error about_name(const std::string& path, base::Error error) {
  const bool is_program = path.starts_with("python") || path.ends_with(".py");
  if (is_program) return about_empty_variable(std::move(error));
  error.hint = fmt::format(
      "is the name right? If a variable gives it, that may be empty: ${} is set in the commands of "
      "jobs only",
      spec::kHostfile);
  return error;
}

Result<spec::HostsFound> found_in(const Call& call, const std::string& path,
                                  Result<spec::HostsFound> found) {
  if (found || path.empty() || found.error().place.source != path) return found;
  const bool is_set = !variable(call, spec::kHostfile).value_or("").empty();
  const bool may_be_next_word = path.find('/') == std::string::npos && !is_set;
  if (!may_be_next_word || !call.has_file || call.has_file(path)) return found;
  return found.map_error([&](base::Error error) { return about_name(path, std::move(error)); });
}

}  // namespace

Result<std::string> read_hostfile_name(const Typed& typed) {
  return read_text(typed).map_error(about_empty_variable);
}

Result<void> check_one_source(const NamedHosts& hosts, std::string_view hint) {
  if (!hosts.list || hosts.file.empty()) return {};
  return base::fail(base::Fault::usage, std::string(hint), "-H and --hostfile cannot be combined");
}

base::Error with_wrong_hosts(base::Error error, const Call& call, const NamedHosts& hosts,
                             const spec::HostForm& form) {
  if (hosts.empty()) return error;
  const auto found = named_hosts(call, hosts, form);
  if (found) return error;
  base::Errors all;
  all.add(std::move(error));
  all.add(found.error());
  return std::move(all).together();
}

Result<spec::HostsFound> hosts_in_file(const Call& call, const std::string& path) {
  return named_hosts(call, {.file = path});
}

Result<spec::HostsFound> named_hosts(const Call& call, const NamedHosts& hosts,
                                     const spec::HostForm& form) {
  return found_in(
      call, hosts.file,
      spec::find_hosts(
          {.list = hosts.list, .file = hosts.file, .read_file = call.read_file, .form = form}));
}

Result<spec::HostsFound> given_hosts(const Call& call, const model::JobSpec& spec,
                                     const NamedHosts& hosts, const spec::HostForm& form,
                                     std::string_view manager) {
  if (spec.fake_nodes > 0) return named_hosts(call, hosts, form);
  auto found =
      spec::find_hosts({.list = hosts.list,
                        .file = hosts.file,
                        .read_file = call.read_file,
                        .read_around = call.read_around,
                        .variable = [&](std::string_view name) { return variable(call, name); },
                        .ask = call.ask,
                        .form = form,
                        .manager = manager});
  return found_in(call, hosts.file, std::move(found));
}

}  // namespace muster::front
