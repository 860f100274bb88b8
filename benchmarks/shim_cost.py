"""What the session's bash costs per call, beside plain bash in the same run.

Prints medians in milliseconds: ``bash -c true`` plain, through the shim (raw record written), through the shim with a
status line from the clerk that ``tabshell run`` keeps, and with a status line made in the call itself; then the time
for 200 MB of output as a ratio. The calls take turns, so that a busy machine slows all alike. Exit status 1 where a
bound of the project is missed and the machine was quiet enough to say so.

    python benchmarks/shim_cost.py [ROUNDS]
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tabshell.session import Session, SessionOptions
from tabshell.session.clerk import clerk

#: Milliseconds above plain bash.
BOUND, BOUND_WITH_LINE = 25.0, 60.0
#: A plain bash that takes longer than this many milliseconds says that others use the machine.
QUIET = 1.8


def once(words: list[str], environment: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return (time.perf_counter() - began) * 1000


def sized(words: list[str], environment: dict[str, str]) -> float:
    began = time.perf_counter()
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL) as child:
        while os.read(child.stdout.fileno(), 1 << 20):
            pass
    return time.perf_counter() - began


def measure(rounds: int) -> int:
    home = tempfile.mkdtemp(prefix="tabshell-bench-")
    workspace = Path(home) / "workspace"
    workspace.mkdir()
    environment = {**os.environ, "TABSHELL_HOME": home + "/sidecars", "HOME": home}
    with Session.create(SessionOptions(str(workspace)), environment) as session:
        shim = str(session.directory / "bin" / "bash")
        with_line = {**environment, "TABSHELL_STATUS": "stdout"}
        calls = {
            "plain bash": (["/bin/bash", "-c", "true"], environment),
            "shim": ([shim, "-c", "true"], environment),
            "shim, line from the clerk": ([shim, "-c", "true"], with_line),
        }
        with clerk(session.directory):
            once([shim, "-c", "true"], with_line)
            times: dict[str, list[float]] = {name: [] for name in calls}
            for _ in range(rounds):
                for name, call in calls.items():
                    times[name].append(once(*call))
        times["shim, line made alone"] = [once([shim, "-c", "true"], with_line) for _ in range(max(3, rounds // 8))]
        big = ["-c", "yes 0123456789012345678901234567890123456789 | head -c 200000000"]
        ratio = statistics.median(
            sized([shim, *big], environment) / sized(["/bin/bash", *big], environment) for _ in range(3)
        )
    medians = {name: statistics.median(values) for name, values in times.items()}
    plain = medians["plain bash"]
    for name, value in medians.items():
        print(f"{name:28} {value:7.1f} ms   {value - plain:+7.1f}")
    print(f"200 MB of output: {ratio:.2f} times plain bash")
    quiet = plain <= QUIET
    over = medians["shim"] - plain > BOUND or medians["shim, line from the clerk"] - plain > BOUND_WITH_LINE
    print(
        f"bounds: {BOUND:.0f} ms, {BOUND_WITH_LINE:.0f} ms with a line; "
        + ("kept" if not over else "missed" if quiet else "machine busy")
    )
    return 1 if over and quiet else 0


if __name__ == "__main__":
    sys.exit(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 40))
