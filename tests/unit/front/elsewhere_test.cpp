// Options of one launcher that were given to another.
#include "front/elsewhere.hpp"

#include <gtest/gtest.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "front/front.hpp"
#include "option/option.hpp"

namespace muster::front {
namespace {

TEST(Elsewhere, NamesWhoseOptionItIsAndWhatToWrite) {
  EXPECT_EQ(elsewhere("-genv", Launcher::mpirun),
            "-genv is an option of mpiexec.hydra: mpirun calls it -x NAME=VALUE");
  EXPECT_EQ(elsewhere("-x", Launcher::hydra),
            "-x is an option of mpirun: mpiexec.hydra calls it -genv NAME VALUE");
  EXPECT_EQ(elsewhere("--logs", Launcher::torch),
            "--logs is an option of muster run: torchrun calls it --log-dir");
  EXPECT_EQ(elsewhere("-ppn", Launcher::mpirun),
            "-ppn is an option of mpiexec.hydra: mpirun calls it -N");
  EXPECT_EQ(elsewhere("--npernode", Launcher::torch),
            "--npernode is an option of mpirun: torchrun calls it --nproc-per-node");
  EXPECT_EQ(elsewhere("--nproc_per_node", Launcher::deepspeed),
            "--nproc_per_node is an option of torchrun: deepspeed calls it --num_gpus");
  EXPECT_EQ(elsewhere("--bynode", Launcher::run),
            "--bynode is an option of mpirun: muster run calls it --map-by node");
  EXPECT_EQ(elsewhere("-mca", Launcher::hydra),
            "-mca is an option of mpirun: leave it out, and its value if it has one; mpiexec.hydra "
            "needs no such option");
  for (const char* name : {"--map-by", "-", "--", "", "--genvx", "NAME=VALUE"}) {
    EXPECT_EQ(elsewhere(name, Launcher::torch), "") << name;
  }
}

TEST(Elsewhere, SaysWhereVariablesGoWhereThereIsNoOptionForThem) {
  EXPECT_EQ(elsewhere("-x", Launcher::horovod),
            "-x is an option of mpirun: write env NAME=VALUE before horovodrun, which passes its "
            "environment on");
  EXPECT_EQ(elsewhere("-genv", Launcher::torch),
            "-genv is an option of mpiexec.hydra: write env NAME=VALUE before torchrun, which "
            "passes its environment on");
  EXPECT_EQ(
      elsewhere("--export", Launcher::deepspeed),
      "--export is an option of srun: write env NAME=VALUE before deepspeed, which passes its "
      "environment on");
}

TEST(Elsewhere, SaysWhichVariableLaunchersTake) {
  for (const auto& [launcher, name] :
       std::vector<std::pair<Launcher, std::string>>{{Launcher::mpirun, "mpirun"},
                                                     {Launcher::hydra, "mpiexec.hydra"},
                                                     {Launcher::torch, "torchrun"},
                                                     {Launcher::horovod, "horovodrun"},
                                                     {Launcher::deepspeed, "deepspeed"}}) {
    EXPECT_EQ(elsewhere("--color", launcher), "--color is an option of muster run: " + name +
                                                  " takes the variable MUSTER_COLOR instead");
  }
  EXPECT_EQ(elsewhere("--color", Launcher::run), "");
}

// What it says is to be written, is known there.
TEST(Elsewhere, NamesOptionsThatThereAre) {
  constexpr std::pair<Launcher, const char*> kFronts[] = {{Launcher::run, "run"},
                                                          {Launcher::mpirun, "mpirun"},
                                                          {Launcher::hydra, "mpiexec.hydra"},
                                                          {Launcher::torch, "torchrun"},
                                                          {Launcher::horovod, "horovodrun"},
                                                          {Launcher::deepspeed, "deepspeed"}};
  std::size_t told = 0;
  for (const auto& [launcher, name] : kFronts) {
    std::set<std::string, std::less<>> known;
    for (const OptionText* option : front_of(name)->options()) {
      for (const std::string_view one : names_of(*option)) known.emplace(one);
    }
    for (const auto& [other, other_name] : kFronts) {
      for (const OptionText* option : front_of(other_name)->options()) {
        for (const std::string_view one : names_of(*option)) {
          const std::string hint = elsewhere(one, launcher);
          const std::size_t at = hint.find(" calls it ");
          if (at == std::string::npos) continue;
          const std::string word = hint.substr(at + 10, hint.find(' ', at + 10) - at - 10);
          EXPECT_TRUE(known.contains(word)) << hint;
          ++told;
        }
      }
    }
  }
  EXPECT_GT(told, 50U);
}

}  // namespace
}  // namespace muster::front
