// What a shell's text starts first, and the script in it.
#include "job/first_program.hpp"

#include <gtest/gtest.h>

namespace muster::job {
namespace {

std::string script(std::string_view text) {
  const ValueOf value_of = [](std::string_view name) -> std::optional<std::string> {
    if (name == "SCRIPT") return "known.py";
    return std::nullopt;
  };
  const auto program = first_program(text, value_of);
  if (!program) return "";
  const auto found = script_in(program->words);
  if (!found) return "";
  return program->folder.empty() ? *found : program->folder + ": " + *found;
}

TEST(FirstProgram, IsTheOneWhoseScriptMustBeThere) {
  EXPECT_EQ(script("python train.py --lr 0.1"), "train.py");
  EXPECT_EQ(script("/usr/bin/python3.11 -u -W ignore -X dev a/train.py"), "a/train.py");
  EXPECT_EQ(script("ls -l; pip install -r r.txt\nA=1 time exec python $SCRIPT | tee log"),
            "known.py");
  EXPECT_EQ(script("cd src && mkdir -p out && cd sub && bash -ex run.sh"), "src/sub: run.sh");
  EXPECT_EQ(script("./run.sh"), "./run.sh");
  EXPECT_EQ(script("python \\\n  train.py"), "train.py");
}

TEST(FirstProgram, IsNothingWhereAFileMayComeFromElsewhere) {
  for (const char* text : {"python -m train",
                           "python -c 'import x'",
                           "python - < train.py",
                           "python",
                           "python $UNKNOWN",
                           "python ${DIR}/train.py",
                           "python *.py",
                           "python /opt/train.py",
                           "python ~/train.py",
                           "cp a b; python b",
                           "echo x > train.py; python train.py",
                           "cat > x.py <<EOF\nEOF\npython x.py",
                           "git clone x && python x/a.py",
                           "python a.py || python b.py",
                           "if python a.py; then b; fi",
                           "[ -f a.py ] && python a.py",
                           "(cd x; python a.py)",
                           "f() { python a.py; }",
                           "cd $DIR && python a.py",
                           "cd /opt/app && python a.py",
                           "cd a || exit 1; python a.py",
                           "bash train",
                           "env -i python a.py",
                           "pip install -e .; python a.py",
                           "pip install --target . x; python a.py",
                           "train",
                           "",
                           "source env.sh && python a.py",
                           "conda run python a.py"}) {
    EXPECT_EQ(script(text), "") << text;
  }
}

}  // namespace
}  // namespace muster::job
