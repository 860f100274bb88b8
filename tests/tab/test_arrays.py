"""rank-bm25 over plain lists gives the scores that it gives over numpy's arrays."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import numpy
from hypothesis import given
from hypothesis import strategies as st

from tabshell.tab import arrays

TERMS = st.sampled_from(["sales", "north", "report", "staff", "2024", "q3", "café"])
TEXTS = st.lists(st.lists(TERMS, max_size=9), min_size=1, max_size=12).filter(any)


def _with_numpy():
    """The library as it is, whatever is loaded in this process."""
    spec = importlib.util.find_spec("rank_bm25")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.np is numpy
    return module.BM25Okapi


def _with_lists():
    """The same over rows."""
    spec = importlib.util.find_spec("rank_bm25")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.np = arrays._arrays()
    return module.BM25Okapi


@given(TEXTS, st.lists(TERMS, max_size=6), st.data())
def test_scores_are_the_same_to_the_last_bit(texts, asked, data):
    over_arrays, over_lists = _with_numpy()(texts), _with_lists()(texts)
    places = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=12))
    expected = over_arrays.get_batch_scores(asked, places) if places else []
    found = over_lists.get_batch_scores(asked, places) if places else []
    assert [score.hex() for score in found] == [score.hex() for score in expected]
    assert list(over_lists.get_scores(asked)) == over_arrays.get_scores(asked).tolist()


def test_ranking_loads_neither_numpy_nor_processes_and_leaves_both_to_others():
    code = (
        "import sys; from tabshell.tab import rank\n"
        "assert 'numpy' not in sys.modules and 'multiprocessing' not in sys.modules\n"
        "from multiprocessing import cpu_count; import numpy; assert numpy.arange(3).sum() == 3 and cpu_count()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_where_numpy_is_loaded_the_library_takes_it():
    code = "import numpy, rank_bm25; from tabshell.tab import rank; assert rank_bm25.np is numpy"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
