"""What azure-ai-ml reads in drawn files of command jobs.

    azure_reads.py FIRST LAST

prints JSON of 60 files for each seed from FIRST to LAST: [{text, taken}], with the processes, the
values and the time limit of those that it takes, and null for others. Values are plain text of any
kind: numbers of odd forms, and words that YAML takes for something else.
"""

import json
import pathlib
import random
import sys

from azure_loads import loaded  # first: it silences what follows
from azure.ai.ml import load_job

WORDS = ["true", "True", "TRUE", "yes", "Yes", "no", "NO", "on", "Off", "y", "n", "tRue", "None",
         "nan", "text", "two words", "a=b", "x:y", "1.2.3", "node1:4", "0o17", "08", "0x1F", "0xg",
         "1_000", "1:30", "1:60", "190:20:30", "1__0", "_1", "010", "00", "-010", "+7", "1e3",
         "1.5e3", "1e-05", ".5", "5.", "0.010", "1_0.5", "'quoted'", '"true"', "'010'"]


def number(draw):
    """Digits with what numbers may have among them."""
    return "".join(draw.choices("0123456789_:.xb-+e", [9] * 10 + [2] * 8, k=draw.randint(1, 6)))


def plain(draw):
    return draw.choice([lambda: draw.choice(WORDS), lambda: number(draw)])()


def distribution(draw):
    kind = draw.choice([None, "mpi", "pytorch", "tensorflow"])
    if kind == "tensorflow":
        workers, servers = draw.randint(1, 3), draw.randint(0, 2)
        return [f"distribution: {{type: {kind}, worker_count: {workers}, "
                f"parameter_server_count: {servers}}}",
                f"resources: {{instance_count: {workers + servers}}}"]
    count = draw.randint(1, 3)
    spread = [] if kind is None else [f"distribution: {{type: {kind}, "
                                      f"process_count_per_instance: {count}}}"]
    return spread + ([f"resources: {{instance_count: {draw.randint(1, 3)}}}"] if kind else [])


def drawn(draw):
    values = [plain(draw) for _ in range(6)]
    inputs = "".join(f"  in{i}: {value}\n" for i, value in enumerate(values[:3]))
    variables = "".join(f"  VAR{i}: {value}\n" for i, value in enumerate(values[3:]))
    return "\n".join(["type: command", "environment: azureml:thing:1", *distribution(draw),
                      "command: echo @${{inputs.in0}}@${{inputs.in1}}@${{inputs.in2}}@",
                      *([f"limits: {{timeout: {draw.randint(1, 9999)}}}"] * draw.randint(0, 1)),
                      f"inputs:\n{inputs}environment_variables:\n{variables}"])


def processes(job):
    shape = job.distribution
    if shape is None:
        return 1
    if shape.type == "tensorflow":
        return shape.worker_count + shape.parameter_server_count
    nodes = job.resources.instance_count if job.resources else 1
    return nodes * shape.process_count_per_instance


def reading(job):
    """How many there are, and the text that each value is for them, as the client sends it."""
    # pylint: disable=protected-access
    inputs = {name: given._data for name, given in job.inputs.items()}
    values = {name: str(value) for name, value in (*inputs.items(),
                                                   *job.environment_variables.items())}
    return {"processes": processes(job), "values": values,
            "timeout": job.limits.timeout if job.limits else None}


def read(text):
    file = pathlib.Path("drawn.yml")
    file.write_text(text, encoding="ascii")
    job = loaded(load_job, file)
    return None if job is None else reading(job)


def main(first, last):
    draws = map(random.Random, range(int(first), int(last) + 1))
    texts = [drawn(draw) for draw in draws for _ in range(60)]
    print(json.dumps([{"text": text, "taken": read(text)} for text in texts]))


main(*sys.argv[1:])
