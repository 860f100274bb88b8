"""Stretches without garbage collection leave the collector as it was."""

from __future__ import annotations

import gc

import pytest

from tabshell.model.collection import no_collection


@no_collection()
def fail(seen: list[bool]) -> None:
    seen.append(gc.isenabled())
    raise ValueError("broken")


def test_collection_rests_meanwhile_and_is_back_afterwards_even_after_a_fault() -> None:
    assert gc.isenabled()
    seen: list[bool] = []
    with pytest.raises(ValueError, match="broken"):
        fail(seen)
    assert seen == [False]
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with no_collection():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
