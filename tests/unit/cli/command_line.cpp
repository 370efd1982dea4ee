// Standard streams are files of memory while the command line is carried out.
#include "unit/cli/command_line.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "front/voice.hpp"
#include "main/helper_image.hpp"
#include "process/helper_program.hpp"
#include "process/unique_fd.hpp"

namespace muster::cli {
namespace {

// In place of a standard stream, from here to the end.
class Caught {
 public:
  explicit Caught(int stream)
      : stream_(stream), before_(::dup(stream)), file_(::memfd_create("caught", MFD_CLOEXEC)) {
    EXPECT_GE(::dup2(file_.get(), stream_), 0);
  }
  ~Caught() { give_back(); }
  Caught(const Caught&) = delete;
  Caught& operator=(const Caught&) = delete;

  std::string text() {
    give_back();
    std::string text(static_cast<std::size_t>(::lseek(file_.get(), 0, SEEK_END)), '\0');
    EXPECT_EQ(::pread(file_.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    return text;
  }

 private:
  void give_back() {
    if (!before_) return;
    EXPECT_EQ(::dup2(before_.get(), stream_), stream_);
    before_.reset();
  }

  int stream_;
  process::UniqueFd before_;
  process::UniqueFd file_;
};

}  // namespace

Answer CommandLine::operator()(std::vector<std::string> words) const {
  process::set_helper(helper_image());
  for (const char* said : {front::kColor, front::kQuiet}) ::unsetenv(said);  // by another line
  Answer answer;
  Invocation invocation;
  words.insert(words.begin(), "muster");
  invocation.words = std::move(words);
  invocation.environment = environment;
  invocation.heads.run = [&](head::HeadOptions options) -> base::Result<model::RunReport> {
    base::Result<model::RunReport> report = run ? run(options) : model::RunReport();
    if (report && options.told) options.told(model::RunEnded{*report});  // as every head does
    answer.runs.push_back(std::move(options));
    return report;
  };
  invocation.heads.survey = [&](head::HeadOptions options) {
    head::Survey told = survey ? survey(options) : head::Survey();
    told.facts.resize(options.input.plan.nodes.size());
    answer.surveys.push_back(std::move(options));
    return told;
  };
  Caught out(STDOUT_FILENO);
  Caught err(STDERR_FILENO);
  answer.code = main(std::move(invocation));
  answer.out = out.text();
  answer.err = err.text();
  return answer;
}

}  // namespace muster::cli
