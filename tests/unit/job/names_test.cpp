// Names in a cloud: what they are made of, and which entry of muster.yml each means.
#include "job/names.hpp"

#include <gtest/gtest.h>

#include "job/target.hpp"

namespace muster::job {
namespace {

Lead lead(const std::string& name, const std::string& to) {
  return {name, {}, Text{to, {}, {}, true}, {}};
}

std::string where(const std::vector<Lead>& leads, std::string_view name) {
  const auto found = led_by(leads, name);
  return found ? found->to : "(nowhere)";
}

TEST(Names, HaveVersionsLabelsAndLongForms) {
  const auto parts = [](std::string_view text) {
    const auto named = asset_name(text);
    return named ? named->name + "|" + named->version + "|" + named->label : "(none)";
  };
  EXPECT_EQ(parts("azureml:train"), "train||");
  EXPECT_EQ(parts("azureml:train:3"), "train|3|");
  EXPECT_EQ(parts("azureml:train@latest"), "train||latest");
  EXPECT_EQ(parts("sklearn:1.0"), "sklearn|1.0|");
  EXPECT_EQ(parts("azureml://registries/azureml/components/train/versions/0.1"), "train|0.1|");
  EXPECT_EQ(parts("azureml://registries/azureml/environments/acpt/labels/latest"), "acpt||latest");
  EXPECT_EQ(parts("azureml:/subscriptions/s/resourceGroups/g/providers/p/workspaces/w/data/d/"
                  "versions/2"),
            "d|2|");
  EXPECT_EQ(parts("azureml://datastores/blob/paths/x"), "(none)");
  EXPECT_EQ(parts("https://host/x:1"), "(none)");
  EXPECT_EQ(parts("azureml:"), "(none)");
}

TEST(Names, TheEntryOfAVersionWinsOverThatOfTheName) {
  const std::vector<Lead> leads = {lead("train", "any.yml"), lead("train:3", "three.yml"),
                                   lead("azureml:tidy", "tidy.yml"),
                                   lead("train@stable", "stable.yml")};
  EXPECT_EQ(where(leads, "azureml:train:3"), "three.yml");
  EXPECT_EQ(where(leads, "azureml:train:33"), "any.yml");
  EXPECT_EQ(where(leads, "azureml:train@latest"), "any.yml");
  EXPECT_EQ(where(leads, "azureml:train@stable"), "stable.yml");
  EXPECT_EQ(where(leads, "azureml:tidy:1"), "tidy.yml");
  EXPECT_EQ(where(leads, "azureml:trai:3"), "(nowhere)");
  EXPECT_EQ(where({lead("train:3", "three.yml")}, "azureml:train:4"), "(nowhere)");
}

TEST(Names, TheLongestAddressWins) {
  const std::vector<Lead> leads = {
      lead("azureml://datastores/blob", "/mnt/blob"),
      lead("azureml://datastores/blob/paths/big/", "/fast/"),
      lead("https://example.org/data", "/web"),
      lead("https://example.org/data/one.csv", "/one"),
  };
  EXPECT_EQ(where(leads, "azureml://datastores/blob/paths/a/b.csv"), "/mnt/blob/a/b.csv");
  EXPECT_EQ(where(leads, "azureml://datastores/blob/paths/big/b.csv"), "/fast/b.csv");
  EXPECT_EQ(where(leads, "azureml://datastores/blobs/paths/a"), "(nowhere)");
  EXPECT_EQ(where(leads,
                  "azureml://subscriptions/s/resourcegroups/g/workspaces/w/datastores/blob/"
                  "paths/a"),
            "/mnt/blob/a");
  EXPECT_EQ(where(leads, "https://example.org/data/two.csv"), "/web/two.csv");
  EXPECT_EQ(where(leads, "https://example.org/data/one.csv"), "/one");
  EXPECT_EQ(where(leads, "https://example.org/database"), "(nowhere)");
}

TEST(Names, HintsShowWhatToWrite) {
  EXPECT_EQ(how_to_say(Asset::component, "azureml:train:3"),
            "components: {train: ./FILE.yml} in muster.yml");
  EXPECT_EQ(how_to_say(Asset::data, "azureml://datastores/blob/paths/a/b"),
            "data: {\"azureml://datastores/blob/paths/\": PATH} in muster.yml");
  EXPECT_EQ(how_to_say(Asset::data, "https://example.org/a/b.csv"),
            "data: {\"https://example.org/a/\": PATH} in muster.yml");
  EXPECT_EQ(how_to_say(Asset::environment, "azureml:sklearn@latest"),
            "environments: {sklearn: IMAGE or ./FILE.yml} in muster.yml");
  EXPECT_EQ(how_to_say(Asset::environment, "team/sklearn"),
            "environments: {team/sklearn: IMAGE or ./FILE.yml} in muster.yml");
}

TEST(Names, OutputsOfRuns) {
  const auto parts = [](std::string_view text) {
    const auto found = run_output(text);
    return found ? found->run + "|" + found->output + "|" + found->below : "(none)";
  };
  EXPECT_EQ(parts("azureml://jobs/kufa/outputs/model"), "kufa|model|");
  EXPECT_EQ(parts("azureml://jobs/kufa/train/outputs/model/paths/a/b.pt"),
            "kufa/train|model|a/b.pt");
  EXPECT_EQ(parts("azureml://jobs/kufa/outputs/model/paths/"), "kufa|model|");
  EXPECT_EQ(parts("azureml://jobs/kufa"), "(none)");
  EXPECT_EQ(parts("azureml:kufa"), "(none)");
}

TEST(Names, AreReadFromAFileThatHasNoTargets) {
  const auto read = read_targets(
      "components: {train: ./train.yml, 'train:3': ./three.yml}\n"
      "data:\n  mnist: ./mnist\n  iris: {path: 'https://h/iris.csv', sha256: "
      "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef}\n"
      "environments: {sklearn: registry/sklearn}\n",
      "m");
  ASSERT_TRUE(read.complaints.empty()) << to_string(read.complaints.front());
  const Leads& leads = read.targets.leads;
  EXPECT_EQ(where(leads.components, "azureml:train:3"), "./three.yml");
  EXPECT_EQ(where(leads.data, "azureml:mnist:1"), "./mnist");
  EXPECT_EQ(where(leads.data, "azureml:iris:1"), "https://h/iris.csv");
  EXPECT_EQ(leads.data.back().sha256->text.size(), 64U);
  EXPECT_EQ(where(leads.environments, "azureml:sklearn:1"), "registry/sklearn");
}

TEST(Names, WhatMakesNoSenseIsTold) {
  const auto told = [](std::string_view text) {
    std::string all;
    for (const base::Error& one : read_targets(text, "m").complaints) {
      all += to_string(one.place) + ": " + one.what + "\n";
    }
    return all;
  };
  EXPECT_NE(told("data: {a: {path: here.csv, sha256: " + std::string(64, 'a') + "}}\n")
                .find("data.a.sha256 is for what is fetched, and 'here.csv' is a path here"),
            std::string::npos);
  EXPECT_EQ(told("data: {a: {sha256: 12}, b: [x], c: {path: p, sha: x}}\n"),
            "m:1:11: the key data.a.path is missing\n"
            "m:1:20: data.a.sha256 must be 64 digits of 0-9 and a-f, not '12'\n"
            "m:1:28: data.b must be text or a map, not a list\n"
            "m:1:46: unknown key 'sha' in data.c\n");
  EXPECT_EQ(told("data: {a: }\n"), "m:1:8: data.a has no value\n");
  EXPECT_EQ(told("default: x\n"), "m:1:1: the key targets is missing\n");
}

}  // namespace
}  // namespace muster::job
