"""Every utility that is known, by the base name of its program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabshell.access.utilities.archives import ARCHIVES
from tabshell.access.utilities.extractors import EXTRACTORS
from tabshell.access.utilities.gits import GITS
from tabshell.access.utilities.interpreters import INTERPRETERS
from tabshell.access.utilities.listers import LISTERS
from tabshell.access.utilities.readers import READERS
from tabshell.access.utilities.searchers import SEARCHERS
from tabshell.access.utilities.talkers import TALKERS
from tabshell.access.utilities.wrappers import WRAPPERS
from tabshell.access.utilities.writers import WRITERS

if TYPE_CHECKING:
    from tabshell.access.bash.calls import Utility

UTILITIES: dict[str, Utility] = {
    **TALKERS, **READERS, **SEARCHERS, **LISTERS, **EXTRACTORS, **ARCHIVES, **WRITERS, **WRAPPERS, **GITS,
    **INTERPRETERS,
}  # fmt: skip
