"""Prints what modules of an SDK offer, as JSON: parameters, members and values of each name.

    python sdk_surface.py MODULE...
"""

import ast
import importlib
import inspect
import json
import sys
import textwrap
import warnings


def default_of(parameter):
    """A default as text, without addresses; None where there is none."""
    if parameter.default is parameter.empty:
        return None
    plain = isinstance(parameter.default, (str, int, float, bool, tuple, type(None)))
    return repr(parameter.default) if plain else "..."


def parameters_of(thing):
    """[name, kind, default] of each, without self and cls; None where Python cannot tell."""
    try:
        found = list(inspect.signature(thing).parameters.values())
    except (TypeError, ValueError):
        return None
    return [[one.name, one.kind.name, default_of(one)] for one in found
            if one.name not in ("self", "cls")]


def set_by_init(cls):
    """Attributes that the __init__ of a class, or of one that it is made from, gives to self."""
    names = set()
    for one in cls.__mro__:
        init = vars(one).get("__init__")
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(init)))
        except (TypeError, OSError, SyntaxError):
            continue
        for node in ast.walk(tree):
            if (isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
                    and isinstance(node.value, ast.Name) and node.value.id == "self"):
                names.add(node.attr)
    return names


def member_of(cls, name):
    """A method's parameters, a constant's value, or that it is an attribute."""
    found = inspect.getattr_static(cls, name)
    if isinstance(found, (staticmethod, classmethod)) or inspect.isroutine(found):
        return {"parameters": parameters_of(getattr(cls, name))}
    value = getattr(found, "value", found)  # of an Enum's member
    return {"value": value} if isinstance(value, (str, int, float)) else {}


def members_of(cls):
    names = {name for one in cls.__mro__ if one.__module__ != "builtins" for name in vars(one)
             if not name.startswith("_")}
    members = {name: member_of(cls, name) for name in names}
    for name in set_by_init(cls):
        if not name.startswith("_"):
            members.setdefault(name, {})
    return members


def described(thing):
    if inspect.isclass(thing) and issubclass(thing, BaseException):
        return {"kind": "exception"}
    origin = f"{getattr(thing, '__module__', '')}.{getattr(thing, '__qualname__', '')}"
    if inspect.isclass(thing):
        return {"kind": "class", "origin": origin, "parameters": parameters_of(thing),
                "members": members_of(thing)}
    if inspect.ismodule(thing):
        return {"kind": "module"}
    if callable(thing):
        return {"kind": "function", "origin": origin, "parameters": parameters_of(thing)}
    return {"kind": "value"}


def is_own(name, thing, module):
    """Whether a name of a module without __all__ is for programs, and the SDK's own."""
    if inspect.ismodule(thing) or name.startswith("_"):
        return False
    if isinstance(thing, str):
        return name.startswith("DEFAULT_")
    family = module.__name__.split(".")[0]
    return getattr(thing, "__module__", "").split(".")[0] == family


def surface_of(name):
    module = importlib.import_module(name)
    listed = getattr(module, "__all__", None)
    names = listed or [one for one, thing in vars(module).items() if is_own(one, thing, module)]
    return {one: described(getattr(module, one)) for one in names if one != "VERSION"}


def main():
    warnings.simplefilter("ignore")
    print(json.dumps({name: surface_of(name) for name in sys.argv[1:]}))


if __name__ == "__main__":
    main()
