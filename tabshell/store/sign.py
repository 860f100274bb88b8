"""A head of the hash chain signed with an ssh key, by ``ssh-keygen -Y`` (OpenSSH 8.1 and newer).

What is signed is a statement: the session's id and the chain's head. The signature lies in the session's
directory (``head.sig``), so that it goes where the session goes; the public keys to trust lie beside all sessions
(``signers``, in the form of ``ssh-keygen``'s allowed signers), with a list of what was signed (``signed``), so that
neither a replaced store nor a removed signature passes. Whoever can write all three can forge: keep the head, or
the public key, somewhere else.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from tabshell.errors import SidecarError, UsageError

NAMESPACE = "tabshell-head"
SIGNATURE, SIGNERS, SIGNED = "head.sig", "signers", "signed"
_TIMEOUT_S = 120


def statement(session: str, head: str) -> bytes:
    """The text that is signed."""
    return f"tabshell session {session}\nhead {head}\n".encode()


def sign_head(directory: Path, head: str, key: Path) -> Path:
    """Signs ``head`` of the session in ``directory`` with the private key ``key`` (a public key's file works
    too where an ssh agent holds the private one); gives the signature's path.

    Raises UsageError where ssh-keygen is missing or refuses the key.
    """
    if not key.is_file():
        raise UsageError(f"no key file {key}; make one with: ssh-keygen -t ed25519 -f {key}")
    signed = _ssh_keygen(["-Y", "sign", "-n", NAMESPACE, "-f", str(key)], statement(directory.name, head))
    if signed.returncode != 0 or not signed.stdout.startswith(b"-----BEGIN SSH SIGNATURE-----"):
        raise UsageError(f"ssh-keygen cannot sign with {key}: {_said(signed)}")
    signature = directory / SIGNATURE
    _write(signature, signed.stdout)
    home = _home(directory)
    _add(home / SIGNERS, f'tabshell namespaces="{NAMESPACE}" {_public(key)}')
    _add(home / SIGNED, directory.name)
    return signature


def check_signature(directory: Path, head: str) -> str | None:
    """What is wrong with the signature of the session in ``directory``; None if it holds, or none was made."""
    signature, home = directory / SIGNATURE, _home(directory)
    if not signature.exists():
        if directory.name in _lines(home / SIGNED):
            return f"this session was signed, and its signature {signature} is gone"
        return None
    signers = home / SIGNERS
    if not signers.exists():
        return f"signed, but no key is trusted here; put the signer's into {signers}"
    arguments = ["-Y", "verify", "-n", NAMESPACE, "-f", str(signers), "-I", "tabshell", "-s", str(signature)]
    try:
        verified = _ssh_keygen(arguments, statement(directory.name, head))
    except UsageError as error:
        return str(error)
    if verified.returncode == 0:
        return None
    return f"the signature does not hold for this head ({head}): {_said(verified)}"


def _ssh_keygen(arguments: list[str], stdin: bytes) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            ["ssh-keygen", *arguments], input=stdin, capture_output=True, timeout=_TIMEOUT_S, check=False
        )
    except FileNotFoundError:
        raise UsageError("no ssh-keygen on PATH; install OpenSSH to sign and to check signatures") from None
    except subprocess.TimeoutExpired:
        raise UsageError(f"ssh-keygen did not answer within {_TIMEOUT_S} s") from None


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    return " ".join((done.stderr or done.stdout).decode("utf-8", "replace").split()) or f"status {done.returncode}"


def _public(key: Path) -> str:
    """The public half of a key: type and base64, without the comment."""
    beside = key if key.suffix == ".pub" else key.with_name(key.name + ".pub")
    if beside.exists():
        text = beside.read_text(encoding="utf-8", errors="replace")
    else:
        shown = _ssh_keygen(["-y", "-f", str(key)], b"")
        text = shown.stdout.decode("utf-8", "replace")
    found = re.match(r"\s*(\S+ [A-Za-z0-9+/=]+)", text)
    if found is None:
        raise UsageError(f"{beside} holds no public key")
    return found[1]


def _home(directory: Path) -> Path:
    """Where all sessions lie."""
    return directory.parent.parent


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


def _add(path: Path, line: str) -> None:
    lines = _lines(path)
    if line not in lines:
        _write(path, "\n".join([*lines, line, ""]).encode())


def _write(path: Path, data: bytes) -> None:
    """Writes a file of mode 0600, whole or not at all."""
    made = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        made.touch(mode=0o600)
        made.write_bytes(data)
        made.replace(path)
    except OSError as error:
        raise SidecarError(f"cannot write {path}: {error.strerror}") from error
