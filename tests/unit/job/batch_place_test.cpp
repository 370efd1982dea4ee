// A target of muster.yml that is a Slurm: its keys, and what is wrong with them.
#include "job/batch_place.hpp"

#include <gtest/gtest.h>

#include "job/target.hpp"

namespace muster::job {
namespace {

std::vector<std::string> slurm_complaints(const std::string& keys) {
  std::vector<std::string> said;
  for (const base::Error& error :
       read_targets("targets: {a: {slurm: " + keys + "}}\n", "m").complaints) {
    said.push_back(base::to_string(error));
  }
  return said;
}

TEST(SlurmTarget, KeepsItsOptionsAsTheyAreWritten) {
  const auto read = read_targets(R"(
targets:
  cluster:
    slots: 8
    slurm:
      partition: [gpu, long]
      account: team-a
      time: 2-00:00:00
      exclude: [n1, n2]
      exclusive: true
      signal: USR1@60
      nodes: 4
      muster: /shared/bin/muster
      setup: [module load cuda, . venv/bin/activate]
      options: {comment: ours, spread-job: true}
)",
                                 "m");
  ASSERT_TRUE(read.complaints.empty());
  const Target& target = read.targets.all.at(0);
  ASSERT_TRUE(target.batch);
  const BatchPlace& place = *target.batch;
  EXPECT_EQ(place.kind, "slurm");
  const auto value = [&](std::string_view name) {
    for (const Named& one : place.options) {
      if (one.name == name) return one.value.text;
    }
    return std::string("none");
  };
  EXPECT_EQ(value("partition"), "gpu,long");
  EXPECT_EQ(value("exclude"), "n1,n2");
  EXPECT_EQ(value("time"), "2-00:00:00");
  EXPECT_EQ(value("exclusive"), "true");
  EXPECT_EQ(value("qos"), "none");
  ASSERT_EQ(place.raw.size(), 2U);
  EXPECT_EQ(place.raw[0].name, "comment");
  ASSERT_EQ(place.setup.size(), 2U);
  EXPECT_EQ(place.setup[1].text, ". venv/bin/activate");
  EXPECT_EQ(place.nodes->number, 4U);
  EXPECT_EQ(place.program->text, "/shared/bin/muster");
}

TEST(SlurmTarget, MayBeLeftToSlurmsDefaults) { EXPECT_TRUE(slurm_complaints("{}").empty()); }

TEST(SlurmTarget, TellsWhichValueSlurmWouldNotTake) {
  EXPECT_EQ(slurm_complaints("{time: 2 hours}").at(0),
            "m:1:29: targets.a.slurm.time must be a time limit, not '2 hours'\n"
            "  hint: minutes, H:MM:SS or D-HH:MM:SS; 2-0 is two days");
  EXPECT_EQ(slurm_complaints("{signal: USR9@1}").at(0),
            "m:1:31: targets.a.slurm.signal must be a signal, not 'USR9@1'\n"
            "  hint: for example USR1@60: a minute before the time limit");
  EXPECT_EQ(slurm_complaints("{signal: USR1}").at(0),
            "m:1:31: targets.a.slurm.signal must be SIGNAL@SECONDS, not 'USR1'\n"
            "  hint: for example USR1@60: a minute before the time limit");
  EXPECT_EQ(slurm_complaints("{account: ''}").at(0),
            "m:1:23: targets.a.slurm.account is empty\n"
            "  hint: leave it out, or give it a value");
  for (const char* good : {"60", "1:30", "2:00:00", "1-0", "1-12:30", "1-12:30:00", "UNLIMITED"}) {
    EXPECT_TRUE(slurm_complaints("{time: '" + std::string(good) + "'}").empty()) << good;
  }
}

TEST(SlurmTarget, KnowsTasksOfArrays) {
  for (const char* good : {"7", "0-15", "[1, 3-5]", "0-15:4", "0-15%4"}) {
    EXPECT_TRUE(slurm_complaints("{array: " + std::string(good) + "}").empty()) << good;
  }
  for (const char* odd : {"all", "0-", "-3", "1%", "1%x", "1 2"}) {
    ASSERT_EQ(slurm_complaints("{array: '" + std::string(odd) + "'}").size(), 1U) << odd;
  }
  EXPECT_EQ(slurm_complaints("{array: all}").at(0),
            "m:1:30: targets.a.slurm.array must be numbers of tasks, not 'all'\n"
            "  hint: for example 0-15, or 0-15%4: no more than four at a time");
}

TEST(SlurmTarget, LetsNoValueBecomeALineOfTheScript) {
  EXPECT_EQ(slurm_complaints(R"({account: "a\n#SBATCH --wrap=x"})").at(0),
            "m:1:32: targets.a.slurm.account has more than one line\n"
            "  hint: a list has one item for each line");
  EXPECT_EQ(slurm_complaints(R"({setup: ["a\nb"]})").size(), 1U);
  EXPECT_EQ(slurm_complaints(R"({options: {comment: "a\rb"}})").size(), 1U);
}

TEST(SlurmTarget, KeepsItsOwnOptionsToItself) {
  EXPECT_EQ(slurm_complaints("{options: {array: 0-3}}").at(0),
            "m:1:33: targets.a.slurm.options.array cannot be given\n"
            "  hint: it is a key of its own: array: 0-15, beside options:");
  EXPECT_EQ(slurm_complaints("{options: {output: x}}").at(0),
            "m:1:33: targets.a.slurm.options.output cannot be given\n"
            "  hint: muster logs shows the output, which is in the run's record");
  for (const char* name : {"error", "open-mode", "input", "job-name", "chdir", "export", "nodes",
                           "ntasks", "ntasks-per-node", "wait", "quiet", "no-kill", "wrap"}) {
    EXPECT_EQ(slurm_complaints("{options: {" + std::string(name) + ": x}}").size(), 1U) << name;
  }
  EXPECT_EQ(slurm_complaints("{options: {clusters: all}}").size(), 1U);
  EXPECT_EQ(slurm_complaints("{options: {--qos: x}}").size(), 1U);
  EXPECT_EQ(slurm_complaints("{time: 60, options: {time: 70}}").at(0),
            "m:1:43: targets.a.slurm.options.time is time once more\n"
            "  hint: keep one of them");
  EXPECT_EQ(slurm_complaints("{mem: 1G, options: {mem-per-cpu: 1G}}").size(), 1U);
}

TEST(SlurmTarget, NamesAKeyThatItDoesNotKnow) {
  const auto said = slurm_complaints("{partitions: gpu}");
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find("did you mean partition?"), std::string::npos) << said[0];
}

TEST(SlurmTarget, IsOfOneKind) {
  const auto read = read_targets("targets: {a: {hosts: n1, slurm: {}}}\n", "m");
  ASSERT_EQ(read.complaints.size(), 1U);
  EXPECT_EQ(read.complaints[0].what,
            "targets.a has more than one of hosts, hostfile, fake_nodes, kubernetes, slurm and "
            "grid_engine");
}

std::string grid_engine_complaint(const std::string& keys) {
  const auto read = read_targets("targets: {a: {grid_engine: " + keys + "}}\n", "m");
  return read.complaints.empty() ? "" : base::to_string(read.complaints.front());
}

TEST(GridEngineTarget, KeepsItsOptionsAsTheyAreWritten) {
  const auto read = read_targets(R"(
targets:
  cluster:
    grid_engine:
      pe: mpi
      queue: [long.q, gpu.q]
      resources: [h_rt=3600, mem_free=4G]
      options: {p: -10, R: y}
)",
                                 "m");
  ASSERT_TRUE(read.complaints.empty());
  const BatchPlace& place = *read.targets.all.at(0).batch;
  EXPECT_EQ(place.kind, "grid_engine");
  ASSERT_EQ(place.options.size(), 3U);
  EXPECT_EQ(place.options[1].value.text, "long.q,gpu.q");
  EXPECT_EQ(place.options[2].value.text, "h_rt=3600,mem_free=4G");
  ASSERT_EQ(place.raw.size(), 2U);
  EXPECT_EQ(place.raw[1].name, "R");
}

TEST(GridEngineTarget, IsToldWhatIsWrongWithIt) {
  EXPECT_NE(grid_engine_complaint("{queue: all.q}").find("pe"), std::string::npos);
  EXPECT_EQ(grid_engine_complaint("{pe: mpi, options: {j: y}}"),
            "m:1:48: targets.a.grid_engine.options.j cannot be given\n"
            "  hint: muster logs shows the output, which is in the run's record");
  for (const char* name :
       {"pe", "q", "masterq", "P", "A",      "N",   "o",    "e",     "i",     "wd",    "cwd",
        "V",  "S", "b",       "C", "notify", "now", "sync", "clear", "terse", "verify"}) {
    EXPECT_NE(grid_engine_complaint("{pe: mpi, options: {" + std::string(name) + ": x}}"), "")
        << name;
  }
  EXPECT_NE(grid_engine_complaint("{pe: mpi, options: {t: 1-9}}").find("options.t cannot be given"),
            std::string::npos);
  EXPECT_EQ(grid_engine_complaint("{pe: mpi, options: {hold_jid: 5, hold_jid_ad: 6}}"), "");
  EXPECT_NE(grid_engine_complaint("{pe: mpi, options: {_p: 1}}").find("cannot be an option"),
            std::string::npos);
  EXPECT_NE(grid_engine_complaint("{pe: mpi, options: {-p: 1}}").find("cannot be an option"),
            std::string::npos);
  EXPECT_NE(grid_engine_complaint("{pe: mpi, resources: [\"a='x'\"]}").find("a quote or a #"),
            std::string::npos);
  EXPECT_NE(grid_engine_complaint("{pe: mpi, options: {M: 'a#b'}}").find("a quote or a #"),
            std::string::npos);
  EXPECT_EQ(grid_engine_complaint("{pe: mpi, setup: [\"echo 'a' # b\"]}"), "");
  EXPECT_EQ(grid_engine_complaint("{pe: mpi, partition: x}"),
            "m:1:38: unknown key 'partition' in targets.a.grid_engine\n"
            "  hint: keys that are allowed here: pe, queue, project, account, resources, options, "
            "setup, muster, nodes");
}

}  // namespace
}  // namespace muster::job
