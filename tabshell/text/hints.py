"""Whether a command could carry an agent's wrapper at all: a look that costs nothing, before ``text.unwrap``.

The shim asks for every command and must not import regular expressions to learn that there is nothing to do.
Each rule of ``text.unwrap`` needs one of these words in the text; a test holds the two together.
"""

from __future__ import annotations

#: One word at least of every wrapper and every book-keeping text that ``text.unwrap`` knows.
HINTS = (
    "pwd -P >|",
    "SNAPSHOT_FILE=",
    "__CODEX_SNAPSHOT",
    "/shell_snapshots/",
    "# Snapshot file",
    "_bgpids_file=",
    "pgrep -g 0",
    "__copilot_login_env_snapshot_",
    "EXITCODESTART",
    "UNIQUESTRING",
    "SOUNIQUEEOF",
    "SHELLPS1PREFIX",
    "###PS1JSON###",
    "<<exit>>",
    "tmux wait -S",
)


def may_be_wrapped(text: str) -> bool:
    """False where ``unwrap`` would give the text back as it is."""
    return any(hint in text for hint in HINTS)
