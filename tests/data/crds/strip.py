"""Strips descriptions and a default from custom resource definitions: they accept the same.

usage: strip.py PUBLISHED.yaml > SMALL.json
"""

import json
import sys

import yaml


def without_home(node):
    """The default of mpi-operator's sshAuthMountPath is a home, which no file here names."""
    if isinstance(node, dict):
        node.get("sshAuthMountPath", {}).pop("default", None)
        return {key: without_home(value) for key, value in node.items()}
    if isinstance(node, list):
        return [without_home(value) for value in node]
    return node


def without_descriptions(node):
    """A text under "description" is prose; a schema under that name belongs to a field."""
    if isinstance(node, dict):
        return {key: without_descriptions(value) for key, value in node.items()
                if not (key == "description" and isinstance(value, str))}
    if isinstance(node, list):
        return [without_descriptions(value) for value in node]
    return node


with open(sys.argv[1], encoding="utf-8") as published:
    (definition,) = [one for one in yaml.safe_load_all(published) if one]
json.dump(without_home(without_descriptions(definition)), sys.stdout, separators=(",", ":"))
print()
