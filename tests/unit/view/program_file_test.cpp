// Why a program cannot be started, from its first bytes.
#include "view/program_file.hpp"

#include <cerrno>
#include <gtest/gtest.h>

namespace muster::view {
namespace {

constexpr std::uint16_t kX86 = 62;
constexpr std::uint16_t kArm = 183;

ProgramFile file(std::string bytes) {
  ProgramFile made;
  made.word = "./train";
  made.first_bytes = std::move(bytes);
  made.has_file = [](const std::string& name) { return name == "/bin/sh" || name == "/bin/env"; };
  made.on_path = [](const std::string& name) { return name == "python3"; };
  made.host_machine = kX86;
  return made;
}

std::string script_words(std::string bytes) {
  const auto fault = script_fault(file(std::move(bytes)));
  return fault ? fault->what : "";
}

// The head of a 64-bit file with one program header, PT_INTERP.
std::string elf(std::uint16_t machine, const std::string& loader) {
  std::string bytes(
      "\x7f"
      "ELF\x02\x01\x01",
      7);
  bytes.resize(64 + 56);
  const auto put = [&bytes](std::size_t at, std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
  };
  put(18, machine, 2);
  put(32, 64, 8);  // where the program headers begin
  put(54, 56, 2);  // bytes of each
  put(56, 1, 2);   // how many
  put(64, 3, 4);   // PT_INTERP
  put(64 + 8, bytes.size(), 8);
  put(64 + 32, loader.size() + 1, 8);
  return bytes + loader + '\0';
}

TEST(ScriptOf, ReadsTheFirstLine) {
  EXPECT_FALSE(script_of("echo hi\n"));
  EXPECT_EQ(script_of("#! /bin/sh -e\nx")->interpreter, "/bin/sh");
  EXPECT_EQ(script_of("#!/bin/sh -e\nx")->line, "#!/bin/sh -e");
  EXPECT_EQ(script_of("#!/usr/bin/env python3\n")->sought, "python3");
  EXPECT_EQ(script_of("#!/usr/bin/env -S python3 -u\n")->sought, "python3");
  EXPECT_EQ(script_of("#!/usr/bin/env -i python3\n")->sought, "") << "not looked into";
  EXPECT_EQ(script_of("#!/usr/bin/env A=b python3\n")->sought, "");
  EXPECT_EQ(script_of("#!/bin/sh python3\n")->sought, "");
}

TEST(ScriptFault, IsNoneWhenAllIsThere) {
  EXPECT_EQ(script_words("#!/bin/sh\n"), "");
  EXPECT_EQ(script_words("#!/bin/env python3\n"), "");
  EXPECT_EQ(script_words("#!bin/relative\n"), "") << "looked for in the rank's folder";
  EXPECT_EQ(script_words("#!\n"), "");
  EXPECT_EQ(script_words("no script"), "");
  EXPECT_EQ(script_words("#!/bin/sh -e\r\n"), "") << "the interpreter may bear it";
}

TEST(ScriptFault, QuotesTheLineThatNamesWhatIsMissing) {
  EXPECT_EQ(script_words("#!/opt/py/bin/python -u\nimport torch\n"),
            "the first line of ./train, `#!/opt/py/bin/python -u`, asks for /opt/py/bin/python, "
            "which is not there");
  EXPECT_EQ(script_words("#!/bin/env python\n"),
            "the first line of ./train, `#!/bin/env python`, asks for python, which is not on PATH "
            "there");
}

TEST(ScriptFault, KnowsTheLineEndsOfWindows) {
  const std::string what = "`, ends with a carriage return: the file has the line ends of Windows";
  EXPECT_EQ(script_words("#!/bin/sh\r\nx\r\n"), "the first line of ./train, `#!/bin/sh\\r" + what);
  EXPECT_EQ(script_words("#!/bin/env python3\r\n"),
            "the first line of ./train, `#!/bin/env python3\\r" + what);
  EXPECT_EQ(script_fault(file("#!/bin/sh\r\n"))->hint, "sed -i 's/\\r$//' ./train");
}

TEST(ElfOf, ReadsMachineAndLoader) {
  EXPECT_FALSE(elf_of("#!/bin/sh\n"));
  EXPECT_FALSE(
      elf_of("\x7f"
             "ELF"));
  const auto read = elf_of(elf(kArm, "/lib/ld-linux-aarch64.so.1"));
  ASSERT_TRUE(read);
  EXPECT_EQ(machine_name(read->machine), "aarch64");
  EXPECT_EQ(read->loader, "/lib/ld-linux-aarch64.so.1");
}

TEST(ElfOf, BearsDamagedFiles) {
  const std::string whole = elf(kX86, "/lib/ld.so");
  for (std::size_t size = 0; size <= whole.size(); ++size) (void)elf_of(whole.substr(0, size));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = '\xff';
    (void)elf_of(damaged);
  }
}

TEST(ExecFault, NamesTheProcessor) {
  EXPECT_EQ(exec_fault(file(elf(kArm, "/lib/ld")), ENOEXEC, "Exec format error").what,
            "./train is a program for aarch64, and this host is x86_64");
}

TEST(ExecFault, NamesTheLoader) {
  EXPECT_EQ(exec_fault(file(elf(kX86, "/lib/ld-musl-x86_64.so.1")), ENOENT, "No such file").what,
            "./train needs /lib/ld-musl-x86_64.so.1, which is not there");
}

TEST(ExecFault, OfATextAsksForTheLine) {
  const base::Error error = exec_fault(file("echo hi\n"), ENOEXEC, "Exec format error");
  EXPECT_EQ(error.what, "./train is not a binary program, and has no `#!` line that names one");
  EXPECT_NE(error.hint.find("sh ./train"), std::string::npos);
  EXPECT_EQ(error.fault, base::Fault::cannot_start);
  EXPECT_EQ(exec_fault(file(""), ENOEXEC, "Exec format error").what, "./train is empty");
}

TEST(ExecFault, KnowsOtherErrors) {
  ProgramFile there = file("#!/bin/sh\n");
  there.no_exec = true;
  EXPECT_NE(exec_fault(there, EACCES, "Permission denied").what.find("noexec"), std::string::npos);
  EXPECT_NE(exec_fault(there, E2BIG, "").what.find("too long"), std::string::npos);
  EXPECT_NE(exec_fault(there, ETXTBSY, "").what.find("open for writing"), std::string::npos);
  EXPECT_EQ(exec_fault(there, ELOOP, "Too many levels").what, "./train: Too many levels");
}

}  // namespace
}  // namespace muster::view
