// Hosts that are printed and read again are the same hosts, in every form that people write.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "spec/hosts.hpp"

namespace {

using muster::base::Place;
using muster::model::HostEntry;
using muster::model::kRanksMax;

rc::Gen<std::string> words(const std::string& first, const std::string& later, int most) {
  return rc::gen::map(
      rc::gen::pair(
          rc::gen::elementOf(first),
          rc::gen::resize(most, rc::gen::container<std::string>(rc::gen::elementOf(later)))),
      [](const auto& parts) { return parts.first + parts.second; });
}

rc::Gen<std::string> names() {
  return rc::gen::oneOf(words("abcXYZ019_", "abcXYZ019._-", 40),
                        rc::gen::element<std::string>("::1", "fe80::1%eth0", "2001:db8::a:b"));
}

rc::Gen<std::optional<std::uint32_t>> counts() {
  return rc::gen::oneOf(rc::gen::just(std::optional<std::uint32_t>()),
                        rc::gen::map(rc::gen::inRange<std::uint32_t>(1, kRanksMax + 1),
                                     [](std::uint32_t n) { return std::optional(n); }));
}

rc::Gen<HostEntry> entries() {
  return rc::gen::build<HostEntry>(
      rc::gen::set(&HostEntry::name, names()),
      rc::gen::set(&HostEntry::user, rc::gen::oneOf(rc::gen::just(std::string()),
                                                    words("abz09._+\\", "abz09._+\\@-", 12))),
      rc::gen::set(&HostEntry::slots, counts()));
}

std::string host_text(const HostEntry& host) {
  const std::string user = host.user.empty() ? "" : host.user + "@";
  const bool ipv6 = host.name.find(':') != std::string::npos;
  return user + (ipv6 ? "[" + host.name + "]" : host.name);
}

std::string colon_text(const HostEntry& host) {
  return host_text(host) + (host.slots ? ":" + std::to_string(*host.slots) : "");
}

// A hostfile line in one of the ways of writing that mean the same.
std::string line_text(const HostEntry& host) {
  const std::string gap = *rc::gen::element<std::string>(" ", "\t", "   ", " /* x */ ");
  const std::string equals = *rc::gen::element<std::string>("=", " = ", "= ", " =");
  const bool hydra = !host.max_slots && *rc::gen::arbitrary<bool>();
  std::string line = hydra ? colon_text(host) : host_text(host);
  if (!hydra && host.slots) line += gap + "slots" + equals + std::to_string(*host.slots);
  if (host.max_slots) line += gap + "max_slots" + equals + std::to_string(*host.max_slots);
  if (host.port != 0) line += gap + "port" + equals + std::to_string(host.port);
  return line + *rc::gen::element<std::string>("", " ", " # comment", "// comment");
}

RC_GTEST_PROP(Hosts, ListsSurvivePrintingAndReading, ()) {
  auto hosts = *rc::gen::nonEmpty(rc::gen::container<std::vector<HostEntry>>(entries()));
  std::string text;
  for (HostEntry& host : hosts) {
    text += (text.empty() ? "" : ",") + colon_text(host);
    host.place = Place{"-H", 0, 0};
  }
  RC_ASSERT(muster::spec::read_host_list(text) == hosts);
}

RC_GTEST_PROP(Hosts, FilesSurvivePrintingAndReading, ()) {
  auto hosts = *rc::gen::nonEmpty(rc::gen::container<std::vector<HostEntry>>(entries()));
  std::string text;
  std::uint32_t line = 0;
  for (HostEntry& host : hosts) {
    if (host.slots && *rc::gen::arbitrary<bool>()) {
      host.max_slots = *rc::gen::inRange<std::uint32_t>(*host.slots, kRanksMax + 1);
    }
    host.port = *rc::gen::inRange<std::uint32_t>(0, 65536);
    const auto blanks = *rc::gen::inRange<std::uint32_t>(0, 3);
    text +=
        std::string(blanks, '\n') + line_text(host) + *rc::gen::element<std::string>("\n", "\r\n");
    line += blanks + 1;
    host.place = Place{"hosts", line, 1};
  }
  RC_ASSERT(muster::spec::read_hostfile(text, "hosts") == hosts);
}

RC_GTEST_PROP(Hosts, AnyTextEndsInHostsOrInOneLine, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::oneOf(
      rc::gen::elementOf(std::string("ab:@[]=,# /*\n\r\t1slotx-")), rc::gen::arbitrary<char>()));
  for (const auto& hosts :
       {muster::spec::read_host_list(text), muster::spec::read_hostfile(text, "hosts")}) {
    if (hosts) {
      RC_ASSERT(!hosts->empty());
    } else {
      RC_ASSERT(!hosts.error().what.empty());
      RC_ASSERT(to_string(hosts.error().place).size() > 0U);
      RC_ASSERT(hosts.error().what.find('\n') == std::string::npos);
    }
  }
}

}  // namespace
