"""Puts muster's names behind the imports of Azure ML's SDKs, where those are not installed."""

import importlib
import importlib.util
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Dict, List, Optional, Sequence, Set

from .binary import BadCall

# Of each module of this package: "NAME", or "NAME=NAME HERE"; of "", modules of it.
_CORE = {"experiment": "Experiment Workspace", "environment": "Environment", "run": "Run",
         "script_run_config": "ScriptRunConfig", "compute": "ComputeTarget",
         "runconfig": "RunConfiguration"}
_V2_JOBS = {"command_job": "CommandJob MpiDistribution PyTorchDistribution TensorFlowDistribution "
                           "Input Output"}

_MODULES: Dict[str, Dict[str, str]] = {
    "azureml": {},
    "azureml.core": _CORE,
    "azureml.core.authentication": {
        "client": "InteractiveLoginAuthentication=Credential AzureCliAuthentication=Credential "
                  "ServicePrincipalAuthentication=Credential MsiAuthentication=Credential"},
    "azureml.core.compute": {"compute": "ComputeTarget AmlCompute"},
    "azureml.core.compute_target": {"compute": "ComputeTargetException ComputeTarget"},
    "azureml.core.conda_dependencies": {"environment": "CondaDependencies"},
    "azureml.core.environment": {"environment": "Environment CondaDependencies"},
    "azureml.core.experiment": {"experiment": "Experiment"},
    "azureml.core.run": {"run": "Run"},
    "azureml.core.runconfig": {
        "runconfig": "MpiConfiguration PyTorchConfiguration TensorflowConfiguration "
                     "RunConfiguration DockerConfiguration"},
    "azureml.core.script_run_config": {"script_run_config": "ScriptRunConfig"},
    "azureml.core.workspace": {"experiment": "Workspace"},
    "azureml.exceptions": {"compute": "ComputeTargetException"},
    "azureml.train": {},
    "azureml.train.dnn": {
        "estimator": "Gloo Mpi Nccl ParameterServer PyTorch=Estimator TensorFlow=Estimator "
                     "Chainer=Estimator"},
    "azureml.train.estimator": {"estimator": "Estimator Mpi ParameterServer"},
    "azureml.widgets": {"run_details": "RunDetails"},
    "mlflow": {"tracking": "start_run end_run log_metric log_metrics log_param log_params set_tag "
                           "set_tags autolog ActiveRun"},
    "azure": {},
    "azure.ml": {},
    "azure.ml.component": {"component": "Component", "": "dsl"},
    "azure.ml.component.dsl": {"dsl": "pipeline"},
    "azure.ai": {},
    "azure.ai.ml": {**_V2_JOBS, "command_job": _V2_JOBS["command_job"] + " command",
                    "client": "MLClient load_component load_job", "": "dsl"},
    "azure.ai.ml.constants": {"v2_words": "AssetTypes InputOutputModes"},
    "azure.ai.ml.dsl": {"dsl": "pipeline"},
    "azure.ai.ml.entities": {
        **_V2_JOBS,
        "command_job": _V2_JOBS["command_job"] + " Command=CommandJob JobResourceConfiguration "
                       "ResourceConfiguration=JobResourceConfiguration CommandJobLimits",
        "client": "Environment=EnvironmentEntity AmlCompute=AmlComputeEntity BuildContext",
        "component": "Component"},
    "azure.ai.ml.sweep": {
        "sweep_job": "Choice Randint Uniform LogUniform QUniform QLogUniform Normal LogNormal "
                     "QNormal QLogNormal RandomSamplingAlgorithm GridSamplingAlgorithm "
                     "BayesianSamplingAlgorithm BanditPolicy MedianStoppingPolicy "
                     "TruncationSelectionPolicy Objective SweepJobLimits SweepJob"},
    "azure.identity": {
        "client": "DefaultAzureCredential=Credential InteractiveBrowserCredential=Credential "
                  "AzureCliCredential=Credential ManagedIdentityCredential=Credential"},
}

# Names of the SDKs that programs often import: they may, and are told when they use them.
_ABSENT = {
    "azureml.core": "Dataset Datastore Image Model Webservice Keyvault",
    "azureml.core.runconfig": "DataReferenceConfiguration",
    "azure.ai.ml": "MLTable",
    "azure.ai.ml.entities": "Data Model",
}

# Those that tell whether an SDK is installed.
_SDKS = ("azureml.core", "azureml.train", "azure.ml.component", "azure.ai.ml")


class _Absent:
    """A name of the SDK that muster does not have: whoever uses it is told."""

    def __init__(self, name: str) -> None:
        self._name = name

    def _refuse(self) -> BadCall:
        return BadCall(f"muster has nothing for {self._name}",
                       "it runs jobs whose code and data lie on their hosts: name folders")

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise self._refuse()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise self._refuse()


class _StandIn(ModuleType):
    """A module of the SDK; what it lacks is told with what it has."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        has = ", ".join(sorted(self.__all__)) or "nothing"
        raise ImportError(f"muster's stand-in for {self.__name__} has no {name}; it has {has}",
                          name=self.__name__)


def _find(source: str, name: str) -> Any:
    """A name of a module of this package, or such a module itself."""
    if not source:
        return importlib.import_module("muster." + name)
    return getattr(importlib.import_module("muster." + source), name)


def _fill(module: ModuleType, sources: Dict[str, str]) -> None:
    names: List[str] = []
    for source, words in sources.items():
        for word in words.split():
            name, _, here = word.partition("=")
            setattr(module, name, _find(source, here or name))
            names.append(name)
    for name in _ABSENT.get(module.__name__, "").split():
        setattr(module, name, _Absent(f"{module.__name__}.{name}"))
        names.append(name)
    module.__dict__["__all__"] = names


class StandIns(MetaPathFinder, Loader):
    """The last of sys.meta_path: it is asked for what nobody else has."""

    def find_spec(self, fullname: str, path: Optional[Sequence[str]],
                  target: Optional[ModuleType] = None) -> Optional[ModuleSpec]:
        del path, target
        if fullname in _MODULES:
            return ModuleSpec(fullname, self, is_package=True)
        if fullname.startswith(("azureml.", "azure.ml.", "azure.ai.ml.")):
            raise ModuleNotFoundError(
                f"No module named {fullname!r}: it is not installed, and muster stands in for "
                + ", ".join(name for name, sources in _MODULES.items() if sources), name=fullname)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _StandIn(spec.name, "Muster's names, where the SDK is not installed.")

    def exec_module(self, module: ModuleType) -> None:
        _fill(module, _MODULES[module.__name__])


class RealOnes(MetaPathFinder):
    """The first of sys.meta_path: it tells when an SDK that is installed is imported."""

    def __init__(self) -> None:
        self._asking: Set[str] = set()

    def find_spec(self, fullname: str, path: Optional[Sequence[str]],
                  target: Optional[ModuleType] = None) -> Optional[ModuleSpec]:
        del path, target
        if fullname not in _SDKS or fullname in self._asking:
            return None
        self._asking.add(fullname)  # once
        spec = importlib.util.find_spec(fullname)
        if spec is not None and not isinstance(spec.loader, StandIns):
            print(f"muster: {fullname} is installed here and is used as it is: what it submits "
                  "does not run through muster", file=sys.stderr, flush=True)
        return spec


def install() -> None:
    """From now on."""
    sys.meta_path.insert(0, RealOnes())
    sys.meta_path.append(StandIns())
