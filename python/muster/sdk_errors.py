"""Exceptions of Azure's SDKs that muster does raise."""

from .binary import BadCall, MusterError


class ResourceNotFoundError(BadCall):
    """azure.core.exceptions has it: there is no run, or no registered thing, of that name."""


class JobException(MusterError):
    """azure.ai.ml.exceptions has it: a job is not in the state that was needed."""


class Interrupted(JobException):
    """Ctrl-C while a job's output was shown: the job goes on."""
