// What muster.yml says of `muster run`.
#include <gtest/gtest.h>

#include "front/front.hpp"
#include "front/inherited.hpp"
#include "front/run/front.hpp"

namespace muster::front::run_defaults_test {
namespace {

using Words = std::vector<std::string>;

// With this text in the muster.yml of the current folder.
base::Result<Reading> read_with(const std::string& text, const Words& words,
                                const Words& environment = {}) {
  const auto read_file = [&](const std::string& path, std::size_t) -> base::Result<std::string> {
    EXPECT_EQ(path, "/here/muster.yml");
    return text;
  };
  return read_run({.called = "run",
                   .words = words,
                   .environment = environment,
                   .current_folder = "/here",
                   .read_file = read_file,
                   .has_file = [](const std::string& path) { return path == "/here/muster.yml"; }});
}

model::Mapping mapping_with(const std::string& text, const Words& words) {
  const auto reading = read_with(text, words);
  EXPECT_TRUE(reading && reading->request) << to_string(reading.error());
  return reading ? reading->request->spec.mapping : model::Mapping();
}

std::string complaint_with(const std::string& text) {
  const auto reading = read_with(text, {"p"});
  return reading ? "no complaint" : to_string(reading.error());
}

// Nobody has named it.
TEST(RunDefaults, AreReadAsWhatWasFound) {
  const auto refused = [](const std::string& path, std::size_t) -> base::Result<std::string> {
    return base::fail_at({path, 0, 0}, base::Fault::bad_file, "", "this is a fifo, not a file");
  };
  const auto named = [](const std::string&, std::size_t) -> base::Result<std::string> {
    ADD_FAILURE() << "it might wait";
    return std::string();
  };
  const auto reading =
      read_run({.called = "run",
                .words = {"p"},
                .current_folder = "/here",
                .read_file = named,
                .has_file = [](const std::string& path) { return path == "/here/muster.yml"; },
                .read_found = refused});
  ASSERT_FALSE(reading);
  EXPECT_EQ(reading.error().what, "this is a fifo, not a file");
  EXPECT_EQ(reading.error().place.source, "/here/muster.yml");
}

TEST(RunDefaults, BindsAsMusterYmlSaysUnlessAnOptionDoes) {
  const std::string as_open_mpi = "run: {bind_to: default}\n";
  EXPECT_TRUE(mapping_with(as_open_mpi, {"p"}).bind_by_default);
  EXPECT_FALSE(mapping_with(as_open_mpi, {"p"}).bind_given);
  EXPECT_FALSE(mapping_with(as_open_mpi, {"--bind-to", "none", "p"}).bind_by_default);
  EXPECT_FALSE(mapping_with(as_open_mpi, {"--cpu-list", "0", "p"}).bind_by_default);
  const auto numa =
      mapping_with("targets: {a: {hosts: b}}\nrun: {bind_to: 'numa:if-supported'}\n", {"p"});
  EXPECT_EQ(numa.bind_level, model::Level::numa);
  EXPECT_TRUE(numa.bind_given && numa.bind_if_supported);
  EXPECT_EQ(mapping_with(as_open_mpi, {"--bind-to", "core", "p"}).bind_level, model::Level::core);
  EXPECT_EQ(mapping_with("targets: {a: {hosts: b}}\n", {"p"}), model::Mapping());
  EXPECT_EQ(mapping_with("targets: {a: {hots: b}}\n", {"p"}), model::Mapping())
      << "what is wrong elsewhere in the file does not matter here";
}

TEST(RunDefaults, HostsAreReachedAsItSaysButByTheHeadAboveInARank) {
  const auto settled = [](const std::string& text, const Words& environment,
                          const SaidReach& said = {}) -> base::Result<model::JobSpec> {
    const Call call{.called = "mpirun",
                    .environment = environment,
                    .current_folder = "/here",
                    .read_file = [&](const std::string&, std::size_t) { return text; },
                    .has_file = [](const std::string& path) { return path == "/here/muster.yml"; }};
    model::JobSpec spec;
    spec.apps.emplace_back();
    return take_inherited_settings(call, said, spec).map([&] { return spec; });
  };
  const std::string text =
      "run: {ssh_command: ssh -J jump, start_timeout: 30, lease: 40, workdir: data}\n";
  const auto outside = settled(text, {"MUSTER_LEASE=50"});
  ASSERT_TRUE(outside) << to_string(outside.error());
  EXPECT_EQ(outside->carrier.command, (Words{"ssh", "-J", "jump"}));
  EXPECT_EQ(outside->carrier.patience, std::chrono::seconds(30));
  EXPECT_EQ(outside->lease, std::chrono::seconds(50));
  EXPECT_EQ(outside->apps.front().workdir, "/here/data");
  const auto said = settled(text, {"MUSTER_LEASE=50"}, {"--lease", "--ssh-command", "--workdir"});
  ASSERT_TRUE(said);
  EXPECT_EQ(said->carrier.command, model::CarrierSpec().command);
  EXPECT_EQ(said->lease, model::JobSpec().lease);
  EXPECT_EQ(said->apps.front().workdir, "");
  const auto inside = settled(text, {"MUSTER_HEAD=socket"});
  ASSERT_TRUE(inside);
  EXPECT_EQ(inside->carrier.command, model::CarrierSpec().command);
  EXPECT_EQ(inside->apps.front().workdir, "");
  EXPECT_EQ(inside->carrier.patience, std::chrono::seconds(30)) << "that is its own affair";
  EXPECT_FALSE(settled("run: {ssh_port: x}\n", {"MUSTER_HEAD=socket"}));
}

TEST(RunDefaults, ComplainsAboutWhatMusterYmlSaysOfIt) {
  EXPECT_EQ(complaint_with("run: {bind_to: cor}\n").substr(0, 60),
            "/here/muster.yml:1:16: run.bind_to must be none, hwthread, c");
  EXPECT_TRUE(complaint_with("run: {bind_to: cor}\n").ends_with("hint: did you mean core?"));
  EXPECT_EQ(complaint_with("run:\n  bind-to: core\n"),
            "/here/muster.yml:2:3: unknown key 'bind-to' in run\n  hint: did you mean bind_to?");
  EXPECT_EQ(complaint_with("- run\n").substr(0, 21), "/here/muster.yml:1:1:");
}

TEST(RunDefaults, TellsWhatItDoesNotKnowInMusterYml) {
  const auto notices = [](const std::string& text) {
    const auto reading = read_with(text, {"p"});
    return reading ? reading->notices : Words{to_string(reading.error())};
  };
  EXPECT_EQ(notices("run: {bind_to: core}\ntargets: {}\ndata: {}\n"), Words{});
  EXPECT_EQ(notices("runn: {bind_to: core}\n"),
            Words{"/here/muster.yml:1:1: unknown key 'runn' has no effect; did you mean run?"});
  EXPECT_EQ(notices("run: {bind_to: core}\nservices: {}\n"),
            Words{"/here/muster.yml:2:1: unknown key 'services' has no effect"});
  EXPECT_EQ(notices("aa: 1\nbb: 2\ncc: 3\ndd: 4\nee: 5\n").size(), 3U);
}

}  // namespace
}  // namespace muster::front::run_defaults_test
