"""azureml.contrib.notebook: a notebook is a job, which `python3 -m muster` carries out."""

import os
from typing import Any, Dict, Mapping, Optional, Union

from .checked import lacks
from .datastores import data_input_of
from .runconfig import RunConfiguration
from .script_run_config import ScriptRunConfig
from .shell_words import Expression, shell_word


class NotebookRunConfig(ScriptRunConfig):
    """A notebook, and values of its parameters."""

    LACKS = lacks(accepted="identity _telemetry_values", no_effect="handler")

    def __init__(self, source_directory: Union[str, "os.PathLike[str]"], notebook: str,
                 output_notebook: Optional[str] = None,
                 parameters: Optional[Mapping[str, Any]] = None, handler: Any = None,
                 run_config: Optional[RunConfiguration] = None) -> None:
        super().__init__(source_directory, notebook, run_config=run_config)
        self.output_notebook = output_notebook
        self.parameters: Dict[str, Any] = dict(parameters or {})
        reads = map(data_input_of, self.parameters.values())
        self.data = [one for one in reads if one is not None]

    def shell_command(self) -> str:
        words = ["-m", "muster"]
        for name, value in self.parameters.items():
            words += ["-p", _said(name, value)]
        if self.output_notebook is not None:
            words += ["-o", self.output_notebook]
        python = self.run_config.environment.interpreter
        return " ".join(map(shell_word, [python, *words, self.script, *self.arguments]))


def _said(name: str, value: Any) -> str:
    """As Python writes the value, but for what is known only when the job starts."""
    data = data_input_of(value)
    word = value if data is None else data.word()
    return Expression(f"{name}={word}") if isinstance(word, Expression) else f"{name}={word!r}"
