"""Which of these files azure-ai-ml's own loaders take, and as what: JSON {file: class or null}.

What muster does not ask for, an environment and the name of a component, is given to those that
have none.
"""

import json
import sys

from azure_loads import loaded  # first: it silences what follows
from azure.ai.ml import load_component, load_data, load_environment, load_job

BESIDE = [[], [{"environment": "azureml:thing:1"}],
          [{"environment": "azureml:thing:1"}, {"name": "thing"}]]


def taken(file):
    loads = (load_job, load_component, load_environment, load_data)
    made = (loaded(load, file, params_override=beside) for load in loads for beside in BESIDE)
    return next((type(one).__name__ for one in made if one is not None), None)


print(json.dumps({file: taken(file) for file in sys.argv[1:]}))
