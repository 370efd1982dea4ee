// The hosts of the Flux instance or job around, and what Flux says of them.
#include <gtest/gtest.h>
#include <map>

#include "spec/flux_resources.hpp"
#include "spec/slurm_words.hpp"
#include "spec/sources.hpp"

namespace muster::spec::source_flux_test {
namespace {

using Around = std::map<std::string, std::string, std::less<>>;
using Ids = std::vector<std::uint32_t>;
using Words = std::vector<std::string>;

// flux-framework/rfc data/spec_20/example1.json
constexpr std::string_view kExample = R"({
  "version": 1,
  "execution": {
    "R_lite": [
      {"rank": "19-22", "children": {"core": "0-47", "gpu": "0-7"}}
    ],
    "nodelist": ["node[186-189]"],
    "nslots": 32,
    "starttime": 1676560542,
    "expiration": 1676562342
  }
})";

// "node1@0:4+2": broker 0, 4 cores, 2 GPUs; or the complaint.
std::string hosts(std::string_view text) {
  const auto read = read_flux_resources(text, "R");
  if (!read) return base::to_string(read.error().place) + ": " + read.error().what;
  std::string told;
  for (const FluxHost& one : *read) {
    told += fmt::format("{}{}@{}:{}+{}", told.empty() ? "" : " ", one.name, one.rank, one.cores,
                        one.gpus);
  }
  return told;
}

std::string with(std::string_view entries, std::string_view nodelist) {
  return fmt::format(R"({{"version":1,"execution":{{"R_lite":[{}],"nodelist":[{}]}}}})", entries,
                     nodelist);
}

TEST(FluxResources, AreThoseOfTheRfc) {
  EXPECT_EQ(hosts(kExample), "node186@19:48+8 node187@20:48+8 node188@21:48+8 node189@22:48+8");
}

TEST(FluxResources, HaveTheirHostsInTheOrderOfRanks) {
  EXPECT_EQ(hosts(with(R"({"rank":"2","children":{"core":"0-1"}},
                          {"rank":"0-1","children":{"core":"0,4-6","gpu":"1"}})",
                       R"("a,b","c")")),
            "a@0:4+1 b@1:4+1 c@2:2+0");
  EXPECT_EQ(hosts(with(R"({"rank":"0","children":{"core":"0"}},
                          {"rank":"0","children":{"core":"1","gpu":"0-1"}})",
                       R"("a")")),
            "a@0:2+2");
}

TEST(FluxResources, OfAnotherFormAreRefused) {
  const std::string says = "R: what Flux says of its resources is ";
  EXPECT_EQ(hosts("flux: hello"), says + "no JSON object");
  EXPECT_EQ(hosts(R"({"version":2,"execution":{}})"),
            says + "version 2, where muster reads version 1");
  EXPECT_EQ(hosts(R"({"version":1})"), says + "without R_lite");
  EXPECT_EQ(hosts(R"({"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0"}}]}})"),
            says + "without a nodelist");
  EXPECT_EQ(hosts(with(R"({"rank":"0-1","children":{"core":"0"}})", R"("a")")),
            says + "odd: 2 ranks, but 1 hosts");
  EXPECT_EQ(hosts(with(R"({"rank":"0","children":{"gpu":"0"}})", R"("a")")),
            says + "without a set of cores");
  EXPECT_EQ(hosts(with(R"({"rank":"1-0","children":{"core":"0"}})", R"("a")")),
            says + "odd: '1-0' is not a set of ranks");
  EXPECT_EQ(hosts(with(R"({"rank":"0","children":{"core":"0"}})", R"("a[")")),
            says + "odd: 'a[' is not a list of hosts");
  EXPECT_EQ(hosts(with("", "")), says + "without a host");
}

// The examples of flux-framework/rfc spec_22, and what it rules out.
TEST(Idset, IsAsTheRfcHasIt) {
  EXPECT_EQ(read_idset("1,2,3,5,6,42"), (Ids{1, 2, 3, 5, 6, 42}));
  EXPECT_EQ(read_idset("1-3,5-6,42"), (Ids{1, 2, 3, 5, 6, 42}));
  EXPECT_EQ(read_idset("[1-3,5-6,42]"), (Ids{1, 2, 3, 5, 6, 42}));
  for (const char* odd : {"", "[]", "[1", "1]", "01", "3,2", "2,2", "4-2", "1-", "a", "1,,2",
                          "4294967296", "0-1000000"}) {
    EXPECT_FALSE(read_idset(odd)) << odd;
  }
}

// The test vectors of flux-framework/rfc spec_29, but for the empty list.
TEST(Hostlist, IsAsTheRfcHasIt) {
  const auto names = [](std::string_view text) {
    return names_in_hostlist(text, Widths::of_first).value_or(Words{"none"});
  };
  EXPECT_EQ(names("foox,fooy,fooz"), (Words{"foox", "fooy", "fooz"}));
  EXPECT_EQ(names("[1-3,5-6]"), (Words{"1", "2", "3", "5", "6"}));
  EXPECT_EQ(names("foo[0-4]-eth2"),
            (Words{"foo0-eth2", "foo1-eth2", "foo2-eth2", "foo3-eth2", "foo4-eth2"}));
  EXPECT_EQ(names("foo1,foo1,foo1"), (Words{"foo1", "foo1", "foo1"}));
  EXPECT_EQ(names("[00-02]"), (Words{"00", "01", "02"}));
  EXPECT_EQ(names("[00-2]"), (Words{"00", "01", "02"}));
  EXPECT_EQ(names("foo[1,1,2,1]"), (Words{"foo1", "foo1", "foo2", "foo1"}));
  EXPECT_EQ(names("[005,4,11-13]"), (Words{"005", "004", "011", "012", "013"}));
  EXPECT_EQ(names("a[9-11]"), (Words{"a9", "a10", "a11"}));
}

struct Asked {
  std::string found;  // "Flux job f7: a:4 b:4", or the complaint
  Words words = {};   // of the program that was asked
  model::HostSource source = model::kHostsHere;
};

Asked asked(const Around& around, HostForm form = {}) {
  Asked told;
  const auto variable = [&](std::string_view name) -> std::optional<std::string_view> {
    const auto one = around.find(name);
    return one == around.end() ? std::nullopt : std::optional<std::string_view>(one->second);
  };
  const auto ask = [&](const Words& words) {
    told.words = words;
    return base::Result<std::string>(
        with(R"({"rank":"3-4","children":{"core":"0-7","gpu":"0-1"}})", R"("n[1-2]")"));
  };
  const auto found = find_hosts({.variable = variable, .ask = ask, .form = form});
  if (!found) return {found.error().what};
  told.source = found->source;
  told.found = found->name + ":";
  for (const model::HostEntry& one : found->hosts) {
    told.found += fmt::format(" {}:{}@{}", one.name, *one.slots, one.component.value_or(0));
  }
  return told;
}

TEST(FluxJob, OfABatchScriptIsAnInstanceOfItsOwn) {
  const Asked told = asked({{"FLUX_URI", "local:///run/flux/local"}});
  EXPECT_EQ(told.found, "Flux instance: n1:8@3 n2:8@4");
  EXPECT_EQ(told.words, (Words{"flux", "resource", "R", "--states=up"}));
  EXPECT_EQ(told.source, model::kHostsOfFlux);
}

TEST(FluxJob, OfASingleTaskIsTheJobs) {
  const Asked told = asked({{"FLUX_URI", "local:///f"},
                            {"FLUX_JOB_ID", "f7"},
                            {"FLUX_TASK_RANK", "0"},
                            {"FLUX_JOB_SIZE", "1"}});
  EXPECT_EQ(told.found, "Flux job f7: n1:8@3 n2:8@4");
  EXPECT_EQ(told.words, (Words{"flux", "job", "info", "f7", "R"}));
}

TEST(FluxJob, IsNoneOfSeveralTasks) {
  EXPECT_EQ(asked({{"FLUX_URI", "local:///f"},
                   {"FLUX_JOB_ID", "f7"},
                   {"FLUX_TASK_RANK", "1"},
                   {"FLUX_JOB_SIZE", "4"}})
                .found,
            "this muster is one of 4 tasks of a Flux job, and each would start all ranks");
}

TEST(FluxJob, GoesBeforeSlurmBelowIt) {
  const Asked told = asked({{"FLUX_URI", "local:///f"}, {"SLURM_JOB_NODELIST", "s1"}});
  EXPECT_EQ(told.source, model::kHostsOfFlux);
  EXPECT_EQ(asked({{"SLURM_JOB_NODELIST", "s1"}}).source, model::kHostsAllocated);
}

TEST(FluxJob, HasAsManySlotsAsDevicesWhereTheseAreAskedFor) {
  const HostForm devices = {.slots = HostSlots::devices, .each_once = true};
  EXPECT_EQ(asked({{"FLUX_URI", "local:///f"}}, devices).found, "Flux instance: n1:2@3 n2:2@4");
}

TEST(FluxJob, IsNotAskedForWithinARankOfOurs) {
  EXPECT_EQ(asked({{"FLUX_URI", "local:///f"}, {"MUSTER_HEAD", "/s"}}).words, Words());
}

}  // namespace
}  // namespace muster::spec::source_flux_test
