"""azureml.train.hyperdrive: a job that runs many times, in the words of Azure ML's SDK v1."""

import enum
import json
import re
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

from .binary import BadCall
from .checked import Checked, checked, given, lacks, nearest, note, settings_of
from .place import users_line
from .record import job_text_of
from .run import Run
from .script_run_config import ScriptRunConfig
from .spelling import V1
from .submission import submit_keys

# What a parameter may be, as the SDK's functions give it: a word, and its values.
Expression = List[Any]
_KEYS = {"randint": ["upper"], "uniform": ["min_value", "max_value"],
         "loguniform": ["min_value", "max_value"], "quniform": ["min_value", "max_value", "q"],
         "qloguniform": ["min_value", "max_value", "q"], "normal": ["mu", "sigma"],
         "lognormal": ["mu", "sigma"], "qnormal": ["mu", "sigma", "q"],
         "qlognormal": ["mu", "sigma", "q"]}


def choice(*options: Any) -> Expression:
    """One of these, or of those in a list or range."""
    if len(options) == 1 and isinstance(options[0], (list, tuple, range)):
        return ["choice", [list(options[0])]]
    return ["choice", [list(options)]]


@checked()
def randint(upper: int) -> Expression:
    """0 to upper - 1."""
    return ["randint", [upper]]


@checked()
def uniform(min_value: float, max_value: float) -> Expression:
    """Between two values."""
    return ["uniform", [min_value, max_value]]


@checked()
def loguniform(min_value: float, max_value: float) -> Expression:
    """exp(x), x between two values."""
    return ["loguniform", [min_value, max_value]]


@checked()
def quniform(min_value: float, max_value: float, q: float) -> Expression:
    """The same as uniform in steps of q."""
    return ["quniform", [min_value, max_value, q]]


@checked()
def qloguniform(min_value: float, max_value: float, q: float) -> Expression:
    """The same as loguniform in steps of q."""
    return ["qloguniform", [min_value, max_value, q]]


@checked()
def normal(mu: float, sigma: float) -> Expression:
    """Around mu, with the standard deviation sigma."""
    return ["normal", [mu, sigma]]


@checked()
def lognormal(mu: float, sigma: float) -> Expression:
    """exp(x), x around mu."""
    return ["lognormal", [mu, sigma]]


@checked()
def qnormal(mu: float, sigma: float, q: float) -> Expression:
    """The same as normal in steps of q."""
    return ["qnormal", [mu, sigma, q]]


@checked()
def qlognormal(mu: float, sigma: float, q: float) -> Expression:
    """The same as lognormal in steps of q."""
    return ["qlognormal", [mu, sigma, q]]


class PrimaryMetricGoal(enum.Enum):
    """Whether more of the metric is better, or less."""

    MAXIMIZE = "MAXIMIZE"
    MINIMIZE = "MINIMIZE"

    @staticmethod
    def from_str(goal: str) -> "PrimaryMetricGoal":
        """That of this name, however it is written."""
        return PrimaryMetricGoal(goal.upper())


class RandomParameterSampling(Checked):
    """Independent values."""

    _KIND = "random"

    def __init__(self, parameter_space: Mapping[str, Any],
                 properties: Optional[Mapping[str, Any]] = None) -> None:
        self.parameter_space = dict(parameter_space)
        self.properties = dict(properties or {})

    def keys(self) -> Dict[str, Any]:
        return {"type": self._KIND, **self.properties}


class GridParameterSampling(RandomParameterSampling):
    """All combinations of choices."""

    _KIND = "grid"


class BayesianParameterSampling(RandomParameterSampling):
    """Values near those that went well."""

    _KIND = "bayesian"


class NoTerminationPolicy(Checked):
    """All trials run to their ends."""

    _KIND = ""

    def keys(self) -> Dict[str, Any]:
        return {"type": self._KIND, **given(settings_of(self))} if self._KIND else {}


class BanditPolicy(NoTerminationPolicy):
    """Ends trials that are far behind the best."""

    _KIND = "bandit"

    def __init__(self, evaluation_interval: int = 1, slack_factor: Optional[float] = None,
                 slack_amount: Optional[float] = None, delay_evaluation: int = 0) -> None:
        self.evaluation_interval = evaluation_interval
        self.slack_factor = slack_factor
        self.slack_amount = slack_amount
        self.delay_evaluation = delay_evaluation


class MedianStoppingPolicy(NoTerminationPolicy):
    """Ends trials that are worse than the median."""

    _KIND = "median_stopping"

    def __init__(self, evaluation_interval: int = 1, delay_evaluation: int = 0) -> None:
        self.evaluation_interval = evaluation_interval
        self.delay_evaluation = delay_evaluation


class TruncationSelectionPolicy(NoTerminationPolicy):
    """Ends the worst percent of the trials."""

    _KIND = "truncation_selection"

    def __init__(self, truncation_percentage: int, evaluation_interval: int = 1,
                 delay_evaluation: int = 0) -> None:
        self.truncation_percentage = truncation_percentage
        self.evaluation_interval = evaluation_interval
        self.delay_evaluation = delay_evaluation


Goal = Union[PrimaryMetricGoal, str]


def _resumed(sampling: RandomParameterSampling, said: Mapping[str, Any]) -> None:
    """Of runs that went before, Bayesian sampling learns; else only early termination does."""
    for name in (name for name, runs in said.items() if runs):
        if isinstance(sampling, BayesianParameterSampling):
            raise BadCall(f"{name} of HyperDriveConfig() is not supported with Bayesian sampling",
                          "each run is a new one: muster rerun goes on where one has ended")
        note(f"HyperDriveConfig({name}=...) has no effect here: with random or grid sampling, "
             "runs that went before only inform early termination")



class HyperDriveConfig(Checked):
    """A job, what its trials vary, and how they are judged."""

    LACKS = lacks(accepted="debug_flag custom_run_id", refused={
        "pipeline": "sweep over the job of one step: HyperDriveStep is a step of a pipeline"})

    def __init__(self, hyperparameter_sampling: RandomParameterSampling, primary_metric_name: str,
                 primary_metric_goal: Goal, max_total_runs: int,
                 max_concurrent_runs: Optional[int] = None, max_duration_minutes: float = 10080,
                 policy: Optional[NoTerminationPolicy] = None,
                 estimator: Optional[ScriptRunConfig] = None,
                 run_config: Optional[ScriptRunConfig] = None,
                 resume_from: Any = None, resume_child_runs: Any = None) -> None:
        _resumed(hyperparameter_sampling, {"resume_from": resume_from,
                                           "resume_child_runs": resume_child_runs})
        job = run_config or estimator
        if not isinstance(job, ScriptRunConfig):
            raise BadCall("HyperDriveConfig() needs run_config, a ScriptRunConfig",
                          "or estimator, as older programs have it")
        self.said_at = users_line()
        self.run_config: ScriptRunConfig = job
        self.hyperparameter_sampling = hyperparameter_sampling
        self.policy = policy
        self.primary_metric_name = primary_metric_name
        self.primary_metric_goal = primary_metric_goal
        self.max_total_runs = max_total_runs
        self.max_concurrent_runs = max_concurrent_runs
        self.max_duration_minutes = max_duration_minutes

    def _goal(self) -> str:
        goal = self.primary_metric_goal
        word = str(goal.value if isinstance(goal, PrimaryMetricGoal) else goal)
        if word.upper() not in PrimaryMetricGoal.__members__:
            raise BadCall(f"primary_metric_goal is {word!r}",
                          nearest(word.upper(), list(PrimaryMetricGoal.__members__)), self.said_at)
        return word.lower()

    def keys(self) -> Dict[str, Any]:
        """Those of a sweep's file, but for where it runs."""
        trial = self.run_config.keys()
        limit = trial.pop("limits", {}).get("timeout")
        names, space = _search_space(self.hyperparameter_sampling.parameter_space, self.said_at)
        trial["command"] += "".join(f' {option} "${{{{search_space.{name}}}}}"'
                                    for option, name in names)
        return given({
            "type": "sweep", "inputs": trial.pop("inputs", None), "trial": trial,
            "search_space": space,
            "sampling_algorithm": self.hyperparameter_sampling.keys(),
            "objective": {"goal": self._goal(), "primary_metric": self.primary_metric_name},
            "early_termination": self.policy.keys() if self.policy is not None else None,
            "limits": given({"max_total_trials": self.max_total_runs,
                             "max_concurrent_trials": self.max_concurrent_runs,
                             "timeout": round(self.max_duration_minutes * 60),
                             "trial_timeout": limit})})

    def begin(self, experiment: str, words: List[str]) -> "HyperDriveRun":
        """Starts it, with further words of muster submit."""
        keys = given({**self.keys(), "display_name": experiment, "experiment_name": experiment,
                      "compute": self.run_config.target()})
        run = submit_keys(keys, words, self.said_at, V1._replace(renamed=_RENAMED))
        return HyperDriveRun(run.experiment, run.id, self)


# Keys of a sweep's file that HyperDriveConfig calls otherwise.
_RENAMED = {"limits.max_total_trials": "max_total_runs", "early_termination": "policy",
            "limits.max_concurrent_trials": "max_concurrent_runs",
            "limits.timeout": "max_duration_minutes", "trial.code": "source_directory",
            "search_space": "parameter_space", "sampling_algorithm": "hyperparameter_sampling",
            "objective.primary_metric": "primary_metric_name",
            "objective.goal": "primary_metric_goal"}


# As steps and runs called it when its class was the following one.
OLDER_NAMES = {"hyperdrive_run_config": "hyperdrive_config"}


class HyperDriveRunConfig(HyperDriveConfig):
    """The older one, to which the job is given first."""

    def __init__(self, estimator: ScriptRunConfig,
                 hyperparameter_sampling: RandomParameterSampling, primary_metric_name: str,
                 primary_metric_goal: Goal, max_total_runs: int,
                 max_concurrent_runs: Optional[int] = None, max_duration_minutes: float = 10080,
                 policy: Optional[NoTerminationPolicy] = None) -> None:
        super().__init__(hyperparameter_sampling, primary_metric_name, primary_metric_goal,
                         max_total_runs, max_concurrent_runs, max_duration_minutes, policy,
                         estimator)


def _search_space(said: Mapping[str, Expression], said_at: str
                  ) -> Tuple[List[Tuple[str, str]], Dict[str, Any]]:
    """Options of the script with their names here, and what each may be."""
    names: List[Tuple[str, str]] = []
    space: Dict[str, Any] = {}
    for option, expression in said.items():
        name = re.sub(r"\W", "_", option.lstrip("-"))
        if name in space:
            raise BadCall(f"two parameters are called {name}", "give each a name of its own",
                          said_at)
        names.append((option if option.startswith("-") else f"--{option}", name))
        space[name] = _law(option, expression, said_at)
    return names, space


def _law(option: str, expression: Any, said_at: str) -> Dict[str, Any]:
    fine = isinstance(expression, (list, tuple)) and len(expression) == 2
    word, values = expression if fine else ("", [])
    if word == "choice":
        return {"type": "choice", "values": list(values[0])}
    if word not in _KEYS:
        raise BadCall(f"the parameter {option!r} is {expression!r}",
                      f"it is choice(...), {', '.join(f'{one}(...)' for one in _KEYS)}", said_at)
    return {"type": word, **dict(zip(_KEYS[word], values))}


# Of a sweep's file that another program has written, in YAML or JSON.
_GOAL = re.compile(r"\bgoal[\"']?\s*:\s*[\"']?(maximize|minimize)", re.IGNORECASE)
_METRIC = re.compile(r"\bprimary_metric[\"']?\s*:\s*[\"']?([^\"',}\n#]*[^\"',}\n# ])")


class HyperDriveRun(Run):
    """A sweep: its children are its trials."""

    LACKS = Run.LACKS._replace(older=OLDER_NAMES)
    _TYPE = "hyperdrive"

    def __init__(self, experiment: object, run_id: str,
                 hyperdrive_config: Optional[HyperDriveConfig] = None) -> None:
        super().__init__(experiment, run_id)
        self._config = hyperdrive_config

    @property
    def hyperdrive_config(self) -> Optional[HyperDriveConfig]:
        return self._config

    def _objective(self) -> Tuple[str, bool]:
        """The metric, and whether more of it is better: as this program or the job's file says."""
        if self._config is not None:
            return self._config.primary_metric_name, self._config._goal() == "maximize"
        text = job_text_of(self.folder)
        goal, metric = _GOAL.search(text), _METRIC.search(text)
        name = (self.details().get("best") or {}).get("metric") or (metric and metric[1])
        if goal is None or not name:
            raise BadCall(f"how the trials of {self.id} are judged is not known here",
                          f"muster report {self.id} names the best one")
        return str(name), goal[1].lower() == "maximize"

    def get_hyperparameters(self) -> Dict[str, Dict[str, str]]:
        """The values of each trial."""
        return {f"{self.id}/{step['step']}": step["values"]
                for step in self.details().get("steps", []) if step["started"]}

    @checked(lacks(accepted="run_type populate recursive"))
    def get_metrics(self) -> Dict[str, Dict[str, Any]]:  # type: ignore[override]
        """Those of each trial."""
        return {trial.id: trial.get_metrics() for trial in self.get_children()}

    def _judged(self, states: Tuple[str, ...]) -> Iterator[Tuple[float, Run]]:
        """Trials with a value: the best they had."""
        metric, more = self._objective()
        best = max if more else min
        for trial in self.get_children():
            value = trial.get_metrics().get(metric)
            numbers = [one for one in (value if isinstance(value, list) else [value])
                       if isinstance(one, (int, float))]
            if numbers and trial.details()["state"] in states:
                yield best(numbers), trial

    @checked(lacks(accepted="include_resume_from_runs"))
    def get_best_run_by_primary_metric(self, include_failed: bool = True,
                                       include_canceled: bool = True) -> Optional[Run]:
        """The trial with the best value."""
        states = ["completed", "running", *(["failed", "died"] if include_failed else []),
                  *(["stopped"] if include_canceled else [])]
        told = self.details().get("best")  # once it has ended
        if told is not None:
            run = Run(f"{self.id}/{told['step']}")
            if run.details()["state"] in states:
                return run
        judged = list(self._judged(tuple(states)))
        best = max if self._objective()[1] else min
        return best(judged, key=lambda one: one[0])[1] if judged else None

    @checked(lacks(accepted="discard_no_metric"))
    def get_children_sorted_by_primary_metric(self, top: int = 0, reverse: bool = False
                                              ) -> List[Dict[str, Any]]:
        """What is known of each trial, the best first."""
        _, more = self._objective()
        values = self.get_hyperparameters()
        judged = sorted(self._judged(("completed", "running", "failed", "died", "stopped")),
                        key=lambda one: one[0], reverse=more != reverse)
        return [{"run_id": trial.id, "hyperparameters": values.get(trial.id),
                 "best_primary_metric": value, "status": trial.get_status()}
                for value, trial in judged[:top or None]]


class HyperDriveStepRun(HyperDriveRun):
    """The same of a sweep that is a step of a pipeline."""

    _TYPE = "azureml.StepRun"

    def __init__(self, step_run: Run) -> None:
        if not step_run.details().get("steps"):
            raise BadCall(f"{step_run.id} is not a sweep", "give the run of a HyperDriveStep: "
                          "pipeline_run.find_step_run(NAME)[0]")
        super().__init__(step_run.experiment, step_run.id)

    def _objective(self) -> Tuple[str, bool]:
        """As the file of its pipeline says, which the program has made."""
        pipeline, _, step = self.id.rpartition("/")
        try:
            said = json.loads(job_text_of(Run(pipeline).folder))["jobs"][step]["objective"]
        except (ValueError, KeyError):
            return super()._objective()
        return str(said["primary_metric"]), str(said["goal"]).lower() == "maximize"
