#!/usr/bin/python3
"""The house rules as a test: what a room may include, how long things may be, what is never called.

Each rule is a function from text to complaints, tried on made-up text, then on the repository.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINE_MAX = 100
FILE_MAX = 600
FUNCTION_MAX = 70
MEMBERS_MAX = 16  # of one class
FUNCTIONS_MAX = 45

# ---- rules about rooms --------------------------------------------------------------------------

PURE = {
    "base": set(),
    "model": {"base"},
    "spec": {"base", "model"},
    "sweep": {"base"},
    "table": {"base"},
    "option": {"base", "model", "spec", "table"},
    "job": {"base", "model", "spec", "sweep", "table"},
    "snapshot": {"base", "model", "spec"},
    "container": {"base", "model", "spec"},
    "kubernetes": {"base", "model", "spec", "job"},
    "batch": {"base", "model"},
    "front": {"base", "model", "spec", "sweep", "table", "option", "job", "kubernetes", "batch"},
    "plan": {"base", "model"},
    "wire": {"base", "model"},
    "view": {"base", "model", "sweep"},
    "machine": {"base", "model", "spec", "plan", "wire", "view"},
}
ADAPTERS = {
    "process": {"base", "model", "wire"},
    "probe": {"base", "model", "process"},
    "helper": {"base", "model"},
    "link": {"base", "model", "wire", "process"},
    "pmi": {"base", "model", "wire"},
    "pmix": {"base", "wire", "process"},
    "gloo": {"base"},
    "cluster": {"base", "model", "kubernetes", "process"},
    "queue": {"base", "model", "batch", "process"},
    "store": {"base", "model", "sweep", "view", "process"},
    "blobs": {"base", "model", "spec", "snapshot", "process"},
}
# Files of an adapter that make no system call either.
PURE_FILES = re.compile(r"src/(pmi/pmi_\w+|gloo/\w+)\.[ch]pp$")
HOST = {"base", "model", "plan", "wire", "view", "machine", "process", "probe", "link", "pmi",
        "pmix", "container"}
HEAD = HOST | {"host", "gloo", "store"}
FOR_FRONTS = {"front", "option", "job", "kubernetes", "batch", "table"}
PIPELINE = set(PURE) - FOR_FRONTS | {"process", "store"}
CLI = set(PURE) | set(ADAPTERS) | {"host", "head", "pipeline"}
MAY_INCLUDE = {**PURE, **ADAPTERS, "host": HOST, "head": HEAD, "pipeline": PIPELINE,
               "cli": CLI, "main": CLI | {"cli"}}
# Folders of a room that know nothing of one another, and what joins them.
JOINS_FOLDERS = {"front": "src/front/fronts.cpp"}

STANDARD = set("""
    algorithm any array bit bitset charconv chrono compare concepts cctype cerrno cfloat
    cinttypes climits cmath csignal cstddef cstdint cstdio cstdlib cstring deque exception
    expected functional initializer_list iomanip iterator limits list locale map memory
    memory_resource new numbers numeric optional queue random ranges ratio regex set
    source_location span sstream stack stdexcept streambuf string string_view system_error tuple
    type_traits typeindex unordered_map unordered_set utility valarray variant vector version
    """.split())

# A foreign header and the places, by path below src, that may include it.
FOREIGN = {
    r"nlohmann/": r"view/\w+_json\.cpp|view/python_error\.cpp|job/(schema|saved_values)\.cpp|"
                  r"kubernetes/read_json\.cpp|spec/flux_resources\.cpp|cli/",
    r"wire\.pb\.h|google/": r"wire/codec\w*\.[ch]pp",
    r"asio": r"process/|link/|host/|head/|third_party/",
    r"CLI/": r"cli/",
    r"pmix\w*\.h$": r"pmix/",
    r"hwloc\.h$": r"helper/",
    r"yaml\.h$": r"job/yaml\.cpp|kubernetes/yaml_text\.cpp",
    r"nettle/": r"link/|blobs/sha256\.cpp",
    r"sqlite3\.h$": r"store/index\.cpp",
    r"fmt/|tl/": r"",
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def includes(text):
    """(line, header, whether in quotes) of each include."""
    return [(line_of(text, m.start(1)), m[2], m[1] == '"') for m in INCLUDE.finditer(text)]


def room_of(path):
    return path.split("/")[1]


def foreign_key(header):
    return next((key for key in FOREIGN if re.match(key, header)), None)


def wrong_rooms(path, text):
    """Includes of rooms that lie above or beside the file's own, and of no room at all."""
    room = room_of(path)
    if room == "third_party":
        return []
    allowed = MAY_INCLUDE.get(room)
    if allowed is None:
        return [f"{path}:1: room {room} is not known to tests/tidy/tidy.py"]
    complaints = []
    for line, header, quoted in includes(text):
        other = header.split("/")[0]
        if not quoted or foreign_key(header) or other in allowed | {room}:
            continue
        complaints.append(f"{path}:{line}: {room} may not include {header}")
    return complaints


def wrong_folders(path, text):
    """Includes of a folder within a room, such as a launcher's, from anywhere but that folder."""
    folder, room = path[len("src/"):].rsplit("/", 1)[0], room_of(path)
    return [f"{path}:{line}: {header} is known to its own folder and to {JOINS_FOLDERS[room]}"
            for line, header, _ in includes(text)
            if room in JOINS_FOLDERS and path != JOINS_FOLDERS[room]
            and re.match(rf"{room}/\w+/", header) and header.rsplit("/", 1)[0] != folder]


def wrong_foreign(path, text):
    """Foreign headers outside the places that DESIGN gives them."""
    below_src = path.split("/", 1)[1]
    return [f"{path}:{line}: {header} may not be included here"
            for line, header, _ in includes(text)
            if foreign_key(header) and not re.match(FOREIGN[foreign_key(header)], below_src)]


def impure(path, text):
    """System headers and clocks in the rooms that make no system call."""
    if room_of(path) not in PURE and not PURE_FILES.match(path):
        return []
    complaints = [f"{path}:{line}: a pure room may not include <{header}>"
                  for line, header, quoted in includes(text)
                  if not quoted and header not in STANDARD and not foreign_key(header)]
    clock = re.compile(r"::now\(|(?<![\w.>])(time|getenv|s?rand|clock)\(|\brandom_device\b")
    code = blanked(text)
    return complaints + [f"{path}:{line_of(code, m.start())}: a pure room may not call {m[0]}"
                         for m in clock.finditer(code)]


def circles(graph):
    """Circles in {name: [names that it needs]}."""
    found, done = [], set()

    def visit(name, trail):
        if name in trail:
            found.append(" -> ".join(trail[trail.index(name):] + [name]))
        elif name not in done:
            for other in graph.get(name, []):
                visit(other, trail + [name])
            done.add(name)

    for name in sorted(graph):
        visit(name, [])
    return found


def cycles(headers):
    """Circles among headers: {"room/a.hpp": text}."""
    return circles({name: [h for _, h, quoted in includes(text) if quoted and h in headers]
                    for name, text in headers.items()})


PYTHON_IMPORT = re.compile(r"^\s*from \.(\w*) import |^\s*import muster\.(\w+)", re.MULTILINE)


def python_circles(modules):
    """Circles among modules of a package: {"a": text}. `from . import b` asks the package itself,
    which is the module __init__."""
    graph = {name: [m[1] or m[2] or "__init__" for m in PYTHON_IMPORT.finditer(text)]
             for name, text in modules.items()}
    return circles(graph)


# ---- rules about the text itself ----------------------------------------------------------------

TOKEN = re.compile(
    r'R"(?P<mark>[^()\s\\]*)\(.*?\)(?P=mark)"'  # raw string
    r'|//[^\n]*|/\*.*?\*/'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.[^']*|[^'\\\n])'", re.DOTALL)


def blanked(text):
    """The text with comments, strings and characters as spaces; lines stay where they are."""
    return TOKEN.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


NO_FUNCTION = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b|=\s*$|\breturn\s*$")


def long_functions(path, text, limit=FUNCTION_MAX):
    """Bodies (of functions, tests, lambdas) that are longer than the limit, head included."""
    code = re.sub(r"^\s*#.*$", "", blanked(text), flags=re.MULTILINE)
    complaints, open_blocks, start = [], [], 0
    for m in re.finditer(r"[{};]", code):
        head = code[start:m.start()]
        start = m.end()
        if m[0] == "{":
            is_body = ")" in head and not NO_FUNCTION.search(head.split("(")[0])
            first = line_of(code, m.start() - len(head.lstrip()))
            open_blocks.append(first if is_body else None)
        elif m[0] == "}" and open_blocks:
            first = open_blocks.pop()
            size = line_of(code, m.start()) - first + 1 if first else 0
            if size > limit:
                complaints.append(f"{path}:{first}: a function of {size} lines (limit {limit})")
    return complaints


def class_sizes(text):
    """[(class, members, functions)], nested classes by themselves."""
    code = re.sub(r"^\s*#.*$", "", blanked(text), flags=re.MULTILINE)
    found, open_classes, start = [], [], 0  # of each open block: [name or None, members, functions]
    for m in re.finditer(r"[{};]", code):
        head = re.sub(r"\b(public|private|protected)\s*:", "", code[start:m.start()]).strip()
        start = m.end()
        kind = re.search(r"\b(?:class|struct)\s+(?:\[\[\w+\]\]\s*)?(\w+)[^;()=]*$", head)
        is_class = m[0] == "{" and kind and not head.startswith("enum")
        if m[0] != "}" and open_classes and open_classes[-1][0] and not is_class:
            declared = re.split(r"=(?![=>])", re.sub(r"operator\s*[^\s(]+", "operator", head))[0]
            if re.search(r"\b\w+_\s*$", declared):
                open_classes[-1][1] += 1
            elif "(" in declared and not head.startswith(("using", "friend", "static_assert")):
                open_classes[-1][2] += 1
        if m[0] == "{":
            open_classes.append([kind[1] if is_class else None, 0, 0])
        elif m[0] == "}" and open_classes:
            done = open_classes.pop()
            if done[0]:
                found.append(tuple(done))
    return found


def large_classes(path, text):
    """A class that is hard to hold in one's head says in its file's first comment why it is."""
    first_comment = text.split("\n#", 1)[0]
    return [f"{path}: {name} has {members} members and {functions} functions (limits {MEMBERS_MAX} "
            f"and {FUNCTIONS_MAX}); cut it, or say 'It is large' and why in the first comment"
            for name, members, functions in class_sizes(text)
            if (members > MEMBERS_MAX or functions > FUNCTIONS_MAX)
            and "It is large" not in first_comment]


def long_lines(path, text):
    return [f"{path}:{number}: {len(line)} columns (limit {LINE_MAX})"
            for number, line in enumerate(text.split("\n"), 1) if len(line) > LINE_MAX]


def long_file(path, text):
    lines = text.count("\n")
    return [f"{path}:1: {lines} lines (limit {FILE_MAX})"] if lines > FILE_MAX else []


def no_purpose(path, text):
    """The first line (the second after #!) says what the file is for."""
    if "/data/" in path:  # words of others, kept as they are
        return []
    lines = [line for line in text.split("\n")[:2] if not line.startswith("#!")]
    marks = {".py": ("#", '"""'), ".sh": ("#",), ".cmake": ("#",)}
    if lines and lines[0].startswith(marks.get(pathlib.Path(path).suffix, ("//",))):
        return []
    return [f"{path}:1: the first line is no comment that says what the file is for"]


# A call that is never made, and the places that may make it all the same.
BANNED = {
    r"(?<![\w.>])system\(": r"$^",
    r"(?<![\w.>])popen\(": r"$^",
    r"\bstd::cout\b": r"$^",
    r"(?<![\w.>])assert\(": r"$^",
    r"\bstd::j?thread\b": r"$^",
    r"(?<![\w.>])v?fork\(":
        r"src/process/(guard\w*|deputy|detach|first_process|forked|lookout|spawn)\.cpp",
    r"(?<![\w.>])(_|quick_)?[eE]xit\(": r"src/(main|process)/",
    r"\b(?:steady|system|deadline|high_resolution)_timer\b": r"src/process/alarm\.hpp",
}


def banned_calls(path, text):
    code = blanked(text)
    return [f"{path}:{line_of(code, m.start())}: {m[0]} is not called here"
            for call, allowed in BANNED.items() if not re.match(allowed, path)
            for m in re.finditer(call, code)]


HANDLER = re.compile(r"\b(?:async_\w+|asio::(?:post|defer|dispatch))\(")
SAFE_HANDLER = re.compile(r"\b(life|setting)_\.bind\(|\bunless_gone\(|\[\] \{|"
                          r"\[self = shared_from_this\(\)|\[weak = weak_from_this\(\)\]")


def loose_handlers(path, text):
    """Handlers that may run when what they point to has gone; see docs/HACKING.md."""
    code, complaints = blanked(text), []
    for m in HANDLER.finditer(code):
        depth, end = 1, m.end()
        while depth and end < len(code):
            depth += {"(": 1, ")": -1}.get(code[end], 0)
            end += 1
        if not SAFE_HANDLER.search(code[m.end():end]):
            complaints.append(f"{path}:{line_of(code, m.start())}: {m[0]} takes a handler that is "
                              "bound to no Life")
    return complaints


# Written in two halves, so that this file obeys its own rule.
LEFT_OVER = re.compile(r"\bTO" r"DO\b|\bFIX" r"ME\b|(?<![\w.*~-])/(?:wo" r"rk|ro" r"ot)/")


def left_overs(path, text):
    return [f"{path}:{line_of(text, m.start())}: {m[0]} does not belong into the repository"
            for m in LEFT_OVER.finditer(text)]


USING = re.compile(r"^\s*using (?:\w+::)+(\w+);", re.MULTILINE)


def unused_usings(path, text):
    """using NS::name; in a source that never says name alone, which clang-tidy may miss."""
    code = blanked(text)
    rest = USING.sub("", code)
    return [f"{path}:{line_of(code, m.start(1))}: using {m[1]} has no use"
            for m in USING.finditer(code)
            if path.endswith(".cpp") and not re.search(rf"(?<!::)\b{m[1]}\b", rest)]


# ---- the rules themselves, tried on made-up text ------------------------------------------------

class Rules(unittest.TestCase):
    def test_rooms(self):
        self.assertEqual(wrong_rooms("src/view/a.cpp", '#include "model/plan.hpp"\n'), [])
        self.assertEqual(wrong_rooms("src/view/a.cpp", '#include "view/b.hpp"\n'), [])
        self.assertEqual(wrong_rooms("src/view/a.cpp", '\n#include "plan/plan.hpp"\n'),
                         ["src/view/a.cpp:2: view may not include plan/plan.hpp"])
        for path, header in [("base/a.cpp", "model/a.hpp"), ("wire/a.cpp", "view/a.hpp"),
                             ("machine/a.cpp", "process/a.hpp"), ("probe/a.cpp", "wire/a.hpp"),
                             ("link/a.cpp", "probe/a.hpp"), ("head/a.cpp", "cli/a.hpp"),
                             ("host/a.cpp", "head/a.hpp"),
                             ("cli/a.cpp", "local.hpp"), ("attic/a.cpp", "base/a.hpp")]:
            self.assertEqual(len(wrong_rooms("src/" + path, f'#include "{header}"\n')), 1, path)
        self.assertEqual(wrong_rooms("src/cli/a.cpp", '#include "head/a.hpp"\n'), [])

    def test_folders(self):
        for path, header in [("front/run/a.cpp", "front/run/b.hpp"),
                             ("front/run/a.cpp", "front/b.hpp"), ("front/a.cpp", "front/b.hpp"),
                             ("front/run/a.cpp", "job/yaml.hpp"), ("cli/a.cpp", "front/run/b.hpp"),
                             ("front/fronts.cpp", "front/run/b.hpp")]:
            self.assertEqual(wrong_folders("src/" + path, f'#include "{header}"\n'), [], path)
        for path in ["front/run/a.cpp", "front/a.cpp"]:
            text = '#include "front/job/b.hpp"\n'
            self.assertEqual(len(wrong_folders("src/" + path, text)), 1, path)

    def test_foreign(self):
        json = "#include <nlohmann/json.hpp>\n"
        self.assertEqual(wrong_foreign("src/view/plan_json.cpp", json), [])
        self.assertEqual(wrong_foreign("src/cli/a.cpp", json), [])
        self.assertEqual(len(wrong_foreign("src/view/report.cpp", json)), 1)
        self.assertEqual(wrong_foreign("src/wire/codec.cpp", '#include "wire.pb.h"\n'), [])
        self.assertEqual(len(wrong_foreign("src/wire/frame.cpp", '#include "wire.pb.h"\n')), 1)
        self.assertEqual(wrong_foreign("src/link/a.cpp", "#include <asio/io_context.hpp>\n"), [])
        self.assertEqual(len(wrong_foreign("src/machine/a.hpp", "#include <asio.hpp>\n")), 1)
        self.assertEqual(wrong_foreign("src/plan/a.cpp", "#include <fmt/format.h>\n"), [])

    def test_purity(self):
        for header in ["vector", "csignal", "chrono", "fmt/format.h", "tl/expected.hpp"]:
            self.assertEqual(impure("src/plan/a.cpp", f"#include <{header}>\n"), [], header)
        for header in ["unistd.h", "sys/types.h", "signal.h", "thread", "iostream", "ctime",
                       "fstream", "filesystem", "netdb.h"]:
            self.assertEqual(len(impure("src/plan/a.cpp", f"#include <{header}>\n")), 1, header)
            self.assertEqual(impure("src/process/a.cpp", f"#include <{header}>\n"), [], header)
            self.assertEqual(len(impure("src/pmi/pmi_a.cpp", f"#include <{header}>\n")), 1, header)
            self.assertEqual(impure("src/pmi/pmix.cpp", f"#include <{header}>\n"), [], header)
        for call in ["std::chrono::system_clock::now()", "time(nullptr)", "std::getenv(name)",
                     "::rand()"]:
            self.assertEqual(len(impure("src/plan/a.cpp", f"x = {call};\n")), 1, call)
        for innocent in ["// time(0)", "report.time()", "run_time()", '"getenv()"', "now)"]:
            self.assertEqual(impure("src/plan/a.cpp", innocent + "\n"), [], innocent)

    def test_cycles(self):
        a, b, c = '#include "r/b.hpp"\n', '#include "r/c.hpp"\n', '#include "r/a.hpp"\n'
        self.assertEqual(cycles({"r/a.hpp": a, "r/b.hpp": b, "r/c.hpp": ""}), [])
        self.assertEqual(cycles({"r/a.hpp": a, "r/b.hpp": b, "r/c.hpp": c}),
                         ["r/a.hpp -> r/b.hpp -> r/c.hpp -> r/a.hpp"])

    def test_python_circles(self):
        self.assertEqual(python_circles({"a": "from .b import c\n", "b": "import muster.c\n"}), [])
        self.assertEqual(python_circles({"a": "from .b import c\n", "b": "import muster.a\n"}),
                         ["a -> b -> a"])
        self.assertEqual(len(python_circles({"__init__": "from .a import b\n",
                                             "a": "from . import c\n"})), 1)

    def test_blanking(self):
        self.assertEqual(blanked('a("{") // {\nb'), "a(   )     \nb")
        self.assertEqual(blanked("x = '{'; y = 1'000'000;"), "x =    ; y = 1'000'000;")
        self.assertEqual(blanked('R"x({")")x" /* {\n} */;'), " " * 16 + "\n    ;")

    def test_functions(self):
        body = "  f();\n" * 5
        self.assertEqual(long_functions("a", f"int f(int x) {{\n{body}}}\n", 7), [])
        self.assertEqual(long_functions("a", f"\nint f(int x) {{\n{body}}}\n", 6),
                         ["a:2: a function of 7 lines (limit 6)"])
        self.assertEqual(long_functions("a", f"int f(int x,\n      int y) {{\n{body}}}\n", 7),
                         ["a:1: a function of 8 lines (limit 7)"])
        for kind in ["namespace x", "struct X", "enum class E", "int x[] =", "std::array k"]:
            self.assertEqual(long_functions("a", f"{kind} {{\n{body}}};\n", 6), [], kind)

    def test_class_sizes(self):
        text = ("class A : public B {\n public:\n  A();\n  int f() const { return x_; }\n"
                "  bool operator==(const A&) const = default;\n private:\n  struct C { int y_; };\n"
                "  int x_ = 1;\n  std::map<int, int> z_{};\n  std::function<void(int)> g_;\n};\n")
        self.assertEqual(class_sizes(text), [("C", 1, 0), ("A", 3, 3)])
        many = "// Does it.\n#include <a>\nclass A {\n" + "  int a_;\n" * 17 + "};\n"
        self.assertEqual(len(large_classes("a.hpp", many)), 1)
        self.assertEqual(large_classes("a.hpp", many.replace("it.", "it. It is large: so.")), [])

    def test_usings(self):
        self.assertEqual(unused_usings("a.cpp", "using base::Fault;\nFault f();\n"), [])
        for text in ["using base::Fault;\n", "\nusing base::Fault;\nbase::Fault f();  // Fault\n"]:
            self.assertEqual(len(unused_usings("a.cpp", text)), 1, text)

    def test_sizes(self):
        self.assertEqual(long_lines("a", "x" * 100 + "\n" + "ß" * 100), [])
        self.assertEqual(long_lines("a", "\n" + "x" * 101), ["a:2: 101 columns (limit 100)"])
        self.assertEqual(long_file("a", "x\n" * 600), [])
        self.assertEqual(long_file("a", "x\n" * 601), ["a:1: 601 lines (limit 600)"])

    def test_purpose(self):
        self.assertEqual(no_purpose("a.cpp", "// Does it.\n"), [])
        self.assertEqual(no_purpose("a.py", "#!/usr/bin/env python3\n# Does it.\n"), [])
        self.assertEqual(no_purpose("a.py", '"""Does it."""\n'), [])
        for path, text in [("a.cpp", "#include <x>\n"), ("a.cpp", ""), ("a.sh", "#!/bin/sh\nls\n")]:
            self.assertEqual(len(no_purpose(path, text)), 1, text)

    def test_banned(self):
        for call in ["system(x)", "::popen(x)", "std::cout << x", "assert(x)", "std::thread t",
                     "::fork()", "std::exit(1)", "_exit(1)", "asio::steady_timer t"]:
            self.assertEqual(len(banned_calls("src/link/a.cpp", call + ";\n")), 1, call)
        for innocent in ["static_assert(x)", "// exit(1)", "a.exit(1)", "exit_code(1)",
                         "std::this_thread::x", '"system("']:
            self.assertEqual(banned_calls("src/link/a.cpp", innocent + ";\n"), [], innocent)
        self.assertEqual(banned_calls("src/process/guard_child.cpp", "fork(); _exit(1);\n"), [])

    def test_handlers(self):
        for innocent in ["s.async_wait(kRead, life_.bind([this](E e) { f(); }));",
                         "asio::post(loop, [self = shared_from_this()] { self->f(); });",
                         "asio::post(loop, [weak = weak_from_this()] { f(weak.lock()); });",
                         "asio::post(loop, [] { ::raise(SIGSTOP); });", "// asio::post(x)"]:
            self.assertEqual(loose_handlers("a", innocent + "\n"), [], innocent)
        for text in ["\nasio::post(loop, [this] { f(); });", "\ns.async_wait(kRead, [this](E) {});",
                     "\nasio::async_write(s, b, [&](E) {}); life_.bind(f);",
                     "\nasio::post(loop, std::move(done));"]:
            found = loose_handlers("a", text + "\n")
            self.assertEqual([one.split(" ")[0] for one in found], ["a:2:"], text)

    def test_left_overs(self):
        for text in ["// TO" "DO: more", "FIX" "ME", "cd /wo" "rk/x", "'/ro" "ot/.ssh'"]:
            self.assertEqual(len(left_overs("a", text)), 1, text)
        for text in ["net/wo" "rk/x", "/workdir", "$HOME/ro" "ot", "TODOS"]:
            self.assertEqual(left_overs("a", text), [], text)


# ---- the repository -----------------------------------------------------------------------------

def repository_files():
    """What git tracks or would track; without git, everything in the source folders."""
    git = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT,
                         capture_output=True, text=True, check=False)
    if git.returncode == 0:
        names = [name for name in git.stdout.split("\0") if name]
    else:
        loud("no git here: checking src, tests and docs as they lie")
        names = [str(path.relative_to(ROOT)) for folder in ("src", "tests", "docs")
                 for path in (ROOT / folder).rglob("*")]
    return sorted(name for name in set(names) if (ROOT / name).is_file())


def loud(message):
    print(f"tidy: {message}", file=sys.stderr)


def text_of(name):
    data = (ROOT / name).read_bytes()
    return "" if b"\0" in data else data.decode("utf-8", errors="replace")


class Repository(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = repository_files()
        cls.cpp = cls.named(r"(src|tests|bench)/.*\.[ch]pp$")
        cls.src = cls.named(r"src/.*\.[ch]pp$")
        cls.sources = cls.cpp + cls.named(r"(src|tests|bench|tools)/.*\.(py|sh|proto)$")

    @classmethod
    def named(cls, pattern):
        return [name for name in cls.files if re.match(pattern, name)]

    def report(self, complaints):
        if complaints:
            self.fail("\n" + complaints)

    def check(self, rules, names):
        self.assertTrue(names, "there is nothing to check")
        texts = {name: text_of(name) for name in names}
        complaints = [c for rule in rules for name, text in texts.items() for c in rule(name, text)]
        self.report("\n".join(complaints))

    def test_rooms_include_only_what_they_may(self):
        self.check([wrong_rooms, wrong_folders, wrong_foreign, impure], self.src)

    def test_headers_have_no_circles(self):
        headers = {name[len("src/"):]: text_of(name) for name in self.src if name.endswith(".hpp")}
        self.report("\n".join(cycles(headers)))

    def test_python_modules_have_no_circles(self):
        modules = {pathlib.Path(name).stem: text_of(name)
                   for name in self.named(r"python/muster/\w+\.py$")}
        self.report("\n".join(python_circles(modules)))

    def test_functions_are_short(self):
        self.check([long_functions], self.cpp)

    def test_classes_fit_in_a_head(self):
        sizes = [(members, functions, name, path) for path in self.src if path.endswith(".hpp")
                 for name, members, functions in class_sizes(text_of(path))]
        largest = sorted(sizes, key=lambda one: one[0] + one[1], reverse=True)[:5]
        for members, functions, name, path in largest:
            print(f"{path}: {name}: {members} members, {functions} functions")
        self.check([large_classes], [name for name in self.src if name.endswith(".hpp")])

    def test_files_and_lines_are_short(self):
        self.check([long_file, long_lines, no_purpose], self.sources)

    def test_nothing_banned_is_called(self):
        self.check([banned_calls], self.src)

    def test_handlers_are_bound(self):
        self.check([loose_handlers], self.named(r"src/(head|host|link|process)/.*\.[ch]pp$"))

    def test_using_declarations_are_used(self):
        self.check([unused_usings], self.cpp)

    def test_nothing_is_left_over(self):
        self.check([left_overs], self.files)

    def test_format(self):
        if not shutil.which("clang-format-14"):
            loud("NO clang-format-14: the format was not checked")
            self.skipTest("no clang-format-14")
        output = run(["clang-format-14", "--dry-run", "-Werror", *self.cpp])
        files = sorted(set(re.findall(r"^(\S+?):\d+:\d+: error", output, re.MULTILINE)))
        self.report("".join(f"clang-format-14 -i {name}\n" for name in files) or output)


def run(words):
    """What a tool complains; empty when it is content."""
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


if __name__ == "__main__":
    unittest.main()
