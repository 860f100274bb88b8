"""One file that carries a session to another machine: ``NAME.tab``, a zip archive.

Members: ``tab.db`` (the store), ``report.html``, ``session.json`` and ``head.sig`` (a signature) where they were
made, and ``manifest.json`` with the SHA-256 and the size of each and the head of the store's hash chain.
``unpack`` trusts nothing: member names are fixed, sizes bounded, every hash is checked before a file is written.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass

from tabshell.errors import RecordingError

STORE, REPORT, EXPORT, SIGNATURE, MANIFEST = "tab.db", "report.html", "session.json", "head.sig", "manifest.json"
_KNOWN = (STORE, REPORT, EXPORT, SIGNATURE)
FORMAT = "tabshell-bundle/1"
#: The most bytes that one member may unpack to.
LIMIT = 4 << 30


@dataclass(frozen=True, slots=True)
class Bundle:
    """What a bundle holds; ``head`` is where its maker said the chain ends."""

    session: str
    head: str
    members: Mapping[str, bytes]


def pack(session: str, head: str, members: Mapping[str, bytes]) -> bytes:
    """The bundle's bytes; the same members give the same bytes."""
    listed = {name: {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)} for name, data in members.items()}
    manifest = {"format": FORMAT, "session": session, "head": head, "members": listed}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        _put(archive, MANIFEST, json.dumps(manifest, indent=1, sort_keys=True).encode())
        for name, data in members.items():
            _put(archive, name, data)
    return stream.getvalue()


def _put(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o600 << 16
    archive.writestr(info, data)


def is_bundle(data: bytes) -> bool:
    """Whether these first bytes can be a bundle's."""
    return data.startswith(b"PK\x03\x04") and MANIFEST.encode() in data[:200]


def unpack(data: bytes) -> Bundle:
    """What a bundle holds, checked. Raises RecordingError naming the member that is not what it should be."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        manifest = json.loads(_member(archive, MANIFEST, 1 << 20))
    except (zipfile.BadZipFile, ValueError, KeyError) as error:
        raise RecordingError(f"no tabshell bundle: {error}") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise RecordingError(f"no bundle of the format {FORMAT}; was it made by another version?")
    listed = manifest.get("members")
    if not isinstance(listed, dict) or STORE not in listed:
        raise RecordingError(f"the bundle lists no {STORE}")
    members = {name: _checked(archive, name, listed[name]) for name in _KNOWN if name in listed}
    return Bundle(str(manifest.get("session")), str(manifest.get("head")), members)


def _member(archive: zipfile.ZipFile, name: str, limit: int) -> bytes:
    if archive.getinfo(name).file_size > limit:
        raise RecordingError(f"{name} in the bundle is larger than {limit} bytes")
    return archive.read(name)


def _checked(archive: zipfile.ZipFile, name: str, listed: object) -> bytes:
    try:
        data = _member(archive, name, LIMIT)
    except (KeyError, zipfile.BadZipFile, zipfile.LargeZipFile, EOFError) as error:
        raise RecordingError(f"{name} is missing from the bundle or damaged: {error}") from None
    digest = hashlib.sha256(data).hexdigest()
    if not isinstance(listed, dict) or listed.get("sha256") != digest:
        raise RecordingError(f"{name} in the bundle is not what its manifest says (SHA-256 {digest})")
    return data
