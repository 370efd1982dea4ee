// Takes a host word apart. Names are strict, since they become words of an ssh command line.
#include "spec/host_word.hpp"

#include <algorithm>

#include "spec/hosts.hpp"
#include "spec/in_quotes.hpp"
#include "spec/number.hpp"
#include "spec/slurm_words.hpp"

namespace muster::spec {
namespace {

using base::fail;
using base::Fault;
using base::Result;

constexpr std::size_t kNameMax = 253;  // DNS

bool is_alnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool all_in(std::string_view text, std::string_view beyond_letters_and_digits) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return is_alnum(c) || beyond_letters_and_digits.find(c) != std::string_view::npos;
  });
}

Result<std::string> read_name(std::string_view name, Fault fault) {
  if (name.empty()) return fail(fault, "write a host name or an address", "host name is missing");
  if (name.front() == '-') {
    return fail(fault, "options come before the host list, never inside it",
                "{}: a host name must not start with '-'", in_quotes(name));
  }
  if (name.front() == '.' || !all_in(name, "._-")) {
    return fail(fault, "host names are letters, digits and . - _", "{}: not a valid host name",
                in_quotes(name));
  }
  if (name.size() > kNameMax) {
    return fail(fault, "", "{}: longer than {} bytes", in_quotes(name), kNameMax);
  }
  return std::string(name);
}

// "fe80::1" or, with the interface of a link-local address, "fe80::1%eth0".
bool is_ipv6(std::string_view text) {
  const std::size_t percent = text.find('%');
  const std::string_view address = text.substr(0, percent);
  if (percent != std::string_view::npos) {
    const std::string_view zone = text.substr(percent + 1);
    if (zone.empty() || zone.size() > kNameMax || !all_in(zone, "._-")) return false;
  }
  return address.size() <= 45 && std::count(address.begin(), address.end(), ':') >= 2 &&
         address.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
}

Result<HostWord> with_slots(HostWord host, std::string_view text, Fault fault) {
  host.slots_are_cores = text == "*" || text == "auto";
  if (host.slots_are_cores) return host;
  return read_number("slots", text, {0, model::kRanksMax}, fault)
      .map([&](std::uint32_t slots) {
        host.slots = slots;
        return host;
      })
      .map_error([](base::Error error) {
        error.hint =
            "after ':' stands how many ranks fit there, as in node1:8; '*': as many as cores";
        return error;
      });
}

Result<HostWord> read_bracketed(std::string_view word, Fault fault) {
  const std::size_t close = word.find(']');
  const std::string_view address =
      word.substr(1, close == std::string_view::npos ? close : close - 1);
  if (close == std::string_view::npos || !is_ipv6(address)) {
    return fail(fault, "for example [fe80::1] or [fe80::1]:4",
                "{}: not an IPv6 address in brackets", in_quotes(word));
  }
  const std::string_view rest = word.substr(close + 1);
  HostWord host{"", std::string(address), std::nullopt};
  if (rest.empty()) return host;
  if (rest.front() != ':') {
    return fail(fault, "for example [fe80::1]:4", "{}: {} after the bracket", in_quotes(word),
                in_quotes(rest));
  }
  return with_slots(std::move(host), rest.substr(1), fault);
}

Result<HostWord> read_plain(std::string_view word, Fault fault) {
  const std::size_t colon = word.find(':');
  if (colon != std::string_view::npos && word.find(':', colon + 1) != std::string_view::npos) {
    return fail(fault, "an IPv6 address goes in brackets: [fe80::1] or [fe80::1]:4",
                "{}: more than one ':'", in_quotes(word));
  }
  auto name = read_name(word.substr(0, colon), fault);
  if (!name) return tl::unexpected(name.error());
  HostWord host{"", *name, std::nullopt};
  if (colon == std::string_view::npos) return host;
  return with_slots(std::move(host), word.substr(colon + 1), fault);
}

}  // namespace

Result<std::string> read_user(std::string_view text, Fault fault) {
  const bool fits = !text.empty() && text.size() <= kNameMax && text.front() != '-';
  if (!fits || !all_in(text, "._-+@\\")) {
    return fail(fault, "for example alice@node1 or node1", "{}: not a user name", in_quotes(text));
  }
  return std::string(text);
}

Result<HostWord> read_host_word(std::string_view word, Fault fault) {
  const std::size_t at = word.rfind('@');
  const std::string_view rest = at == std::string_view::npos ? word : word.substr(at + 1);
  auto host = rest.starts_with('[') ? read_bracketed(rest, fault) : read_plain(rest, fault);
  if (!host || at == std::string_view::npos) return host;
  auto user = read_user(word.substr(0, at), fault);
  if (!user) return tl::unexpected(user.error());
  host->user = std::move(*user);
  return host;
}

std::size_t end_of_host(std::string_view list, std::size_t at) {
  bool in_brackets = false;
  for (; at < list.size(); ++at) {
    if (list[at] == '[') in_brackets = true;
    if (list[at] == ']') in_brackets = false;
    if (list[at] == ',' && !in_brackets) return at;
  }
  return at;
}

Result<std::vector<HostWord>> read_host_words(std::string_view word, Fault fault) {
  const std::size_t begin = word.rfind('@') + 1;  // npos + 1 is 0
  const std::size_t close = word.rfind(']');
  const bool has_numbers =
      begin < word.size() && word[begin] != '[' && word.find('[', begin) != std::string_view::npos;
  if (!has_numbers) {
    return read_host_word(word, fault).map([](const HostWord& host) { return std::vector{host}; });
  }
  const std::size_t colon =
      close == std::string_view::npos ? word.size() : std::min(word.find(':', close), word.size());
  const std::string_view list = word.substr(begin, colon - begin);
  const auto names = names_in_hostlist(list, Widths::of_each);
  if (!names && has_too_many_names(list)) {
    return fail(fault, "are the numbers right?", "{}: more than {} hosts", in_quotes(word),
                kHostsMax);
  }
  if (!names) {
    return fail(fault, "for example node[1-3,7] or rack[1-2]n[01-16]:8",
                "{}: the brackets do not say which numbers the hosts have", in_quotes(word));
  }
  std::vector<HostWord> hosts;
  for (const std::string& name : *names) {
    auto host = read_host_word(
        fmt::format("{}{}{}", word.substr(0, begin), name, word.substr(colon)), fault);
    if (!host) return tl::unexpected(std::move(host.error()));
    hosts.push_back(std::move(*host));
  }
  return hosts;
}

model::HostEntry entry_of(const HostWord& host, base::Place place) {
  return {host.name,        host.user,           0, host.slots, std::nullopt,
          std::move(place), host.slots_are_cores};
}

Result<std::vector<model::HostEntry>> without_idle(std::vector<model::HostEntry> hosts,
                                                   Fault fault) {
  const auto is_idle = [](const model::HostEntry& host) { return host.slots == 0U; };
  if (std::ranges::all_of(hosts, is_idle)) {
    return base::fail_at(hosts.front().place, fault, "a host with 0 slots gets no rank",
                         "no host has a slot: each is given 0");
  }
  std::erase_if(hosts, is_idle);
  return hosts;
}

}  // namespace muster::spec
