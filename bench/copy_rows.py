"""The rows of copies: code into a record, what a step has written into the next record, and outputs
that come home from a host; each beside cp or ssh, and from Ctrl-C to the end.
"""

import os
import signal
import subprocess
import time

import signal_rows

FILES, SIZE = 64, 1 << 20
MANY = 100_000
HUGE = 16 << 30  # bytes of a hole: a host reads all of it to know what it is to send
HOST = "node1"

CODE = """muster: 1
code: big
command: "true"
"""
COMPONENT = """$schema: commandComponent
is_deterministic: true
code: {code}
command: {command}
outputs: {{made: }}
"""
PIPELINE = """type: pipeline
jobs: {{make: {{component: {component}}}}}
"""
OUTPUT = """muster: 1
outputs: {{made: }}
command: {command} ${{{{outputs.made}}}}/all
"""


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    return path


def reused(folder, name, code, command):
    """A pipeline whose step is run once, and copied from then on."""
    component = write(folder, name + ".component.yml",
                      COMPONENT.format(code=code, command=command))
    return write(folder, name + ".yml", PIPELINE.format(component=component))


def rows(bench, folder):
    environment = dict(os.environ, MUSTER_RECORDS=os.path.join(folder, "copied-records"))
    os.makedirs(os.path.join(folder, "big"))
    for i in range(FILES):
        with open(os.path.join(folder, "big", str(i)), "wb") as file:
            file.write(os.urandom(SIZE))
    copy = ["sh", "-c", 'exec cp -r "$0" "$(mktemp -d "$0.XXXXXX")"', os.path.join(folder, "big")]
    options = {"env": environment, "stdout": subprocess.DEVNULL, "pairs": 7}
    bench.compare(f"submit with {FILES} MiB of code / cp -r of it",
                  [bench.muster, "submit", write(folder, "big.yml", CODE)], copy, "<= 1.5",
                  **options)
    step = reused(folder, "reused", "big", "cp -r . ${{outputs.made}}/all")
    bench.compare(f"a step that left {FILES} MiB is reused / cp -r of them",
                  [bench.muster, "submit", step], copy, "<= 1.5", **options)
    row = f"{MANY:,} files of a reused step are copied: from Ctrl-C to the end"
    if bench.only and bench.only not in row:
        return
    write(folder, "none/file", "")
    many = reused(folder, "many", "none", f"cd ${{{{outputs.made}}}} && seq {MANY} | xargs touch")
    words = [bench.muster, "submit", many]
    subprocess.run(words, env=environment, stdout=subprocess.DEVNULL, check=True)
    found = [signal_rows.end_ms(words, 0.3, environment, folder)
             for _ in range(min(bench.pairs, 5))]
    bench.row(row, signal_rows.in_ms(found), "< 100 ms")


def homecoming_rows(bench, folder, hosts):
    """`hosts`: of the lab, where the home folder of each is on a disk of its own."""
    environment = hosts.environment(MUSTER_SSH_COMMAND=hosts.ssh_command)
    size = FILES * SIZE
    random = f"head -c {size} /dev/urandom >"
    job = write(folder, "home.yml", OUTPUT.format(command=random))
    ours = [bench.muster, "submit", job, "-H", f"{HOST}:1"]
    plain = ["sh", "-c", f"{hosts.ssh_command} {HOST} '{random} /dev/stdout' > ~/all"]
    bench.compare(f"{FILES} MiB come home from one of 4 ssh hosts / through ssh", ours, plain,
                  "<= 1.5", pairs=7, wrap=hosts.command, env=environment, stdout=subprocess.DEVNULL)
    row = "16 GiB come home from one of 4 ssh hosts: from Ctrl-C to the end"
    if bench.only and bench.only not in row:
        return
    job = write(folder, "hole.yml", OUTPUT.format(command=f"truncate -s {HUGE}"))
    found = [homecoming_ms(bench, hosts, job, environment) for _ in range(min(bench.pairs, 5))]
    bench.row(row, signal_rows.in_ms(found), "< 100 ms")


def homecoming_ms(bench, hosts, job, environment):
    """None: it had ended before."""
    run = hosts.start([bench.muster, "submit", job, "-H", f"{HOST}:1"], env=environment,
                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(2)  # the rank has ended at once, and the host reads
    if run.popen.poll() is not None:
        return None
    begin = time.monotonic()
    run.send(signal.SIGINT)
    run.wait()
    return 1000 * (time.monotonic() - begin)
