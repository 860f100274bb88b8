"""Stretches without garbage collection leave the collector as it was."""

from __future__ import annotations

import gc

import pytest

from tabshell.model.collection import no_collection


def test_collection_rests_meanwhile_and_is_back_afterwards_even_after_a_fault() -> None:
    assert gc.isenabled()
    with pytest.raises(ValueError, match="broken"), no_collection():
        assert not gc.isenabled()
        raise ValueError("broken")
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with no_collection():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
