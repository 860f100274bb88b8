"""Fuzzes one target for a while: ``python tests/fuzz/run.py TARGET [--seconds 600] [--engine atheris|hypothesis]``.

Atheris (``pip install atheris``) is led by coverage; hypothesis changes the kept seeds blindly and finds a smallest
input. A finding is written to ``--findings`` (a directory) and ends the run with status 1. Inputs that atheris found to
reach new code stay in ``--corpus``; those worth keeping are copied by hand to ``seeds/TARGET/``.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent


def with_atheris(options: argparse.Namespace) -> None:
    import atheris  # noqa: PLC0415 - a choice

    with atheris.instrument_imports(include=["tabshell"]):
        import targets  # noqa: PLC0415 - instrumented
    options.corpus.mkdir(parents=True, exist_ok=True)
    options.findings.mkdir(parents=True, exist_ok=True)
    words = [
        sys.argv[0], str(options.corpus), str(HERE / "seeds" / options.target),
        f"-max_total_time={options.seconds}", "-max_len=8192", "-timeout=20", "-rss_limit_mb=3000", "-print_final_stats=1",
        f"-artifact_prefix={options.findings}/{options.target}-",
    ]  # fmt: skip
    atheris.Setup(words, targets.timed(options.target))
    atheris.Fuzz()


def near(seed: bytes, others: list[bytes], dice: random.Random) -> bytes:
    """``seed`` with some bytes changed, cut out, doubled, or put in from another one."""
    data = bytearray(seed)
    for _ in range(dice.randint(1, 6)):
        at = dice.randint(0, len(data))
        size = dice.randint(1, 16)
        how = dice.randint(0, 4)
        if how == 0:
            del data[at : at + size]
        elif how == 1:
            data[at:at] = data[at : at + size]
        elif how == 2:
            data[at : at + size] = dice.randbytes(size)
        elif how == 3:
            other = dice.choice(others)
            start = dice.randint(0, len(other))
            data[at:at] = other[start : start + 4 * size]
        elif data:
            data[at % len(data)] ^= 1 << dice.randint(0, 7)
    return bytes(data)


def with_hypothesis(options: argparse.Namespace) -> None:
    import targets  # noqa: PLC0415
    from hypothesis import HealthCheck, given, settings  # noqa: PLC0415
    from hypothesis import strategies as st  # noqa: PLC0415

    seeds = [path.read_bytes() for path in sorted((HERE / "seeds" / options.target).iterdir())] or [b""]
    target, tried = targets.timed(options.target), 0
    inputs = st.one_of(
        st.binary(max_size=500),
        st.builds(lambda seed, dice: near(seed, seeds, dice), st.sampled_from(seeds), st.randoms(use_true_random=True)),
    )

    @settings(max_examples=2000, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(inputs)
    def hold(data: bytes) -> None:
        nonlocal tried
        tried += 1
        try:
            target(data)
        except BaseException:
            options.findings.mkdir(parents=True, exist_ok=True)
            (options.findings / f"{options.target}-smallest").write_bytes(data)
            raise

    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        hold()
    print(f"{options.target}: {tried} inputs in {options.seconds} s, no finding")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--engine", choices=["atheris", "hypothesis"], default="atheris")
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--findings", type=Path, default=Path("findings"))
    options = parser.parse_args()
    options.corpus = options.corpus or Path("corpus") / options.target
    {"atheris": with_atheris, "hypothesis": with_hypothesis}[options.engine](options)


if __name__ == "__main__":
    main()
