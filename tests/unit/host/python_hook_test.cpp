// The hook that Python loads: what counts as Python, and an archive that unzip and Python read.
#include "host/python_hook.hpp"

#include <gtest/gtest.h>

namespace muster::host {
namespace {

using Words = std::vector<std::string>;

TEST(PythonHook, KnowsPython) {
  EXPECT_TRUE(is_python(Words{"python3", "train.py"},
                        "\x7f"
                        "ELF"));
  EXPECT_TRUE(is_python(Words{"env", "A=1", "/opt/bin/python3.11", "t"},
                        "\x7f"
                        "ELF"));
  EXPECT_TRUE(is_python(Words{"sh", "-c", "exec python train.py"},
                        "\x7f"
                        "ELF"));
  EXPECT_TRUE(is_python(Words{"./train"}, "#!/usr/bin/env python3\nimport torch\n"));
  EXPECT_FALSE(is_python(Words{"./train"}, "#!/bin/sh\nexec python3 x\n"));
  EXPECT_FALSE(is_python(Words{"true"},
                         "\x7f"
                         "ELF"));
  EXPECT_FALSE(is_python(Words{"true"}, ""));
}

TEST(PythonHook, IsAnArchiveWithOneStoredFile) {
  const std::string archive = python_hook_archive();
  EXPECT_TRUE(archive.starts_with("PK\x03\x04"));
  EXPECT_NE(archive.find(python_hook()), std::string::npos);
  const std::string end = archive.substr(archive.size() - 22);
  EXPECT_TRUE(end.starts_with("PK\x05\x06"));
}

}  // namespace
}  // namespace muster::host
