"""MLflow's words for searches: metrics.loss < 0.5 and params.lr = '0.1', in the order of a key.

https://mlflow.org/docs/latest/ml/search/search-runs/
"""

import re
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple

from .mlflow_entities import Run
from .tracking import MlflowException

_TOKEN = re.compile(r"""\s*(?:(?P<quoted>'[^']*'|"[^"]*"|`[^`]*`)|(?P<sign>[<>!]=|[<>=(),])"""
                    r"""|(?P<word>[^\s<>=!(),'"`]+))""")
_KINDS = {"metric": "metric", "metrics": "metric", "param": "param", "params": "param",
          "parameter": "param", "parameters": "param", "tag": "tag", "tags": "tag",
          "attribute": "attribute", "attributes": "attribute", "attr": "attribute",
          "run": "attribute"}
_ATTRIBUTES = {"run_id": "run_id", "run_name": "run_name", "status": "status",
               "artifact_uri": "artifact_uri", "user_id": "user_id", "start_time": "start_time",
               "end_time": "end_time", "created": "start_time", "experiment_id": "experiment_id",
               "Run name": "run_name", "Created": "start_time"}
_NUMBERS = ("start_time", "end_time")
_EXAMPLE = "for example metrics.loss < 0.5 and params.lr = '0.1'"
_SIGNS: Dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: bool(a == b), "!=": lambda a, b: bool(a != b), ">": lambda a, b: bool(a > b),
    ">=": lambda a, b: bool(a >= b), "<": lambda a, b: bool(a < b),
    "<=": lambda a, b: bool(a <= b), "IN": lambda a, b: a in b, "NOT IN": lambda a, b: a not in b,
    "LIKE": lambda a, b: _like(a, b, 0), "ILIKE": lambda a, b: _like(a, b, re.IGNORECASE)}
_OF_TEXT = ("=", "!=", "LIKE", "ILIKE", "IN", "NOT IN")
_OF_NUMBERS = ("=", "!=", ">", ">=", "<", "<=")


def _like(text: str, pattern: str, how: int) -> bool:
    parts = [re.escape(one) for one in re.split("[%]", pattern)]
    return bool(re.fullmatch(".*".join(parts).replace("_", "."), text, how | re.DOTALL))


class Key(NamedTuple):
    """Of a run: a metric, a parameter, a tag or an attribute."""

    kind: str
    name: str

    def of(self, run: Run) -> Any:
        """None where the run has no such thing."""
        if self.kind == "attribute":
            return getattr(run.info, self.name)
        values: Dict[str, Mapping[str, Any]] = {
            "metric": run.data.metrics, "param": run.data.params, "tag": run.data.tags}
        return values[self.kind].get(self.name)

    @property
    def is_number(self) -> bool:
        return self.kind == "metric" or self.kind == "attribute" and self.name in _NUMBERS


def _key(text: str) -> Key:
    kind, dot, name = text.partition(".")
    name = name.strip("`\"'") if dot else text
    found = _KINDS.get(kind.lower() if dot else "attribute")
    if found is None:
        raise MlflowException(f"{kind!r} in {text!r} is nothing that a run has",
                              "it has metrics, params, tags and attributes")
    if found == "attribute":
        if name.strip("`\"") not in _ATTRIBUTES:
            raise MlflowException(f"{text!r} is no attribute of a run",
                                  f"it has {', '.join(sorted(set(_ATTRIBUTES.values())))}")
        name = _ATTRIBUTES[name.strip("`\"")]
    return Key(found, name)


class _Reader:
    """Words of a filter, one after the other."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words: List[Tuple[str, bool]] = []  # and whether it was quoted
        at = 0
        while text[at:].strip():
            found = _TOKEN.match(text, at)
            if found is None:
                raise self.wrong()
            self._words.append((found[found.lastgroup or 0], found.lastgroup == "quoted"))
            at = found.end()

    def wrong(self) -> MlflowException:
        return MlflowException(f"the filter {self._text!r} cannot be read", _EXAMPLE)

    @property
    def more(self) -> bool:
        return bool(self._words)

    def next(self) -> Tuple[str, bool]:
        if not self._words:
            raise self.wrong()
        return self._words.pop(0)

    def key(self) -> Key:
        text, quoted = self.next()
        if text.endswith(".") and self._words and self._words[0][1]:
            text += self.next()[0]  # metrics.`a name`
        if quoted and not text.startswith("`"):
            raise self.wrong()
        return _key(text)

    def sign(self) -> str:
        sign = self.next()[0].upper()
        if sign == "NOT":
            sign += " " + self.next()[0].upper()
        if sign not in _SIGNS:
            raise self.wrong()
        return sign

    def value(self, key: Key, sign: str) -> Any:
        if sign.endswith("IN"):
            return self._list()
        text, quoted = self.next()
        if not key.is_number:
            if not quoted or text.startswith("`"):
                raise MlflowException(f"{key.kind} {key.name!r} is compared with {text}, which is "
                                      "not text", "write it in quotes: 'value'")
            return text[1:-1]
        try:
            return float(text)
        except ValueError:
            raise MlflowException(f"{key.kind} {key.name!r} is compared with {text}, which is not "
                                  "a number", _EXAMPLE) from None

    def _list(self) -> List[str]:
        values = []
        if self.next()[0] != "(":
            raise self.wrong()
        while True:
            text, quoted = self.next()
            if not quoted:
                raise self.wrong()
            values.append(text[1:-1])
            end = self.next()[0]
            if end == ")":
                return values
            if end != ",":
                raise self.wrong()


def filter_of(text: str) -> Callable[[Run], bool]:
    """Whether a run is one that is searched for."""
    reader = _Reader(text)
    tests: List[Tuple[Key, str, Any]] = []
    while reader.more:
        if tests and reader.next()[0].upper() != "AND":
            raise reader.wrong()
        key, sign = reader.key(), reader.sign()
        if sign not in (_OF_NUMBERS if key.is_number else _OF_TEXT):
            raise MlflowException(f"{key.kind} {key.name!r} cannot be compared by {sign}",
                                  f"it can by {' '.join(_OF_NUMBERS if key.is_number else _OF_TEXT)}")
        tests.append((key, sign, reader.value(key, sign)))

    def fits(run: Run) -> bool:
        found = [(key.of(run), sign, value) for key, sign, value in tests]
        return all(own is not None and _SIGNS[sign](own, value) for own, sign, value in found)
    return fits


def in_order(runs: List[Run], order_by: Optional[List[str]]) -> List[Run]:
    """As the keys say; runs without them come last, and else the youngest first."""
    found = sorted(runs, key=lambda run: run.info.run_id)
    found.sort(key=lambda run: run.info.start_time or 0, reverse=True)
    for text in reversed(order_by or []):
        word, _, direction = text.strip().rpartition(" ")
        if direction.upper() not in ("ASC", "DESC"):
            word, direction = text.strip(), "ASC"
        key = _key(word.strip())
        has = [run for run in found if key.of(run) is not None]
        has.sort(key=key.of, reverse=direction.upper() == "DESC")
        found = has + [run for run in found if key.of(run) is None]
    return found
