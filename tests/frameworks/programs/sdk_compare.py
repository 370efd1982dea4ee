"""Compares what an SDK offers with muster's stand-ins: a table, and what breaks the rules.

    python sdk_surface.py MODULE... | PYTHONPATH=python python3 sdk_compare.py

Prints JSON: lines "MODULE.NAME | PARAMETER OR MEMBERS | in muster", names that muster's modules
lack ("!": an exception), and complaints.
"""

import contextlib
import importlib
import inspect
import io
import json
import sys

from sdk_surface import described, parameters_of

from muster.checked import NOTHING, Checked
from muster.client import Credential, Inert
from muster.services import Described
from muster.stand_ins import _Absent, _errors, install

POSITIONAL = ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD")
VARIABLE = ("VAR_POSITIONAL", "VAR_KEYWORD")
# What takes anything, since nothing of it has an effect, as the manual says.
TAKE_ALL = (Credential, Inert)


def is_described(thing):
    """Whether it stands for a service, and says that it has no effect."""
    return inspect.isclass(thing) and issubclass(thing, Described)


class Comparison:
    """Of all modules, in their order."""

    def __init__(self):
        self.lines = []
        self.complaints = []
        self.others = {}
        self._seen = {}  # by where the SDK defines them

    def add(self, name, part, status):
        self.lines.append(f"{name} | {part} | {status}")

    def module(self, name, real):
        ours = importlib.import_module(name)
        others = []
        for one, offered in sorted(real.items()):
            thing = vars(ours).get(one)
            made_up = isinstance(thing, type) and thing in _errors.values()
            if thing is None or made_up or isinstance(thing, _Absent) or is_described(thing):
                others.append(one + ("!" if offered["kind"] == "exception" else ""))
            self.name(f"{name}.{one}", offered, thing)
        self.others[name] = " ".join(others)

    def name(self, name, real, ours):
        if ours is None:
            self.add(name, "-", "missing")
            self.complaints.append(f"{name} is missing")
        elif isinstance(ours, _Absent):
            self.add(name, "-", "can be imported; use is refused")
        elif real["kind"] == "exception":
            raised = ours.__doc__ != "Never raised."
            self.add(name, "-", "raised" if raised else "never raised")
        elif real["kind"] in ("value", "module"):
            self.add(name, "-", "same")
        elif is_described(ours):
            self.add(name, "-", "can be made; has no effect, and is told")
        elif ours in TAKE_ALL:
            self.add(name, "-", "takes anything, without effect")
        else:
            self.offered(name, real, ours)

    def offered(self, name, real, ours):
        first = self._seen.setdefault((real["origin"], id(ours)), name)
        if first != name:
            self.add(name, "-", f"like {first}")
            return
        self.parameters(name, real["parameters"], ours)
        if real["kind"] == "class" and inspect.isclass(ours):
            self.members(name, real["members"], ours)

    # ---- parameters ----

    def parameters(self, name, real, ours):
        own = parameters_of(ours)
        if real is None or own is None:
            return
        known = getattr(ours, "LACKS", NOTHING)
        by_name = {parameter: (kind, default) for parameter, kind, default in own}
        takes_all = any(kind == "VAR_KEYWORD" for _, kind, _ in own)
        for parameter, kind, default in real:
            if kind in VARIABLE:
                continue
            status = self.status(name, parameter, default, by_name, known)
            if status is None:
                status = "missing: told by name"
                if takes_all or not told(ours, parameter):
                    self.complaints.append(f"{name} swallows {parameter}")
            self.add(name, parameter, status)
        self.order(name, real, own, known)
        is_plain = inspect.isclass(ours) and not issubclass(ours, Checked)  # of constants alone
        if not takes_all and not is_plain and not told(ours, "misspelt_word"):
            self.complaints.append(f"{name} swallows a misspelt word")

    def status(self, name, parameter, default, by_name, known):
        if parameter in known.accepted:
            return "taken, and not needed"
        if parameter in known.no_effect:
            return "has no effect, and is told"
        if parameter in known.refused:
            return "refused by name"
        if parameter not in by_name:
            return None
        own = by_name[parameter][1]
        if own == default:
            return "same"
        return f"{default_in_words(default)}, here {default_in_words(own)}"

    def order(self, name, real, own, known):
        """What is given without a name must reach the parameter of the same name."""
        theirs = [one for one, kind, _ in real if kind in POSITIONAL]
        mine = [one for one, kind, _ in own if kind in POSITIONAL]
        for their, my in zip(theirs, mine):
            if their != my and (their in mine or my in theirs):
                self.complaints.append(f"{name}: {my} stands where the SDK has {their}")

    # ---- members ----

    def members(self, name, real, ours):
        own = described(ours)["members"]
        known = getattr(ours, "LACKS", NOTHING)
        lacking = []
        for member, offered in sorted(real.items()):
            if member in known.accepted | known.no_effect | set(known.refused):
                continue
            if member not in own:
                lacking.append(member)
            elif "parameters" in offered and "parameters" in own[member]:
                self.parameters(f"{name}.{member}", offered["parameters"], getattr(ours, member))
                if not offered["parameters"]:
                    self.add(f"{name}.{member}", "-", "same")
            else:
                same = offered.get("value") == own[member].get("value")
                self.add(name, f".{member}", "same" if same or "value" not in offered else
                         f"{offered['value']!r}, here {own[member].get('value')!r}")
        if lacking:
            self.add(name, "." + " .".join(lacking), "missing: told by name")
            if not issubclass(ours, Checked):
                self.complaints.append(f"{name} does not tell what it lacks: {lacking}")


def default_in_words(default):
    return "without default" if default is None else f"default {default}"


def told(ours, word):
    """Whether a call with this word alone is answered by an error or a line that names it."""
    heard = io.StringIO()
    is_method = inspect.isfunction(ours) and "self" in inspect.signature(ours).parameters
    args = [None] if is_method else []
    with contextlib.redirect_stderr(heard):
        try:
            ours(*args, **{word: "something"})
        except TypeError as error:
            return word in str(error) + heard.getvalue()
    return word in heard.getvalue()


def main():
    install()
    comparison = Comparison()
    for name, real in json.load(sys.stdin).items():
        comparison.module(name, real)
    print(json.dumps({"lines": comparison.lines, "others": comparison.others,
                      "complaints": comparison.complaints}))


main()
