"""``kill -9`` in the middle of work: what was finished is readable, numbers are whole, the session goes on.

``python benchmarks/kills.py`` plays two hundred rounds; here one for each victim.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "benchmarks")]

import kills  # noqa: E402 - beside the tests, not in a package


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("victim", kills.VICTIMS)
@pytest.mark.parametrize("seed", [3, 17])
def test_after_a_kill_everything_finished_is_readable_and_the_session_goes_on(victim, seed, monkeypatch):
    for name in ("HOME", "TABSHELL_HOME", "TERM"):
        monkeypatch.setenv(name, "")  # a round sets its own
    assert kills.play(1, seed, [victim]) == {victim: []}
