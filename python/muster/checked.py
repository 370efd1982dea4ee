"""Calls and settings in the SDK's words: one that muster does not have is named, never dropped,
and so is a value of the wrong kind."""

import difflib
import functools
import inspect
import re
import reprlib
import sys
from typing import (TYPE_CHECKING, Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Set,
                    Tuple, Type, TypeVar, cast)

from .binary import BadCall, Complaint
from .kinds import Misfit, fitted, kinds_of, kinds_of_settings, told_misfit
from .place import users_line


class Missing(BadCall, AttributeError):
    """An attribute that muster's stand-in does not have."""


class Lacks(NamedTuple):
    """Words of the SDK that a call takes and does not honour, or knows by other names."""

    accepted: Set[str]  # about an account or a workspace, which muster does not need
    no_effect: Set[str]  # noted on stderr
    refused: Dict[str, str]  # and what to do instead
    older: Dict[str, str]  # names that the SDK has replaced, and by which


def lacks(*, accepted: str = "", no_effect: str = "", refused: Optional[Dict[str, str]] = None,
          older: Optional[Dict[str, str]] = None) -> Lacks:
    """Names in one text, but those that are refused or replaced."""
    return Lacks(set(accepted.split()), set(no_effect.split()), refused or {}, older or {})


NOTHING = lacks()
# Attributes by which the parts of this package know one another.
_OWN = {"made_at", "said_at", "names", "node_name", "declared_inputs", "declared_outputs",
        "keys", "step_keys", "trial_keys", "job_key", "places", "file_text", "shown",
        "shell_command", "begin", "job", "has_code"}
_SECRET = re.compile(r"password|secret|token|ssh_key|account_key")  # of settings
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


def _nearest_public(word: str, among: List[str]) -> str:
    """The same of an attribute or a parameter."""
    return nearest(word, [one for one in among if not one.startswith("_") and one not in _OWN])


def _asks_for_something(value: object) -> bool:
    return value is not None and not (isinstance(value, (bool, str, list, tuple, dict))
                                      and not value)


def _words(named: str, words: List[str]) -> str:
    return f"{named}({', '.join(f'{word}=...' for word in words)})"


def _refused(named: str, values: Mapping[str, Any], known: Lacks) -> List[Complaint]:
    return [(f"{_words(named, [word])} is not supported", known.refused[word])
            for word, value in values.items()
            if word in known.refused and _asks_for_something(value)]


def _note_idle(named: str, values: Mapping[str, Any], known: Lacks) -> None:
    idle = [word for word, value in values.items()
            if word in known.no_effect and _asks_for_something(value)]
    if idle:
        note(f"{_words(named, idle)} has no effect here")


def _is_known(word: str, known: Lacks) -> bool:
    return word in known.accepted or word in known.no_effect or word in known.refused


def _words_of(signature: inspect.Signature) -> List[inspect.Parameter]:
    return [one for name, one in signature.parameters.items() if name not in ("self", "cls")]


class _Call:
    """A function with the words of one call: all that is wrong with them is told at once."""

    def __init__(self, named: str, function: Callable[..., Any], known: Lacks,
                 others: Optional[type] = None) -> None:
        self._named = named
        self._known = known
        self._kinds = kinds_of(function)
        self._parameters = inspect.signature(function)
        own = _words_of(self._parameters)
        self._takes_all = others is None and any(one.kind is one.VAR_KEYWORD for one in own)
        self._own = [one.name for one in own
                     if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
        self._usual = {one.name: one.default for one in own}
        if others is not None:
            made = getattr(others, "__init__")
            more = {one.name: one.default for one in _words_of(inspect.signature(made))}
            self._own += list(more)
            self._usual.update(more)
            self._kinds = {**kinds_of(made), **self._kinds}

    def fitting(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]
                ) -> Tuple[Tuple[Any, ...], Dict[str, Any]]:
        """Positional and named values that the function takes, each of its kind."""
        kwargs = self._in_newer_words(kwargs)
        left = {word: value for word, value in kwargs.items() if word not in self._own}
        wrong = [] if self._takes_all else self._unknown(left)
        wrong += _refused(self._named, left, self._known)
        kept = {word: value for word, value in kwargs.items()
                if word in self._own or self._takes_all and not _is_known(word, self._known)}
        bound = self._bound(args, kept, wrong)
        said = {word: value for word, value in bound.arguments.items() if word in self._own}
        wrong += _refused(self._named, said, self._known)
        for words in (bound.arguments, bound.arguments.get("where", {})):
            wrong += [one for word in list(words) if word in self._own
                      for one in self._fit(words, word)]
        if wrong:
            raise BadCall(*wrong[0], more=wrong[1:])
        _note_idle(self._named, {**left, **said}, self._known)
        return bound.args, bound.kwargs

    def _in_newer_words(self, kwargs: Dict[str, Any]) -> Dict[str, Any]:
        """An older name beside the newer one stays, to be told as unknown."""
        newer = {word: self._known.older.get(word, word) for word in kwargs}
        return {word if newer[word] in kwargs else newer[word]: value
                for word, value in kwargs.items()}

    def _unknown(self, words: Mapping[str, Any]) -> List[Complaint]:
        return [(f"{self._named}() has no parameter {word!r}", _nearest_public(word, self._own))
                for word in words if not _is_known(word, self._known)]

    def _bound(self, args: Tuple[Any, ...], kept: Dict[str, Any], wrong: List[Complaint]
               ) -> inspect.BoundArguments:
        try:
            return self._parameters.bind(*args, **kept)
        except TypeError as error:
            hint = (f"its parameters are {', '.join(self._own)}" if self._own
                    else "it has no parameters")
            if not wrong:  # else it may be missing because it is misspelt
                wrong.append((f"{self._named}(): {error}", hint))
            return self._parameters.bind_partial(**kept)

    def _fit(self, arguments: Dict[str, Any], word: str) -> List[Complaint]:
        """Makes a value one of its kind; None, where that is nothing, means that it is not said."""
        value, usual = arguments[word], self._usual[word]
        try:
            arguments[word] = fitted(self._kinds.get(word, Any), value, word)
        except Misfit as misfit:
            if value is not None or usual is inspect.Parameter.empty:
                whole = f"{{}} of {self._named}()"
                return [told_misfit(whole, word, value, misfit)]
            arguments[word] = usual
        return []


F = TypeVar("F", bound=Callable[..., Any])


def checked(known: Lacks = NOTHING, named: str = "", others: Optional[type] = None
            ) -> Callable[[F], F]:
    """A function or method whose words are checked; below @classmethod and @staticmethod.

    `others`: a class that is made of what the function takes as **where.
    """
    def wrap(function: F) -> F:
        @functools.lru_cache(maxsize=None)  # once: annotations may name what comes later
        def made() -> _Call:
            return _Call(named or function.__qualname__, function, known, others)

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = made().fitting(args, kwargs)
            return function(*args, **kwargs)
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
        call = _Call(own.name_in_sdk(), getattr(own, "__init__"), own.LACKS)
        args, kwargs = call.fitting((None, *args), kwargs)
        made = super().__call__(*args[1:], **kwargs)
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
            raise Missing(f"{cls.name_in_sdk()} has no {name!r}", _nearest_public(name, _public(cls)))


def _public(cls: type) -> List[str]:
    return [name for name in dir(cls) if not name.startswith("_")
            and name not in ("LACKS", "IN_SDK", "name_in_sdk", "mro")]


def _setters(cls: type) -> List[str]:
    return [name for name in dir(cls)
            if getattr(inspect.getattr_static(cls, name), "fset", None) is not None]


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

    @reprlib.recursive_repr()
    def __repr__(self) -> str:
        """What was said of it, as the last line of a notebook's cell shows it."""
        told = [f"{name}={'***' if _SECRET.search(name) else repr(value)}"
                for name, value in given(settings_of(self)).items() if _asks_for_something(value)]
        return f"{self._named()}({', '.join(told)})"

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

    def _fit(self, name: str, value: Any) -> Any:
        """A setting's new value."""
        kind = kinds_of_settings(type(self)).get(name, Any)
        try:
            return fitted(kind, value, name)
        except Misfit as misfit:
            raise BadCall(*told_misfit(f"{self._named()}.{{}}", name, value, misfit)) from None

    if not TYPE_CHECKING:
        def __setattr__(self, name: str, value: Any) -> None:
            if name.startswith("_") or not getattr(self, "_made", False):
                object.__setattr__(self, name, value)
                return
            self._tell(name, value)
            if name in vars(self) or hasattr(type(self), name):
                object.__setattr__(self, name, self._fit(name, value))
                return
            if not _is_known(name, self._lacking()):
                raise Missing(f"{self._named()} has no setting {name!r}",
                              _nearest_public(name, list(settings_of(self)) + _setters(type(self))))
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
                          _nearest_public(name, _public(type(self)) + list(settings_of(self))))


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
