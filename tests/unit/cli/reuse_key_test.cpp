// reuse_key: whatever can reach a step changes its key, one thing at a time.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <sys/stat.h>

#include "cli/reuse.hpp"
#include "front/job/front.hpp"
#include "front/pipeline_request.hpp"
#include "unit/folder.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPipelineText = R"(type: pipeline
settings: {force_rerun: false}
jobs:
  make:
    component: ./make.yml
    inputs: {seed: 1, one: {type: uri_file, path: one}, all: {type: uri_folder, path: all}}
)";

constexpr std::string_view kComponentText = R"($schema: commandComponent
is_deterministic: true
code: src
command: sh make.sh ${{inputs.seed}} ${{inputs.one}} ${{inputs.all}}
environment_variables: {COLOUR: red}
inputs: {seed: {type: integer}, one: {type: uri_file}, all: {type: uri_folder}}
outputs: {made: {}}
)";

// A pipeline of one step with all that a step may have, on the disk, made anew at one place.
class Scene {
 public:
  explicit Scene(const unit::Folder& folder) : root_(folder.path() + "/scene") {
    fs::remove_all(root_);
    put("p.yml", std::string(kPipelineText));
    put("make.yml", std::string(kComponentText));
    put("other.yml", replaced(std::string(kComponentText), "sh make.sh", "sh ./make.sh"));
    put("muster.yml", "targets: {t: {fake_nodes: 2}}\n");
    put("src/make.sh", "echo $@");
    put("src/sub/more.txt", "more");
    put("one", "1");
    put("all/a", "a");
    put("far", "far");
    put("farther", "far");
    link("far", "src/near");
    link("far", "all/near");
  }

  void put(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(at(name)).parent_path());
    std::ofstream(at(name)) << text;
  }
  void link(const std::string& target, const std::string& name) const {
    fs::remove(at(name));
    fs::create_symlink(at(target), at(name));
  }
  void edit(const std::string& name, const std::string& old, const std::string& now) const {
    std::ifstream file(at(name));
    put(name, replaced({std::istreambuf_iterator<char>(file), {}}, old, now));
  }
  [[nodiscard]] std::string at(const std::string& name) const { return root_ + "/" + name; }

  std::vector<std::string> words = {"p.yml"};
  std::map<std::string, std::string> shell = {{"HOME", "/nowhere"}, {"PATH", "/usr/bin:/bin"}};
  bool backwards = false;  // the order of the shell's variables
  std::string run = "1";

  [[nodiscard]] ReuseKey key() const {
    const auto read = front::read_submit(call());
    if (!read) return {"", to_string(read.error())};
    if (!read->complaints.empty()) return {"", to_string(read->complaints.front())};
    return reuse_key(*read->pipeline, read->pipeline->steps.front());
  }

 private:
  static std::string replaced(std::string text, const std::string& old, const std::string& now) {
    const std::size_t found = text.find(old);
    EXPECT_NE(found, std::string::npos) << old;
    return text.replace(found, old.size(), now);
  }

  [[nodiscard]] front::Call call() const {
    front::Call call{.called = "submit", .words = words, .current_folder = root_};
    for (const auto& [name, value] : shell) call.environment.push_back(name + "=" + value);
    if (backwards) std::ranges::reverse(call.environment);
    call.record_folder = at("records/" + run);
    call.read_file = [this](const std::string& path, std::size_t) -> base::Result<std::string> {
      const fs::path place = fs::path(root_) / path;
      if (!fs::exists(place)) return base::fail(base::Fault::bad_file, "", "no {}", path);
      std::ifstream file(place);
      return std::string(std::istreambuf_iterator<char>(file), {});
    };
    call.has_file = [this](const std::string& path) { return fs::exists(fs::path(root_) / path); };
    return call;
  }

  std::string root_;
};

using Change = std::function<void(Scene&)>;
using Changes = std::map<std::string, Change>;

Change edits(std::string file, std::string old, std::string now) {
  return [=](Scene& scene) { scene.edit(file, old, now); };
}
Change puts(std::string file, std::string text) {
  return [=](Scene& scene) { scene.put(file, text); };
}
Change links(std::string target, std::string name) {
  return [=](Scene& scene) { scene.link(target, name); };
}
Change modes(std::string file, mode_t mode) {
  return [=](Scene& scene) { EXPECT_EQ(::chmod(scene.at(file).c_str(), mode), 0); };
}
Change renames(std::string file, std::string now) {
  return [=](Scene& scene) { fs::rename(scene.at(file), scene.at(now)); };
}
Change shell(std::string name, std::string value) {
  return [=](Scene& scene) { scene.shell[name] = value; };
}

class ReuseKeys : public testing::Test {
 protected:
  [[nodiscard]] std::string key_after(const Change& first, const Change& change) const {
    Scene scene(folder_);
    first(scene);
    change(scene);
    const ReuseKey key = scene.key();
    EXPECT_EQ(key.why_not, "");
    EXPECT_EQ(key.key.size(), 64U);
    return key.key;
  }

  // Each gives another key than all others and than none.
  void expect_all_different(const Change& first, const Changes& changes) const {
    std::map<std::string, std::string> seen = {{key_after(first, nothing), "nothing"}};
    for (const auto& [name, change] : changes) {
      const auto [same, is_new] = seen.try_emplace(key_after(first, change), name);
      EXPECT_TRUE(is_new) << name << " gives the key of " << same->second;
    }
  }

  static void nothing(Scene& scene) { (void)scene; }

  unit::Folder folder_;
};

TEST_F(ReuseKeys, FilesCount) {
  expect_all_different(nothing,
                       {
                           {"content of the code", puts("src/make.sh", "echo $@ #")},
                           {"content of an input", puts("one", "2")},
                           {"content in a folder", puts("all/a", "b")},
                           {"content of a link's target", puts("far", "changed")},
                           {"target of a link in the code", links("farther", "src/near")},
                           {"target of a link in an input", links("farther", "all/near")},
                           {"target that is not there", links("nowhere", "all/near")},
                           {"mode of the code", modes("src/make.sh", 0755)},
                           {"mode of a folder in the code", modes("src/sub", 0700)},
                           {"mode of an input", modes("one", 0600)},
                           {"mode in a folder", modes("all/a", 0600)},
                           {"name in the code", renames("src/sub/more.txt", "src/sub/other.txt")},
                           {"name in a folder", renames("all/a", "all/b")},
                           {"another file in the code", puts("src/new", "")},
                           {"another file in a folder", puts("all/new", "")},
                           {"name of an input",
                            [](Scene& scene) {
                              fs::rename(scene.at("one"), scene.at("renamed"));
                              scene.edit("p.yml", "path: one", "path: renamed");
                            }},
                       });
}

TEST_F(ReuseKeys, WhatTheFilesSayCounts) {
  expect_all_different(
      nothing,
      {
          {"command", edits("make.yml", "sh make.sh", "exec sh make.sh")},
          {"component", edits("p.yml", "./make.yml", "./other.yml")},
          {"seed", edits("p.yml", "seed: 1", "seed: 2")},
          {"value of a variable", edits("make.yml", "red", "blue")},
          {"name of a variable", edits("make.yml", "COLOUR", "COLOR")},
          {"name of an output", edits("make.yml", "{made: {}}", "{built: {}}")},
          {"one output more", edits("make.yml", "{made: {}}", "{made: {}, more: {}}")},
          {"layout",
           edits("p.yml", "./make.yml", "./make.yml\n    resources: {instance_count: 2}")},
          {"framework", edits("p.yml", "./make.yml", "./make.yml\n    distribution: {type: mpi}")},
          {"processes", edits("p.yml", "./make.yml",
                              "./make.yml\n    distribution: "
                              "{type: mpi, process_count_per_instance: 2}")},
      });
}

TEST_F(ReuseKeys, TheShellCounts) {
  expect_all_different(
      [](Scene& scene) {
        scene.words = {"p.yml", "--secret", "TOKEN", "--target", "t"};
        scene.shell["TOKEN"] = "0";
      },
      {
          {"PATH", shell("PATH", "/x")},
          {"LD_LIBRARY_PATH", shell("LD_LIBRARY_PATH", "/x")},
          {"PYTHONPATH", shell("PYTHONPATH", "/x")},
          {"VIRTUAL_ENV", shell("VIRTUAL_ENV", "/x")},
          {"CONDA_PREFIX", shell("CONDA_PREFIX", "/x")},
          {"HOME", shell("HOME", "/x")},
          {"USER", shell("USER", "/x")},
          {"LOGNAME", shell("LOGNAME", "/x")},
          {"SHELL", shell("SHELL", "/x")},
          {"LANG", shell("LANG", "/x")},
          {"LC_ALL", shell("LC_ALL", "/x")},
          {"LC_NUMERIC", shell("LC_NUMERIC", "/x")},
          {"TZ", shell("TZ", "/x")},
          {"a secret", shell("TOKEN", "1")},
      });
}

TEST_F(ReuseKeys, ImagesCount) {
  expect_all_different(
      edits("make.yml", "outputs:", "environment: {image: 'x@sha256:aa'}\noutputs:"),
      {
          {"image", edits("make.yml", "sha256:aa", "sha256:bb")},
          {"options", puts("muster.yml", "default: t\ntargets: {t: {container_options: [-t]}}\n")},
          {"mounts", puts("muster.yml", "default: t\ntargets: {t: {mounts: [/a]}}\n")},
      });
}

TEST_F(ReuseKeys, FilesOfImagesCount) {
  const Change first = [](Scene& scene) {
    scene.put("image.sif", "1");
    const std::string image = "environment: {image: '" + scene.at("image.sif") + "'}\n";
    scene.edit("make.yml", "outputs:", image + "outputs:");
  };
  expect_all_different(first, {{"content", puts("image.sif", "2")}});
}

TEST_F(ReuseKeys, PackagesCount) {
  expect_all_different(edits("make.yml", "outputs:",
                             "environment: {conda_file: {dependencies: [python=3.10]}}\noutputs:"),
                       {
                           {"version", edits("make.yml", "python=3.10", "python=3.11")},
                           {"one more", edits("make.yml", "[python=3.10]", "[python=3.10, numpy]")},
                       });
}

TEST_F(ReuseKeys, WhatCannotReachAStepDoesNotCount) {
  const std::string key = key_after(nothing, nothing);
  EXPECT_EQ(key_after(nothing, shell("OTHER", "1")), key);
  for (const char* const name : {"TERM", "DISPLAY", "PWD", "LCD", "PATHS", "MUSTER_QUIET"}) {
    EXPECT_EQ(key_after(nothing, shell(name, "xterm")), key) << name;
  }
  EXPECT_EQ(key_after(nothing, [](Scene& scene) { scene.backwards = true; }), key);
  EXPECT_EQ(key_after(nothing, [](Scene& scene) { scene.run = "2"; }), key) << "another run";
  EXPECT_EQ(key_after(nothing, puts("src/make.sh", "echo $@")), key) << "written anew";
  EXPECT_EQ(key_after(nothing, puts("beside", "x")), key);
  EXPECT_EQ(key_after(nothing, edits("p.yml", "type: pipeline", "type: pipeline\ntags: {a: b}")),
            key);
}

TEST_F(ReuseKeys, TheShellDoesNotReachAContainer) {
  const Change first =
      edits("make.yml", "outputs:", "environment: {image: 'x@sha256:aa'}\noutputs:");
  const std::string key = key_after(first, nothing);
  for (const char* const name : {"PATH", "PYTHONPATH", "HOME", "USER", "TZ", "LC_ALL"}) {
    EXPECT_EQ(key_after(first, shell(name, "/x")), key) << name;
  }
}

TEST_F(ReuseKeys, WhatCannotBeComparedIsTold) {
  const auto why = [&](const Change& change) {
    Scene scene(folder_);
    change(scene);
    const ReuseKey key = scene.key();
    EXPECT_EQ(key.key, "");
    return key.why_not;
  };
  EXPECT_EQ(why(edits("make.yml", "code: src\n", "")),
            "without a copy of its code: folder it may read any file");
  EXPECT_EQ(why(edits("make.yml", "outputs:", "environment: {image: 'x:1'}\noutputs:")),
            "the name x:1 may be given to another image later; use its digest, NAME@sha256:...");
  EXPECT_EQ(why([](Scene& scene) { fs::remove(scene.at("one")); }),
            "cannot read " + folder_.path() + "/scene/one: No such file or directory");
  EXPECT_EQ(why(edits("p.yml", "path: one", "path: 'https://x/one'")),
            "the address of its input one may hold something else later; give its sha256");
}

}  // namespace
}  // namespace muster::cli
