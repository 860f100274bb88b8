"""The session's bash against the system's: several hundred calls, compared stream by stream."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

#: Two runs of the same length may differ by this, in seconds, and by so much for each bash in them; the machine
#: is shared.
SAME_CLASS_S = 1.0
FOR_EACH_BASH_S = 0.2


def _cases() -> dict[str, str]:
    text = (Path(__file__).parents[2] / "fixtures" / "shim" / "invocations.txt").read_text(encoding="utf-8")
    sections = re.split(r"^== (.*)\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(sections[0::2], sections[1::2], strict=True))


CASES = _cases()


def test_there_are_at_least_150_calls():
    assert len(CASES) >= 150


def _marked() -> list:
    """Every sixth call is made each time, the others with the slow tests."""
    return [
        pytest.param(name, marks=[] if number % 6 == 0 else [pytest.mark.slow]) for number, name in enumerate(CASES)
    ]


@pytest.mark.parametrize("name", _marked())
def test_looks_like_plain_bash(name, sidecar, run_script, tmp_path):
    """Output, errors, status and time class are those of plain bash."""
    with ThreadPoolExecutor(2) as both:
        plain = both.submit(run_script, CASES[name], tmp_path / "plain", None)
        ours = both.submit(run_script, CASES[name], tmp_path / "shim", sidecar / "bin")
    expected, seen = plain.result(), ours.result()
    assert (seen.out, _without_ids(seen.err), seen.status) == (
        expected.out,
        _without_ids(expected.err),
        expected.status,
    )
    assert abs(seen.seconds - expected.seconds) < SAME_CLASS_S + FOR_EACH_BASH_S * CASES[name].count("bash")


def _without_ids(err: bytes) -> bytes:
    """bash's notes on killed children, without their process ids."""
    return re.sub(rb"(line \d+: +)\d+ ", rb"\1PID ", err)
