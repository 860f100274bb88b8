"""BM25 with an inverse document frequency that stays positive on small logs."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from tabshell.tab.rank import Corpus, Document, looked_for, path_documents
from tabshell.text.terms import query


def places(texts, asked):
    found = query(asked)
    documents = path_documents(texts, looked_for([found]))
    return [ranked.place for ranked in Corpus(documents).rank(found)]


def test_the_only_document_that_matches_scores_above_zero():
    asked = query("revenue")
    (found,) = Corpus([Document({"revenue": 1}, 1)]).rank(asked)
    assert found.score > 0
    assert math.isclose(found.score, math.log(1 + 0.5 / 1.5))


def test_an_empty_corpus_has_no_ranking():
    assert Corpus([]).rank(query("revenue")) == []


def test_documents_without_any_term_do_no_harm():
    assert places(["", "revenue"], "revenue") == [1]
    assert places(["", ""], "revenue") == []


def test_only_documents_with_a_shared_term_are_ranked():
    assert places(["revenue 2024", "menu", "staff"], "revenue") == [0]
    assert places(["revenue"], "of the and") == []


def test_a_term_in_every_document_still_ranks_them():
    assert places(["report a", "report b", "report revenue"], "revenue report") == [2, 0, 1]


def test_the_rarer_term_weighs_more():
    assert places(["report one", "report two", "headcount three"], "report headcount")[0] == 2


def test_ties_keep_the_given_order():
    assert places(["sales b", "sales d", "sales c"], "sales") == [0, 1, 2]


def test_an_extension_ranks_only_where_it_is_named():
    assert places(["a.csv", "b.txt"], "csv exports") == [0]
    assert places(["a.csv", "b.txt"], "exports") == []


def test_a_shorter_document_with_the_same_hits_comes_first():
    assert places(["sales of the whole wide northern region", "sales"], "sales") == [1, 0]


WORDS = st.lists(st.sampled_from(["sales", "north", "report", "staff", "2024"]), max_size=5).map(" ".join)


@given(st.lists(WORDS, max_size=8), WORDS)
def test_ranked_are_exactly_those_that_share_a_term_best_first(texts, asked):
    found = query(asked)
    ranked = Corpus(path_documents(texts, looked_for([found]))).rank(found)
    sharing = {at for at, text in enumerate(texts) if set(text.split()) & set(asked.split())}
    assert {each.place for each in ranked} == sharing
    assert all(each.score > 0 for each in ranked)
    order = [(-each.score, each.place) for each in ranked]
    assert order == sorted(order)


PARTS = st.sampled_from(
    [
        "sales",
        "Sales2024",
        "q3",
        "Q3Report",
        "2024",
        "1,234",
        "12,345",
        "01,128",
        "007",
        "x1",
        "mp3",
        "stores",
        "büro",
        "２０",
    ]
)
PATHS = st.lists(st.lists(PARTS, min_size=1, max_size=4).map("-".join), min_size=1, max_size=3).map("/".join)


@given(st.lists(st.tuples(PATHS, st.sampled_from(["", ".csv", ".mp3", ".MP3", ".7z"])), max_size=30), st.data())
def test_paths_that_are_looked_at_together_count_as_each_alone(parts, data):
    paths = [path + extension for path, extension in parts]
    asked = query(" ".join(data.draw(st.lists(PARTS, max_size=4))) + data.draw(st.sampled_from(["", " *.mp3 csv 7z"])))
    wanted = looked_for([asked])
    assert path_documents(paths, wanted) == [path_documents([path], wanted)[0] for path in paths]


def test_equal_documents_are_scored_once_and_count_each():
    paths = [f"sales_{number}.txt" for number in range(1000)] + ["north.txt", "sales_north.txt"]
    asked = query("sales of the north")
    documents = path_documents(paths, looked_for([asked]))
    corpus = Corpus(documents)
    assert len(corpus.different) == 3
    apart = Corpus([Document(dict(each.counts), each.length) for each in documents])
    assert len(apart.different) == 1002
    assert corpus.rank(asked) == apart.rank(asked)
    assert corpus.best(asked, 3) == [each.place for each in apart.rank(asked)][:3]
