"""The kept seeds, and inputs near them, break no law; ``run.py`` gives the same targets millions."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

HERE = Path(__file__).parent
NAMES = sorted(folder.name for folder in (HERE / "seeds").iterdir())


def loaded(name: str):
    """A module that lies beside this one."""
    spec = importlib.util.spec_from_file_location(f"tabshell_fuzz_{name}", HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sys.path.insert(0, str(HERE))  # as run.py has it: the targets have a module of their own beside them
targets, run = loaded("targets"), loaded("run")


def seeds(name: str) -> list[Path]:
    return sorted((HERE / "seeds" / name).iterdir())


def test_every_target_has_seeds():
    assert set(NAMES) == set(targets.TARGETS)


@pytest.mark.parametrize(
    "seed", [pytest.param(path, id=f"{name}-{path.name}") for name in NAMES for path in seeds(name)]
)
def test_a_kept_seed_breaks_no_law(seed):
    targets.timed(seed.parent.name)(seed.read_bytes())


@pytest.mark.parametrize("name", NAMES)
def test_what_lies_near_the_seeds_breaks_no_law(name):
    kept = [path.read_bytes() for path in seeds(name)]
    target = targets.TARGETS[name]

    @settings(max_examples=40, suppress_health_check=list(HealthCheck))
    @given(st.sampled_from(kept), st.randoms(use_true_random=False))
    def hold(seed, dice):
        target(run.near(seed, kept, dice))

    hold()
