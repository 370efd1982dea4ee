"""RunDetails: what a notebook shows of a run; here, its output."""

from .checked import Checked, checked, lacks
from .run import Run


class RunDetails(Checked):
    """azureml.widgets has it."""

    def __init__(self, run_instance: Run) -> None:
        self._run = run_instance

    @checked(lacks(accepted="render_lib widget_settings"))
    def show(self) -> None:
        """What its processes have printed so far."""
        print(self._run.logs(), end="")
