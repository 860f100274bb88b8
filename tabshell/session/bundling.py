"""A session in one file for another machine, and the way back: what ``recordings.bundle`` packs, with a store.

Going out, the store is copied consistently while others may write it, and the JSON object and the HTML report are
put beside it. Coming in, a bundle is unpacked below the sidecars once, under its digest, and opened read-only.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import tempfile
from pathlib import Path

from tabshell.errors import SidecarError, StoreDamaged
from tabshell.recordings.bundle import EXPORT, SIGNATURE, STORE, is_bundle, pack, unpack
from tabshell.session import Session

SUFFIX = ".tab"


def bundle(session: Session) -> bytes:
    """The bundle of a session."""
    from tabshell.audit.as_json import dumps  # noqa: PLC0415
    from tabshell.session.whole import export_object  # noqa: PLC0415

    session.catch_up()
    members = {STORE: snapshot(session.store.path), EXPORT: (dumps(export_object(session)) + "\n").encode()}
    signature = session.directory / SIGNATURE
    if signature.exists():
        members[SIGNATURE] = signature.read_bytes()
    return pack(session.started.id, session.store.head()[1], members)


def snapshot(store: Path) -> bytes:
    """The bytes of a store as of now, in one file (its write-ahead log included)."""
    with tempfile.TemporaryDirectory(prefix="tabshell-") as folder:
        copy = Path(folder) / STORE
        try:
            source = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
            with contextlib.closing(source), contextlib.closing(sqlite3.connect(copy)) as target:
                source.backup(target)
                target.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.Error as error:
            raise StoreDamaged(f"{store} cannot be copied: {error}") from error
        return copy.read_bytes()


def is_bundle_file(path: Path) -> bool:
    """Whether a file is a bundle."""
    try:
        with path.open("rb") as stream:
            return is_bundle(stream.read(256))
    except OSError:
        return False


def unpacked(path: Path, sidecars: Path) -> Path:
    """The directory of a bundle's session, unpacked below ``sidecars``; the same bundle gives the same one.

    Raises RecordingError where the bundle is not what its manifest says.
    """
    data = path.read_bytes()
    found = unpack(data)
    # two levels below the sidecars, as sessions are: there the keys of signers are looked for
    directory = sidecars / f"bundle-{hashlib.sha256(data).hexdigest()[:16]}" / (_plain(found.session) or "session")
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, member in found.members.items():
            made = directory / f".{name}.{os.getpid()}"
            made.touch(mode=0o600)
            made.write_bytes(member)
            made.replace(directory / name)
    except OSError as error:
        raise SidecarError(f"cannot unpack {path} below {sidecars}: {error.strerror}") from error
    return directory


def _plain(session: str) -> str:
    """The session's id as one name of a directory."""
    return "".join(character for character in session if character.isalnum() or character in "-_")[:80]
