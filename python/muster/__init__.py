"""muster from Python: Azure ML's SDK v1 names for jobs that run through the muster program."""

from .binary import MusterError
from .component import Component
from .environment import Environment
from .experiment import Experiment, Workspace
from .run import Run, RunFailed
from .runconfig import MpiConfiguration, PyTorchConfiguration, TensorflowConfiguration
from .script_run_config import ScriptRunConfig

__all__ = [
    "Component", "Environment", "Experiment", "MpiConfiguration", "MusterError",
    "PyTorchConfiguration", "Run", "RunFailed", "ScriptRunConfig", "TensorflowConfiguration",
    "Workspace",
]
