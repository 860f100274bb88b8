"""The plugins that are written into a sidecar or an agent's folder, as package data."""

from __future__ import annotations

import os

#: What stands in a template in the place of the words that call the hook (with an empty list behind it).
PLACE = "/*HOOK*/ []"


def verbatim(name: str) -> str:
    """A plugin's text as it stands."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as source:
        return source.read()


def template(name: str, hook: str) -> str:
    """A plugin's text with the hook's words (as JSON) in their place."""
    return verbatim(name).replace(PLACE, hook)
