// Where muster's Python package lies beside a program, and which code needs it.
#include "cli/stand_ins.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace {

using namespace muster;
namespace fs = std::filesystem;

class StandIns : public testing::Test {
 protected:
  StandIns() {
    std::string made = (fs::temp_directory_path() / "muster-stand-ins-XXXXXX").string();
    folder_ = ::mkdtemp(made.data());
  }
  ~StandIns() override { fs::remove_all(folder_); }

  void put(const std::string& path, const std::string& text = "") const {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }
  [[nodiscard]] std::string beside(const std::string& program) const {
    return cli::stand_ins_beside((folder_ / program).string());
  }

  fs::path folder_;
};

TEST_F(StandIns, AreFoundWhereTheyAreInstalled) {
  EXPECT_EQ(beside("bin/muster"), "");
  put("lib/python3.9/site-packages/other/__init__.py");
  EXPECT_EQ(beside("bin/muster"), "");
  for (const char* place :
       {"lib/python3.11/dist-packages", "lib/python3.8/site-packages", "python"}) {
    put(std::string(place) + "/muster/in_ranks/azureml/__init__.py");
    EXPECT_EQ(beside("bin/muster"), (folder_ / place / "muster/in_ranks").string());
    fs::remove_all(folder_ / place);
  }
  EXPECT_EQ(cli::stand_ins_beside("muster"), "");
}

TEST_F(StandIns, AreNeededByCodeThatNamesTheSdk) {
  const std::string code = folder_.string();
  EXPECT_FALSE(cli::names_azureml(code + "/none"));
  put("train.py", "import os\n");
  put("data.txt", "azureml\n");
  EXPECT_FALSE(cli::names_azureml(code));
  put("below/log.py", "from azureml.core.run import Run\n");
  EXPECT_TRUE(cli::names_azureml(code));
}

}  // namespace
