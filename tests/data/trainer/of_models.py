#!/usr/bin/env python3
"""Prints the JSON schema of TrainJobs, without descriptions, from the models of the package
kubeflow-trainer-api (PyPI), which must be importable: of_models.py > trainjob.json"""

import json

from kubeflow_trainer_api.models.trainer_v1alpha1_train_job import TrainerV1alpha1TrainJob


def stripped(node, names=False):
    """`names`: the keys of this map are those of properties or definitions."""
    if isinstance(node, list):
        return [stripped(one) for one in node]
    if not isinstance(node, dict):
        return node
    if not names and "actual_instance" in node.get("properties", {}):
        return {"type": ["string", "number"]}  # a quantity, a port: the package wraps it
    if not names and {"type": "null"} in node.get("anyOf", []):
        return stripped(node["anyOf"][0])  # what is optional is left out, and not null
    dropped = () if names else ("description", "title", "default")
    return {key: stripped(value, not names and key in ("properties", "$defs"))
            for key, value in node.items() if key not in dropped}


if __name__ == "__main__":
    schema = TrainerV1alpha1TrainJob.model_json_schema(by_alias=True)
    print(json.dumps(stripped(schema), separators=(",", ":"), sort_keys=True))
