"""What steps of SDK v1's pipelines hand on: PipelineData, OutputFileDatasetConfig, parameters."""

import re
import uuid
from typing import Any, Dict, Optional, Union

from .binary import BadCall
from .checked import Checked, checked, lacks, note
from .datasets import delimited, of_paths


def plain_name(text: str) -> str:
    """As job files take it for a step, an input or an output."""
    return re.sub(r"\W+", "_", text).strip("_") or "data"


class PipelineParameter(Checked):
    """A value that may be given when the pipeline is submitted."""

    def __init__(self, name: str, default_value: Any) -> None:
        self.name = name
        self.default_value = default_value


class StepOutput(Checked):
    """A folder, or a file, that one step makes and others read."""

    def __init__(self, name: Optional[str]) -> None:
        self._name = plain_name(name or f"output_{uuid.uuid4().hex[:8]}")
        self.is_file = False
        self._maker: Any = None

    def made_by(self, step: Any) -> None:
        """The step that has it among its outputs."""
        self._maker = step

    def maker(self) -> Any:
        return self._maker

    @property
    def name(self) -> str:
        return self._name

    def keys(self) -> Dict[str, Any]:
        return {"type": "uri_file" if self.is_file else "uri_folder"}


class StepInput(Checked):
    """The same as an input of another step, under a name of its own."""

    def __init__(self, output: StepOutput, name: Optional[str] = None,
                 table: Optional[Dict[str, Any]] = None) -> None:
        self.output = output
        self.name = plain_name(name or output.name)
        self.table = table  # how its files are read, for Run.input_datasets

    @checked(lacks(accepted="path_on_compute"))
    def as_mount(self) -> "StepInput":
        return self

    @checked(lacks(accepted="path_on_compute"))
    def as_download(self) -> "StepInput":
        return self

    @checked(lacks(accepted="path_on_compute"))
    def as_direct(self) -> "StepInput":
        return self


Handed = Union[StepOutput, StepInput]


class PipelineData(StepOutput):
    """Of the step that has it among its outputs."""

    LACKS = lacks(accepted="datastore output_name output_mode output_path_on_compute "
                           "output_overwrite data_type", refused={
        "training_output": "muster has no automated machine learning"})

    def __init__(self, name: str, datastore: Any = None, output_name: Optional[str] = None,
                 output_mode: str = "mount", output_path_on_compute: Optional[str] = None,
                 output_overwrite: Optional[bool] = None, data_type: Optional[str] = None,
                 is_directory: Optional[bool] = None,
                 pipeline_output_name: Optional[str] = None, training_output: Any = None) -> None:
        super().__init__(name)
        self.is_file = is_directory is False
        self.pipeline_output_name = pipeline_output_name

    def as_input(self, input_name: str) -> StepInput:
        return StepInput(self, input_name)

    @checked(lacks(accepted="path_on_compute overwrite"))
    def as_download(self, input_name: Optional[str] = None) -> StepInput:
        return StepInput(self, input_name)

    def as_mount(self, input_name: Optional[str] = None) -> StepInput:
        return StepInput(self, input_name)

    def as_dataset(self) -> "PipelineData":
        """A folder, as ever."""
        return self

    def as_named_input(self, name: str) -> StepInput:
        """Of what as_dataset() gives."""
        return StepInput(self, name)


_READ = lacks(refused={name: "convert the table in the script" for name in (
    "path_glob", "set_column_types")})


class OutputFileDatasetConfig(StepOutput):
    """Of the step that has it among its arguments; as_input() is what others read."""

    LACKS = lacks(no_effect="destination", refused={
        "partition_format": "read the names of the files in the script",
        "source": "let the script write to the path that it is given"})

    def __init__(self, name: Optional[str] = None, destination: Any = None, source: Any = None,
                 partition_format: Optional[str] = None) -> None:
        super().__init__(name)
        self.destination = destination

    def as_input(self, name: Optional[str] = None) -> StepInput:
        return StepInput(self, name, {"kind": "FileDataset"})

    @checked(_READ)
    def read_delimited_files(
            self, include_path: bool = False, separator: str = ",", header: Any = True,
            partition_format: Optional[str] = None, path_glob: Optional[str] = None,
            set_column_types: Optional[Dict[str, Any]] = None) -> "Tables":
        """Its files as one table, in the step that reads them."""
        return Tables(self, {**delimited(separator, header),
                             **of_paths(partition_format, include_path)})

    @checked(_READ)
    def read_parquet_files(
            self, include_path: bool = False, partition_format: Optional[str] = None,
            path_glob: Optional[str] = None, set_column_types: Optional[Dict[str, Any]] = None
            ) -> "Tables":
        """The same."""
        return Tables(self, {"format": "parquet", **of_paths(partition_format, include_path)})

    @checked(lacks(accepted="disable_metadata_cache"))
    def as_mount(self) -> "OutputFileDatasetConfig":
        return self

    @checked(lacks(accepted="overwrite source_globs"))
    def as_upload(self) -> "OutputFileDatasetConfig":
        return self

    @checked(lacks(accepted="description tags"))
    def register_on_complete(self, name: str) -> "OutputFileDatasetConfig":
        """There is no registry: it stays in the record."""
        note(f"register_on_complete({name!r}) registers nothing: the output stays in the "
             "pipeline's record")
        return self


class Tables(Checked):
    """What a step makes, as a table in others."""

    IN_SDK = "OutputTabularDatasetConfig"

    def __init__(self, output: OutputFileDatasetConfig, options: Dict[str, Any]) -> None:
        self._output = output
        self._options = options

    @property
    def name(self) -> str:
        return self._output.name

    def as_input(self, name: Optional[str] = None) -> StepInput:
        return StepInput(self._output, name, {"kind": "TabularDataset", **self._options})

    @checked(lacks(accepted="description tags"))
    def register_on_complete(self, name: str) -> "Tables":
        self._output.register_on_complete(name)
        return self


def output_of(thing: Any) -> StepOutput:
    """What a step makes, in any of its forms."""
    if isinstance(thing, StepInput):
        return thing.output
    if isinstance(thing, StepOutput):
        return thing
    raise BadCall(f"{thing!r} is not what a step can make or read",
                  "it is PipelineData, OutputFileDatasetConfig or a dataset")
