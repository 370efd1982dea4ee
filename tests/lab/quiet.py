"""Whether the hosts of a lab run what they ran when all was quiet, no more and no less."""

import collections


class Quiet:
    """What runs on the hosts when it is made; `usual` is what another one has seen."""

    def __init__(self, lab, usual=None):
        self._lab = lab
        self.usual = usual or self._seen(())

    def broken(self, spared=()):
        """What is not as it was, in words; an empty string where all is. Without `spared` pids."""
        told = [f"{name} has ended: {how}" for name, how in self._lab.dead_hosts().items()]
        for name, words in self._seen(spared).items():
            now, before = collections.Counter(words), collections.Counter(self.usual[name])
            told += [f"{name} still runs: {one}" for one in now - before]
            told += [f"{name} no longer runs: {one}" for one in before - now]
        return "; ".join(told)

    def _seen(self, spared):
        return {name: [words for pid, words in self._lab.strangers(name).items()
                       if pid not in spared] for name in ["head", *self._lab.names]}
