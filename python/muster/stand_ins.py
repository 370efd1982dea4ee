"""Puts muster's names behind the imports of Azure ML's SDKs, where those are not installed."""

import dis
import importlib
import importlib.util
import re
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import FrameType, ModuleType
from typing import Any, Dict, List, Optional, Sequence, Set, Type

from .binary import BadCall
from .checked import nearest
from .sdk_errors import (ActivityFailedException, ModelNotFoundException, UserErrorException,
                         WebserviceException)
from .sdk_names import OTHERS
from .services import Described

# Of each module of this package: "NAME", or "NAME=NAME HERE"; of "", modules of it.
_CORE = {"experiment": "Experiment Workspace", "datastores": "Datastore", "datasets": "Dataset", "models": "Model",
         "environment": "ContainerRegistry Environment", "run": "Run",
         "script_run_config": "ScriptRunConfig", "compute": "ComputeTarget",
         "runconfig": "RunConfiguration"}
_IMAGES = "DEFAULT_CPU_IMAGE DEFAULT_GPU_IMAGE"
_MODULE_NAMES = "Module ModuleVersion ModuleVersionDescriptor"
_STEP_DATA = "OutputFileDatasetConfig"
_DATASETS = "FileDataset TabularDataset"
_PARALLEL = "ParallelRunConfig ParallelRunStep"
_V2_JOBS = {"command_job": "CommandJob",
            "job_parts": "MpiDistribution PyTorchDistribution TensorFlowDistribution Input "
                         "Output"}
_SOFTWARE = "CondaDependencies ContainerRegistry DockerSection Environment PythonSection"
_INERT = " ".join(f"{name}=Inert" for name in (
    "JobService SshJobService TensorBoardJobService VsCodeJobService JupyterLabJobService "
    "QueueSettings IdentityConfiguration UserIdentityConfiguration AmlTokenConfiguration "
    "ManagedIdentityConfiguration").split())
_PAGE = "HTML IFrame Image Markdown SVG clear_output display"
_FLAVOURS = {**{name: name for name in "lightgbm pytorch sklearn xgboost".split()},
             **{name: f"others.{name}" for name in ("fastai keras pyspark spark statsmodels "
                                                    "tensorflow transformers").split()}}
_MODEL_WORDS = "autolog load_model log_model save_model"
_CREDENTIALS = " ".join(f"{name}Credential=Credential" for name in (
    "AuthorizationCode AzureCli AzureDeveloperCli AzurePipelines AzurePowerShell Certificate "
    "ChainedToken ClientAssertion ClientSecret DefaultAzure DeviceCode Environment "
    "InteractiveBrowser ManagedIdentity OnBehalfOf SharedTokenCache UsernamePassword "
    "VisualStudioCode WorkloadIdentity").split())

_MODULES: Dict[str, Dict[str, str]] = {
    "azureml": {},
    "azureml.contrib": {},
    "azureml.contrib.notebook": {"notebook_run": "NotebookRunConfig",
                                 "steps": "NotebookRunnerStep",
                                 "client": "AzureMLNotebookHandler=Inert"},
    "azureml.contrib.pipeline": {},
    "azureml.contrib.pipeline.steps": {"parallel_run": _PARALLEL},  # where they were at first
    "azureml.core": {**_CORE, "sdk_constants": "VERSION __version__=VERSION"},
    "azureml.core.authentication": {
        "client": "InteractiveLoginAuthentication=Credential AzureCliAuthentication=Credential "
                  "ServicePrincipalAuthentication=Credential MsiAuthentication=Credential"},
    "azureml.core.compute": {"compute": "ComputeTarget AmlCompute ComputeInstance"},
    "azureml.core.compute_target": {"compute": "ComputeTarget"},
    "azureml.core.conda_dependencies": {"environment": "CondaDependencies"},
    "azureml.core.container_registry": {"environment": "ContainerRegistry"},
    "azureml.core.dataset": {"datasets": "Dataset"},
    "azureml.core.datastore": {"datastores": "Datastore"},
    "azureml.core.environment": {
        "environment": _SOFTWARE + " DockerEnvironment=DockerSection "
                                   "PythonEnvironment=PythonSection",
        "sdk_constants": _IMAGES},
    "azureml.core.experiment": {"experiment": "Experiment", "compute": "ComputeInstance"},
    "azureml.core.image": {},
    "azureml.core.model": {"models": "Model"},
    "azureml.core.run": {"run": "Run", "environment": "Environment"},
    "azureml.core.runconfig": {
        "runconfig": "MpiConfiguration PyTorchConfiguration TensorflowConfiguration "
                     "RunConfiguration DockerConfiguration",
        "environment": _SOFTWARE + " EnvironmentDefinition=Environment "
                                   "DockerEnvironment=DockerSection "
                                   "PythonEnvironment=PythonSection",
        "compute": "ComputeTarget", "run": "Run", "sdk_constants": _IMAGES},
    "azureml.core.script_run_config": {
        "script_run_config": "ScriptRunConfig",
        "runconfig": "MpiConfiguration PyTorchConfiguration TensorflowConfiguration "
                     "RunConfiguration DockerConfiguration",
        "environment": "EnvironmentDefinition=Environment"},
    "azureml.core.webservice": {},
    "azureml.core.workspace": {"experiment": "Workspace", "compute": "ComputeTarget AmlCompute",
                               "client": "InteractiveLoginAuthentication=Credential"},
    "azureml.data": {"step_data": _STEP_DATA, "datasets": _DATASETS},
    "azureml.data.data_reference": {"datastores": "DataReference"},
    "azureml.data.datapath": {"datastores": "DataPath DataPathComputeBinding DataReference"},
    "azureml.data.dataset_consumption_config": {
        "datastores": "DatasetConsumptionConfig=DataInput"},
    "azureml.data.dataset_factory": {"datasets": "FileDatasetFactory TabularDatasetFactory"},
    "azureml.exceptions": {},
    "azureml.pipeline": {},
    "azureml.pipeline.core": {
        "step_data": "PipelineData PipelineParameter", "steps": "PipelineStep",
        "modules": _MODULE_NAMES,
        "step_pipeline": "Pipeline PipelineRun StepRun StepSequence PortDataReference=PortData"},
    "azureml.pipeline.core.graph": {
        "step_data": "PipelineParameter", "modules": "InputPortDef OutputPortDef ParamDef",
        "datastores": "DataPath DataPathComputeBinding DataReference"},
    "azureml.pipeline.core.module": {
        "step_data": "PipelineParameter",
        "modules": _MODULE_NAMES + " InputPortDef OutputPortDef ParamDef"},
    "azureml.pipeline.steps": {
        "parallel_run": _PARALLEL, "hyperdrive": "HyperDriveStepRun",
        "steps": "CommandStep EstimatorStep HyperDriveStep ModuleStep MpiStep PythonScriptStep"},
    "azureml.telemetry": {"telemetry": "set_diagnostics_collection"},
    "azureml.train": {"": "hyperdrive"},
    "azureml.train.dnn": {
        "estimator": "Gloo Mpi Nccl ParameterServer PyTorch=Estimator TensorFlow=Estimator "
                     "Chainer=Estimator"},
    "azureml.train.estimator": {"estimator": "Estimator Gloo Mpi Nccl ParameterServer"},
    "azureml.train.hyperdrive": {
        "hyperdrive": "BanditPolicy BayesianParameterSampling GridParameterSampling "
                      "HyperDriveConfig HyperDriveRun HyperDriveRunConfig "
                      "MedianStoppingPolicy NoTerminationPolicy "
                      "PrimaryMetricGoal RandomParameterSampling TruncationSelectionPolicy choice "
                      "lognormal loguniform normal qlognormal qloguniform qnormal quniform randint "
                      "uniform"},
    "azureml.train.hyperdrive.parameter_expressions": {
        "hyperdrive": "choice lognormal loguniform normal qlognormal qloguniform qnormal quniform "
                      "randint uniform"},
    "azureml.train.hyperdrive.policy": {
        "hyperdrive": "BanditPolicy MedianStoppingPolicy NoTerminationPolicy "
                      "TruncationSelectionPolicy"},
    "azureml.train.hyperdrive.run": {"hyperdrive": "HyperDriveRun PrimaryMetricGoal"},
    "azureml.train.hyperdrive.runconfig": {
        "hyperdrive": "HyperDriveConfig HyperDriveRunConfig PrimaryMetricGoal"},
    "azureml.train.hyperdrive.sampling": {
        "hyperdrive": "BayesianParameterSampling GridParameterSampling RandomParameterSampling"},
    "azureml.train.sklearn": {"estimator": "SKLearn=Estimator"},
    "azureml.widgets": {"run_details": "RunDetails"},
    "IPython": {"page": "display get_ipython"},
    "IPython.core": {},
    "IPython.core.display": {"page": _PAGE},
    "IPython.display": {"page": _PAGE},
    "mlflow": {
        "mlflow_names": "ActiveRun active_run autolog delete_tag end_run get_artifact_uri "
                        "get_experiment get_experiment_by_name "
                        "get_tracking_uri last_active_run log_artifact log_artifacts log_dict "
                        "log_figure log_input log_metric log_metrics log_param log_params "
                        "log_text set_experiment set_tag set_tags set_tracking_uri start_run "
                        "__version__",
        "mlflow_client": "MlflowClient create_experiment get_parent_run get_run "
                         "search_experiments search_runs",
        "tracking": "MlflowException"},
    "mlflow.artifacts": {"mlflow_artifacts": "download_artifacts list_artifacts load_dict "
                                             "load_text"},
    "mlflow.client": {"mlflow_client": "MlflowClient"},
    "mlflow.entities": {"mlflow_entities": "Experiment=ExperimentInfo FileInfo Metric Param Run "
                                           "RunData RunInfo RunStatus RunTag ViewType"},
    "mlflow.exceptions": {"tracking": "MlflowException"},
    "mlflow.tracking": {"mlflow_client": "MlflowClient",
                        "mlflow_names": "get_tracking_uri set_tracking_uri"},
    "mlflow.tracking.client": {"mlflow_client": "MlflowClient"},
    **{f"mlflow.{name}": {"mlflow_models": " ".join(
        f"{word}={here}.{word}" for word in _MODEL_WORDS.split())}
       for name, here in _FLAVOURS.items()},
    "mlflow.pyfunc": {"mlflow_models": "PyFuncModel PythonModel " + " ".join(
        f"{word}=pyfunc.{word}" for word in _MODEL_WORDS.split())},
    "mlflow.models": {"mlflow_models": "infer_signature"},
    "mlflow.models.signature": {"mlflow_models": "infer_signature"},
    "mlflow.pyfunc.model": {"mlflow_models": "PythonModel"},
    "mlflow.version": {"mlflow_names": "VERSION=__version__"},
    "azure": {},
    "azure.core": {},
    "azure.core.exceptions": {"sdk_errors": "AzureError HttpResponseError ResourceNotFoundError"},
    "azure.ml": {},
    "azure.ml.component": {"component": "Component", "": "dsl",
                           "component_pipeline": "Pipeline=ComponentPipeline"},
    "azure.ml.component.dsl": {"dsl": "pipeline"},
    "azure.ai": {},
    "azure.ai.ml": {**_V2_JOBS, "command_job": "CommandJob command",
                    "client": "MLClient load_component load_job", "": "dsl",
                    "v2_words": "__version__=VERSION"},
    "azure.ai.ml.constants": {"v2_words": "AssetTypes InputOutputModes"},
    "azure.ai.ml.dsl": {"dsl": "pipeline"},
    "azure.ai.ml.entities": {
        "command_job": "CommandJob Command=CommandJob",
        "job_parts": _V2_JOBS["job_parts"] + " JobResourceConfiguration CommandJobLimits "
                     "ResourceConfiguration=JobResourceConfiguration",
        "environment_v2": "Environment=EnvironmentEntity BuildContext",
        "services": "AmlCompute ComputeInstance Workspace",
        "assets": "Data Model JobSchedule RecurrenceTrigger RecurrencePattern CronTrigger",
        "client": _INERT,
        "component": "Component", "command_component": "CommandComponent",
        "parallel": "ParallelTask=RunFunction RetrySettings",
        "pipeline": "PipelineJob=Pipeline"},
    "azure.ai.ml.parallel": {"parallel": "parallel_run_function RunFunction"},
    "azure.ai.ml.exceptions": {"sdk_errors": "AzureError JobException MlException"},
    "azure.ai.ml.operations": {
        "jobs": "JobOperations=Jobs", "assets": "DataOperations=DataAssets "
        "ModelOperations=Models ScheduleOperations=Schedules",
        "services": "ComputeOperations=Compute WorkspaceOperations=Workspaces",
        "environment_v2": "EnvironmentOperations=Environments",
        "client": "ComponentOperations=Components"},
    "azure.ai.ml.sweep": {
        "sweep_job": "Choice Randint Uniform LogUniform QUniform QLogUniform Normal LogNormal "
                     "QNormal QLogNormal RandomSamplingAlgorithm GridSamplingAlgorithm "
                     "BayesianSamplingAlgorithm BanditPolicy MedianStoppingPolicy "
                     "TruncationSelectionPolicy Objective SweepJobLimits SweepJob"},
    "azure.ai.ml._version": {"v2_words": "VERSION"},
    "azure.identity": {"client": _CREDENTIALS},
    "mldesigner": {"designer": "Input Output command_component reference_component",
                   "function_parts": "Meta", "": "dsl=control"},
    "mldesigner.dsl": {"control": "condition do_while parallel_for group"},
}

# Those that tell whether an SDK is installed.
_SDKS = ("azureml.core", "azureml.train", "azure.ml.component", "azure.ai.ml",
         "mldesigner")


_DATA = re.compile(r"Data(?!flow|bricks)|Model(?!Job)|MLTable")


class _Absent:
    """A name of the SDK that muster does not have: it may be imported, and not be used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def _refuse(self, *_: Any, **__: Any) -> Any:
        hint = ("it runs jobs whose code and data lie on their hosts: name folders"
                if _DATA.search(self._name.split(".")[-1]) else
                "it runs commands, components, pipelines and sweeps, and has none of Azure ML's "
                "other services")
        raise BadCall(f"muster does not support {self._name}", hint)

    __call__ = __str__ = __fspath__ = __iter__ = __mro_entries__ = _refuse

    def __or__(self, _: Any) -> "_Absent":
        """In an annotation: Data | None."""
        return self

    __ror__ = __or__

    def __repr__(self) -> str:
        return f"<{self._name}, which muster does not have>"

    def __instancecheck__(self, _: object) -> bool:
        return False

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._refuse()


_errors: Dict[str, Type[Exception]] = {one.__name__: one for one in (
    ActivityFailedException, UserErrorException, ModelNotFoundException, WebserviceException)}


def _error(name: str) -> Type[Exception]:
    """An exception of the SDK, for programs that catch it: most are never raised here."""
    return _errors.setdefault(name, type(name, (Exception,), {"__doc__": "Never raised."}))


# Of the entities that muster does not have, those that are jobs or parts of them, and words.
_NO_SERVICE = re.compile(r"Spark|Job|Component$|Import|Sweep$|Pipeline|^(?:Asset|Compute|Resource)$|"
                         r"(?:Kind|Type|State|Status|Mode|Level|Unit|Name|Action|Categories)$|"
                         r"ValidationResult")


def _other(module: str, name: str) -> Any:
    """What stands for a name of the SDK that muster does not have."""
    if module == "azure.ai.ml.entities" and not _NO_SERVICE.search(name):
        return type(name, (Described,), {"__module__": module, "__doc__": Described.__doc__})
    return _Absent(f"{module}.{name}")


def _imports(frame: FrameType) -> bool:
    """Whether it is at `from module import name`, which would hide an AttributeError's words;
    hasattr() and getattr() want just that."""
    at = frame.f_code.co_code[frame.f_lasti] if frame.f_lasti >= 0 else -1
    return at == dis.opmap["IMPORT_FROM"]


class _StandIn(ModuleType):
    """A module of the SDK; what it lacks is told with what it has."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if f"{self.__name__}.{name}" in _MODULES:  # mlflow.sklearn, which nobody has imported
            return importlib.import_module(f"{self.__name__}.{name}")
        works = [one for one in self.__all__ if not isinstance(vars(self)[one], _Absent)]
        said = f"muster's stand-in for {self.__name__} has no {name}; {nearest(name, works)}"
        if _imports(sys._getframe(1)):
            raise ImportError(said, name=self.__name__)
        raise AttributeError(said)


def _find(source: str, name: str) -> Any:
    """A name of a module of this package, or such a module itself."""
    if not source:
        return importlib.import_module("muster." + name)
    found: Any = importlib.import_module("muster." + source)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _fill(module: ModuleType, sources: Dict[str, str]) -> None:
    names: List[str] = []
    for source, words in sources.items():
        for word in words.split():
            name, _, here = word.partition("=")
            setattr(module, name, _find(source, here or name))
            names.append(name)
    for word in OTHERS.get(module.__name__, "").split():
        name = word.rstrip("!")
        if name not in names:
            setattr(module, name, _error(name) if word.endswith("!")
                    else _other(module.__name__, name))
            names.append(name)
    module.__dict__["__all__"] = names


class StandIns(MetaPathFinder, Loader):
    """The last of sys.meta_path: it is asked for what nobody else has."""

    def __init__(self, family: str = "") -> None:
        self._family = family  # the one that it stands in for; empty: all

    def find_spec(self, fullname: str, path: Optional[Sequence[str]],
                  target: Optional[ModuleType] = None) -> Optional[ModuleSpec]:
        del path, target
        if not (fullname + ".").startswith(self._family):
            return None
        if fullname in _MODULES:
            return ModuleSpec(fullname, self, is_package=True)
        if fullname.startswith(("azureml.", "azure.ml.", "azure.ai.ml.", "azure.core.")):
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


def stand_in_for(family: str) -> ModuleSpec:
    """Of a package, whose modules are found from now on."""
    finder = StandIns(family + ".")
    sys.meta_path.append(finder)
    return ModuleSpec(family, finder, is_package=True)


def install() -> None:
    """From now on."""
    sys.meta_path.insert(0, RealOnes())
    sys.meta_path.append(StandIns())
