"""Whether MLflow, or muster in its place, refuses a call, and with which exception."""

from mlflow.exceptions import MlflowException


def refused(what, call, *words, **more):
    try:
        call(*words, **more)
    except Exception as error:  # pylint: disable=broad-except
        print(what, "is refused", isinstance(error, MlflowException))
    else:
        print(what, "is taken")
