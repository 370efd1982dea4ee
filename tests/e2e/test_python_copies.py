"""Copies that the Python package makes: to where the program prints, and of what is no file."""

# rooms: front job cli

from support import run_tests
from v1_case import V1, V1Case


class Copies(V1Case):
    def test_a_copy_to_where_the_program_prints_leaves_what_it_has_said(self):
        self.runs(V1 + """
import os
src = ScriptRunConfig("src", "logs.py", arguments=["--lr", 2], compute_target="gpu-cluster")
run = experiment.submit(src)
run.wait_for_completion()
model = run.register_model("lines", "outputs/model.pkl")
os.dup2(os.open("model.pkl", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
print("before")
run.download_file("outputs/model.pkl", "/dev/stdout")
print(" named")
run.download_file("outputs/model.pkl")
assert os.path.isfile(os.path.join(run._get_outputs_datapath(), "model.pkl"))
print(" by its own name")
run.download_files("outputs", append_prefix=False)
print(" with others")
model.download(exist_ok=True)
print(" as a model")
""")
        self.assertEqual(self.read("model.pkl").decode(), "before\nweights named\nweights by its "
                         "own name\nweights with others\nweights as a model\n")

    def test_a_copy_to_a_pipe(self):
        self.assertEqual(self.runs(V1 + """
src = ScriptRunConfig("src", "logs.py", arguments=["--lr", 2], compute_target="gpu-cluster")
run = experiment.submit(src)
run.wait_for_completion()
run.download_file("outputs/model.pkl", "/dev/stdout")
""").stdout, "weights")

    def test_a_pipe_among_files_is_told_and_not_waited_for(self):
        self.assertEqual(self.runs("""
import os, shutil
from muster.named_files import copy_tree
os.makedirs("some")
os.mkfifo("some/pipe")
with open("some/file", "w") as file:
    file.write("x")
try:
    copy_tree("some", "copy")
except shutil.Error as error:
    print(error.args[0][0][2])
print(os.listdir("copy"))
""").stdout.splitlines(), ["'some/pipe' is a named pipe", "['file']"])

    def test_what_is_no_file_is_told_and_all_else_is_copied(self):
        """Nobody writes into the pipe, the device never ends, and links lead round and round."""
        self.assertEqual(self.runs("""
import os, shutil, socket
from muster.named_files import copy_each, copy_named, copy_tree
os.makedirs("some/below")
os.makedirs("some/other")
os.makedirs("out")
for path in "some/file", "some/below/more", "out/led":
    with open(path, "w") as file:
        file.write("x")
os.mkfifo("some/pipe")
listener = socket.socket(socket.AF_UNIX)
listener.bind("some/socket")
for to, link in (("/dev/zero", "zero"), ("nowhere", "lost"), ("../out", "out"), (".", "self"),
                 ("../other", "below/across"), ("../below", "other/back")):
    os.symlink(to, "some/" + link)
copied = []
def each(path, name):
    copy_named(path, os.devnull)
    copied.append(name)
for copy in (lambda: copy_tree("some", "copy"), lambda: copy_tree("some", "some/below/copy/of"),
             lambda: copy_each("some", each)):
    try:
        copy()
    except shutil.Error as error:
        for line in sorted(one[2] for one in error.args[0]):
            print(line)
    shutil.rmtree("some/below/copy", ignore_errors=True)
print(sorted(copied))
print(sorted(os.path.relpath(os.path.join(place, one), "copy")
             for place, _, names in os.walk("copy") for one in names))
""").stdout.splitlines(), 3 * [
            "'some/below/across/back' is a link to a folder around it",
            "'some/other/back/across' is a link to a folder around it",
            "'some/pipe' is a named pipe",
            "'some/self' is a link to a folder around it",
            "'some/socket' is a socket",
            "'some/zero' is a device",
            "[Errno 2] No such file or directory: 'some/lost'"]
            + 2 * ["['below/more', 'file', 'other/back/more', 'out/led']"])

    def test_a_copy_beside_what_is_copied(self):
        """What a copy adds is not copied again, and a file that is its own copy is told."""
        self.assertEqual(self.runs("""
import os, shutil
from muster.named_files import copy_each, copy_named, copy_tree
os.makedirs("some/made")
with open("some/file", "w") as file:
    file.write("x")
def each(path, name):
    target = os.path.join("some/made", name)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    copy_named(path, target)
copy_each("some", each)
copy_each("some", each)
print(sorted(os.path.relpath(os.path.join(place, one), "some")
             for place, _, names in os.walk("some") for one in names))
os.makedirs("copy")
os.symlink("../some/file", "copy/file")
for call in (lambda: copy_tree("some", "copy"), lambda: copy_each("nowhere", each)):
    try:
        call()
    except shutil.Error as error:
        print([one[2] for one in error.args[0]])
print(os.path.exists("copy/made/file"))
""").stdout.splitlines(), [
            "['file', 'made/file', 'made/made/file']",
            "[\"'some/file' and 'copy/file' are the same file\"]",
            "[\"[Errno 2] No such file or directory: 'nowhere'\"]", "True"])

    def test_what_is_no_file_is_not_uploaded(self):
        done = self.runs(V1 + """
import os, shutil
os.makedirs("data")
os.mkfifo("data/pipe")
with open("data/file", "w") as file:
    file.write("x")
os.makedirs("outputs")
with experiment.start_logging() as run:
    for call in (lambda: run.upload_file("zero", "/dev/zero"),
                 lambda: run.upload_folder("data", "data")):
        try:
            call()
        except OSError as error:
            print(error if isinstance(error, shutil.SpecialFileError) else error.args[0][0][2])
    os.mkfifo("outputs/pipe")
    with open("outputs/model", "w") as file:
        file.write("x")
print(run.get_status(), run.get_file_names())
""")
        self.assertEqual(done.stdout.splitlines(), [
            "'/dev/zero' is a device", "'data/pipe' is a named pipe",
            "Completed ['data/file', 'outputs/model']"])
        self.assertIn("not kept from outputs: 'outputs/pipe' is a named pipe", done.stderr)


if __name__ == "__main__":
    run_tests()
