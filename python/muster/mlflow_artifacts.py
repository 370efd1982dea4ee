"""Files that a run of MLflow keeps: how they come into it, and how they are had again."""

import json
import os
from typing import Any, Dict, List, Optional, Union
from urllib.parse import unquote, urlparse

from .binary import BadCall
from .checked import checked
from .mlflow_entities import FileInfo
from .named_files import copy_each, copy_named, copy_tree, open_named
from .own_files import make_folders, temporary_folder, usable
from .registers import path_of_asset
from .tracking import MlflowException, Store, checked_name, run_folder
from .yaml_text import yaml_of

Path = Union[str, "os.PathLike[str]"]


def _target(store: Optional[Store], name: str) -> Optional[str]:
    """Where the file is to be."""
    if store is None:
        print(f"Attempted to log artifact {checked_name(name)}", flush=True)
        return None
    return store.artifact(name)


def put_file(store: Optional[Store], local_path: Path, artifact_path: Optional[str]) -> None:
    """A copy of a file, or of a folder under its name."""
    path = os.fspath(local_path)
    if os.path.isdir(path):
        name = os.path.basename(os.path.normpath(path))
        put_folder(store, path, f"{artifact_path}/{name}" if artifact_path else name)
        return
    if not os.path.exists(path):
        raise BadCall(f"there is no file {path!r}", "log_artifact() copies a file")
    name = os.path.basename(path)
    target = _target(store, f"{artifact_path.rstrip('/')}/{name}" if artifact_path else name)
    if target is not None:
        copy_named(path, target)


def put_folder(store: Optional[Store], local_dir: Path, artifact_path: Optional[str]) -> None:
    """Copies of all that is in a folder."""
    folder = os.fspath(local_dir)
    if not os.path.isdir(folder):
        raise BadCall(f"there is no folder {folder!r}", "log_artifacts() copies a folder")
    above = [artifact_path] if artifact_path else []
    copy_each(folder, lambda path, name: put_file(
        store, path, "/".join(filter(None, [*above, os.path.dirname(name)])) or None))


def put_text(store: Optional[Store], text: str, artifact_file: str) -> None:
    """A file with this text."""
    target = _target(store, artifact_file)
    if target is not None:
        with open_named(target, "w") as file:
            file.write(text)


def put_dict(store: Optional[Store], said: Union[Dict[str, Any], List[Any]], artifact_file: str
             ) -> None:
    """As YAML, if the file is called so, else as JSON."""
    is_yaml = artifact_file.endswith((".yml", ".yaml"))
    text = yaml_of(said) if is_yaml else json.dumps(said, indent=2, default=str)
    put_text(store, text, artifact_file)


def put_figure(store: Optional[Store], figure: Any, artifact_file: str) -> None:
    """A figure of matplotlib or plotly."""
    save = getattr(figure, "savefig", None) or getattr(figure, "write_html", None)
    if save is None:
        raise BadCall(f"log_figure() cannot save {figure!r}",
                      "it takes a figure of matplotlib or plotly")
    target = _target(store, artifact_file)
    if target is not None:
        save(target)
        usable(target)


# ---- had again ----


def artifact_folder(run_id: str) -> str:
    """That of a run."""
    return os.path.join(run_folder(run_id), "artifacts")


def local_path_of(uri: str) -> str:
    """A path, file:///PATH or runs:/RUN/NAME, on this machine."""
    parts = urlparse(uri)
    if parts.scheme == "runs":
        run, _, name = parts.path.lstrip("/").partition("/")
        try:
            return os.path.join(artifact_folder(run), name)
        except MlflowException:
            found = path_of_asset(uri)  # of a job whose program has written it to a folder
            if os.path.exists(found):
                return found
            raise
    if parts.scheme not in ("", "file"):
        found = path_of_asset(uri)
        if found != uri:
            return found
        raise MlflowException(f"{uri} is not on this machine", "name a folder, or runs:/RUN/NAME")
    return unquote(parts.path) if parts.scheme else uri


def files_of(folder: str, below: Optional[str]) -> List[FileInfo]:
    """What is in a folder of artifacts."""
    place = os.path.join(folder, below or "")
    names = sorted(os.listdir(place)) if os.path.isdir(place) else []
    return [FileInfo(os.path.relpath(path, folder), os.path.isdir(path),
                     None if os.path.isdir(path) else os.path.getsize(path))
            for path in (os.path.join(place, name) for name in names)]


def copied(path: str, dst_path: Optional[Path]) -> str:
    """A file or folder where the program wants it; it is there already, if it says nothing."""
    if not os.path.exists(path):
        raise MlflowException(f"there is no artifact {path}", "list_artifacts() tells which are")
    folder = os.fspath(dst_path) if dst_path is not None else temporary_folder()
    target = os.path.join(folder, os.path.basename(path.rstrip("/")))
    if os.path.isdir(path):
        copy_tree(path, target)
    else:
        make_folders(folder)
        copy_named(path, target)
    return target


def _asked(artifact_uri: Optional[str], run_id: Optional[str], artifact_path: Optional[str]) -> str:
    if (artifact_uri is None) == (run_id is None):
        raise MlflowException("it takes either artifact_uri or run_id with artifact_path",
                              "for example artifact_uri='runs:/RUN/model'")
    return local_path_of(artifact_uri or f"runs:/{run_id}/{artifact_path or ''}")


@checked()
def download_artifacts(artifact_uri: Optional[str] = None, run_id: Optional[str] = None,
                       artifact_path: Optional[str] = None, dst_path: Optional[Path] = None,
                       tracking_uri: Optional[str] = None) -> str:
    """Where a copy is, or the thing itself, if it need not be copied."""
    del tracking_uri
    path = _asked(artifact_uri, run_id, artifact_path)
    return copied(path, dst_path) if dst_path is not None or not os.path.exists(path) else path


@checked()
def list_artifacts(artifact_uri: Optional[str] = None, run_id: Optional[str] = None,
                   artifact_path: Optional[str] = None) -> List[FileInfo]:
    """Files and folders in one."""
    if run_id is not None:
        return files_of(artifact_folder(run_id), artifact_path)
    return files_of(_asked(artifact_uri, run_id, artifact_path), None)


@checked()
def load_text(artifact_uri: str) -> str:
    """Of a file."""
    with open(local_path_of(artifact_uri), encoding="utf-8") as file:
        return file.read()


@checked()
def load_dict(artifact_uri: str) -> Any:
    """Of a file of JSON."""
    try:
        return json.loads(load_text(artifact_uri))
    except ValueError as error:
        raise MlflowException(f"{artifact_uri} is not JSON: {error}", "") from None
