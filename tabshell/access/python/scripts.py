"""A Python script, read but not run: which files it opens, lists, writes, and whose names it prints.

In: source, ``sys.argv``, and the call with its disk. Out: ``Findings``. Strings are followed through assignments,
loops, comprehensions, f-strings, ``os.path``, ``pathlib``, ``glob``, ``os.walk`` and the script's own functions. Any
existing file that is handed to a call is a file that the script opens, unless the call only computes with its
name. A script that does not parse gives the string literals that name files.
"""

from __future__ import annotations

import ast
import os.path
import re
from contextlib import ExitStack
from typing import TYPE_CHECKING

from tabshell.access.bash.globs import Globber
from tabshell.access.bash.state import absolute
from tabshell.access.paths.patterns import escape, is_pattern
from tabshell.access.python.calls import Calls
from tabshell.access.python.tests import narrowed, sliced
from tabshell.access.python.values import (
    HOLE,
    Findings,
    Member,
    Texts,
    constant,
    joined,
    path_joined,
    percent,
    sequence,
    text,
    texts,
    union,
)

if TYPE_CHECKING:
    from tabshell.access.bash.calls import Call

#: Nodes of one script that are looked at.
MAX_STEPS = 20_000


def examine(source: str, argv: list[Texts | None], call: Call) -> Findings:
    """The findings for ``source``, whose ``sys.argv`` is ``argv``."""
    script = Script(argv, call)
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        script.literals(source)
        return script.found
    try:
        script.run(tree)
    except RecursionError:
        script.found.exact = False
    return script.found


class Script:
    """One script being followed."""

    def __init__(self, argv: list[Texts | None], call: Call) -> None:
        self.call = call
        self.cwd = call.cwd
        self.argv = argv
        self.found = Findings()
        self.names: dict[str, Texts | None] = {}
        self.functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}
        self.classes: set[str] = set()
        self.called: set[str] = set()
        self.depth = 0
        self.steps = 0
        self.returned: list[Texts | None] = []
        self.calls = Calls(self)

    def run(self, tree: ast.Module) -> None:
        """The whole module; then, once, functions and methods that nobody called."""
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                made = [s for s in node.body if isinstance(s, ast.FunctionDef) and s.name == "__init__"]
                self.functions.update((f"{node.name}.__init__", function) for function in made)
                self.classes.update([node.name] if made else [])
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.functions.setdefault(node.name, node)
        self.block(tree.body)
        for name, function in self.functions.items():
            if name not in self.called:
                before = self.found.exact
                self.block(function.body)
                self.found.exact = before

    def literals(self, source: str) -> None:
        """String literals that name existing files, in a text that is no Python of this version."""
        self.found.exact = False
        for match in re.finditer(r"([\"'])((?:\\.|(?!\1)[^\\\n]){1,400})\1", source):
            self.opened(text(match[2]))

    # -- statements ------------------------------------------------------------------------------------------

    def block(self, body: list[ast.stmt]) -> None:
        """Statements in order, within the bound."""
        for statement in body:
            self.steps += 1
            if self.steps > MAX_STEPS or not self.call.shell.fuel.burn(12):
                self.found.exact = False
                return
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:  # noqa: C901, PLR0912 - one branch per kind of statement
        """One statement: what it binds, opens and prints."""
        match node:
            case ast.Assign():
                self.assigned(node)
            case ast.AnnAssign() if node.value is not None:
                self.bind(node.target, self.value(node.value), node.value)
            case ast.AugAssign():
                self.augment(node)
            case ast.For() | ast.AsyncFor():
                self.loop(node.target, node.iter)
                self.block(node.body + node.orelse)
            case ast.If():
                self.branches(node)
            case ast.While():
                self.value(node.test)
                self.block(node.body + node.orelse)
            case ast.With() | ast.AsyncWith():
                self.context(node)
            case ast.Try():
                handlers = [s for handler in node.handlers for s in handler.body]
                self.block(node.body + node.orelse + handlers + node.finalbody)
            case ast.Return():
                self.returned.append(self.value(node.value) if node.value is not None else None)
            case ast.ClassDef():
                self.block([s for s in node.body if not isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef))])
            case ast.Import() | ast.ImportFrom():
                self.imported(node)
            case ast.Match():
                self.value(node.subject)
                self.block([s for branch in node.cases for s in branch.body])
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return
            case _:
                self.inner(node)

    def inner(self, node: ast.stmt | ast.expr) -> None:
        """What stands inside a statement or an expression of no further interest."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)

    def assigned(self, node: ast.Assign) -> None:
        """``name = other = value``."""
        value = self.value(node.value)
        for target in node.targets:
            self.bind(target, value, node.value)

    def branches(self, node: ast.If) -> None:
        """Both branches, the first with what its condition tells of a name."""
        self.value(node.test)
        with narrowed(self.names, node.test):
            self.block(node.body)
        self.block(node.orelse)

    def context(self, node: ast.With | ast.AsyncWith) -> None:
        """``with open(f) as h``."""
        for item in node.items:
            value = self.value(item.context_expr)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value, item.context_expr)
        self.block(node.body)

    def augment(self, node: ast.AugAssign) -> None:
        """``name += value``."""
        value = self.value(node.value)
        if isinstance(node.target, ast.Name):
            before = self.names.get(node.target.id)
            self.names[node.target.id] = joined(before, value) if before is not None else None

    def imported(self, node: ast.Import | ast.ImportFrom) -> None:
        """A module that lies beside the script may do anything."""
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        for name in names:
            base = absolute(self.cwd, name.split(".")[0]) if name else ""
            if base and (self.call.files.info(base + ".py") or self.call.files.info(base + "/__init__.py")):
                self.found.exact = False

    def loop(self, target: ast.expr, iterable: ast.expr) -> None:
        """``for target in iterable``: the target is any of the elements."""
        if self.calls.walk_loop(target, iterable):
            return
        value = self.value(iterable)
        self.bind(target, value.one() if value is not None and value.many else None, None)

    def bind(self, target: ast.expr, value: Texts | None, source: ast.expr | None) -> None:
        """``target = value``; tuples get their elements where both sides are written out."""
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            if isinstance(source, (ast.Tuple, ast.List)) and len(source.elts) == len(target.elts):
                for name, element in zip(target.elts, source.elts, strict=True):
                    self.bind(name, self.value(element), element)
                return
            for name in target.elts:
                self.bind(name, value.one() if value is not None else None, None)
        elif isinstance(target, (ast.Attribute, ast.Subscript)):
            self.names[ast.unparse(target)] = value
        elif isinstance(target, ast.Starred):
            self.bind(target.value, value, None)

    # -- expressions -----------------------------------------------------------------------------------------

    def value(self, node: ast.expr) -> Texts | None:
        """The texts that ``node`` may be; files that it opens on the way are noted."""
        self.steps += 1
        if self.steps > MAX_STEPS or self.depth > 60:
            self.found.exact = False
            return None
        self.depth += 1
        try:
            return self.expression(node)
        finally:
            self.depth -= 1

    def expression(self, node: ast.expr) -> Texts | None:  # noqa: C901, PLR0912 - one branch per kind of expression
        """One expression by its kind."""
        match node:
            case ast.Constant():
                return constant(node)
            case ast.Name():
                return self.names.get(node.id)
            case ast.JoinedStr():
                return self.formatted(node)
            case ast.BinOp():
                return self.binary(node)
            case ast.Call():
                return self.calls.value(node)
            case ast.Attribute():
                return self.calls.attribute(node)
            case ast.Subscript():
                return self.subscript(node)
            case ast.List() | ast.Tuple() | ast.Set():
                return sequence([self.value(element) for element in node.elts])
            case ast.Dict():
                pairs = zip(node.keys, node.values, strict=True)
                found = union([self.value(e) for pair in pairs for e in pair if e is not None])
                return None if found is None else found.all()
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return self.comprehension(node.generators, node.elt)
            case ast.DictComp():
                self.comprehension(node.generators, node.key)
                return self.comprehension(node.generators, node.value)
            case ast.IfExp():
                self.value(node.test)
                return union((self.value(node.body), self.value(node.orelse)))
            case ast.BoolOp():
                return union([self.value(v) for v in node.values])
            case ast.NamedExpr():
                value = self.value(node.value)
                self.bind(node.target, value, node.value)
                return value
            case ast.Starred() | ast.Await():
                return self.value(node.value)
            case _:
                self.inner(node)
                return None

    def formatted(self, node: ast.JoinedStr) -> Texts | None:
        """An f-string; fields that are not known become holes."""
        result: Texts | None = text("")
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                piece = self.value(part.value)
                plain = part.format_spec is None and part.conversion in (-1, 115)
                result = joined(result, piece.one() if piece is not None and plain else None)
            else:
                result = joined(result, self.value(part))
        return result

    def binary(self, node: ast.BinOp) -> Texts | None:
        """``+``, ``/`` of paths, ``%`` of templates."""
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(node.op, ast.Add):
            if left is not None and right is not None and (left.many or right.many):
                return union((left, right))
            return joined(left, right)
        if isinstance(node.op, ast.Div) and (
            (left is not None and left.is_path) or (right is not None and right.is_path)
        ):
            result = path_joined([left, right])
            return None if result is None else Texts(result.members, False, result.exact, True)
        if isinstance(node.op, ast.Mod) and left is not None:
            parts = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
            return percent(left, [self.value(part) for part in parts])
        return None

    def subscript(self, node: ast.Subscript) -> Texts | None:
        """An element or a slice, of ``sys.argv`` too."""
        if isinstance(node.value, ast.Attribute) and node.value.attr == "argv":
            index = node.slice
            if isinstance(index, ast.Constant) and isinstance(index.value, int):
                return self.argv[index.value] if -len(self.argv) <= index.value < len(self.argv) else None
            rest = union(self.argv[1:])
            return Texts((), True) if len(self.argv) < 2 else None if rest is None else rest.all()
        kept = self.names.get(ast.unparse(node))
        if kept is not None:
            return kept
        value = self.value(node.value)
        if not isinstance(node.slice, ast.Slice):
            self.value(node.slice)
        if value is None or not value.many:
            return None
        return sliced(value, node.slice)

    def comprehension(self, generators: list[ast.comprehension], element: ast.expr) -> Texts | None:
        """The elements that a comprehension gives."""
        with ExitStack() as conditions:
            for generator in generators:
                self.loop(generator.target, generator.iter)
                for condition in generator.ifs:
                    self.value(condition)
                    conditions.enter_context(narrowed(self.names, condition))
            value = self.value(element)
        return None if value is None else value.all()

    # -- findings --------------------------------------------------------------------------------------------

    def paths(self, value: Texts | None) -> list[tuple[str, str]]:
        """The absolute paths that a value may mean, holes filled from the disk, each as written."""
        if value is None:
            return []
        out: list[tuple[str, str]] = []
        for member in value.members:
            name = member.text
            if not name or len(name) > 4096 or "\n" in name or "\0" in name:
                continue
            if HOLE in name:
                self.found.exact = False
                out += [(absolute(self.cwd, p), p) for p in self.filled(name)]
            else:
                out.append((absolute(self.cwd, name), name))
        return out

    def filled(self, name: str) -> list[str]:
        """Existing files for a name with unknown parts, if enough of it is known."""
        known = name.replace(HOLE, "")
        if len(known.strip("/.")) < 3:
            return []
        pattern = "".join("*" if c == HOLE else escape(c) for c in name)
        return self.globbed(pattern)[:200]

    def globbed(self, pattern: str, *, recursive: bool = False) -> list[str]:
        """Existing paths for a pattern, as ``glob.glob`` gives them."""
        if not is_pattern(pattern):
            return [pattern] if self.call.files.info(absolute(self.cwd, pattern)) is not None else []
        options = {"globstar"} if recursive else set()
        return Globber(self.call.files, self.cwd, options, self.call.shell.fuel).expand(pattern)

    def exists(self, path: str) -> bool:
        """Whether a path is a regular file."""
        if not self.call.shell.fuel.visit(4):
            return False
        info = self.call.files.info(path)
        return info is not None and info.kind == "file"

    def opened(self, value: Texts | None, *, sure: bool = False) -> None:
        """Files handed to something that may read them. ``sure``: it opens them, even where they are gone now."""
        if value is None:
            self.found.exact = self.found.exact and not sure
            return
        paths = self.paths(value)
        for path, word in paths:
            if self.exists(path) or (sure and len(paths) == 1 and not value.many):
                (self.found.reads if value.exact else self.found.perhaps).setdefault(path, word)

    def printed(self, value: Texts | None) -> None:
        """Paths whose names are printed."""
        for member in value.members if value is not None else ():
            path = absolute(self.cwd, member.path or member.text)
            if member.text and "\n" not in member.text and len(path) < 4096 and HOLE not in path and self.exists(path):
                self.found.prints.setdefault(path, member.text)

    def written(self, value: Texts | None, *, appends: bool) -> None:
        """Files that are written."""
        for path, _ in self.paths(value):
            self.found.writes[path] = appends

    def listing(self, paths: list[str], *, is_path: bool = False, shown: bool = False) -> Texts:
        """Paths found on the disk, as a sequence."""
        result = texts(paths, is_path=is_path)
        if not shown:
            return result
        return Texts(tuple(Member(os.path.basename(m.text), m.text) for m in result.members), True, True)
