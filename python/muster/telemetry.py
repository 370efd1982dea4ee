"""azureml.telemetry: muster sends nothing to anybody."""

from typing import Optional

from .checked import checked, lacks, note


@checked(lacks(accepted="verbosity reason path"))
def set_diagnostics_collection(send_diagnostics: Optional[bool] = True) -> None:
    """Said once, if it was to be sent."""
    if send_diagnostics:
        note("set_diagnostics_collection() has no effect here: muster sends nothing")
