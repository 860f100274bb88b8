"""The files that an agent wrote into the output folder, brought home and read.

Listed by ``find`` and ``wc`` in the sandbox, fetched by the sandbox's own way to read a file, kept beside the
sidecars. Bounded in number and size; what is left out or cannot be read is named.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from inspect_ai.log._samples import sample_active
from inspect_ai.solver import TaskState
from inspect_ai.util import SandboxEnvironment

from tabshell.documents import extract
from tabshell.documents.document import Document
from tabshell.engines.inspect.kept import TabRecord, place_of, sidecar_folder
from tabshell.errors import DocumentError

#: Files that are fetched of one sample at most, and bytes of one file.
FILES, BYTES = 50, 20 << 20
#: Below the workspace where the sample has no session to tell it.
WORKSPACE = "workspace"


@dataclass(slots=True)
class Delivered:
    """The deliverables of a sample; ``documents`` has None where one cannot be read."""

    names: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    documents: list[Document | None] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def readable(self) -> Iterator[tuple[str, Document]]:
        """Names and documents of those that can be read."""
        for name, document in zip(self.names, self.documents, strict=True):
            if document is not None:
                yield name, document


async def fetch_deliverables(state: TaskState, out: str, folder: str | None = None) -> Delivered:
    """What the output folder holds now. A sandbox that is gone gives none, and the problem."""
    kept = TabRecord.of(state.store) or TabRecord()
    found = Delivered()
    workspace = kept.workspace or state.store.get("tabshell_workspace") or WORKSPACE
    try:
        place = place_of(kept.sandbox_name)
        listed = await _list(place, f"{workspace}/{out}", found)
        into = (Path(folder) if folder else sidecar_folder()) / "deliverables" / _label(state)
        for name in listed:
            data = await place.read_file(f"{workspace}/{out}/{name}", text=False)
            _keep(found, into, name, data)
    except Exception as error:  # noqa: BLE001 - an engine's sandbox fails in ways of its own; the attempt has no file then
        found.problems.append(f"the output folder could not be read: {error or type(error).__name__}")
    return found


async def _list(place: SandboxEnvironment, folder: str, found: Delivered) -> list[str]:
    script = (
        f"cd {shlex.quote(folder)} 2>/dev/null || exit 0; find . -type f | LC_ALL=C sort | while IFS= read -r f; do "
        'echo "$(wc -c <"$f") ${f#./}"; done'
    )
    ran = await place.exec(["sh", "-c", script], timeout=60)
    names: list[str] = []
    for line in ran.stdout.splitlines():
        size, _, name = line.strip().partition(" ")
        if len(names) >= FILES:
            found.problems.append(f"more than {FILES} files; {name} and those behind it are left out")
            break
        if not size.isdigit() or int(size) > BYTES:
            found.problems.append(f"{name} has {size} bytes, at most {BYTES:,} are fetched")
            continue
        names.append(name)
    return names


def _keep(found: Delivered, into: Path, name: str, data: bytes) -> None:
    path = into / name
    if into.resolve() not in path.resolve().parents:  # ``find`` gives no such name, a hostile sandbox might
        found.problems.append(f"{name} does not lie in the output folder")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    found.names.append(name)
    found.paths.append(str(path))
    try:
        found.documents.append(extract(data, name))
    except DocumentError as error:
        found.documents.append(None)
        found.problems.append(str(error))


def _label(state: TaskState) -> str:
    """A folder's name for a sample: its id, its epoch, its model."""
    active = sample_active()
    variant = state.metadata.get("variant", "")
    unique = active.sample_uuid[:8] if active is not None and hasattr(active, "sample_uuid") else ""
    words = [str(state.sample_id), str(state.epoch), str(variant), unique]
    return re.sub(r"[^\w.-]+", "_", "-".join(word for word in words if word))
