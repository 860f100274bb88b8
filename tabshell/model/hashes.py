"""Digests of small data, without loading OpenSSL for it.

``hashlib`` loads OpenSSL's library, which takes four milliseconds of every call of ``tab``, to hash a few hundred
bytes. The same functions stand in C modules of Python's own; for long data OpenSSL is several times faster, so they
go there.
"""

from __future__ import annotations

from tabshell.model.light import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import blake2b
    from hashlib import sha256 as _small_sha256
else:
    try:
        from _blake2 import blake2b

        try:
            from _sha2 import sha256 as _small_sha256  # Python 3.12 and later
        except ImportError:
            from _sha256 import sha256 as _small_sha256
    except ImportError:  # a Python that was built without them
        from hashlib import blake2b
        from hashlib import sha256 as _small_sha256

__all__ = ["blake2b", "sha256"]

#: Bytes from which on OpenSSL is worth its loading.
_LONG = 64 * 1024


def sha256(data: bytes) -> bytes:
    """SHA-256 of ``data``, 32 bytes."""
    if len(data) < _LONG:
        return _small_sha256(data).digest()
    import hashlib  # noqa: PLC0415 - the point of this module

    return hashlib.sha256(data).digest()
