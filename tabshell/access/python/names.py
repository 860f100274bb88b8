"""Names that mean something in a Python script, and small readings of its calls."""

from __future__ import annotations

import ast
import os.path
import re
from typing import TYPE_CHECKING

from tabshell.access.python.values import HOLE, Texts

if TYPE_CHECKING:
    from collections.abc import Callable

SAME = {"list", "set", "tuple", "reversed", "iter", "frozenset", "chain", "filter", "tqdm", "deque", "next"}
PATHS = {"Path", "PurePath", "PosixPath", "pathlib.Path", "pathlib.PurePath", "str", "os.fspath", "os.path.abspath",
          "os.path.normpath", "os.path.realpath", "abspath", "realpath", "fspath"}  # fmt: skip
NAME_ONLY = {
    "os.path.exists", "os.path.isfile", "os.path.isdir", "os.path.getsize", "os.path.getmtime", "os.stat",
    "os.path.islink",
    "os.remove", "os.unlink", "os.makedirs", "os.mkdir", "os.path.relpath", "len", "isinstance", "print", "repr",
    "type",
    "int", "float", "bool", "re.compile", "re.match", "re.search", "re.findall", "re.sub", "re.split", "re.fullmatch",
    "os.access", "os.chmod", "os.environ.get", "os.getenv", "getattr", "hasattr", "sys.exit", "sys.path.append",
    "sys.path.insert", "Exception", "ValueError", "logging.info", "logging.error", "min", "max", "any", "all", "sum",
    "os.rmdir", "shutil.rmtree", "os.utime", "importlib.import_module", "__import__", "time.strftime", "exit", "quit",
    "logging.warning", "logging.debug", "datetime.strptime", "add_argument", "setattr", "warnings.filterwarnings",
}  # fmt: skip
NAME_METHODS = {
    "startswith", "endswith", "exists", "is_file", "is_dir", "stat", "unlink", "mkdir", "touch", "match", "encode",
    "find",
    "count", "index", "isdigit", "add_argument", "write", "writelines", "append", "extend", "add", "update", "get",
    "pop",
    "sub", "search", "findall", "finditer", "fullmatch", "rmdir", "strptime", "strftime", "setdefault", "insert",
    "remove",
    "compile", "warning", "info", "debug", "error", "sort_values", "groupby", "drop", "rename_axis", "isin", "contains",
}  # fmt: skip
OPENERS = {
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
WRITERS = {"to_csv", "to_excel", "to_json", "to_parquet", "to_html", "to_markdown", "to_string", "to_pickle",
    "savefig", "save",
            "to_latex", "to_feather", "to_hdf", "write_csv", "write_parquet", "ExcelWriter", "savetxt",
            "write_image"}  # fmt: skip
COPIES = {"shutil.copy": "copy", "shutil.copy2": "copy", "shutil.copyfile": "copy", "shutil.copytree": "copy",
           "shutil.move": "move", "os.rename": "move", "os.replace": "move"}  # fmt: skip
STARTERS = {"os.system", "os.popen", "subprocess.run", "subprocess.call", "subprocess.check_output",
    "subprocess.check_call",
             "subprocess.Popen", "subprocess.getoutput", "subprocess.getstatusoutput", "run", "check_output",
             "Popen"}  # fmt: skip
CHANGES: dict[str, Callable[[str], str]] = {
    "strip": str.strip, "lower": str.lower, "upper": str.upper, "rstrip": str.rstrip, "lstrip": str.lstrip,
    "expanduser": str, "resolve": str, "absolute": str, "as_posix": str, "title": str.title, "casefold": str.casefold,
}  # fmt: skip
NOTHING = Texts((), exact=False, is_path=True)
READERS = {
    "load_workbook", "open_workbook", "Document", "Presentation", "PdfReader", "PdfFileReader", "PdfDocument",
    "connect",
    "ExcelFile", "genfromtxt", "fromfile", "getlines", "CSVKit", "Workbook", "get_text", "extract_text",
    "process", "convert", "from_file", "imread", "memmap", "getline", "is_zipfile",
}  # fmt: skip


def dotted(node: ast.expr) -> str:
    """``a.b.c``; what is no plain name gives an empty part."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    parts.append(node.id if isinstance(node, ast.Name) else "")
    return ".".join(reversed(parts))


def mode(args: list[Texts | None], named: dict[str, Texts | None], node: ast.Call) -> str:
    """``r``, ``w`` or ``a``: what an ``open`` is for."""
    value = named.get("mode") or (args[1] if len(args) > 1 else None)
    mode = value.strings[0] if value is not None and value.members else "r"
    keyword = next((k.value for k in node.keywords if k.arg == "mode"), None)
    if isinstance(keyword, ast.Constant) and isinstance(keyword.value, str):
        mode = keyword.value
    if "a" in mode:
        return "a"
    return "w" if any(c in mode for c in "wx+") else "r"


def filled(template: str, args: list[Texts | None]) -> str:
    """``str.format`` with what is known; other fields become holes."""
    queue = [a.strings[0] if a is not None and len(a.members) == 1 else HOLE for a in args]
    return re.sub(r"\{[^{}]*\}", lambda _: queue.pop(0) if queue else HOLE, template)


def below(top: str, name: str) -> str:
    """``name`` in the directory ``top``."""
    return name if top in (".", "") else os.path.join(top, name)


def quoted(word: str) -> str:
    """A word quoted for the shell."""
    return "'" + word.replace("'", "'\\''") + "'"


def sequence_of(value: Texts | None) -> Texts | None:
    """A sequence of what ``value`` may be."""
    return None if value is None else value.all()
