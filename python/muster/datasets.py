"""SDK v1's datasets: files of this machine by names, which SDK v2's client.data has, too."""

import glob
import importlib
import json
import os
import random
import uuid
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Type, Union

from .binary import BadCall
from .checked import Checked, checked, given, lacks, note
from .datastores import (DataInput, DataPath, DataReference, Datastore, copy_all, files_below,
                         unnamed, upload_directory)
from .record import job_text_of
from .known_names import data_path, found_data
from .own_files import make_folders, temporary_folder, usable
from .path_columns import path_columns_of
from .registers import Register
from .sdk_errors import UserErrorException

_Part = Union[str, "os.PathLike[str]", DataPath, DataReference, Tuple[Any, ...]]
_Paths = Union[_Part, List[Any]]
_VARIABLE = "MUSTER_DATASETS"  # what a job's processes are told of their datasets
_NO_FLOW = "to_pandas_dataframe() gives all rows"


def _path_of(part: Any) -> str:
    """One path of a dataset."""
    if isinstance(part, (DataPath, DataReference)):
        return part.whole_path()
    if isinstance(part, (tuple, list)):
        if len(part) != 2 or not isinstance(part[0], Datastore):
            raise BadCall(f"{part!r} is not a path", "for example (datastore, 'folder/data.csv')")
        store: Datastore = part[0]
        return store.place(str(part[1]))
    if isinstance(part, Datastore):
        return part.place()
    text = str(part)
    if "://" not in text:
        return os.path.abspath(text)
    folder, pattern = _parts_of(text)
    known = data_path(text)
    if known is None and "*" in pattern:
        known = data_path(folder)
        known = None if known is None else os.path.join(glob.escape(known), pattern)
    if known is None:
        raise BadCall(f"{text} is not a path of this machine", "download it, then name the file, "
                      f'or where it lies: data: {{"{folder}": FOLDER}} in muster.yml')
    return known


def _parts_of(address: str) -> Tuple[str, str]:
    """Its folder, and what lies in it: a file, or a pattern of files."""
    above = address.partition("*")[0].rpartition("/")[0] + "/"
    return above, address[len(above):]


def _paths_of(said: Any) -> List[str]:
    parts = said if isinstance(said, list) else [said]
    paths = [_path_of(one) for one in parts]
    for path in paths:
        if not glob.glob(path, recursive=True):
            raise BadCall(f"there is no {path}", "a dataset is made of files that are there")
    if not paths:
        raise BadCall("a dataset needs a path", "for example (datastore, 'folder')")
    return paths


class AbstractDataset(Checked):
    """Files, by a path or by several."""

    LACKS = lacks(accepted="data_changed_time")

    def __init__(self, paths: List[str], options: Optional[Dict[str, Any]] = None) -> None:
        self._paths = paths
        self._options = options or {}
        self.name: Optional[str] = None
        self.version: Optional[int] = None
        self.description: Optional[str] = None
        self.tags: Dict[str, str] = {}

    def __repr__(self) -> str:
        return f"{self.name_in_sdk()}({self.name or self._paths})"

    @property
    def id(self) -> Optional[str]:
        return f"{self.name}:{self.version}" if self.name else None

    def files(self) -> List[str]:
        """All that belong to it."""
        found: List[str] = []
        for path in self._paths:
            for one in sorted(glob.glob(path, recursive=True)):
                found += ([os.path.join(one, below) for below in files_below(one)]
                          if os.path.isdir(one) else [one])
        return list(dict.fromkeys(found))

    def whole_path(self) -> str:
        """Its one path, or the folder that has all of it."""
        found = [one for path in self._paths for one in glob.glob(path, recursive=True)]
        if len(found) == 1:
            return found[0]
        files = self.files()
        if not files:
            raise BadCall(f"the dataset {self.name or self._paths} has no files any more",
                          "they are read from this machine")
        folder = os.path.commonpath([os.path.dirname(one) for one in files])
        if len(list(files_below(folder))) > len(files):
            note(f"the job sees the whole folder {folder}, which has other files, too")
        return folder

    @property
    def partition_keys(self) -> List[str]:
        """The columns that its paths say."""
        columns = path_columns_of(self._options)
        return [] if columns is None else columns.names()

    @checked()
    def get_partition_key_values(self, partition_keys: Optional[List[str]] = None
                                 ) -> List[Dict[str, Any]]:
        """Each combination of values of these columns, or of all, that a path of it has."""
        columns = path_columns_of(self._options)
        if columns is None:
            raise BadCall("the dataset has no partition keys", "give its factory partition_format=")
        for name in partition_keys or []:
            if name not in columns.names():
                raise BadCall(f"the dataset has no partition key {name!r}",
                              f"it has {', '.join(columns.names())}")
        found: List[Dict[str, Any]] = []
        for values in map(columns.of, self.files()):
            some = {name: values[name] for name in partition_keys or columns.names()}
            if some not in found:
                found.append(some)
        return found

    def fitting(self) -> Any:
        """Itself, if all its paths fit its partition_format."""
        columns = path_columns_of(self._options)
        if columns is not None:
            for path in self.files():
                columns.of(path)
        return self

    def keys(self) -> Dict[str, Any]:
        """What is kept of it."""
        return {"kind": self.name_in_sdk(), "paths": self._paths, **self._options}

    def as_input(self) -> DataInput:
        return DataInput(self.name or unnamed(self.keys()), self)

    @checked()
    def as_named_input(self, name: str) -> DataInput:
        return DataInput(name, self)

    @checked(lacks(accepted="workspace"))
    def register(self, workspace: Any, name: str, description: Optional[str] = None,
                 tags: Optional[Dict[str, str]] = None, create_new_version: bool = False) -> Any:
        """Keeps it under a name; the files stay where they are."""
        kept = json.dumps(self.keys())
        while True:
            known = _REGISTER.find(name)
            if known is not None and known[1].get("properties", {}).get("dataset") == kept:
                return _kept(name, *known)
            if known is not None and not create_new_version:
                raise BadCall(f"there is a dataset {name!r} already",
                              "use create_new_version=True, or another name")
            path = self.whole_path()
            version = _REGISTER.add(name, None if known is None else known[0], given({
                "path": path, "type": "uri_file" if os.path.isfile(path) else "uri_folder",
                "description": description, "tags": tags, "properties": {"dataset": kept}}))
            if version is not None:
                return _kept(name, *_REGISTER.get(name, version))

    @checked()
    def unregister_all_versions(self) -> None:
        """The files stay."""
        if self.name is not None:
            _REGISTER.remove(self.name)


class FileDataset(AbstractDataset):
    """Files as they are."""

    LACKS = lacks(refused={name: "give it the paths that you want" for name in (
        "filter", "as_hdfs", "as_cache", "hydrate")})

    @checked()
    def to_path(self) -> List[str]:
        """Names of its files below its folder."""
        folder = self.whole_path()
        folder = os.path.dirname(folder) if os.path.isfile(folder) else folder
        return ["/" + os.path.relpath(one, folder) for one in self.files()]

    @checked(lacks(accepted="ignore_not_found"))
    def download(self, target_path: Optional[str] = None, overwrite: bool = False) -> List[str]:
        """Copies of its files; where they are."""
        to = os.path.abspath(target_path or temporary_folder())
        pairs = [(one, to + name) for one, name in zip(self.files(), self.to_path())]
        copy_all(pairs, overwrite)
        return [target for _, target in pairs]

    @checked()
    def mount(self, mount_point: Optional[str] = None) -> "Mounted":
        """Nothing is mounted: the files are here."""
        return Mounted(self.whole_path(), mount_point)

    @checked(lacks(accepted="path_on_compute"))
    def as_mount(self) -> DataInput:
        return self.as_input().as_mount()

    @checked(lacks(accepted="path_on_compute"))
    def as_download(self) -> DataInput:
        return self.as_input().as_download()

    def _some(self, files: List[str]) -> "FileDataset":
        return FileDataset([glob.escape(one) for one in files], self._options)

    @checked()
    def take(self, count: int) -> "FileDataset":
        return self._some(self.files()[:count])

    @checked()
    def skip(self, count: int) -> "FileDataset":
        return self._some(self.files()[count:])

    @checked()
    def random_split(self, percentage: float, seed: Optional[int] = None
                     ) -> Tuple["FileDataset", "FileDataset"]:
        """About that share of the files, and the others."""
        chance = random.Random(seed)
        drawn = [chance.random() < percentage for _ in self.files()]
        return (self._some([one for one, is_in in zip(self.files(), drawn) if is_in]),
                self._some([one for one, is_in in zip(self.files(), drawn) if not is_in]))


class Mounted(Checked):
    """What mount() gives: a block in which the files are at mount_point."""

    IN_SDK = "MountContext"

    def __init__(self, path: str, link: Optional[str]) -> None:
        self._path = path
        self._link = link
        self.mount_point = os.path.abspath(link) if link else path

    def start(self) -> None:
        if self._link is not None:
            os.symlink(self._path, self._link)

    def stop(self) -> None:
        if self._link is not None and os.path.islink(self._link):
            os.unlink(self._link)

    def __enter__(self) -> "Mounted":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class TabularDataset(AbstractDataset):
    """Tables in files, which pandas reads."""

    LACKS = lacks(refused={name: _NO_FLOW for name in (
        "filter", "keep_columns", "drop_columns", "take", "skip", "take_sample", "random_split",
        "time_before", "time_after", "time_between", "time_recent", "with_timestamp_columns",
        "to_dask_dataframe", "to_spark_dataframe", "partition_by", "to_parquet_files",
        "to_csv_files")})

    @checked(lacks(accepted="on_error out_of_range_datetime"))
    def to_pandas_dataframe(self) -> Any:
        """All rows of all its files."""
        try:
            pandas: Any = importlib.import_module("pandas")
        except ImportError:
            raise BadCall("to_pandas_dataframe() needs pandas, which is not installed here",
                          "install pandas, or read the files in the script") from None
        said = {name: one for name, one in self._options.items() if name not in _OF_PATHS}
        read = getattr(pandas, f"read_{said.pop('format', 'csv')}")
        frames = [self._with_path(one, read(one, **said)) for one in self.files()]
        return pandas.concat(frames, ignore_index=True)

    def _with_path(self, path: str, frame: Any) -> Any:
        """Of one file: the columns of its path come first."""
        columns = path_columns_of(self._options)
        values: Dict[str, Any] = {"Path": path} if self._options.get("include_path") else {}
        values.update({} if columns is None else columns.of(path))
        twice = [name for name in values if name in frame.columns]
        if twice:
            raise BadCall(f"{path} has a column {twice[0]}, which its path says as well",
                          "give the column of partition_format another name")
        for number, (name, value) in enumerate(values.items()):
            frame.insert(number, name, value)
        return frame


class FileDatasetFactory(Checked):
    """Dataset.File"""

    @staticmethod
    @checked(lacks(accepted="validate is_file"))
    def from_files(path: _Paths, validate: bool = True, partition_format: Optional[str] = None
                   ) -> FileDataset:
        """Files, folders and patterns, of datastores and of this machine."""
        made: FileDataset = FileDataset(_paths_of(path), of_paths(partition_format)).fitting()
        return made

    @staticmethod
    @checked(lacks(accepted="show_progress"))
    def upload_directory(src_dir: Union[str, "os.PathLike[str]"],
                         target: Union[DataPath, Datastore, Tuple[Any, ...]],
                         pattern: Optional[str] = None, overwrite: bool = False) -> FileDataset:
        """Copies a folder into a datastore."""
        to = _path_of(target)
        upload_directory(src_dir, to, pattern, overwrite)
        return FileDataset([glob.escape(to)])


def delimited(separator: str, header: Any, encoding: str = "utf8") -> Dict[str, Any]:
    """How pandas reads them."""
    has_header = header is not False and str(header).split(".")[-1] != "NO_HEADERS"
    return {"sep": separator, "encoding": encoding, "header": 0 if has_header else None}


_TABLES = lacks(accepted="validate infer_column_types support_multi_line empty_as_string "
                         "invalid_lines",
                refused={"set_column_types": "convert columns of to_pandas_dataframe()"})
_OF_PATHS = ("partition_format", "include_path")


def of_paths(partition_format: Optional[str], include_path: bool = False) -> Dict[str, Any]:
    """Which columns the paths of its files make."""
    return given({"partition_format": partition_format, "include_path": include_path or None})


def _table(path: _Paths, options: Dict[str, Any]) -> TabularDataset:
    made: TabularDataset = TabularDataset(_paths_of(path), options).fitting()
    return made


def _in_sdks_words(frame: Any) -> Any:
    """Without its index, which the SDK does not keep, and with its names of columns."""
    if not hasattr(frame, "to_parquet") or not hasattr(frame, "reset_index"):
        raise BadCall(f"dataframe of register_pandas_dataframe() is {type(frame).__name__}, which "
                      "is not a DataFrame of pandas", "for example pandas.DataFrame({'a': [1]})")
    kept = frame.reset_index(drop=True)
    kept.columns = [str(one).replace(".", "_") for one in frame.columns]
    changed = [str(one) for one in frame.columns if "." in str(one)]
    if changed:
        note(f"the column {changed[0]} is kept as {changed[0].replace('.', '_')}, as in the SDK")
    return kept


def _table_in(folder: str, frame: Any) -> TabularDataset:
    """Writes it there as Parquet, as the SDK does, if pandas can."""
    path = os.path.join(folder, "dataframe")
    make_folders(folder)
    try:
        frame.to_parquet(f"{path}.parquet", index=False)
        kept = glob.escape(usable(f"{path}.parquet"))
        return TabularDataset([kept], {"format": "parquet"})
    except ImportError:
        note("the table is kept as CSV, which does not say of what kind its columns are; with "
             "pyarrow installed, it is kept as Parquet")
    frame.to_csv(f"{path}.csv", index=False)
    return TabularDataset([glob.escape(usable(f"{path}.csv"))], delimited(",", True))


class TabularDatasetFactory(Checked):
    """Dataset.Tabular"""

    LACKS = lacks(refused={
        "register_spark_dataframe": "use register_pandas_dataframe(dataframe.toPandas(), ...)",
        "register_dask_dataframe": "use register_pandas_dataframe(dataframe.compute(), ...)",
        "from_sql_query": "write the rows to a file, and use from_delimited_files(PATH)"})

    @staticmethod
    @checked(lacks(accepted="show_progress", no_effect="row_group_size"))
    def register_pandas_dataframe(
            dataframe: Any, target: Union[DataPath, Datastore, Tuple[Any, ...]], name: str,
            description: Optional[str] = None, tags: Optional[Dict[str, str]] = None,
            show_progress: bool = True, row_group_size: Optional[int] = None,
            make_target_path_unique: bool = True) -> TabularDataset:
        """Keeps a table of this program in a datastore, as a new version of a name."""
        frame = _in_sdks_words(dataframe)
        folder = (target.place("managed-dataset") if isinstance(target, Datastore)
                  else _path_of(target))
        made = _table_in(os.path.join(folder, str(uuid.uuid4()) if make_target_path_unique else ""),
                         frame)
        kept: TabularDataset = made.register(None, name, description, tags, True)
        return kept

    @staticmethod
    @checked(_TABLES)
    def from_delimited_files(
            path: _Paths, validate: bool = True, include_path: bool = False,
            infer_column_types: bool = True, set_column_types: Optional[Dict[str, Any]] = None,
            separator: str = ",", header: Any = True, partition_format: Optional[str] = None,
            support_multi_line: bool = False, empty_as_string: bool = False,
            encoding: str = "utf8") -> TabularDataset:
        """CSV and the like."""
        return _table(path, {**delimited(separator, header, encoding),
                             **of_paths(partition_format, include_path)})

    @staticmethod
    @checked(_TABLES)
    def from_parquet_files(
            path: _Paths, validate: bool = True, include_path: bool = False,
            set_column_types: Optional[Dict[str, Any]] = None,
            partition_format: Optional[str] = None) -> TabularDataset:
        return _table(path, {"format": "parquet", **of_paths(partition_format, include_path)})

    @staticmethod
    @checked(_TABLES)
    def from_json_lines_files(
            path: _Paths, validate: bool = True, include_path: bool = False,
            set_column_types: Optional[Dict[str, Any]] = None,
            partition_format: Optional[str] = None, invalid_lines: str = "error",
            encoding: str = "utf8") -> TabularDataset:
        return _table(path, {"format": "json", "lines": True, "encoding": encoding,
                             **of_paths(partition_format, include_path)})


class Dataset(Checked):
    """What is registered, and how more of it is made."""

    File = FileDatasetFactory
    Tabular = TabularDatasetFactory

    @staticmethod
    @checked(lacks(accepted="workspace"))
    def get_by_name(workspace: Any, name: str, version: Union[int, str] = "latest") -> Any:
        """The newest, unless a version is asked for."""
        wanted = None if version == "latest" else str(version)
        return _kept(name, *found_data(_REGISTER, name, wanted))

    @staticmethod
    @checked(lacks(accepted="workspace"))
    def get_by_id(workspace: Any, id: str) -> Any:
        """One that was registered, by what its `id` says."""
        name, _, version = id.partition(":")
        return _kept(name, *found_data(_REGISTER, name, version or None))

    @staticmethod
    @checked(lacks(accepted="workspace"))
    def get_all(workspace: Any) -> Dict[str, Any]:
        """The newest of each name."""
        return {one[0]: _kept(*one) for one in _REGISTER.newest()}


_REGISTER = Register("data", UserErrorException)
_KINDS: Dict[str, Type[AbstractDataset]] = {"TabularDataset": TabularDataset,
                                            "FileDataset": FileDataset}


def _of_keys(keys: Mapping[str, Any]) -> AbstractDataset:
    options = {name: one for name, one in keys.items() if name not in ("kind", "paths")}
    return _KINDS[keys["kind"]](list(keys["paths"]), options)


def _kept(name: str, version: str, said: Mapping[str, Any]) -> Any:
    """What SDK v2 has registered is files."""
    told = said.get("properties", {}).get("dataset")
    made = (_of_keys(json.loads(told)) if told is not None
            else FileDataset([glob.escape(str(said["path"]))]))
    made.name, made.version = name, int(version) if version.isdigit() else None
    made.description, made.tags = said.get("description"), dict(said.get("tags") or {})
    return made


# ---- in jobs ----


def variables_of(inputs: Sequence[DataInput], tables: Mapping[str, Dict[str, Any]] = {}
                 ) -> Dict[str, str]:
    """What the job's processes are told, for Run.input_datasets: their paths there, too.

    `tables`: what a step has made and others read, with how.
    """
    said = {one.name: one.dataset.keys() if isinstance(one.dataset, AbstractDataset)
            else {"kind": "FileDataset", "paths": []} for one in inputs}
    said.update({name: {"paths": [], **keys} for name, keys in tables.items()})
    told = {name: {**keys, "path": f"${{{{inputs.{name}}}}}"} for name, keys in said.items()}
    return {_VARIABLE: json.dumps(told)} if told else {}


def _job_of(record: str) -> Dict[str, Any]:
    """What a program has described of a run, or of a step."""
    above, name = os.path.split(record)
    try:
        whole = json.loads(job_text_of(record) or job_text_of(os.path.dirname(above)))
        return dict(whole.get("jobs", {}).get(name, whole))
    except ValueError:
        return {}


def datasets_of(record: str) -> List[Dict[str, Any]]:
    """What a run has read, as the SDK's details tell it."""
    job = _job_of(record)
    job = {**job, **job.get("trial", {})} if isinstance(job.get("trial"), dict) else job
    told = json.loads(job.get("environment_variables", {}).get(_VARIABLE, "{}"))
    found = []
    for name, keys in told.items():
        said = job.get("inputs", {}).get(name)
        path = said.get("path") if isinstance(said, dict) else None
        if path is not None:
            keys = {one: keys[one] for one in keys if one != "path"}
            made = _of_keys({**keys, "paths": keys["paths"] or [glob.escape(path)]})
            found.append({"dataset": made, "consumptionDetails": {
                "type": "RunInput", "inputName": name}})
    return found


def datasets_made(outputs: Mapping[str, str]) -> List[Dict[str, Any]]:
    """The outputs of a run, by names, told in the same way."""
    return [{"dataset": _of_keys({"kind": "FileDataset", "paths": [glob.escape(path)]}),
             "outputType": "RunOutput", "outputDetails": {"outputName": name}}
            for name, path in outputs.items()]


def datasets_here() -> Dict[str, Any]:
    """Of a job's process: a path for each that is files, and tables."""
    found: Dict[str, Any] = {}
    for name, keys in json.loads(os.environ.get(_VARIABLE, "{}")).items():
        path = keys.pop("path")
        if keys["kind"] == "FileDataset":
            found[name] = path
        else:
            found[name] = _of_keys({**keys, "paths": _moved(keys["paths"], path)})
            found[name].name = name
    return found


def _moved(paths: List[str], path: str) -> List[str]:
    """Patterns as they are; one path is where the job has it."""
    has_one = not paths or len(paths) == 1 and not glob.has_magic(paths[0])
    return [glob.escape(path)] if has_one else paths
