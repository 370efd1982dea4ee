"""RunDetails: what a notebook shows of a run; here, its output."""

from .run import Run


class RunDetails:
    """azureml.widgets has it."""

    def __init__(self, run_instance: Run) -> None:
        self._run = run_instance

    def show(self) -> None:
        """What its processes have printed so far."""
        print(self._run.logs(), end="")
