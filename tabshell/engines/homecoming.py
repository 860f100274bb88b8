"""The sidecar of a session in a sandbox comes home: one file, bounded in size, and what was measured there.

``bring_home`` closes the session in the sandbox and copies its store into a folder that is laid out as a state
directory, so that ``tabshell stats FOLDER``, ``TABSHELL_HOME=FOLDER tabshell sessions`` and ``tabshell audit PATH``
read it. Where the sandbox cannot close it any more (its Python is gone, its processes were killed), the files are
copied as they lie and what was only written raw is stored here; a command that was never finished is a turn without
an exit status. Nothing is fetched that is larger than the limit; what was measured comes home all the same.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import shlex
import shutil
import zlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tabshell.engines.recorded import OWN_S, Recorded
from tabshell.engines.sandbox import Sandbox, SandboxLacks
from tabshell.model.facts import TurnStarted
from tabshell.store.database import DATABASE

#: Bytes of a sidecar that are fetched at most, unless the caller says otherwise. Inspect itself reads 100 MiB.
LIMIT = 64 << 20
#: Up to this size a store comes with the answer to ``close``: one call of the sandbox in the place of three.
INLINE = 2 << 20


@dataclass(frozen=True, slots=True)
class Sidecar:
    """What came home. ``path``: the session's directory on this machine, None where nothing could be fetched;
    ``problem`` then says why (and also where it is not whole). ``stats``: the measures of ``tabshell stats``;
    ``cpu_s``: what the session's clerk used."""

    session: str
    path: str | None
    size: int
    turns: int = 0
    head: str = ""
    stats: dict[str, Any] = field(default_factory=dict)
    problem: str | None = None
    cpu_s: float = 0.0


async def bring_home(
    sandbox: Sandbox, recorded: Recorded, folder: Path, *, exit_code: int | None = 0, limit: int = LIMIT
) -> Sidecar:
    """Closes the session and copies its sidecar below ``folder``; never raises for what the sandbox cannot do."""
    name = recorded.session.rsplit("/", 1)[-1]
    try:
        given = {"exit_code": exit_code, "inline": min(INLINE, limit), "remove": recorded.here}
        answer = await recorded.ask(sandbox, "close", given)
    except (SandboxLacks, OSError, RuntimeError, TimeoutError) as error:
        return await _as_it_lies(sandbox, recorded, folder, limit, str(error) or type(error).__name__)
    came = Sidecar(name, None, answer["bytes"], answer["turns"], answer["head"], answer["stats"], None, answer["cpu_s"])
    if came.size > limit:
        return _without(came, too_large(came.size, limit))
    if "store" in answer:
        data = zlib.decompress(base64.b64decode(answer["store"]))
        return replace(came, path=str(await asyncio.to_thread(_keep, folder, name, {DATABASE: data})))
    try:
        data = await sandbox.read_file(f"{recorded.session}/{answer['file']}", text=False)
    except Exception as error:  # noqa: BLE001 - the engine's own limits and faults, of whatever kind
        return _without(came, f"the sidecar could not be read: {error or type(error).__name__}")
    path = await asyncio.to_thread(_keep, folder, name, {DATABASE: data})
    if recorded.here:
        await sandbox.exec(["rm", "-rf", recorded.session], user=recorded.user, timeout=OWN_S)
    return replace(came, path=str(path))


def too_large(size: int, limit: int) -> str:
    """What is said of a sidecar that is left in the sandbox."""
    return (
        f"the sidecar has {size:,} bytes and at most {limit:,} are fetched, so it was left in the sandbox and only its "
        "measures came home; raise the limit (sidecar_limit=BYTES) to have it whole"
    )


def _without(came: Sidecar, problem: str) -> Sidecar:
    return replace(came, problem=problem)


def _keep(folder: Path, name: str, files: dict[str, bytes]) -> Path:
    """The directory of the session: a name is taken once, for clocks of two sandboxes may agree."""
    sessions = folder / "sessions"
    sessions.mkdir(mode=0o700, parents=True, exist_ok=True)
    digest = hashlib.sha256(b"".join(files.values())).hexdigest()
    directory = sessions / name
    try:
        directory.mkdir(mode=0o700)
    except FileExistsError:
        directory = sessions / f"{name}-{digest[:8]}"
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(mode=0o700)
    for relative, data in files.items():
        path = directory / relative
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.touch(mode=0o600)
        path.write_bytes(data)
    return directory


async def _as_it_lies(sandbox: Sandbox, recorded: Recorded, folder: Path, limit: int, why: str) -> Sidecar:
    """The store, its write-ahead log and the raw records, copied while nobody in the sandbox answers for them."""
    name = recorded.session.rsplit("/", 1)[-1]
    try:
        files = await _listed(sandbox, recorded)
        size = sum(files.values())
        if size > limit:
            return Sidecar(name, None, size, problem=f"{too_large(size, limit)} ({why})")
        if DATABASE not in files:
            return Sidecar(name, None, size, problem=f"no sidecar was found in the sandbox: {why}")
        data = {one: await sandbox.read_file(f"{recorded.session}/{one}", text=False) for one in files}
    except Exception as error:  # noqa: BLE001 - a sandbox that is gone fails in ways of its engine
        return Sidecar(
            name, None, 0, problem=f"the sidecar could not be fetched: {error or type(error).__name__} ({why})"
        )
    path = await asyncio.to_thread(_keep, folder, name, data)
    stats, turns, head = await asyncio.to_thread(_stored, path)
    said = f"the session was not closed in the sandbox; its files were copied as they lay ({why})"
    return Sidecar(name, str(path), size, turns, head, stats, said)


async def _listed(sandbox: Sandbox, recorded: Recorded) -> dict[str, int]:
    """The files that make up the record, with their sizes; by ``sh`` and ``wc`` alone."""
    script = (
        f"cd {shlex.quote(recorded.session)} && for f in {DATABASE} {DATABASE}-wal inbox/*.rec; do "
        'if [ -f "$f" ]; then echo "$(wc -c <"$f") $f"; fi; done'
    )
    ran = await sandbox.exec(["sh", "-c", script], user=recorded.user, timeout=OWN_S)
    found = (line.split(None, 1) for line in ran.stdout.splitlines())
    return {name: int(size) for size, name in found}


def _stored(directory: Path) -> tuple[dict[str, Any], int, str]:
    """Takes in the raw records and measures. They are stored, not classified: the workspace is not here."""
    from dataclasses import asdict  # noqa: PLC0415

    from tabshell.audit.stats_tally import Unmeasured  # noqa: PLC0415
    from tabshell.session import Session  # noqa: PLC0415
    from tabshell.session.fleet import measure  # noqa: PLC0415

    with Session.open(directory) as session:
        session.take_in()
        turns = session.store.last_number(TurnStarted)
        head = session.store.head()[1]
    measured = measure(str(directory))
    measures = {} if isinstance(measured, Unmeasured) else asdict(measured)
    for left in (f"{DATABASE}-wal", f"{DATABASE}-shm"):
        if os.path.exists(directory / left) and not os.path.getsize(directory / left):
            os.unlink(directory / left)
    return measures, turns, head
