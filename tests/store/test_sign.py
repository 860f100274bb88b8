"""A signed head: it holds for the record that was signed and for no other."""

import shutil
import subprocess

import pytest

from tabshell.errors import UsageError
from tabshell.store.sign import SIGNATURE, SIGNERS, check_signature, sign_head

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
HEAD, OTHER = "ab" * 32, "cd" * 32


@pytest.fixture
def directory(tmp_path):
    """The directory of a session, below a home."""
    folder = tmp_path / "home" / "sessions" / "20260102-030405-abcd"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def key(tmp_path):
    """A function that makes a key pair without a passphrase."""

    def make(name):
        path = tmp_path / name
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "a b", "-f", path], check=True)
        return path

    return make


def test_a_signed_head_holds_and_another_head_does_not(directory, key):
    sign_head(directory, HEAD, key("mine"))
    assert check_signature(directory, HEAD) is None
    assert "does not hold for this head" in check_signature(directory, OTHER)


def test_an_unsigned_session_has_nothing_wrong(directory):
    assert check_signature(directory, HEAD) is None


def test_a_signature_of_another_session_does_not_hold(directory, key):
    other = directory.with_name("20260102-030405-ffff")
    other.mkdir()
    mine = key("mine")
    sign_head(other, HEAD, mine)
    sign_head(directory, HEAD, mine)
    shutil.copy(other / SIGNATURE, directory / SIGNATURE)
    assert "does not hold" in check_signature(directory, HEAD)


def test_a_removed_signature_is_told(directory, key):
    sign_head(directory, HEAD, key("mine")).unlink()
    assert "is gone" in check_signature(directory, HEAD)


def test_a_key_that_is_not_trusted_does_not_hold(directory, key):
    sign_head(directory, HEAD, key("theirs"))
    home = directory.parent.parent
    trusted = key("mine").with_name("mine.pub").read_text().split()[:2]
    (home / SIGNERS).write_text("tabshell " + " ".join(trusted) + "\n")
    assert "does not hold" in check_signature(directory, HEAD)
    (home / SIGNERS).unlink()
    assert "no key is trusted here" in check_signature(directory, HEAD)


def test_signing_again_after_more_was_recorded_holds_for_the_new_head(directory, key):
    mine = key("mine")
    sign_head(directory, HEAD, mine)
    sign_head(directory, OTHER, mine)
    assert check_signature(directory, OTHER) is None
    assert len((directory.parent.parent / SIGNERS).read_text().splitlines()) == 1


def test_a_private_key_alone_is_enough(directory, key):
    mine = key("mine")
    mine.with_name("mine.pub").unlink()
    sign_head(directory, HEAD, mine)
    assert check_signature(directory, HEAD) is None


def test_a_file_that_is_no_key_is_refused_and_leaves_nothing(directory, tmp_path):
    bad = tmp_path / "bad"
    bad.write_text("no key")
    bad.chmod(0o600)
    with pytest.raises(UsageError, match="ssh-keygen cannot sign with"):
        sign_head(directory, HEAD, bad)
    with pytest.raises(UsageError, match="no key file"):
        sign_head(directory, HEAD, tmp_path / "none")
    assert list(directory.iterdir()) == []


def test_without_ssh_keygen_it_says_what_to_install(directory, key, monkeypatch):
    mine = key("mine")
    sign_head(directory, HEAD, mine)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UsageError, match="install OpenSSH"):
        sign_head(directory, HEAD, mine)
    assert "install OpenSSH" in check_signature(directory, HEAD)


def test_signature_and_keys_are_for_their_owner_alone(directory, key):
    signature = sign_head(directory, HEAD, key("mine"))
    assert signature.stat().st_mode & 0o077 == 0
    assert (directory.parent.parent / SIGNERS).stat().st_mode & 0o077 == 0
