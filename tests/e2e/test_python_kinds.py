"""A value of the wrong kind, anywhere in the stand-ins of Azure ML's SDKs, is an error."""

# rooms: front job cli

from python_case import PythonCase
from support import USAGE, WAIT_SECONDS, run_tests

# Calls each public function, class and method with a value of each wrong kind, and sets each
# setting to one: what comes of it is nothing, or an error that muster has made itself.
WALK = '''
import importlib, inspect, os, sys, traceback, typing
import muster.component, muster.pipeline, muster.step_pipeline
from muster.binary import MusterError
from muster.checked import Checked, settings_of
from muster.kinds import kinds_of, kinds_of_settings
from muster.run import LeftAlone
from muster.stand_ins import _MODULES, install

install()
OUT = os.fdopen(os.dup2(1, 200), "w")  # no wrong value names this one
PACKAGE = os.path.dirname(muster.__file__)
WRONG = ("two", 3, 0.5, True, [1], {"a": 1}, {1}, b"x", object(), len, None, [object()], [len],
         {"a": object()}, {"a": b"x"}, [{1}])
PARTS = WRONG[-5:]  # whose parts no call takes
TAKE_ANYTHING = ("dictionary",)  # what log_dict() writes as text
ANSWERS = {int: 1, float: 0.5, str: "x", bool: True}
seen, told, failed = set(), 0, []


def plausible(kind):
    origin = typing.get_origin(kind) or kind
    arms = [one for one in typing.get_args(kind) if one is not type(None)]
    if origin is typing.Union:
        return plausible(arms[0])
    if origin in ANSWERS:
        return ANSWERS[origin]
    if inspect.isclass(origin) and issubclass(origin, Checked):
        return made(origin)
    return {} if "apping" in str(origin) or origin is dict else []


def needed(function):
    kinds = kinds_of(function)
    return {name: plausible(kinds.get(name, str))
            for name, one in inspect.signature(function).parameters.items()
            if name not in ("self", "cls") and one.default is one.empty
            and one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)}


def made(cls):
    try:
        return cls(**needed(cls.__init__))
    except Exception:
        return None


def tried(what, call):
    """Whether muster has refused it."""
    global told
    try:
        call()
    except MusterError as error:
        told += 1
        assert str(error).strip(), what
        return str(error)
    except (LeftAlone, SystemExit):
        failed.append(f"{what}: ended")
    except Exception as error:
        if isinstance(error, OSError) and isinstance(error.filename, str):
            return ""  # a file of the user's, which is not there
        last = traceback.extract_tb(error.__traceback__)[-1]
        inner = [one for one in traceback.extract_tb(error.__traceback__)
                 if one.filename.startswith(PACKAGE)]
        failed.append(f"{what}: {error!r} at {inner[-1].filename if inner else last.filename}:"
                      f"{inner[-1].lineno if inner else last.lineno}")
    return ""


def fits(kind, value):
    """As strictly as a reader of the annotation would say it, for the plain kinds."""
    arms = typing.get_args(kind) if typing.get_origin(kind) is typing.Union else [kind]
    return any(arm is typing.Any or arm is object or type(value) is arm
               or arm in (float, str) and isinstance(value, (int, float)) for arm in arms)


def walk(what, function, base):
    kinds = kinds_of(function)
    parameters = inspect.signature(function).parameters
    for name in parameters:
        kind = kinds.get(name, typing.Any)
        for value in WRONG:
            words = {**base, name: value}
            if name in ("self", "cls", "kwargs", "args") or parameters[name].kind in (2, 4):
                continue
            said = tried(f"{what}({name}={value!r})", lambda: call_of(what, function)(**words))
            arms = typing.get_args(kind) if typing.get_origin(kind) is typing.Union else [kind]
            whole = {typing.get_origin(arm) or arm for arm in arms}
            of_parts = any(value is one for one in PARTS) and type(value) in whole
            if of_parts and name not in TAKE_ANYTHING and f"{name}[" not in said:
                failed.append(f"{what}({name}={value!r}) is taken: {said}")
            plain = {int, float, list, dict, bool} & {typing.get_origin(kind) or kind}
            if plain and type(value) in (object, bytes, type(len)) and f"{name} of " not in said:
                failed.append(f"{what}({name}={value!r}) is taken: {said}")


CALLS = {}


def call_of(what, function):
    return CALLS[what]


# Made by muster, not by programs.
MADE_HERE = (muster.component.Component, muster.pipeline.Pipeline, muster.step_pipeline.PortData)
CALLED_HERE = ("trial_keys", "CommandComponent.submit", "begin", "known_as",
               "step_keys")


def look_at(name, found):
    if found in MADE_HERE:
        return
    if inspect.isclass(found) and issubclass(found, Checked):
        CALLS[name] = found
        walk(name, found.__init__, needed(found.__init__))
        one = made(found)
        for word in dir(found):
            raw = inspect.getattr_static(found, word)
            inner = getattr(raw, "__func__", raw)
            if word.startswith("_") or not hasattr(inner, "LACKS") or {
                    word, f"{name}.{word}"} & set(CALLED_HERE):
                continue
            on = found if isinstance(raw, (staticmethod, classmethod)) else one
            if on is not None:
                CALLS[f"{name}.{word}"] = getattr(on, word)
                walk(f"{name}.{word}", inner, needed(inner))
        for setting in settings_of(one) if one is not None else ():
            for value in WRONG:
                other = made(found)
                tried(f"{name}.{setting} = {value!r}", lambda: setattr(other, setting, value))
    elif hasattr(found, "LACKS"):
        CALLS[name] = found
        walk(name, found, needed(found))


for module in _MODULES:
    for word in getattr(importlib.import_module(module), "__all__", ()):
        found = getattr(importlib.import_module(module), word)
        if found.__module__.startswith("muster") if hasattr(found, "__module__") else False:
            if id(found) not in seen and (inspect.isclass(found) or inspect.isfunction(found)):
                seen.add(id(found))
                look_at(word, found)
OUT.write("".join(f"FAILED {one}\\n" for one in failed))
print(len(CALLS), "calls,", told, "errors", file=OUT)
'''


class Kinds(PythonCase):
    maxDiff = None

    def test_every_wrong_value_is_told_by_muster_itself(self):
        done = self.python(WALK, seconds=10 * WAIT_SECONDS)  # thousands of calls
        self.assertEqual([line for line in done.stdout.splitlines() if line.startswith("FAILED")],
                         [], done.stderr[-2000:])
        self.assertEqual(done.returncode, 0, done.stderr)
        calls, _, told, _ = done.stdout.splitlines()[-1].split()
        self.assertGreater(int(calls), 200)
        self.assertGreater(int(told), 2000)

    def test_all_mistakes_of_a_call_are_told_each_with_its_line(self):
        for program, *told in (
                ("from azureml.core.runconfig import MpiConfiguration\n"
                 "MpiConfiguration(process_count_per_node=[2], node_count='two', nodes=1)\n",
                 "MpiConfiguration() has no parameter 'nodes'",
                 "process_count_per_node of MpiConfiguration() is [2], which is not a whole number",
                 "node_count of MpiConfiguration() is 'two', which is not a whole number"),
                ("from azureml.core import RunConfiguration\n"
                 "RunConfiguration().node_count = 'two'\n",
                 "RunConfiguration.node_count is 'two', which is not a whole number"),
                ("import mlflow\nmlflow.log_metrics([1])\n",
                 "metrics of log_metrics() is [1], which is not a dictionary"),
                ("import mlflow\nmlflow.log_metric('loss', 'low')\n",
                 "the metric 'loss' is 'low', which is not a number"),
                ("from azure.ai.ml import command\n"
                 "command(command=3, inputs={'x': {1}, 'y': 1}, environment_variables={'A': ['x']},"
                 " environment=['x'], compute=3, code=4, outputs={'z': 0.5}, distribution='mpi')\n",
                 "command of command() is 3, which is not text",
                 "code of command() is 4, which is not a path",
                 "environment of command() is ['x'], which is not a name or an Environment",
                 "environment_variables['A'] of command() is ['x'], which is not text",
                 "distribution of command() is 'mpi', which is not a distribution or a dictionary",
                 "compute of command() is 3, which is not the name of a compute target",
                 "inputs['x'] of command() is {1}, which is not text or a number",
                 "outputs['z'] of command() is 0.5, which is not an Output"),
                ("from azure.ai.ml import Input\nInput(path=3)\n",
                 "path of Input() is 3, which is not a path"),
                ("from azure.ai.ml import Input, Output\n"
                 "Input(type='uri_fil')\n",
                 "type of Input() is 'uri_fil', which is not a type of inputs and outputs"),
                ("from azure.ai.ml.entities import Data\n"
                 "Data(type=5)\n",
                 "type of Data() is 5, which is not a type of inputs and outputs"),
                ("from azure.ai.ml import Output, command\n"
                 "Output(type='Uri_File').type = 'uri_foldr'\n",
                 "Output.type is 'uri_foldr', which is not a type of inputs and outputs"),
                ("from azureml.core import ScriptRunConfig\n"
                 "ScriptRunConfig('.', 3, arguments=['a', ['b']], environment=3)\n",
                 "script of ScriptRunConfig() is 3, which is not a path",
                 "arguments[1] of ScriptRunConfig() is ['b'], which is not text or a number",
                 "environment of ScriptRunConfig() is 3, which is not a name or an Environment"),
                ("from azureml.core import Environment\n"
                 "Environment('x').environment_variables = {'A': ['x']}\n",
                 "Environment.environment_variables['A'] is ['x'], which is not text")):
            done = self.python(program, "-m", "muster")
            self.assertEqual(done.returncode, USAGE, done.stderr)
            lines = [line for line in done.stderr.splitlines() if not line.startswith("  hint: ")]
            self.assertEqual(lines, [f"muster: error: program.py:2: {one}" for one in told])
            self.assertEqual(done.stderr.count("\n  hint: "), len(told), done.stderr)

    def test_numbers_may_be_of_other_kinds(self):
        self.assertEqual(self.runs("""
from azureml.core.runconfig import MpiConfiguration, PyTorchConfiguration
from azure.ai.ml.entities import Data, JobResourceConfiguration
print(PyTorchConfiguration(process_count="4", node_count=2.0), MpiConfiguration(node_count=None))
print(JobResourceConfiguration(instance_count="2").instance_count, repr(Data(version=3).version))
""").stdout, "PyTorchConfiguration(communication_backend='Nccl', process_count=4, node_count=2) "
                         "MpiConfiguration(process_count_per_node=1, node_count=1)\n2 '3'\n")


if __name__ == "__main__":
    run_tests()
