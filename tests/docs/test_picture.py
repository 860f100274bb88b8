"""The picture in the README is what a session shows today. ``UPDATE_DOCS=1 pytest tests/docs`` draws it anew."""

from __future__ import annotations

import importlib.util
import os
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def picture():
    spec = importlib.util.spec_from_file_location("picture", DOCS / "picture.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_the_picture_shows_what_a_session_shows(picture):
    real = picture.picture()
    if os.environ.get("UPDATE_DOCS"):
        picture.PICTURE.write_text(real, encoding="utf-8")
    assert real == picture.PICTURE.read_text(encoding="utf-8")


def test_the_picture_is_an_image_that_loads_nothing(picture):
    root = ET.fromstring(picture.PICTURE.read_text(encoding="utf-8"))
    assert {element.tag.rpartition("}")[2] for element in root.iter()} == {
        "svg",
        "title",
        "style",
        "rect",
        "circle",
        "text",
    }
    assert "http" not in picture.PICTURE.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
    assert "[tab] Finish check" in "".join(root.itertext())


def test_a_line_of_ours_that_is_broken_keeps_its_colour(picture):
    lines = ["$ ls", "[tab] " + "x" * (picture.COLUMNS - 6), "rest", "a file", "$"]
    assert [style for style, _ in picture.styles(lines)] == ["typed", "tab", "tab", "plain", "typed"]


def test_text_of_the_screen_is_escaped(picture):
    assert "&lt;n&gt; &amp;" in picture.drawn(["<n> &"])
