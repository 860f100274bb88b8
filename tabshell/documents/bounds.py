"""What may be unpacked: bounds against archives and XML made to exhaust memory.

In: the bytes of a zip container (docx, xlsx, pptx). Out: nothing, or a ``DocumentError``. The sizes in the
central directory bound what is unpacked, because ``zipfile`` never gives more than a member declares.
"""

from __future__ import annotations

import io
import zipfile

from tabshell.errors import DocumentError

#: Unpacked bytes of a whole office file; the largest honest ones (a million rows) stay below.
MAX_UNPACKED = 512 * 1024 * 1024
#: Members of one container.
MAX_MEMBERS = 20_000
#: A member this large that shrinks more than RATIO times is no document text.
LARGE = 64 * 1024 * 1024
RATIO = 400
#: Bytes of one text, html or csv deliverable.
MAX_TEXT = 64 * 1024 * 1024
#: Where a document type declaration must stand, if there is one (office formats forbid it).
PROLOGUE = 2048


def check_container(data: bytes, name: str) -> zipfile.ZipFile:
    """Opens a zip container whose unpacked size is bounded; names the bound that it breaks."""
    try:
        container = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise DocumentError(
            f"{name}: broken, it is no readable zip container ({error}); open and save it again"
        ) from None
    members = container.infolist()
    total = sum(member.file_size for member in members)
    if len(members) > MAX_MEMBERS or total > MAX_UNPACKED:
        raise DocumentError(
            f"{name}: refused, it unpacks to {total:,} bytes in {len(members):,} members "
            f"(bounds: {MAX_UNPACKED:,} and {MAX_MEMBERS:,})"
        )
    for member in members:
        _check_member(container, member, name)
    return container


def _check_member(container: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> None:
    if member.flag_bits & 1:
        raise DocumentError(f"{name}: encrypted ({member.filename}); save it without a password")
    if member.file_size > LARGE and member.file_size > RATIO * max(1, member.compress_size):
        raise DocumentError(
            f"{name}: refused, {member.filename} swells from {member.compress_size:,} to {member.file_size:,} bytes"
        )
    if member.filename.endswith((".xml", ".rels")):
        try:
            with container.open(member) as stream:
                prologue = stream.read(PROLOGUE)
        except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError) as error:
            raise DocumentError(f"{name}: broken at {member.filename} ({error})") from None
        except Exception as error:  # noqa: BLE001 - zlib.error has no common base with the others
            raise DocumentError(f"{name}: broken at {member.filename} ({error})") from None
        if b"<!DOCTYPE" in prologue or b"<!ENTITY" in prologue:
            raise DocumentError(f"{name}: refused, {member.filename} declares XML entities")
