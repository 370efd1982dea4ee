"""azure-ai-ml's loaders, without all that they print."""

import contextlib
import io
import logging
import warnings

warnings.filterwarnings("ignore")  # about classes that are experimental
logging.disable(logging.WARNING)


def loaded(load, *words, **more):
    """What a loader makes of a file; None of one that it refuses."""
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            return load(*words, **more)
    except Exception:  # pylint: disable=broad-exception-caught
        return None  # with nearly any kind of exception
