"""azureml in a job's processes: the real one where it is installed, else muster's names.

The folder above this one is the last of PYTHONPATH, which Python searches before what is
installed. Where neither can be used, programs that ask for azureml.core find that it is not there.
"""

import importlib.util
import os
import sys
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, Optional

_IN_RANKS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_PACKAGE = os.path.dirname(_IN_RANKS)
_CAN_STAND_IN = sys.version_info >= (3, 8)  # for that package


def _is_this(path: str) -> bool:
    return os.path.abspath(path or ".") == _IN_RANKS


def _real() -> Optional[ModuleSpec]:
    return PathFinder.find_spec(__name__, [path for path in sys.path if not _is_this(path)])


def _loaded(spec: ModuleSpec) -> ModuleType:
    """In the place of this module."""
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    if spec.loader is not None:
        spec.loader.exec_module(module)
    return module


def _stand_ins() -> Any:
    """Of the package that this folder is a part of, which need not be on any path."""
    if "muster" not in sys.modules:
        file = os.path.join(_PACKAGE, "__init__.py")
        spec = importlib.util.spec_from_file_location("muster", file,
                                                      submodule_search_locations=[_PACKAGE])
        assert spec is not None
        _loaded(spec)
    return importlib.import_module("muster.stand_ins")


_found = _real()
if _found is None and _CAN_STAND_IN:
    _found = _stand_ins().stand_in_for(__name__)
sys.path[:] = [path for path in sys.path if not _is_this(path)]
if _found is None:
    __path__ = []
else:
    _loaded(_found)
