"""Where a job is to run, beside what it says itself: the words of `muster submit` in Python's."""

from typing import List, Optional, Sequence, Union

from .checked import Checked
from .command_line import command_line
from .spelling import Spelling


def target_name(target: object) -> str:
    """A target of muster.yml: its name, or anything that has one."""
    return str(getattr(target, "name", target))


class Where(Checked):
    """hosts as after -H; environment=False and gpus=False: run without those of the job."""

    IN_SDK = "submit"

    def __init__(self, environment: bool = True, gpus: bool = True,
                 fake_nodes: Optional[int] = None,
                 hosts: Union[str, Sequence[str], None] = None,
                 hostfile: Optional[str] = None, _call: str = "submit") -> None:
        self.environment = environment
        self.gpus = gpus
        self.fake_nodes = fake_nodes
        self.hosts = hosts
        self.hostfile = hostfile
        self._call = _call

    @property
    def spelling(self) -> Spelling:
        """Of hints."""
        return Spelling(call=self._call)

    def words(self, target: object = None) -> List[str]:
        """Options of muster submit; a target is a default, which all others replace."""
        words = [] if self.environment else ["--without", "environment"]
        words += [] if self.gpus else ["--without", "gpus"]
        place = self._place() or command_line.place
        if not place and target is not None:
            place = ["--target", target_name(target)]
        return (words + command_line.without + command_line.reach + command_line.variables
                + command_line.names + place)

    def _place(self) -> List[str]:
        words = []
        if self.fake_nodes is not None:
            words += ["--fake-nodes", str(self.fake_nodes)]
        if self.hosts is not None:
            hosts = self.hosts if isinstance(self.hosts, str) else ",".join(self.hosts)
            words += ["-H", hosts]
        if self.hostfile is not None:
            words += ["--hostfile", self.hostfile]
        return words
