"""What tests of detection share: the rules' answers of all ranks as one text, and their table.

tests/frameworks/detection-NAME.table has a line for each rule and way to start ranks:

    rule | how the ranks are started | muster: answer | the original: answer
"""

import collections
import json
import os
import re

from framework_case import PROGRAMS
from support import ROOT

# Rules that look at torch's world, and at MPI's.
OF_TORCH = ("torch", "lightning", "transformers", "accelerate", "deepspeed", "mpi4py")


def asks(rules):
    """The command of ranks that ask their frameworks."""
    return ["python", os.path.join(PROGRAMS, "detects.py"), *rules]


def _joined(answers):
    """Numbers in the order of the ranks."""
    if not isinstance(answers[0], dict):
        return " / ".join(sorted({str(one) for one in answers}))
    in_order = sorted(answers, key=lambda one: one["rank"])
    return ", ".join(f"{key} {' '.join(str(one[key]) for one in in_order)}"
                     for key in answers[0])


def answers_in(lines):
    """{rule: what the ranks answer} of their output."""
    told = re.findall(r"DETECTS (\{.*\})$", "\n".join(lines), re.MULTILINE)
    rules = collections.defaultdict(list)
    for line in told:
        for rule, answer in json.loads(line).items():
            rules[rule].append(answer)
    return {rule: _joined(answers) for rule, answers in rules.items()}


def check_table(case, name, rows):
    """UPDATE_GOLDEN=1 writes it."""
    table = os.path.join(ROOT, "tests", "frameworks", f"detection-{name}.table")
    case.assert_golden(table, sorted(" | ".join(row) for row in rows))
