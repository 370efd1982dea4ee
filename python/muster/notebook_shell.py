"""What get_ipython() gives in a notebook: the same commands and magics, as calls."""

from typing import Any, Dict, Optional, Union

from .checked import Checked
from .notebook_lines import Lines
from .notebook_magics import Magics


class Shell(Checked):
    """Others of its methods are about Jupyter's pages."""

    IN_SDK = "get_ipython()"

    def __init__(self, names: Dict[str, Any], magics: Magics) -> None:
        self.user_ns = names
        self.config: Dict[str, Any] = {}  # what tqdm and others ask for IPKernelApp
        self._magics = magics

    def system(self, cmd: str) -> None:
        """!command"""
        self._magics.shell(cmd)

    def getoutput(self, cmd: str, split: bool = True, depth: int = 0) -> Union[Lines, str]:
        """x = !command"""
        del depth
        found = self._magics.output(cmd)
        return found if split else found.n

    def run_line_magic(self, magic_name: str, line: str, _stack_depth: int = 1) -> Any:
        """%name words"""
        del _stack_depth
        return self._magics.line(magic_name, line)

    def magic(self, arg_s: str) -> Any:
        """The same in one text, as long ago."""
        name, _, words = arg_s.strip().lstrip("%").partition(" ")
        return self._magics.line(name, words.strip())

    def run_cell_magic(self, magic_name: str, line: str, cell: Optional[str]) -> Any:
        """%%name words, and what stands below."""
        return self._magics.cell(f"{magic_name} {line}", cell or "")

    def push(self, variables: Dict[str, Any]) -> None:
        """Names of the notebook."""
        self.user_ns.update(variables)

    def ev(self, expr: str) -> Any:
        """The value of an expression."""
        return eval(expr, self.user_ns)  # the notebook's own text

    def ex(self, cmd: str) -> None:
        """Statements."""
        exec(cmd, self.user_ns)
