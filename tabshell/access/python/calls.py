"""Calls in a Python script: which compute with names, list directories, open, write, print or start commands."""

from __future__ import annotations

import ast
import os.path
from dataclasses import replace
from typing import TYPE_CHECKING

from tabshell.access.acts import Roots
from tabshell.access.bash.state import absolute
from tabshell.access.paths.patterns import compiled
from tabshell.access.paths.trees import entries, kinds
from tabshell.access.python.names import (
    CHANGES,
    COPIES,
    NAME_METHODS,
    NAME_ONLY,
    NOTHING,
    OPENERS,
    PATHS,
    READERS,
    SAME,
    STARTERS,
    WRITERS,
    below,
    dotted,
    filled,
    mode,
    quoted,
    sequence_of,
)
from tabshell.access.python.values import HOLE, Member, Texts, path_joined, text, texts, union

if TYPE_CHECKING:
    from collections.abc import Callable

    from tabshell.access.python.scripts import Script
    from tabshell.model.files import FileKind


class Calls:
    """What calls and attributes mean in one script."""

    def __init__(self, script: Script) -> None:
        self.script = script

    def value(self, node: ast.Call) -> Texts | None:
        """The texts that a call may give; its effects are noted."""
        name = dotted(node.func)
        short = name.rsplit(".", 1)[-1]
        if self.is_own(node.func, short):
            return self.own(short, node)
        if name in self.script.classes:
            return self.own(f"{name}.__init__", node)
        args = [self.script.value(arg) for arg in node.args]
        named = {k.arg or "": self.script.value(k.value) for k in node.keywords}
        if isinstance(node.func, ast.Attribute):
            receiver = self.script.value(node.func.value)
            if receiver is not None and not name.startswith(("os.", "glob.", "shutil.", "subprocess.", "re.")):
                return self.method(node.func.attr, receiver, args, node)
        found = self.function(name, short, args, named, node)
        if found is not NOTHING:
            return found
        self.handed(name, short, args, named)
        return None

    def is_own(self, func: ast.expr, short: str) -> bool:
        """Whether a call goes to one of the script's own functions or methods."""
        function = self.script.functions.get(short)
        if function is None or isinstance(func, ast.Name):
            return function is not None
        return [a.arg for a in function.args.args[:1]] in (["self"], ["cls"])

    def function(
        self, name: str, short: str, args: list[Texts | None], named: dict[str, Texts | None], node: ast.Call
    ) -> Texts | None:
        """Functions that are known by name; ``NOTHING`` for others."""
        first = args[0] if args else None
        if name in ("sorted", "natsorted"):
            merged = union(args)
            if merged is None:
                return None
            plain = set(named) == set() and len({m.text for m in merged.members}) == len(merged.members)
            members = tuple(sorted(merged.members, key=lambda m: m.text)) if plain else merged.members
            return replace(merged, members=members, many=True, ordered=plain)
        if name in SAME or name in ("enumerate", "zip", "map", "dict", "itertools.chain"):
            return sequence_of(union(args))
        if name in PATHS:
            if len(args) > 1:
                first = path_joined(args)
            made = "Path" in short
            return (
                Texts(first.members, False, first.exact, made or first.is_path)
                if first is not None
                else text(".")
                if made and not args
                else None
            )
        if name in ("os.path.join", "join", "osp.join"):
            return path_joined(args)
        if short in ("basename", "dirname", "splitext", "expanduser", "split") and name.startswith(("os.", short)):
            return self.parted(short, first)
        if name in OPENERS or short in ("ZipFile", "TarFile"):
            return self.open(args, named, node)
        if short == "open":
            # A module's (``Image.open``), or an archive's, whose members are no files here.
            self.script.opened(first)
            return None
        return self.special(name, short, args, named)

    def special(self, name: str, short: str, args: list[Texts | None], named: dict[str, Texts | None]) -> Texts | None:
        """Directories, commands, copies and the like."""
        script = self.script
        first = args[0] if args else None
        if short in ("glob", "iglob"):
            return self.glob(first or named.get("pathname"), named)
        if name in ("os.listdir", "listdir", "os.scandir", "scandir"):
            return self.listdir(first, full="scandir" in name)
        if name in ("os.getcwd", "Path.cwd", "pathlib.Path.cwd"):
            return Texts((Member(script.cwd),), False, True, "Path" in name)
        if name in ("os.chdir", "chdir"):
            self.change(first)
            return None
        if name in COPIES and len(args) > 1:
            for source, _ in script.paths(first):
                for target, _ in script.paths(args[1]):
                    script.found.copies.append((COPIES[name], source, target))
            return None
        if name in STARTERS:
            self.started(first or named.get("args"))
            return None
        if name in ("print", "pprint", "pprint.pprint", "sys.stdout.write", "click.echo"):
            for arg in args:
                script.printed(arg)
            return None
        if name in ("exec", "eval", "runpy.run_path", "execfile", "input"):
            script.found.exact = False
            script.opened(first)
            return None
        return NOTHING

    def handed(self, name: str, short: str, args: list[Texts | None], named: dict[str, Texts | None]) -> None:
        """A call that nobody knows: existing files among its arguments are opened by it."""
        if short in WRITERS:
            self.script.written(args[0] if args else None, appends=False)
            return
        if name in NAME_ONLY or short in NAME_METHODS:
            return
        reads = short.startswith(("read_", "scan_")) or short in READERS
        for arg in args[:1]:
            self.script.opened(arg, sure=reads)
        for arg in [*args[1:], *named.values()]:
            self.script.opened(arg)

    def method(self, attr: str, receiver: Texts, args: list[Texts | None], node: ast.Call) -> Texts | None:
        """A method of a text or of a path."""
        script = self.script
        if attr in ("read_text", "read_bytes", "open"):
            wanted = mode([None, *args] if attr == "open" else [], {}, node)
            (script.opened(receiver, sure=True) if wanted == "r" else script.written(receiver, appends=wanted == "a"))
            return None
        if attr in ("write_text", "write_bytes"):
            script.written(receiver, appends=False)
            return None
        if attr in ("glob", "rglob", "iterdir"):
            return self.path_glob(attr, receiver, args[0] if args else text("*"))
        if attr == "joinpath":
            result = path_joined([receiver, *args])
            return None if result is None else Texts(result.members, False, result.exact, True)
        return self.text_method(attr, receiver, args, node)

    def text_method(self, attr: str, receiver: Texts, args: list[Texts | None], node: ast.Call) -> Texts | None:
        """A method that makes another text, or a longer sequence."""
        if attr in ("replace", "removesuffix", "removeprefix", "with_suffix", "with_name"):
            return self.replaced(attr, receiver, args)
        if attr in CHANGES:
            return receiver.each(CHANGES[attr], keep=True)
        if attr == "format":
            return receiver.each(lambda template: filled(template, args))
        if attr in ("split", "splitlines"):
            if all(HOLE not in t for t in receiver.strings) and not args:
                return texts([w for t in receiver.strings for w in t.split()])
            return None
        if attr == "join":
            return args[0] if args else None
        if attr in ("items", "keys", "values", "copy"):
            return receiver
        if attr in ("append", "extend", "add", "update", "insert") and isinstance(node.func, ast.Attribute):
            grown = union([receiver, *args])
            self.script.bind(node.func.value, None if grown is None else grown.all(), None)
            return None
        return None

    @staticmethod
    def replaced(attr: str, receiver: Texts, args: list[Texts | None]) -> Texts | None:
        """``replace``, ``with_suffix`` and the like with known words."""
        words = [a.strings[0] if a is not None and len(a.members) == 1 else None for a in args]
        if not words or None in words:
            return None
        first = words[0] or ""
        if attr == "replace" and len(words) > 1:
            by = words[1] or ""
            return receiver.each(lambda t: t.replace(first, by))
        if attr == "removesuffix":
            return receiver.each(lambda t: t.removesuffix(first), keep=True)
        if attr == "removeprefix":
            return receiver.each(lambda t: t.removeprefix(first), keep=True)
        if attr == "with_suffix":
            return receiver.each(lambda t: os.path.splitext(t)[0] + first)
        if attr == "with_name":
            return receiver.each(lambda t: os.path.join(os.path.dirname(t), first))
        return None

    def attribute(self, node: ast.Attribute) -> Texts | None:
        """``p.name``, ``p.parent``, ``sys.argv``."""
        name = dotted(node)
        if name == "sys.argv":
            return sequence_of(union(self.script.argv))
        kept = self.script.names.get(name)
        if kept is not None:
            return kept
        value = self.script.value(node.value)
        if value is None:
            return None
        if node.attr == "name":
            return value.each(os.path.basename, keep=True)
        if node.attr == "stem":
            return value.each(lambda t: os.path.splitext(os.path.basename(t))[0], keep=True)
        if node.attr == "suffix":
            return value.each(lambda t: os.path.splitext(t)[1])
        if node.attr == "parent":
            return value.each(lambda t: os.path.dirname(t) or ".")
        if node.attr == "path":
            return value
        return None

    @staticmethod
    def parted(short: str, value: Texts | None) -> Texts | None:
        """``os.path.basename`` and its neighbours; the path stays behind the name."""
        if value is None:
            return None
        change: dict[str, Callable[[str], str]] = {
            "basename": os.path.basename, "dirname": os.path.dirname, "expanduser": str,
            "splitext": lambda t: os.path.splitext(t)[0], "split": os.path.basename,
        }  # fmt: skip
        changed = value.each(change[short], keep=short != "dirname")
        return changed.all() if short in ("splitext", "split") else changed

    # -- files -----------------------------------------------------------------------------------------------

    def open(self, args: list[Texts | None], named: dict[str, Texts | None], node: ast.Call) -> Texts | None:
        """``open`` and ``Path.open``: read or written, by the mode."""
        target = args[0] if args else named.get("file")
        wanted = mode(args, named, node)
        if wanted == "r":
            self.script.opened(target, sure=True)
        else:
            self.script.written(target, appends=wanted == "a")
        return None

    def glob(self, pattern: Texts | None, named: dict[str, Texts | None]) -> Texts | None:
        """``glob.glob``."""
        if pattern is None:
            self.script.found.exact = False
            return None
        base = named.get("root_dir")
        out: list[str] = []
        for name in pattern.strings[:20]:
            full = os.path.join(base.strings[0], name) if base is not None and base.members else name
            full = full.replace(HOLE, "*")
            out += self.script.globbed(full, recursive="recursive" in named)
        return self.script.listing(out)

    def path_glob(self, attr: str, receiver: Texts, pattern: Texts | None) -> Texts | None:
        """``Path.glob``, ``rglob`` and ``iterdir``."""
        out: list[str] = []
        script = self.script
        globs = pattern.strings if pattern is not None else ["*"]
        for top in receiver.strings[:50]:
            if attr == "iterdir":
                out += [below(top, n) for n in script.call.files.names(absolute(script.cwd, top))]
            elif attr == "glob" and not any("**" in g for g in globs):
                out += [p for g in globs for p in script.globbed(below(top, g.replace(HOLE, "*")))]
            else:
                out += self.deep(top, globs)
        return script.listing(out, is_path=True)

    def deep(self, top: str, globs: list[str]) -> list[str]:
        """All files below ``top`` whose names match the last segment of a glob."""
        script = self.script
        matches = [compiled(os.path.basename(g).replace(HOLE, "*") or "*").match for g in globs]
        found: list[str] = []

        def visit(relative: str, name: str, kind: FileKind | None, _depth: int) -> bool:
            if any(match(name) for match in matches) and (kind != "dir" or len(found) < 500):
                found.append(below(top, relative))
            return True

        path = absolute(script.cwd, top)
        if not entries(script.call.files, path, script.call.shell.fuel, visit):
            script.found.exact = False
            script.found.roots.append(Roots((path,), tuple(os.path.basename(g) or "*" for g in globs)))
        return found

    def listdir(self, value: Texts | None, *, full: bool) -> Texts:
        """``os.listdir`` and ``os.scandir``; each name keeps its path."""
        out: list[Member] = []
        script = self.script
        for top in (value.strings if value is not None else ["."])[:50]:
            for name in kinds(script.call.files, absolute(script.cwd, top)):
                script.call.shell.fuel.burn(1)
                out.append(Member(below(top, name) if full else name, below(top, name)))
        return Texts(tuple(out[:2000]), True, value is None or value.exact)

    def walk_loop(self, target: ast.expr, iterable: ast.expr) -> bool:
        """``for root, dirs, files in os.walk(top)``: names of files keep their paths by way of ``root``."""
        script = self.script
        if not isinstance(iterable, ast.Call) or dotted(iterable.func) not in ("os.walk", "walk"):
            return False
        value = script.value(iterable.args[0]) if iterable.args else None
        tops = value.strings[:10] if value is not None else ["."]
        names: list[Member] = []
        folders: list[str] = []
        for top in tops:
            paths = self.deep(top, ["*"])
            names += [Member(os.path.basename(p), p) for p in paths]
            folders += [top, *dict.fromkeys(os.path.dirname(p) for p in paths)]
        if isinstance(target, ast.Tuple) and len(target.elts) == 3:
            script.bind(target.elts[0], Texts(tuple(Member(f) for f in dict.fromkeys(folders)), exact=True), None)
            script.bind(target.elts[1], None, None)
            script.bind(target.elts[2], Texts(tuple(names[:2000]), True), None)
        return True

    def change(self, value: Texts | None) -> None:
        """``os.chdir``."""
        if value is not None and len(value.members) == 1 and HOLE not in value.strings[0]:
            self.script.cwd = absolute(self.script.cwd, value.strings[0])
        else:
            self.script.found.exact = False

    def started(self, command: Texts | None) -> None:
        """A command line, or a list of words, that is run."""
        script = self.script
        if command is None or any(HOLE in t for t in command.strings):
            script.found.exact = False
        if command is None:
            return
        if command.many:
            script.found.shell.append(" ".join(quoted(t) for t in command.strings))
        else:
            script.found.shell += command.strings[:20]

    def own(self, name: str, node: ast.Call) -> Texts | None:
        """One of the script's own functions: its body with these arguments."""
        script = self.script
        function = script.functions[name]
        if isinstance(node.func, ast.Attribute):
            script.value(node.func.value)
        args = [script.value(arg) for arg in node.args]
        named = {k.arg: script.value(k.value) for k in node.keywords if k.arg}
        for value in [*args, *named.values()]:
            if script.depth > 50:
                script.opened(value)
        if (name in script.called and script.steps > 2000) or script.depth > 50:
            return None
        script.called.add(name)
        outer, returned = dict(script.names), script.returned
        script.returned = []
        script.depth += 8
        parameters = [a.arg for a in function.args.posonlyargs + function.args.args]
        if parameters[:1] in (["self"], ["cls"]):
            parameters = parameters[1:]
        for parameter in parameters:
            script.names[parameter] = None
        for parameter, default in zip(reversed(parameters), reversed(function.args.defaults), strict=False):
            script.names[parameter] = script.value(default)
        script.names.update(zip(parameters, args, strict=False))
        script.names.update(named)
        script.block(function.body)
        result = union(script.returned)
        script.names = {**outer, **{k: v for k, v in script.names.items() if k.startswith("self.")}}
        script.returned = returned
        script.depth -= 8
        return result
