"""BM25 with an inverse document frequency that stays positive on small logs."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from tabshell.tab.rank import Corpus, Document, looked_for, path_document
from tabshell.text.terms import query


def places(texts, asked):
    found = query(asked)
    documents = [path_document(text, looked_for([found])) for text in texts]
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
    ranked = Corpus([path_document(text, looked_for([found])) for text in texts]).rank(found)
    sharing = {at for at, text in enumerate(texts) if set(text.split()) & set(asked.split())}
    assert {each.place for each in ranked} == sharing
    assert all(each.score > 0 for each in ranked)
    order = [(-each.score, each.place) for each in ranked]
    assert order == sorted(order)
