// Conda files, and what can be told of them without conda.
#include "job/conda.hpp"

#include <gtest/gtest.h>

#include "job/yaml.hpp"

namespace {

using namespace muster;

job::CondaPackages packages_in(std::string_view text, std::vector<base::Error>* wrong = nullptr) {
  const job::Document document = job::read_yaml(text, "conda.yml");
  job::Complaints complaints("conda.yml");
  job::CondaPackages packages = job::read_conda(*document.root, complaints);
  const std::vector<base::Error> all = std::move(complaints).take();
  EXPECT_EQ(all.empty(), wrong == nullptr);
  if (wrong != nullptr) *wrong = all;
  return packages;
}

using Texts = std::vector<std::string>;

TEST(Conda, ReadsChannelsPackagesAndPipsList) {
  const auto packages = packages_in(
      "name: any\nchannels: [conda-forge]\ndependencies:\n- python=3.8\n- a::mkl>2\n- pip:\n"
      "  - torch==1.13\n  - 'x; python_version < \"3\"'\nprefix: /opt\n");
  EXPECT_EQ(packages.channels, Texts{"conda-forge"});
  EXPECT_EQ(packages.packages, (Texts{"python=3.8", "a::mkl>2"}));
  EXPECT_EQ(packages.pip, (Texts{"torch==1.13", "x; python_version < \"3\""}));
  EXPECT_EQ(job::only_conda(packages), Texts{"mkl"});
}

TEST(Conda, ItsTextIsReadAgain) {
  job::CondaPackages packages{{"c\"h"}, {"python", "\\n\t"}, {"a b", "\"", "é: #"}};
  for (int i = 0; i < 3; ++i) {
    const auto again = job::parse_conda_text(job::conda_text(packages));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->channels, packages.channels);
    EXPECT_EQ(again->packages, packages.packages);
    EXPECT_EQ(again->pip, packages.pip);
    if (i == 0) packages.pip.clear();
    if (i == 1) packages = {{}, {}, {"only"}};
  }
  EXPECT_FALSE(job::parse_conda_text("dependencies: x"));
  EXPECT_FALSE(job::parse_conda_text("- a"));
  EXPECT_FALSE(job::parse_conda_text("{"));
}

TEST(Conda, ComplainsAboutWhatIsNoListOfPackages) {
  for (const char* text :
       {"channels: [a]", "dependencies: a", "dependencies: [[a]]", "dependencies: [{pip: a}]",
        "dependencies: [{pip: [[a]]}]", "dependencies: [{pip: [a], other: b}]",
        "channels: {a: b}\ndependencies: []"}) {
    std::vector<base::Error> wrong;
    (void)packages_in(text, &wrong);
    ASSERT_EQ(wrong.size(), 1U) << text;
    EXPECT_EQ(wrong[0].place.source, "conda.yml");
    EXPECT_GT(wrong[0].place.line, 0U);
  }
}

TEST(Conda, KnowsNamesAndVersionsOfPackages) {
  const std::vector<std::array<std::string, 3>> cases = {
      {"python", "python", ""},
      {"Python=3.8", "python", "=3.8"},
      {"conda-forge::python>=3.8,<3.12", "python", ">=3.8,<3.12"},
      {"python 3.8.* *_cpython", "python", "3.8.*"},
      {"python =3.8=h1", "python", "=3.8"},
      {"python >= 3.8, < 4", "python", ">=3.8,<4"},
      {"python[version='>3']", "python", ""},
      {"python~=3.9|3.7", "python", "~=3.9|3.7"}};
  for (const auto& [text, name, version] : cases) {
    EXPECT_EQ(job::package_name(text), name) << text;
    EXPECT_EQ(job::version_wanted(text), version) << text;
  }
}

TEST(Conda, JudgesVersions) {
  for (const char* wanted :
       {"", "3", "=3.11", "3.11.*", "==3.11.*", "==3.11.2", ">=3.8", ">3.10", "<=3.11.2", "<3.12",
        "!=3.8", "!=3.10.*", ">=3.8,<3.12", "~=3.9", "~=3.11.1", "2.7|3.11", ">=3,!=3.10"}) {
    EXPECT_TRUE(job::is_wanted("3.11.2", wanted)) << wanted;
  }
  for (const char* wanted : {"=3.1", "=3.8", "==3.11", "==3.11.20", ">3.11.2", "<3.11.2", "<3",
                             "!=3.11.*", "!=3.11.2", "~=3.12", "~=3.10.0", ">=3.8,<3.11", "2|4"}) {
    EXPECT_FALSE(job::is_wanted("3.11.2", wanted)) << wanted;
  }
}

TEST(Conda, ReadsFilesOfRequirements) {
  EXPECT_EQ(job::requirement_lines("# c\n\n a==1  # why\r\nb#x\n  -r more.txt\n"),
            (Texts{"a==1", "b#x", "-r more.txt"}));
  EXPECT_EQ(job::required_file("-r more.txt"), "more.txt");
  EXPECT_EQ(job::required_file("-rmore.txt"), "more.txt");
  EXPECT_EQ(job::required_file("--requirement=a/b.txt"), "a/b.txt");
  EXPECT_EQ(job::required_file("requests"), std::nullopt);
  EXPECT_EQ(job::required_file("-r"), std::nullopt);
}

}  // namespace
