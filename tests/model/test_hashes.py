"""Digests without OpenSSL are those with it."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabshell.model.hashes import blake2b, sha256


@given(st.binary(max_size=300))
def test_small_data(data):
    assert sha256(data) == hashlib.sha256(data).digest()
    assert blake2b(data, digest_size=6).digest() == hashlib.blake2b(data, digest_size=6).digest()


@pytest.mark.parametrize("size", [64 * 1024 - 1, 64 * 1024, 64 * 1024 + 1])
def test_long_data(size):
    assert sha256(b"x" * size) == hashlib.sha256(b"x" * size).digest()
