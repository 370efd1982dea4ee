"""Calls and settings in the SDK's words: one that muster does not have is named, never dropped."""

import difflib
import functools
import inspect
import sys
from typing import (TYPE_CHECKING, Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Set,
                    Tuple, Type, TypeVar, cast)

from .binary import BadCall
from .place import users_line


class Missing(BadCall, AttributeError):
    """An attribute that muster's stand-in does not have."""


class Lacks(NamedTuple):
    """Words of the SDK that a call takes and does not honour."""

    accepted: Set[str]  # about an account or a workspace, which muster does not need
    no_effect: Set[str]  # noted on stderr
    refused: Dict[str, str]  # and what to do instead


def lacks(*, accepted: str = "", no_effect: str = "",
          refused: Optional[Dict[str, str]] = None) -> Lacks:
    """Names in one text, but those that are refused."""
    return Lacks(set(accepted.split()), set(no_effect.split()), refused or {})


NOTHING = lacks()
_noted: Set[Tuple[str, str]] = set()


def note(text: str) -> None:
    """A line about what has no effect, once for each line of the program."""
    place = users_line()
    if (place, text) not in _noted:
        _noted.add((place, text))
        print(f"muster: {place}: {text}", file=sys.stderr, flush=True)


def nearest(word: str, among: List[str]) -> str:
    """A hint for a misspelt name."""
    near = difflib.get_close_matches(word, among, 1)
    text = f"it has {', '.join(sorted(set(among)))}" if among else "it has none"
    return f"did you mean {near[0]}? {text}" if near else text


def _asks_for_something(value: object) -> bool:
    return value is not None and not (isinstance(value, (bool, str, list, tuple, dict))
                                      and not value)


def _words(named: str, words: List[str]) -> str:
    return f"{named}({', '.join(f'{word}=...' for word in words)})"


def _told(named: str, values: Mapping[str, Any], known: Lacks) -> None:
    """Refuses, or notes, what is known and not honoured."""
    wanted = [word for word, value in values.items() if _asks_for_something(value)]
    for word in wanted:
        if word in known.refused:
            raise BadCall(f"{_words(named, [word])} is not supported", known.refused[word])
    idle = [word for word in wanted if word in known.no_effect]
    if idle:
        note(f"{_words(named, idle)} has no effect here")


def _is_known(word: str, known: Lacks) -> bool:
    return word in known.accepted or word in known.no_effect or word in known.refused


def _fitting(named: str, signature: inspect.Signature, args: Tuple[Any, ...],
             kwargs: Dict[str, Any], known: Lacks) -> Dict[str, Any]:
    """The keywords that a function takes; an unknown one is an error."""
    own = [one for name, one in signature.parameters.items() if name not in ("self", "cls")]
    names = [one.name for one in own if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    takes_all = any(one.kind is one.VAR_KEYWORD for one in own)
    left = [word for word in kwargs if word not in names]
    for word in left:
        if not takes_all and not _is_known(word, known):
            raise BadCall(f"{named}() has no parameter {word!r}", nearest(word, names))
    _told(named, {word: kwargs[word] for word in left}, known)
    kept = {word: value for word, value in kwargs.items()
            if word in names or not _is_known(word, known)}
    try:
        bound = signature.bind(*args, **kept)
    except TypeError as error:
        hint = f"its parameters are {', '.join(names)}" if names else "it has no parameters"
        raise BadCall(f"{named}(): {error}", hint) from None
    _told(named, {word: value for word, value in bound.arguments.items() if word in names}, known)
    return kept


F = TypeVar("F", bound=Callable[..., Any])


def checked(known: Lacks = NOTHING, named: str = "") -> Callable[[F], F]:
    """A function or method whose words are checked; below @classmethod and @staticmethod."""
    def wrap(function: F) -> F:
        signature = inspect.signature(function)
        name = named or function.__qualname__

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **_fitting(name, signature, args, kwargs, known))
        setattr(call, "LACKS", known)
        return cast(F, call)
    return wrap


def _method(found: Any) -> Any:
    """A public method whose words are checked."""
    if isinstance(found, (staticmethod, classmethod)):
        return type(found)(_method(found.__func__))
    is_plain = inspect.isfunction(found) and not hasattr(found, "LACKS")
    return checked()(found) if is_plain else found


class _Made(type):
    """Of classes whose objects programs make and change."""

    def __new__(mcs, name: str, bases: Tuple[type, ...], namespace: Dict[str, Any]) -> "_Made":
        methods = {one: found if one.startswith("_") else _method(found)
                   for one, found in namespace.items()}
        return super().__new__(mcs, name, bases, methods)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        own = cast(Type["Checked"], cls)
        signature = inspect.signature(own.__init__)
        fitting = _fitting(own.name_in_sdk(), signature, (None, *args), kwargs, own.LACKS)
        made = super().__call__(*args, **fitting)
        made._made = True
        return made

    @property
    def __signature__(cls) -> inspect.Signature:
        """For help()."""
        whole = inspect.signature(cast(Type["Checked"], cls).__init__)
        return whole.replace(parameters=list(whole.parameters.values())[1:])

    if not TYPE_CHECKING:
        def __getattr__(cls, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            known = cast(Type["Checked"], cls).LACKS
            if name in known.refused:
                raise Missing(f"{cls.name_in_sdk()}.{name} is not supported", known.refused[name])
            raise Missing(f"{cls.name_in_sdk()} has no {name!r}", nearest(name, _public(cls)))


def _public(cls: type) -> List[str]:
    return [name for name in dir(cls) if not name.startswith("_")
            and name not in ("LACKS", "IN_SDK", "name_in_sdk", "mro")]


class Checked(metaclass=_Made):
    """An object that has what it was made with: other attributes can neither be had nor set."""

    # Not in __dict__, which holds the settings alone.
    __slots__ = ("__dict__", "__weakref__", "_made", "_unused")
    LACKS = NOTHING  # of its constructor and its settings
    IN_SDK = ""  # its name there, where this is another one

    def __init__(self) -> None:
        """Of a class that is made of nothing."""

    @classmethod
    def name_in_sdk(cls) -> str:
        return cls.IN_SDK or cls.__name__

    def _named(self) -> str:
        return self.name_in_sdk()

    def _lacking(self) -> Lacks:
        return self.LACKS

    def _tell(self, name: str, value: Any) -> None:
        known = self._lacking()
        if not _asks_for_something(value):
            return
        if name in known.refused:
            raise BadCall(f"{self._named()}.{name} is not supported", known.refused[name])
        if name in known.no_effect:
            note(f"{self._named()}.{name} has no effect here")

    if not TYPE_CHECKING:
        def __setattr__(self, name: str, value: Any) -> None:
            if name.startswith("_") or not getattr(self, "_made", False):
                object.__setattr__(self, name, value)
                return
            self._tell(name, value)
            if name in vars(self) or hasattr(type(self), name):
                object.__setattr__(self, name, value)
                return
            if not _is_known(name, self._lacking()):
                raise Missing(f"{self._named()} has no setting {name!r}",
                              nearest(name, list(settings_of(self))))
            self._unused = {**getattr(self, "_unused", {}), name: value}

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            unused = getattr(self, "_unused", {})
            if name in unused:
                return unused[name]
            known = self._lacking()
            if name in known.refused:
                raise Missing(f"{self._named()}.{name} is not supported", known.refused[name])
            if _is_known(name, known):
                return None
            raise Missing(f"{self._named()} has no {name!r}",
                          nearest(name, _public(type(self)) + list(settings_of(self))))


class Settings(Checked):
    """A part of an object: job.resources, environment.docker."""

    def __init__(self, _name: str, _known: Lacks = NOTHING, **settings: Any) -> None:
        self._name = _name
        self._known = _known
        vars(self).update(settings)

    def _named(self) -> str:
        return self._name

    def _lacking(self) -> Lacks:
        return self._known

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any:
            return vars(self)[name]

        def __setattr__(self, name: str, value: Any) -> None:
            vars(self)[name] = value


def settings_of(thing: Checked) -> Dict[str, Any]:
    """Its settings, by names."""
    return {name: value for name, value in vars(thing).items() if not name.startswith("_")}


def given(keys: Mapping[str, Any]) -> Dict[str, Any]:
    """Without those of which nothing was said."""
    return {name: value for name, value in keys.items() if value is not None and value != {}}


class Kinded(Checked):
    """A part of a job file that is a map: its type, and what else it says."""

    kind = ""

    @property
    def type(self) -> str:
        return self.kind

    def keys(self) -> Dict[str, Any]:
        return {"type": self.kind, **given(settings_of(self))}
