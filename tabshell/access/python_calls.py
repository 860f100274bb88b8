"""Calls in a Python script: which compute with names, list directories, open, write, print or start commands."""

from __future__ import annotations

import ast
import os.path
from dataclasses import replace
from typing import TYPE_CHECKING

from tabshell.access.acts import Roots
from tabshell.access.patterns import compiled
from tabshell.access.python_values import HOLE, Member, Texts, path_joined, text, texts, union
from tabshell.access.state import absolute
from tabshell.access.trees import entries, kinds

if TYPE_CHECKING:
    from collections.abc import Callable

    from tabshell.access.python_scripts import Script
    from tabshell.model.files import FileKind

_SAME = {"list", "set", "tuple", "reversed", "iter", "frozenset", "chain", "filter", "tqdm", "deque", "next"}
_PATHS = {"Path", "PurePath", "PosixPath", "pathlib.Path", "pathlib.PurePath", "str", "os.fspath", "os.path.abspath",
          "os.path.normpath", "os.path.realpath", "abspath", "realpath", "fspath"}  # fmt: skip
_NAME_ONLY = {
    "os.path.exists", "os.path.isfile", "os.path.isdir", "os.path.getsize", "os.path.getmtime", "os.stat", "os.path.islink",
    "os.remove", "os.unlink", "os.makedirs", "os.mkdir", "os.path.relpath", "len", "isinstance", "print", "repr", "type",
    "int", "float", "bool", "re.compile", "re.match", "re.search", "re.findall", "re.sub", "re.split", "re.fullmatch",
    "os.access", "os.chmod", "os.environ.get", "os.getenv", "getattr", "hasattr", "sys.exit", "sys.path.append",
    "sys.path.insert", "Exception", "ValueError", "logging.info", "logging.error", "min", "max", "any", "all", "sum",
    "os.rmdir", "shutil.rmtree", "os.utime", "importlib.import_module", "__import__", "time.strftime", "exit", "quit",
    "logging.warning", "logging.debug", "datetime.strptime", "add_argument", "setattr", "warnings.filterwarnings",
}  # fmt: skip
_NAME_METHODS = {
    "startswith", "endswith", "exists", "is_file", "is_dir", "stat", "unlink", "mkdir", "touch", "match", "encode", "find",
    "count", "index", "isdigit", "add_argument", "write", "writelines", "append", "extend", "add", "update", "get", "pop",
    "sub", "search", "findall", "finditer", "fullmatch", "rmdir", "strptime", "strftime", "setdefault", "insert", "remove",
    "compile", "warning", "info", "debug", "error", "sort_values", "groupby", "drop", "rename_axis", "isin", "contains",
}  # fmt: skip
_OPENERS = {
    "open",
    "io.open",
    "codecs.open",
    "gzip.open",
    "bz2.open",
    "lzma.open",
    "os.open",
    "fdopen",
    "aiofiles.open",
}
_WRITERS = {"to_csv", "to_excel", "to_json", "to_parquet", "to_html", "to_markdown", "to_string", "to_pickle", "savefig", "save",
            "to_latex", "to_feather", "to_hdf", "write_csv", "write_parquet", "ExcelWriter", "savetxt", "write_image"}  # fmt: skip
_COPIES = {"shutil.copy": "copy", "shutil.copy2": "copy", "shutil.copyfile": "copy", "shutil.copytree": "copy",
           "shutil.move": "move", "os.rename": "move", "os.replace": "move"}  # fmt: skip
_STARTERS = {"os.system", "os.popen", "subprocess.run", "subprocess.call", "subprocess.check_output", "subprocess.check_call",
             "subprocess.Popen", "subprocess.getoutput", "subprocess.getstatusoutput", "run", "check_output", "Popen"}  # fmt: skip
_CHANGES: dict[str, Callable[[str], str]] = {
    "strip": str.strip, "lower": str.lower, "upper": str.upper, "rstrip": str.rstrip, "lstrip": str.lstrip,
    "expanduser": str, "resolve": str, "absolute": str, "as_posix": str, "title": str.title, "casefold": str.casefold,
}  # fmt: skip


class Calls:
    """What calls and attributes mean in one script."""

    def __init__(self, script: Script) -> None:
        self.script = script

    def value(self, node: ast.Call) -> Texts | None:
        """The texts that a call may give; its effects are noted."""
        name = _dotted(node.func)
        short = name.rsplit(".", 1)[-1]
        if name in self.script.functions or short in self.script.functions:
            return self.own(short, node)
        args = [self.script.value(arg) for arg in node.args]
        named = {k.arg or "": self.script.value(k.value) for k in node.keywords}
        if isinstance(node.func, ast.Attribute):
            receiver = self.script.value(node.func.value)
            if receiver is not None and not name.startswith(("os.", "glob.", "shutil.", "subprocess.", "re.")):
                return self.method(node.func.attr, receiver, args, node)
        found = self.function(name, short, args, named, node)
        if found is not _NOTHING:
            return found
        self.handed(name, short, args, named)
        return None

    def function(
        self, name: str, short: str, args: list[Texts | None], named: dict[str, Texts | None], node: ast.Call
    ) -> Texts | None:
        """Functions that are known by name; ``_NOTHING`` for others."""
        first = args[0] if args else None
        if name in ("sorted", "natsorted"):
            merged = union(args)
            if merged is None:
                return None
            plain = set(named) == set() and len({m.text for m in merged.members}) == len(merged.members)
            members = tuple(sorted(merged.members, key=lambda m: m.text)) if plain else merged.members
            return replace(merged, members=members, many=True, ordered=plain)
        if name in _SAME or name in ("enumerate", "zip", "map", "dict", "itertools.chain"):
            return _all(union(args))
        if name in _PATHS:
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
        if name in _OPENERS or short in ("open", "ZipFile", "TarFile"):
            return self.open(args, named, node)
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
        if name in _COPIES and len(args) > 1:
            for source, _ in script.paths(first):
                for target, _ in script.paths(args[1]):
                    script.found.copies.append((_COPIES[name], source, target))
            return None
        if name in _STARTERS:
            self.started(first or named.get("args"))
            return None
        if name in ("print", "pprint", "pprint.pprint", "sys.stdout.write", "click.echo"):
            script.found.talks = True
            for arg in args:
                script.printed(arg)
            return None
        if name in ("exec", "eval", "runpy.run_path", "execfile", "input"):
            script.found.exact = False
            script.opened(first)
            return None
        return _NOTHING

    def handed(self, name: str, short: str, args: list[Texts | None], named: dict[str, Texts | None]) -> None:
        """A call that nobody knows: existing files among its arguments are opened by it."""
        if short in _WRITERS:
            self.script.written(args[0] if args else None, appends=False)
            return
        if name in _NAME_ONLY or short in _NAME_METHODS:
            return
        reads = short.startswith(("read_", "scan_")) or short in _READERS
        for arg in args[:1]:
            self.script.opened(arg, sure=reads)
        for arg in [*args[1:], *named.values()]:
            self.script.opened(arg)

    def method(self, attr: str, receiver: Texts, args: list[Texts | None], node: ast.Call) -> Texts | None:
        """A method of a text or of a path."""
        script = self.script
        if attr in ("read_text", "read_bytes", "open"):
            mode = _mode([None, *args] if attr == "open" else [], {}, node)
            (script.opened(receiver, sure=True) if mode == "r" else script.written(receiver, appends=mode == "a"))
            return None
        if attr in ("write_text", "write_bytes"):
            script.written(receiver, appends=False)
            return None
        if attr in ("glob", "rglob", "iterdir"):
            return self.path_glob(attr, receiver, args[0] if args else text("*"))
        if attr == "joinpath":
            result = path_joined([receiver, *args])
            return None if result is None else Texts(result.members, False, result.exact, True)
        if attr in ("replace", "removesuffix", "removeprefix", "with_suffix", "with_name"):
            return self.replaced(attr, receiver, args)
        if attr in _CHANGES:
            return receiver.each(_CHANGES[attr], keep=True)
        if attr == "format":
            return receiver.each(lambda template: _filled(template, args))
        if attr in ("split", "splitlines"):
            if all(HOLE not in t for t in receiver.strings) and not args:
                return texts([w for t in receiver.strings for w in t.split()])
            return None
        if attr == "join":
            for arg in args:
                script.printed(None)
                if arg is not None and "\n" in "".join(receiver.strings):
                    return arg
            return None
        if attr in ("items", "keys", "values", "copy"):
            return receiver
        if attr in ("append", "extend", "add", "update", "insert") and isinstance(node.func, ast.Attribute):
            grown = union([receiver, *args])
            script.bind(node.func.value, None if grown is None else grown.all(), None)
            return None
        return None

    @staticmethod
    def replaced(attr: str, receiver: Texts, args: list[Texts | None]) -> Texts | None:
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
        dotted = _dotted(node)
        if dotted == "sys.argv":
            return _all(union(self.script.argv))
        kept = self.script.names.get(dotted)
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
        target = args[0] if args else named.get("file")
        mode = _mode(args, named, node)
        if mode == "r":
            self.script.opened(target, sure=True)
        else:
            self.script.written(target, appends=mode == "a")
        return None

    def glob(self, pattern: Texts | None, named: dict[str, Texts | None]) -> Texts | None:
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
                out += [_below(top, n) for n in script.call.files.names(absolute(script.cwd, top))]
            elif attr == "glob" and not any("**" in g for g in globs):
                out += [p for g in globs for p in script.globbed(_below(top, g.replace(HOLE, "*")))]
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
                found.append(_below(top, relative))
            return True

        path = absolute(script.cwd, top)
        if not entries(script.call.files, path, script.call.shell.fuel, visit):
            script.found.exact = False
            script.found.roots.append(Roots((path,), tuple(os.path.basename(g) or "*" for g in globs)))
        return found

    def listdir(self, value: Texts | None, *, full: bool) -> Texts:
        out: list[Member] = []
        script = self.script
        for top in (value.strings if value is not None else ["."])[:50]:
            for name in kinds(script.call.files, absolute(script.cwd, top)):
                script.call.shell.fuel.burn(1)
                out.append(Member(_below(top, name) if full else name, _below(top, name)))
        return Texts(tuple(out[:2000]), True, value is None or value.exact)

    def walk_loop(self, target: ast.expr, iterable: ast.expr) -> bool:
        """``for root, dirs, files in os.walk(top)``: names of files keep their paths by way of ``root``."""
        script = self.script
        if not isinstance(iterable, ast.Call) or _dotted(iterable.func) not in ("os.walk", "walk"):
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
            script.found.shell.append(" ".join(_quoted(t) for t in command.strings))
        else:
            script.found.shell += command.strings[:20]

    def own(self, name: str, node: ast.Call) -> Texts | None:
        """One of the script's own functions: its body with these arguments."""
        script = self.script
        function = script.functions[name]
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
        if isinstance(node.func, ast.Attribute) and parameters[:1] in (["self"], ["cls"]):
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


_NOTHING = Texts((), exact=False, is_path=True)
_READERS = {
    "load_workbook", "open_workbook", "Document", "Presentation", "PdfReader", "PdfFileReader", "PdfDocument", "connect",
    "ExcelFile", "genfromtxt", "fromfile", "getlines", "CSVKit", "Workbook", "get_text", "extract_text",
    "process", "convert", "from_file", "imread", "memmap", "getline", "is_zipfile",
}  # fmt: skip


def _dotted(node: ast.expr) -> str:
    """``a.b.c``; what is no plain name gives an empty part."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    parts.append(node.id if isinstance(node, ast.Name) else "")
    return ".".join(reversed(parts))


def _mode(args: list[Texts | None], named: dict[str, Texts | None], node: ast.Call) -> str:
    """``r``, ``w`` or ``a``: what an ``open`` is for."""
    value = named.get("mode") or (args[1] if len(args) > 1 else None)
    mode = value.strings[0] if value is not None and value.members else "r"
    keyword = next((k.value for k in node.keywords if k.arg == "mode"), None)
    if isinstance(keyword, ast.Constant) and isinstance(keyword.value, str):
        mode = keyword.value
    if "a" in mode:
        return "a"
    return "w" if any(c in mode for c in "wx+") else "r"


def _filled(template: str, args: list[Texts | None]) -> str:
    """``str.format`` with what is known; other fields become holes."""
    import re  # noqa: PLC0415

    queue = [a.strings[0] if a is not None and len(a.members) == 1 else HOLE for a in args]
    return re.sub(r"\{[^{}]*\}", lambda _: queue.pop(0) if queue else HOLE, template)


def _below(top: str, name: str) -> str:
    return name if top in (".", "") else os.path.join(top, name)


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"


def _all(value: Texts | None) -> Texts | None:
    return None if value is None else value.all()
