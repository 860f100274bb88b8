"""Precision, recall, exact cases and needles held, by tag: the rules of the labelled cases.

A symlink counts as its target for reads; links that are broken, lead outside or to a directory are not scored; paths
in ``either`` are ignored; a ``derived`` file may be called read; read wins over listed.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Links:
    """The symlinks of a workspace: files -> target (None: not scored), directories -> target."""

    files: dict[str, str | None] = field(default_factory=dict)
    folders: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, workspace: Path) -> Links:
        links = cls()
        for folder, names, files in os.walk(workspace):
            for name in names + files:
                path = os.path.join(folder, name)
                if not os.path.islink(path):
                    continue
                key = os.path.relpath(path, workspace)
                target = os.path.relpath(os.path.realpath(path), os.path.realpath(workspace))
                outside = target.startswith("..") or not os.path.exists(path)
                if os.path.isdir(path) and not outside and target != ".":
                    links.folders[key] = target
                else:
                    links.files[key] = None if outside or target == "." else target
        return links

    def canonical(self, path: str, final: bool) -> str:
        path = os.path.normpath(path)
        for link, target in self.folders.items():
            if path.startswith(link + "/"):
                path = target + path[len(link) :]
        return self.files.get(path) or path if final else path

    @property
    def unscored(self) -> set[str]:
        return {key for key, target in self.files.items() if target is None} | set(self.folders)


@dataclass
class Prediction:
    """What was said of one case."""

    read: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    held: dict[str, str] = field(default_factory=dict)


def folded(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


@dataclass
class Score:
    """Sums over cases."""

    n: int = 0
    exact: int = 0
    read: list[int] = field(default_factory=lambda: [0, 0, 0])
    listed: list[int] = field(default_factory=lambda: [0, 0, 0])
    needles: int = 0
    held: int = 0
    mentioned: int = 0

    def add(self, truth: dict, said: Prediction, links: Links) -> dict[str, list[str]]:
        """Counts one case in; gives its errors."""
        should_read, should_list = set(truth["read"]), set(truth["listed"])
        derived = set(truth.get("derived", ()))
        ignored = (
            {links.canonical(p, True) for p in truth.get("either", ())} | set(truth.get("either", ())) | links.unscored
        )
        read = {links.canonical(p, True) for p in said.read} - ignored
        listed = {links.canonical(p, False) for p in said.listed}
        listed = {p for p in listed if p not in read and links.canonical(p, True) not in read} - ignored
        listed -= {
            p for p in listed - should_list if links.canonical(p, True) != p and links.canonical(p, True) in should_read
        }
        should_list -= derived & read
        read -= derived
        listed -= derived - should_list
        errors = {
            "missed read": sorted(should_read - read), "false read": sorted(read - should_read),
            "missed listed": sorted(should_list - listed), "false listed": sorted(listed - should_list),
        }  # fmt: skip
        for sums, should, did in ((self.read, should_read, read), (self.listed, should_list, listed)):
            for n, value in enumerate((len(should & did), len(did - should), len(should - did))):
                sums[n] += value
        self.mentioned += len((listed - should_list) & set(truth.get("mention", ())))
        held = defaultdict(str)
        for path, text in said.held.items():
            held[links.canonical(path, True)] += " " + folded(text)
        lost = []
        for path, needles in truth.get("needles", {}).items():
            for needle in needles:
                self.needles += 1
                if folded(needle) in held[path]:
                    self.held += 1
                else:
                    lost.append(f"{path}: {needle}")
        errors["needle lost"] = lost
        self.n += 1
        self.exact += not any(errors[k] for k in ("missed read", "false read", "missed listed", "false listed"))
        return {k: v for k, v in errors.items() if v}

    @staticmethod
    def _f(sums: list[int]) -> tuple[float, float, float]:
        hit, false, missed = sums
        p = hit / (hit + false) if hit + false else 1.0
        r = hit / (hit + missed) if hit + missed else 1.0
        return p, r, 2 * p * r / (p + r) if p + r else 0.0

    def row(self, name: str) -> str:
        """One line of the table."""
        read, listed = self._f(self.read), self._f(self.listed)
        needles = self.held / self.needles if self.needles else 1.0
        return (
            f"{name[:18]:18} {self.n:4} | {read[0]:.3f} {read[1]:.3f} {read[2]:.3f} {self.read[0] + self.read[2]:5} | "
            f"{listed[0]:.3f} {listed[1]:.3f} {listed[2]:.3f} {self.listed[0] + self.listed[2]:5} | "
            f"{self.exact / max(1, self.n):.3f} {needles:.3f} | {self.mentioned}"
        )


HEAD = f"{'':18} {'n':>4} | read P  R     F     (n)  | list P  R     F     (n)  | exact needles | mention"
