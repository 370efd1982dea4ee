"""job.sweep(): a job that runs many times, in the words of Azure ML's SDK v2."""

import re
from typing import Any, Dict, List, Mapping, Optional, Type, Union

from .binary import BadCall
from .checked import Checked, Kinded, checked, given, lacks, note, settings_of
from .dsl import add_step, forget_step
from .job_names import Named
from .outputs import Output, Outputs
from .place import users_line
from .run import Run
from .submission import Destination, dump_keys, json_of, submit_keys
from .where import Where, target_name
from .yaml_text import yaml_of


class Law(Kinded):
    """What a parameter may be; given as an input, it makes a job one that can be swept."""


class Choice(Law):
    """One of some values; a value may be a map of further laws."""

    kind = "choice"

    def __init__(self, values: Optional[List[Any]] = None) -> None:
        self.values = list(values or [])

    def keys(self) -> Dict[str, Any]:
        return {"type": "choice", "values": [_option(value) for value in self.values]}


class Randint(Law):
    """0 to upper - 1."""

    kind = "randint"

    def __init__(self, upper: Optional[int] = None) -> None:
        self.upper = upper


class Uniform(Law):
    """Between two values."""

    kind = "uniform"

    def __init__(self, min_value: Optional[float] = None,
                 max_value: Optional[float] = None) -> None:
        self.min_value = min_value
        self.max_value = max_value


class LogUniform(Uniform):
    """exp(x), x between two values."""

    kind = "loguniform"


class QUniform(Law):
    """The same as Uniform in steps of q."""

    kind = "quniform"

    def __init__(self, min_value: Optional[float] = None, max_value: Optional[float] = None,
                 q: Optional[float] = None) -> None:
        self.min_value = min_value
        self.max_value = max_value
        self.q = q


class QLogUniform(QUniform):
    """The same as LogUniform in steps of q."""

    kind = "qloguniform"


class Normal(Law):
    """Around mu, with the standard deviation sigma."""

    kind = "normal"

    def __init__(self, mu: Optional[float] = None, sigma: Optional[float] = None) -> None:
        self.mu = mu
        self.sigma = sigma


class LogNormal(Normal):
    """exp(x), x around mu."""

    kind = "lognormal"


class QNormal(Law):
    """The same as Normal in steps of q."""

    kind = "qnormal"

    def __init__(self, mu: Optional[float] = None, sigma: Optional[float] = None,
                 q: Optional[float] = None) -> None:
        self.mu = mu
        self.sigma = sigma
        self.q = q


class QLogNormal(QNormal):
    """The same as LogNormal in steps of q."""

    kind = "qlognormal"


class RandomSamplingAlgorithm(Kinded):
    """Independent values, or with the rule "sobol" such that fill the space evenly."""

    kind = "random"

    def __init__(self, *, rule: Optional[str] = None, seed: Optional[int] = None,
                 logbase: Union[float, str, None] = None) -> None:
        self.rule = rule
        self.seed = seed
        self.logbase = logbase


class GridSamplingAlgorithm(Kinded):
    """All combinations of choices."""

    kind = "grid"


class BayesianSamplingAlgorithm(Kinded):
    """Values near those that went well."""

    kind = "bayesian"


class BanditPolicy(Kinded):
    """Ends trials that are far behind the best."""

    kind = "bandit"

    def __init__(self, *, delay_evaluation: int = 0, evaluation_interval: int = 0,
                 slack_amount: float = 0, slack_factor: float = 0) -> None:
        self.delay_evaluation = delay_evaluation
        self.evaluation_interval = evaluation_interval
        self.slack_amount = slack_amount
        self.slack_factor = slack_factor


class MedianStoppingPolicy(Kinded):
    """Ends trials that are worse than the median."""

    kind = "median_stopping"

    def __init__(self, *, delay_evaluation: int = 0, evaluation_interval: int = 1) -> None:
        self.delay_evaluation = delay_evaluation
        self.evaluation_interval = evaluation_interval


class TruncationSelectionPolicy(Kinded):
    """Ends the worst percent of the trials."""

    kind = "truncation_selection"

    def __init__(self, *, delay_evaluation: int = 0, evaluation_interval: int = 0,
                 truncation_percentage: int = 0) -> None:
        self.delay_evaluation = delay_evaluation
        self.evaluation_interval = evaluation_interval
        self.truncation_percentage = truncation_percentage


class Objective(Checked):
    """The metric that trials are judged by, and whether less or more of it is better."""

    def __init__(self, goal: Optional[str] = None, primary_metric: Optional[str] = None) -> None:
        self.goal = goal
        self.primary_metric = primary_metric


class SweepJobLimits(Checked):
    """How many trials, and for how many seconds."""

    def __init__(self, *, max_concurrent_trials: Optional[int] = None,
                 max_total_trials: Optional[int] = None, timeout: Optional[float] = None,
                 trial_timeout: Optional[float] = None) -> None:
        self.max_concurrent_trials = max_concurrent_trials
        self.max_total_trials = max_total_trials
        self.timeout = timeout
        self.trial_timeout = trial_timeout


_SWEEP = lacks(no_effect="identity queue_settings services properties comment job_tier priority")


class SweepJob(Named, Checked):
    """A job and what its trials vary; it may be changed until it is submitted."""

    LACKS = _SWEEP
    has_code = False  # its trials have one
    outputs: Outputs

    def __init__(self, *, trial: Any = None, search_space: Optional[Mapping[str, Any]] = None,
                 sampling_algorithm: object = "random", objective: Any = None,
                 limits: Any = None, early_termination: object = None,
                 inputs: Optional[Dict[str, Any]] = None, outputs: Optional[Dict[str, Any]] = None,
                 compute: object = None, experiment_name: Optional[str] = None,
                 display_name: Optional[str] = None, name: Optional[str] = None,
                 tags: Optional[Dict[str, str]] = None, description: Optional[str] = None,
                 resources: Any = None) -> None:
        if not hasattr(trial, "trial_keys"):
            raise BadCall(f"{trial!r} is no job that can be swept",
                          "command(...) or a component that was called makes one")
        self.made_at = users_line()
        self.trial = trial
        self.search_space: Dict[str, Any] = dict(search_space or {})
        self.sampling_algorithm = sampling_algorithm
        self.objective = _part(objective, Objective)
        self.limits = limits
        self.early_termination = early_termination
        self.inputs = inputs
        self.declared_outputs = outputs
        self.outputs = Outputs(self, list(trial.outputs.names if outputs is None else outputs))
        self.compute = compute
        self.experiment_name = experiment_name
        self._call(name, display_name, trial.name)
        self.tags: Dict[str, str] = dict(tags or {})
        self.description = description
        self.resources = resources
        self.metrics_from: Optional[str] = None  # "output": muster's own, see its manual

    @property
    def limits(self) -> Any:
        """May be given as a dictionary."""
        return self._limits

    @limits.setter
    def limits(self, said: Any) -> None:
        self._limits = _part(said, SweepJobLimits)

    def set_limits(self, *, max_concurrent_trials: Optional[int] = None,
                   max_total_trials: Optional[int] = None, timeout: Optional[float] = None,
                   trial_timeout: Optional[float] = None) -> None:
        vars(self.limits).update(given({
            "max_concurrent_trials": max_concurrent_trials, "max_total_trials": max_total_trials,
            "timeout": timeout, "trial_timeout": trial_timeout}))

    def set_objective(self, *, goal: Optional[str] = None,
                      primary_metric: Optional[str] = None) -> None:
        self.objective.goal = goal or self.objective.goal
        self.objective.primary_metric = primary_metric or self.objective.primary_metric

    @checked(others=Where)
    def submit(self, experiment_name: str = "", default_target: object = None,
               tags: Optional[Dict[str, str]] = None, **where: Any) -> Run:
        """Starts it and returns once its first trials run; `where` as of Experiment.submit."""
        keys = self._job_keys(experiment_name, default_target, tags)
        place = Where(**where)
        return submit_keys(keys, place.words(), self.made_at, place.spelling)

    def dump(self, dest: Destination) -> None:
        """Writes a job file, for muster submit."""
        dump_keys(self._job_keys(), dest)

    def file_text(self) -> str:
        """What muster would be given."""
        return json_of(self._job_keys())

    def __str__(self) -> str:
        return yaml_of(self._job_keys())

    def _job_keys(self, experiment_name: str = "", default_target: object = None,
                  tags: Optional[Dict[str, str]] = None) -> Dict[str, Any]:
        default = None if default_target is None else target_name(default_target)
        return given({"compute": default, **self.step_keys(), "display_name": self.name,
                      **self.names(),
                      "experiment_name": experiment_name or self.experiment_name,
                      "tags": {**self.tags, **(tags or {})}})

    def step_keys(self) -> Dict[str, Any]:
        """Those of a step in a pipeline's file."""
        own, trial = self.trial.trial_keys(list(self.search_space))
        inputs = {**own.pop("inputs", {}), **_plain(self.inputs or {})}
        if self.declared_outputs is not None:
            own["outputs"] = _plain(self.declared_outputs)
        changed = self.outputs.said()
        if changed:
            own["outputs"] = {**own.get("outputs", {}), **changed}
        keys = {
            "type": "sweep", "trial": trial, **own,
            "inputs": {name: value for name, value in inputs.items()
                       if name not in self.search_space},
            # In the SDK's order: the values of trials depend on it.
            "search_space": {name: _law(name, law)
                             for name, law in sorted(self.search_space.items())},
            "sampling_algorithm": _keys_of(self.sampling_algorithm),
            "objective": given(settings_of(self.objective)),
            "limits": given(settings_of(self.limits)), "description": self.description,
            "early_termination": _keys_of(self.early_termination),
            "metrics_from": self.metrics_from,
            "compute": (own.get("compute") if self.compute is None
                        else target_name(self.compute))}
        if self.resources is not None:
            self._give_resources(keys)
        return given(keys)

    def _give_resources(self, keys: Dict[str, Any]) -> None:
        """They are those of each trial."""
        said = self.resources
        said = given(settings_of(said)) if isinstance(said, Checked) else said
        if isinstance(keys["trial"], dict):
            keys["trial"] = {**keys["trial"],
                             "resources": {**keys["trial"].get("resources", {}), **said}}
        else:
            keys["resources"] = {**keys.get("resources", {}), **said}


def swept(job: Any, laws: Mapping[str, object], said: Mapping[str, Any]) -> SweepJob:
    """What job.sweep(...) gives: the inputs that are laws are its search space."""
    found = {name: law for name, law in laws.items() if isinstance(law, Law)}
    if not found:
        raise BadCall(f"{job.name} has no input that varies",
                      "call it with some first: job(lr=Uniform(min_value=0, max_value=1))")
    sweep = SweepJob(trial=job, search_space=found,
                     sampling_algorithm=said["sampling_algorithm"],
                     objective=Objective(said["goal"], said["primary_metric"]),
                     limits=SweepJobLimits(
                         max_concurrent_trials=said["max_concurrent_trials"],
                         max_total_trials=said["max_total_trials"], timeout=said["timeout"],
                         trial_timeout=said["trial_timeout"]),
                     early_termination=said["early_termination_policy"],
                     compute=said["compute"] or job.compute)
    forget_step(job)  # it does not run by itself
    add_step(sweep)
    return sweep


class Sweepable:
    """What command(...) and components that were called have in common."""

    inputs: Any

    @checked(_SWEEP, named="sweep")
    def sweep(self, *, primary_metric: str, goal: str, sampling_algorithm: object = "random",
              compute: object = None, max_concurrent_trials: Optional[int] = None,
              max_total_trials: Optional[int] = None, timeout: Optional[float] = None,
              trial_timeout: Optional[float] = None, early_termination_policy: object = None,
              search_space: Optional[Mapping[str, object]] = None) -> SweepJob:
        """A sweep over the inputs that are laws, such as Uniform(...)."""
        said = dict(locals())
        return swept(self, {**self.inputs, **(search_space or {})}, said)


def note_limits(name: str, keys: Mapping[str, Any]) -> None:
    """Of a job that is swept: the SDK's sweep has limits of its own, and leaves these out."""
    if keys.get("limits"):
        note(f"the limits of {name} do not hold for the trials of a sweep: use "
             "sweep(trial_timeout=...)")


def refuse_laws(name: str, inputs: Mapping[str, object]) -> None:
    """Of a job that runs once."""
    laws = [one for one, value in inputs.items() if isinstance(value, Law)]
    if laws:
        raise BadCall(f"the input {laws[0]} of {name} has no value: it is a law of a search space",
                      "submit what its sweep(...) returns")


def with_search_space(command: str, names: List[str]) -> str:
    """The command of a trial: these inputs become parameters."""
    any_of = "|".join(map(re.escape, names))
    return re.sub(r"\$\{\{\s*inputs\.(" + any_of + r")\s*\}\}", r"${{search_space.\1}}", command)


def _part(said: Any, kind: Type[Any]) -> Any:
    """A dictionary as the class that it stands for."""
    return kind(**(said or {})) if said is None or isinstance(said, dict) else said


def _plain(things: Mapping[str, Any]) -> Dict[str, Any]:
    """Inputs and outputs as a job file has them."""
    def keys_of(one: Any) -> Any:
        is_described = isinstance(one, Checked) and not isinstance(one, Output)
        return getattr(one, "keys")() if is_described else one
    return {name: keys_of(one) for name, one in things.items()}


def _keys_of(thing: object) -> object:
    return thing.keys() if isinstance(thing, Kinded) else thing


def _option(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _keys_of(one) for name, one in value.items()}
    return value


def _law(name: str, law: Any) -> Dict[str, Any]:
    if isinstance(law, Law):
        return law.keys()
    if isinstance(law, Mapping):
        return dict(law)
    raise BadCall(f"search_space[{name!r}] is {law!r}",
                  "it is a law of azure.ai.ml.sweep, such as Choice(values=[...])")
