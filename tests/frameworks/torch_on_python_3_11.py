"""Lets parts of torch 1.13 be imported by Python 3.11, which Lightning does.

Since 3.11 a dataclass refuses defaults that cannot be hashed, and a class of torch is such a
default (torch/distributed/_shard/sharded_tensor/metadata.py; torch 2.0 has a factory there).
"""

import dataclasses

_get_field = dataclasses._get_field


def _tolerant(cls, name, *words):
    default = getattr(cls, name, None)
    if isinstance(default, dataclasses.Field):
        default = default.default
    if type(default).__name__ == "TensorProperties" and type(default).__hash__ is None:
        type(default).__hash__ = object.__hash__
    return _get_field(cls, name, *words)


dataclasses._get_field = _tolerant
