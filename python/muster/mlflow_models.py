"""Models that MLflow keeps: folders with a file MLmodel, which MLflow itself loads, too.

The form is that of MLflow 2: https://mlflow.org/docs/latest/ml/model/
"""

import contextlib
import importlib
import inspect
import os
import pickle
import platform
import re
import shutil
import sys
import uuid
from datetime import datetime, timezone
from types import SimpleNamespace
from typing import Any, Callable, Dict, List, Optional, Tuple

from .binary import BadCall
from .checked import checked, lacks, note
from .mlflow_artifacts import Path, local_path_of, put_folder
from .mlflow_names import autolog, store_now
from .named_files import copy_named, copy_tree, open_named
from .own_files import claim, folders_for, make_folders, scratch_folder, usable
from .tracking import MlflowException
from .yaml_text import yaml_of

_WORDS = lacks(accepted="await_registration_for conda_env pip_requirements extra_pip_requirements "
                        "signature serialization_format model_format pickle_module mlflow_model "
                        "skops_trusted_types",
               no_effect="registered_model_name input_example code_paths code_path metadata "
                         "extra_files requirements_file params tags model_type step")

# Saves a model in a folder: what its flavour and "python_function" say of it.
Saved = Tuple[Dict[str, Any], Dict[str, Any]]


def _version(module: str) -> str:
    return str(getattr(importlib.import_module(module), "__version__", ""))


def _pickler(model: Any) -> Any:
    """cloudpickle keeps classes of the program itself; without it, they are only named."""
    try:
        return importlib.import_module("cloudpickle")
    except ImportError:
        if type(model).__module__ == "__main__":
            note(f"the model names its class {type(model).__name__}, and does not hold it: a "
                 "program that loads the model needs that class, or install cloudpickle")
        return pickle


def _pickled(model: Any, folder: str, name: str) -> str:
    """What the format is called."""
    pickler = _pickler(model)
    with open_named(os.path.join(folder, name), "wb") as file:
        pickler.dump(model, file)
    return str(pickler.__name__)


def _save_sklearn(model: Any, folder: str) -> Saved:
    form = _pickled(model, folder, "model.pkl")
    return ({"code": None, "pickled_model": "model.pkl", "serialization_format": form,
             "sklearn_version": _version("sklearn")},
            {"loader_module": "mlflow.sklearn", "model_path": "model.pkl", "predict_fn": "predict"})


def _save_pytorch(model: Any, folder: str) -> Saved:
    torch, pickler = importlib.import_module("torch"), _pickler(model)
    data = os.path.join(folder, "data")
    make_folders(data)
    # mlflow.pytorch.pickle_module is cloudpickle with the names that torch asks for.
    words = {"pickle_module": SimpleNamespace(__name__=pickler.__name__, **_names_of(pickler))}
    torch.save(model, os.path.join(data, "model.pth"),
               **({} if pickler is pickle else words))
    name = "pickle" if pickler is pickle else "mlflow.pytorch.pickle_module"
    _write(data, "pickle_module_info.txt", name)
    return ({"code": None, "model_data": "data", "pytorch_version": _version("torch")},
            {"loader_module": "mlflow.pytorch", "data": "data", "pickle_module_name": name})


def _names_of(pickler: Any) -> Dict[str, Any]:
    """Of cloudpickle, as torch wants them."""
    return {"Pickler": getattr(pickler, "CloudPickler", pickle.Pickler),
            "Unpickler": pickle.Unpickler, "dump": pickler.dump, "load": pickle.load}


def _class_of(model: Any) -> str:
    return f"{type(model).__module__}.{type(model).__name__}"


def _save_xgboost(model: Any, folder: str) -> Saved:
    model.save_model(os.path.join(folder, "model.ubj"))
    return ({"code": None, "data": "model.ubj", "model_class": _class_of(model),
             "model_format": "ubj", "xgb_version": _version("xgboost")},
            {"loader_module": "mlflow.xgboost", "data": "model.ubj"})


def _save_lightgbm(model: Any, folder: str) -> Saved:
    is_booster = type(model).__name__ == "Booster"
    name = "model.lgb" if is_booster else "model.pkl"
    if is_booster:
        model.save_model(os.path.join(folder, name))
    else:
        _pickled(model, folder, name)
    return ({"code": None, "data": name, "lgb_version": _version("lightgbm"),
             "model_class": _class_of(model)},
            {"loader_module": "mlflow.lightgbm", "data": name})


class PythonModel:
    """A model whose predict() the program has written."""

    __module__ = "mlflow.pyfunc.model"

    def load_context(self, context: Any) -> None:
        """Before the first call of predict()."""

    def predict(self, context: Any, model_input: Any, params: Any = None) -> Any:
        """What it says of an input."""
        raise NotImplementedError


def _save_pyfunc(model: Any, folder: str) -> Saved:
    importlib.import_module("mlflow.pyfunc.model")  # where picklers look for PythonModel
    _pickled(model, folder, "python_model.pkl")
    return {}, {"loader_module": "mlflow.pyfunc.model", "python_model": "python_model.pkl",
                "streamable": False,
                "cloudpickle_version": getattr(sys.modules.get("cloudpickle"), "__version__", "")}


# ---- loaded ----


def _word_in(folder: str, key: str) -> str:
    """What MLmodel says; keys that are asked for stand there once, or say the same."""
    path = os.path.join(folder, "MLmodel")
    if not os.path.isfile(path):
        raise MlflowException(f"{folder} holds no model: it has no file MLmodel",
                              "name the folder that save_model() or log_model() has made")
    with open(path, encoding="utf-8") as file:
        found = re.search(rf"^\s*{key}: *['\"]?(.*?)['\"]?$", file.read(), re.MULTILINE)
    return found[1] if found else ""


def _unpickled(folder: str, name: str) -> Any:
    with open(os.path.join(folder, name), "rb") as file:
        return pickle.load(file)  # a model that the user has named


def _load_pytorch(folder: str, **words: Any) -> Any:
    torch = importlib.import_module("torch")
    path = os.path.join(folder, _word_in(folder, "model_data") or "data", "model.pth")
    if "weights_only" in inspect.signature(torch.load).parameters:
        words.setdefault("weights_only", False)
    return torch.load(path, **words)


def _load_xgboost(folder: str) -> Any:
    module, _, name = _word_in(folder, "model_class").rpartition(".")
    model = getattr(importlib.import_module(module), name)()
    model.load_model(os.path.join(folder, _word_in(folder, "data")))
    return model


def _load_lightgbm(folder: str) -> Any:
    path = os.path.join(folder, _word_in(folder, "data"))
    if path.endswith(".pkl"):
        return _unpickled(folder, os.path.basename(path))
    return importlib.import_module("lightgbm").Booster(model_file=path)


class PyFuncModel:
    """Any model by its predict()."""

    def __init__(self, model: Any, context: Any = None) -> None:
        self._model = model
        self._context = context

    def predict(self, data: Any, params: Optional[Dict[str, Any]] = None) -> Any:
        if not isinstance(self._model, PythonModel):
            predict = getattr(self._model, "predict", self._model)
            return predict(data)
        names = list(inspect.signature(self._model.predict).parameters)
        given = [self._context, data] if names[:1] == ["context"] else [data]
        more = {"params": params} if "params" in names else {}
        return self._model.predict(*given, **more)

    def unwrap_python_model(self) -> Any:
        return self._model


def _artifacts_of(folder: str) -> Dict[str, str]:
    place = os.path.join(folder, "artifacts")
    names = sorted(os.listdir(place)) if os.path.isdir(place) else []
    return {name: os.path.join(place, name, *os.listdir(os.path.join(place, name))[:1])
            for name in names}


def _load_pyfunc(folder: str) -> Any:
    loader = _word_in(folder, "loader_module")
    if loader != "mlflow.pyfunc.model":
        found = _FLAVOURS.get(loader)
        if found is None:
            raise MlflowException(f"muster cannot load a model of {loader}", "MLflow can")
        return PyFuncModel(found.load_model(folder))
    importlib.import_module("mlflow.pyfunc.model")  # the class that the model names
    model = _unpickled(folder, _word_in(folder, "python_model"))
    context = SimpleNamespace(artifacts=_artifacts_of(folder), model_config={})
    if hasattr(model, "load_context"):
        model.load_context(context)
    return PyFuncModel(model, context)


# ---- flavours ----


def _write(folder: str, name: str, text: str) -> None:
    with open_named(os.path.join(folder, name), "w") as file:
        file.write(text)


def _move_all(folder: str, target: str) -> None:
    """What a model consists of; the file that makes it one comes last."""
    moved: List[str] = []
    try:
        for name in sorted(os.listdir(folder), key=lambda one: one == "MLmodel"):
            moved.append(os.path.join(target, name))
            os.replace(os.path.join(folder, name), moved[-1])
    except BaseException:
        for path in moved:
            if os.path.isdir(path):
                shutil.rmtree(path, ignore_errors=True)
            elif os.path.basename(path) != "MLmodel":
                with contextlib.suppress(FileNotFoundError):
                    os.remove(path)
        raise


class Flavour:
    """mlflow.sklearn and the like; the model is called as there."""

    def __init__(self, name: str, parameter: str, save: Callable[..., Saved],
                 load: Callable[..., Any], packages: str) -> None:
        self._name = name
        self._parameter = parameter
        self._save = save
        self._load = load
        self._packages = packages.split()

    def _call(self, function: Callable[..., Any], first: str, args: Tuple[Any, ...],
              words: Dict[str, Any]) -> Any:
        """Its words are checked; mlflow.pyfunc has the path as the first, and others the model."""
        said = {"model" if word == self._parameter else word: value
                for word, value in words.items()}
        if self._module == "pyfunc" and args:
            said, args = {first: args[0], **said}, args[1:]
        return checked(_WORDS, f"mlflow.{self._module}.{function.__name__}")(function)(*args, **said)

    @property
    def _module(self) -> str:
        return "pyfunc" if self._name == "python_function" else self._name

    def save_model(self, *args: Any, **words: Any) -> None:
        """A folder with the model."""
        def save_model(model: Any, path: Path, artifacts: Optional[Dict[str, str]] = None) -> None:
            with folders_for(os.fspath(path)):
                # Of processes that find it empty at the same instant, one makes this file.
                claimed = os.path.join(path, "MLmodel")
                if os.listdir(path) or not claim(claimed):
                    raise MlflowException(f"{os.fspath(path)} is there already, and is not empty",
                                          "save_model() makes a folder")
                try:
                    with scratch_folder(os.fspath(path)) as folder:
                        self._fill(model, folder, "", artifacts or {})
                        _move_all(folder, os.fspath(path))
                except BaseException:
                    os.remove(claimed)  # whoever tries again finds the folder as it was before
                    raise
        self._call(save_model, "path", args, words)

    def log_model(self, *args: Any, **words: Any) -> Any:
        """The same, among the run's artifacts."""
        def log_model(model: Any, artifact_path: Optional[str] = None, name: Optional[str] = None,
                      artifacts: Optional[Dict[str, str]] = None,
                      run_id: Optional[str] = None) -> Any:
            where = artifact_path or name or "model"
            store = store_now(run_id)
            run = store.run if store is not None else ""
            with scratch_folder() as folder:
                self._fill(model, folder, run, artifacts or {})
                if store is None:
                    print(f"Attempted to log model {where}", flush=True)
                else:
                    put_folder(store, folder, where)
            return SimpleNamespace(model_uri=f"runs:/{run}/{where}", artifact_path=where,
                                   run_id=run, flavors=[self._name])
        return self._call(log_model, "artifact_path", args, words)

    def load_model(self, model_uri: Path, dst_path: Optional[Path] = None, **words: Any) -> Any:
        """From a folder, runs:/RUN/NAME, or an output of a job."""
        del dst_path
        return self._load(local_path_of(os.fspath(model_uri)), **words)

    @staticmethod
    def autolog(*args: Any, **words: Any) -> None:
        autolog(*args, **words)

    def _fill(self, model: Any, folder: str, run: str, artifacts: Dict[str, str]) -> None:
        own, function = self._save(model, folder)
        for below, _, names in os.walk(folder):
            for name in names:  # libraries have made some of them
                usable(os.path.join(below, name))
        for name, uri in artifacts.items():
            place = os.path.join(folder, "artifacts", name)
            path = local_path_of(uri)
            make_folders(place)
            target = os.path.join(place, os.path.basename(os.path.normpath(path)))
            if os.path.isdir(path):
                copy_tree(path, target)
            else:
                copy_named(path, target)
            function.setdefault("artifacts", {})[name] = {
                "path": os.path.relpath(target, folder), "uri": uri}
        version = platform.python_version()
        function.update(env={"conda": "conda.yaml", "virtualenv": "python_env.yaml"},
                        python_version=version)
        self._describe(folder, version)
        flavours = {"python_function": function, **({self._name: own} if own else {})}
        told = {"flavors": flavours, "model_uuid": uuid.uuid4().hex,
                "utc_time_created": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M:%S.%f")}
        if run:
            told["run_id"] = run
        _write(folder, "MLmodel", yaml_of(told))

    def _describe(self, folder: str, version: str) -> None:
        """What a program needs that loads it."""
        needs = ["mlflow", *self._packages]
        _write(folder, "requirements.txt", "".join(f"{one}\n" for one in needs))
        pip: List[Any] = [f"python={version}", "pip", {"pip": needs}]
        _write(folder, "conda.yaml", yaml_of({"channels": ["conda-forge"], "dependencies": pip,
                                              "name": "mlflow-env"}))
        _write(folder, "python_env.yaml", yaml_of({"python": version, "dependencies": [
            "-r requirements.txt"]}))


sklearn = Flavour("sklearn", "sk_model", _save_sklearn,
                  lambda at: _unpickled(at, _word_in(at, "pickled_model")),
                  "scikit-learn cloudpickle")
pytorch = Flavour("pytorch", "pytorch_model", _save_pytorch, _load_pytorch, "torch cloudpickle")
xgboost = Flavour("xgboost", "xgb_model", _save_xgboost, _load_xgboost, "xgboost")
lightgbm = Flavour("lightgbm", "lgb_model", _save_lightgbm, _load_lightgbm, "lightgbm")
pyfunc = Flavour("python_function", "python_model", _save_pyfunc, _load_pyfunc, "cloudpickle")
_FLAVOURS = {"mlflow.sklearn": sklearn, "mlflow.pytorch": pytorch, "mlflow.xgboost": xgboost,
             "mlflow.lightgbm": lightgbm}


class NoModels:
    """A flavour whose models muster does not keep."""

    def __init__(self, name: str) -> None:
        self._name = name

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise BadCall(f"muster keeps no models of mlflow.{self._name}",
                      "save the model with its own library, and log_artifacts() that folder; "
                      "MLflow itself keeps it, where it is installed")

    save_model = log_model = load_model = _refuse
    autolog = staticmethod(autolog)


def infer_signature(*_: Any, **__: Any) -> None:
    """Models are kept without one."""
    note("infer_signature() has no effect here: it needs MLflow itself")


others = SimpleNamespace(**{name: NoModels(name) for name in (
    "fastai", "keras", "pyspark", "spark", "statsmodels", "tensorflow", "transformers")})
