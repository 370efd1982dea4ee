"""Words of a command as a shell reads them."""

import re

_PLAIN = re.compile(r"[\w@%+=:,./-]+")
_VARIABLE = re.compile(r"\$(?=\w|\{\w+\})")


class Expression(str):
    """Text that is replaced when the job starts: ${{inputs.NAME}}."""


def shell_word(value: object) -> str:
    """A word as a shell reads it; $NAME in it is each process's own variable."""
    text = str(value)
    if isinstance(value, Expression):
        return f'"{text}"'
    if _PLAIN.fullmatch(text):
        return text
    quoted = re.sub(r'([\\"`])', r"\\\1", text)
    pieces = _VARIABLE.split(quoted)
    return '"' + "$".join(piece.replace("$", "\\$") for piece in pieces) + '"'
