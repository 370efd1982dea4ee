// What the steps of a pipeline are while they are laid side by side.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "job/graph.hpp"
#include "job/pipeline_file.hpp"

namespace muster::job {

using MadeOutputs = std::map<std::string, MadeBy, std::less<>>;

// What an input stands for: an output of a step, a text, or nothing.
struct Source {
  std::optional<MadeBy> made;
  std::optional<std::string> text;
  std::string folder;       // where a relative path begins
  bool is_path = false;     // `text` is one
  bool is_table = false;    // and that of a folder with an MLTable file
  bool told = false;        // it has been complained about
  Mark mark = {};           // if a loop says it
  std::string sha256 = {};  // that it must have once it is fetched
  bool led = false;         // `text` is where its name leads
};
using Sources = std::map<std::string, Source, std::less<>>;

// Of a pipeline's outputs, where they are said; absolute.
struct OutputPlace {
  Text path;
  bool overwrite = false;
};
using OutputPaths = std::map<std::string, OutputPlace, std::less<>>;

// One pipeline while its steps are laid out, with what it has from the one that it is a step of.
struct Scope {
  const Pipeline& pipeline;
  std::string prefix;           // of its steps' names
  std::vector<std::size_t> at;  // its place in the order of the files
  Sources inputs;
  OutputPaths paths;
  std::optional<Text> target;      // of steps that name none
  std::vector<std::size_t> after;  // what all its steps wait for
  std::vector<Condition> when;     // and under which conditions they run
};

// What a step has come to.
struct Laid {
  MadeOutputs outputs;
  std::vector<std::size_t> steps;  // of the graph
  bool left_out = false;
};

// What an if_else says.
struct Decision {
  std::optional<bool> known;
  MadeBy output;                // if it is not
  std::vector<Condition> when;  // of itself
  bool left_out = false;
};

// The steps of a scope while they are laid out.
struct Level {
  const Scope& scope;
  std::vector<Laid> laid;
  std::vector<Decision> decisions;
  std::vector<std::size_t> first = {};  // what all others wait for
};

// A step, or one pass of it.
struct Here {
  const Level& level;
  const Step& step;
  const std::string& name;
  Sources given = {};  // inputs that a loop gives
  MadeBy items = {};   // which give the others, once they are known
};

}  // namespace muster::job
