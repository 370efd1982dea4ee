"""Exceptions of Azure's SDKs that muster does raise, with those that they are kinds of."""

from .binary import MusterError
from .place import users_line


class AzureError(MusterError):
    """azure.core.exceptions has it and the next two."""


class HttpResponseError(AzureError):
    """What a service would have answered."""


class ResourceNotFoundError(HttpResponseError):
    """There is no run, or no registered thing, of that name."""

    def __init__(self, said: str, hint: str = "") -> None:
        todo = f"\n  hint: {hint}" if hint else ""  # none, where a program raises it
        super().__init__(240, f"{users_line()}: {said}{todo}")


class UserErrorException(ResourceNotFoundError):
    """What SDK v1 says of a dataset's name that it does not know."""


class WebserviceException(ResourceNotFoundError):
    """What SDK v1 says of a model's name that it does not know, or one of the next."""


class ModelNotFoundException(WebserviceException):
    """The same."""


class ActivityFailedException(MusterError):
    """What SDK v1 says of a run that has failed."""


class MlException(AzureError):
    """azure.ai.ml.exceptions has it and the next one."""


class JobException(MlException):
    """A job is not in the state that was needed."""
