"""IPython.display, where IPython is not installed: what a page would show is printed."""

from dataclasses import dataclass
from typing import Any

from .checked import note


@dataclass
class Page:
    """Of the notebook that is carried out, what get_ipython() gives."""

    shell: Any = None


page = Page()  # of this process


class Shown:
    """HTML(...), Image(...) and the like: only a page can show them."""

    def __init__(self, *_: Any, **__: Any) -> None:
        note(f"{type(self).__name__}(...) has no effect here: only a page can show it")


class HTML(Shown):
    """A text of a page."""


class Image(Shown):
    """A picture."""


class Markdown(Shown):
    """A text with headings."""


class SVG(Shown):
    """A drawing."""


class IFrame(Shown):
    """Another page."""


def display(*things: Any, **_: Any) -> None:
    """Each on a line of its own."""
    for one in things:
        if not isinstance(one, Shown):
            print(one if isinstance(one, str) else repr(one))


def clear_output(wait: bool = False) -> None:
    """What has been printed stays."""
    del wait


def get_ipython() -> Any:
    """None in a program that is no notebook."""
    return page.shell
