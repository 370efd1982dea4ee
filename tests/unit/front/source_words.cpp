// Reads C++ and Python as far as literals go: comments hold none that is printed.
#include "unit/front/source_words.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

namespace muster::front {
namespace {

class Literals {
 public:
  Literals(std::string file, std::string text) : file_(std::move(file)), text_(std::move(text)) {}

  [[nodiscard]] std::vector<SourceWords> all() {
    const bool is_python = file_.ends_with(".py");
    while (at_ < text_.size()) {
      if (is_python ? takes_python() : takes_cpp()) continue;
      if (std::isspace(static_cast<unsigned char>(text_[at_])) == 0) end_sentence();
      ++at_;
    }
    end_sentence();
    return found_;
  }

 private:
  // A comment or a literal that begins here, to its end.
  bool takes_cpp() {
    if (starts("//")) {
      skip_to("\n");
    } else if (starts("R\"(")) {
      end_sentence();
      raw();
    } else if (starts("'")) {  // of a character, or between digits
      at_ += starts("'\\") ? 4 : starts("'\"") ? 3 : 1;
    } else if (starts("\"")) {
      plain();
    } else {
      return false;
    }
    return true;
  }

  // The same. An f or r before its quote belongs to a literal; docstrings are comments.
  bool takes_python() {
    constexpr std::size_t kPrefixMax = 2;
    constexpr std::string_view kDocstring = "\"\"\"";
    if (starts("#")) {
      skip_to("\n");
      return true;
    }
    const std::size_t quote = text_.find_first_not_of("bfr", at_);
    if (quote == std::string::npos || quote - at_ > kPrefixMax) return false;
    if (text_[quote] != '"' && text_[quote] != '\'') return false;
    at_ = quote;
    if (starts(kDocstring)) {
      at_ += kDocstring.size();
      skip_to(kDocstring);
      at_ = std::min(at_ + kDocstring.size(), text_.size());
    } else {
      plain();
    }
    return true;
  }

  [[nodiscard]] bool starts(std::string_view with) const {
    return std::string_view(text_).substr(at_).starts_with(with);
  }
  void skip_to(std::string_view end) { at_ = std::min(text_.find(end, at_), text_.size()); }

  void plain() {
    const char quote = text_[at_];
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] != '\\') {
        sentence_ += text_[at_];
        continue;
      }
      const char escaped = text_[++at_];
      sentence_ += escaped == 'n' ? '\n' : escaped;
    }
    ++at_;
  }

  void raw() {
    at_ += 3;
    const std::size_t begin = at_;
    skip_to(")\"");
    std::istringstream lines(text_.substr(begin, at_ - begin));
    for (std::string line; std::getline(lines, line);) add_line(line);
    at_ = std::min(at_ + 2, text_.size());
  }

  // A command may go on below.
  void add_line(const std::string& line) {
    const bool goes_on =
        !found_.empty() && found_.back().is_example &&
        (found_.back().text.ends_with(" --") || found_.back().text.ends_with('\\'));
    if (goes_on) {
      found_.back().text += line.substr(std::min(line.find_first_not_of(' ') - 1, line.size()));
      return;
    }
    const bool is_usage =
        line.starts_with("Usage:") || line.find_first_of("[|") != std::string::npos;
    if (!is_usage) found_.push_back({file_, line, line.starts_with("  ")});
  }

  void end_sentence() {
    if (!sentence_.empty()) found_.push_back({file_, std::move(sentence_), false});
    sentence_.clear();
  }

  std::string file_;
  std::string text_;
  std::size_t at_ = 0;
  std::string sentence_;
  std::vector<SourceWords> found_;
};

namespace fs = std::filesystem;

void add_words(const fs::path& below, const std::set<std::string>& endings,
               std::vector<SourceWords>& all) {
  const fs::path sources = MUSTER_SOURCE_DIR;
  for (const auto& entry : fs::recursive_directory_iterator(sources / below)) {
    if (!endings.contains(entry.path().extension())) continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    auto words = Literals(entry.path().lexically_relative(sources), text.str()).all();
    all.insert(all.end(), words.begin(), words.end());
  }
}

}  // namespace

std::vector<SourceWords> source_words() {
  std::vector<SourceWords> all;
  add_words("src", {".cpp", ".hpp"}, all);
  add_words("python/muster", {".py"}, all);
  return all;
}

}  // namespace muster::front
