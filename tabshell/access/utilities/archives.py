"""Archives and compressed files: tar, bsdtar, unzip, zip, gzip, 7z: shown, listed, unpacked or packed."""

from __future__ import annotations

import os.path
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tabshell.access.bash.calls import Call, Utility, gather
from tabshell.access.bash.options import Parsed, parse
from tabshell.access.bash.streams import Stream

if TYPE_CHECKING:
    from tabshell.access.bash.expand import Field

_TAR_LONG = {
    "file",
    "directory",
    "exclude",
    "files-from",
    "transform",
    "wildcards-match-slash",
    "strip-components",
    "one-top-level",
}


def _tar(call: Call) -> Stream:
    args = call.args
    if (args and re.fullmatch(r"[A-Za-z]+", args[0].text) and call.name != "bsdtar") or (
        args and re.fullmatch(r"[ctxru][A-Za-z]*", args[0].text)
    ):
        args = _dashed(args)
    parsed = parse(args, "fCTXbIKLNVHgs", _TAR_LONG)
    archives = [a for a in parsed.values("f", "file") if a.text != "-"]
    creates = parsed.has("c", "create", "r", "append", "u", "update")
    if creates:
        if archives:
            call.write(archives[-1:], [call.path(o.text) for o in parsed.operands if o.known])
            call.stdin.hide()
            return _named(call, parsed.operands) if parsed.has("v", "verbose") else Stream()
        return gather(call, parsed.operands, "read", "altered", in_archive=True)
    if parsed.has("t", "list"):
        return gather(call, archives, "list", "verbatim", in_archive=True)
    if parsed.has("O", "to-stdout"):
        return gather(call, archives, "read", "verbatim", in_archive=True)
    return _unpacked(call, archives, parsed.values("C", "directory"), verbose=parsed.has("v", "verbose"))


def _dashed(args: list[Field]) -> list[Field]:
    """tar's old style: ``tar xzf a.tgz`` with values after the bundle, in the order of their letters."""
    out: list[Field] = []
    rest = args[1:]
    for letter in args[0].text:
        out.append(replace(args[0], text="-" + letter))
        if letter in "fCTXbIKLNVHgs" and rest:
            out.append(rest.pop(0))
    return out + rest


def _unpacked(call: Call, archives: list[Field], directory: list[Field], *, verbose: bool) -> Stream:
    """Files come out below a directory; which ones is for the disk to say."""
    stream = gather(call, archives, "list", "nothing", in_archive=True)
    target = call.path(directory[-1].text) if directory else call.cwd
    draft = call.write([], [p for d in stream.drafts for p in d.paths], verb="copy", in_archive=True)
    draft.targets, draft.words, draft.exact = [target], [directory[-1].text if directory else "."], False
    if verbose:
        for listed in stream.drafts:
            listed.passage = "verbatim"
        return Stream(stream.drafts, literal=True)
    return Stream()


def _unzip(call: Call) -> Stream:
    parsed = parse(call.args, "dxP", strict=False)
    archive = parsed.operands[:1]
    call.stdin.hide()
    if parsed.has("p", "c"):
        return Stream([call.act("read", archive, "verbatim", in_archive=True)])
    if parsed.has("l", "Z", "v", "t", "z", "1"):
        return Stream([call.act("list", archive, in_archive=True)])
    return _unpacked(call, archive, parsed.values("d"), verbose=not parsed.has("q"))


def _zip(call: Call) -> Stream:
    parsed = parse(call.args, "xinbtPO")
    call.stdin.hide()
    if parsed.operands:
        sources = [call.path(o.text) for o in parsed.operands[1:] if o.known]
        call.write([_with_suffix(parsed.operands[0])], sources)
    return _named(call, parsed.operands[1:]) if not parsed.has("q") else Stream()


def _named(call: Call, operands: list[Field]) -> Stream:
    """The names of what is packed."""
    return Stream([call.act("list", operands, roots=call.trees(operands))])


def _with_suffix(archive: Field) -> Field:
    return archive if "." in os.path.basename(archive.text) else replace(archive, text=archive.text + ".zip")


_SUFFIXES = {
    "gzip": ".gz",
    "bzip2": ".bz2",
    "xz": ".xz",
    "zstd": ".zst",
    "lz4": ".lz4",
    "compress": ".Z",
    "lzma": ".lzma",
    "brotli": ".br",
}


def _compressor(name: str, *, unpacks: bool) -> Utility:
    suffix = _SUFFIXES[name]

    def run(call: Call) -> Stream:
        parsed = parse(call.args, "SoTb", {"suffix", "threads"}, numeric=True)
        unpack = unpacks or parsed.has("d", "decompress", "uncompress")
        if parsed.has("l", "list"):
            return gather(call, parsed.operands, "list", "verbatim")
        if parsed.has("t", "test"):
            return Stream()
        if parsed.has("c", "stdout", "to-stdout") or not parsed.operands:
            return gather(call, parsed.operands, "read", "verbatim" if unpack else "altered", in_archive=unpack)
        _replaced(call, parsed, suffix, unpack=unpack)
        return Stream()

    return run


def _replaced(call: Call, parsed: Parsed, suffix: str, *, unpack: bool) -> None:
    """``gunzip f.gz`` makes f out of f.gz."""
    targets = [o.saying(o.text.removesuffix(suffix) if unpack else o.text + suffix) for o in parsed.operands]
    call.write(targets, [call.path(o.text) for o in parsed.operands if o.known], verb="copy")


def _seven(call: Call) -> Stream:
    """7z COMMAND ARCHIVE …"""
    words = [a for a in call.args if not a.text.startswith("-")]
    command, archive = (words[0].text if words else ""), words[1:2]
    call.stdin.hide()
    if command == "l":
        return Stream([call.act("list", archive, in_archive=True)])
    if command in ("x", "e"):
        if any(a.text == "-so" for a in call.args):
            return Stream([call.act("read", archive, in_archive=True)])
        outputs = [replace(a, text=a.text[2:]) for a in call.args if a.text.startswith("-o")]
        return _unpacked(call, archive, outputs, verbose=False)
    if command == "a":
        call.write(archive, [call.path(o.text) for o in words[2:]])
    return Stream(literal=True)


def _zipinfo(call: Call) -> Stream:
    call.stdin.hide()
    return Stream([call.act("list", parse(call.args).operands[:1], in_archive=True)])


def _ar(call: Call) -> Stream:
    call.stdin.hide()
    words = call.args
    verb = "read" if words and "p" in words[0].text else "list"
    return Stream([call.act("read" if verb == "read" else "list", words[1:2], in_archive=True)])


ARCHIVES: dict[str, Utility] = {
    "tar": _tar, "gtar": _tar, "bsdtar": _tar, "unzip": _unzip, "zip": _zip, "zipinfo": _zipinfo, "7z": _seven,
    "7za": _seven,
    "7zr": _seven, "unrar": _seven, "ar": _ar,
    "gzip": _compressor("gzip", unpacks=False), "gunzip": _compressor("gzip", unpacks=True),
    "pigz": _compressor("gzip", unpacks=False),
    "unpigz": _compressor("gzip", unpacks=True), "bzip2": _compressor("bzip2", unpacks=False),
    "bunzip2": _compressor("bzip2", unpacks=True), "xz": _compressor("xz", unpacks=False), "unxz": _compressor("xz",
    unpacks=True),
    "zstd": _compressor("zstd", unpacks=False), "unzstd": _compressor("zstd", unpacks=True),
    "lz4": _compressor("lz4", unpacks=False), "uncompress": _compressor("compress", unpacks=True),
    "compress": _compressor("compress", unpacks=False), "unlzma": _compressor("lzma", unpacks=True),
    "brotli": _compressor("brotli", unpacks=False),
}  # fmt: skip
