"""mlflow.sklearn, mlflow.pytorch and the like: what MLflow knows of other libraries."""

from .mlflow_names import autolog

__all__ = ["autolog"]
