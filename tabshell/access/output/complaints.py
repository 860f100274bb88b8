"""Lines in which a program complains about a file: they are no content, though a path stands in them."""

from __future__ import annotations

import re

_ERROR = re.compile(
    r"^(?:[\w./+-]*(?:bash|sh): (?:line \d+: |-c: )?)?(?:[\w.+-]+|/\S+): .*"
    r"(?:No such file or directory|Permission denied|Is a directory|Not a directory|command not found|"
    r"binary file matches|cannot (?:open|access|stat|remove|create)|does not exist|not found|invalid option)"
    r"|^Binary file .* matches$|^(?:Files|Binary files) .* (?:and|differ)|^Traceback \(most recent call last\)"
)
#: What stands in every line that ``_ERROR`` matches, or at its beginning: asked first, since listings are long.
_COLON, _STARTS = ": ", ("Binary", "Files", "Traceback")


def complains(text: str) -> bool:
    """Whether a line of an output is a program's complaint."""
    return (_COLON in text or text.startswith(_STARTS)) and _ERROR.match(text) is not None
