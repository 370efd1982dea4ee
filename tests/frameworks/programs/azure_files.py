"""Which of these files azure-ai-ml's own loaders take, and as what: JSON {file: class or null}.

What muster does not ask for, an environment and the name of a component, is given to those that
have none.
"""

import contextlib
import io
import json
import logging
import sys
import warnings

warnings.filterwarnings("ignore")  # about classes that are experimental
logging.disable(logging.WARNING)

# pylint: disable=wrong-import-position
from azure.ai.ml import load_component, load_data, load_environment, load_job


BESIDE = [[], [{"environment": "azureml:thing:1"}],
          [{"environment": "azureml:thing:1"}, {"name": "thing"}]]


def loaded(file, load, beside):
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            return type(load(file, params_override=beside)).__name__
    except Exception:  # pylint: disable=broad-exception-caught
        return None  # with nearly any kind of exception


def taken(file):
    loads = (load_job, load_component, load_environment, load_data)
    answers = (loaded(file, load, beside) for load in loads for beside in BESIDE)
    return next(filter(None, answers), None)


print(json.dumps({file: taken(file) for file in sys.argv[1:]}))
