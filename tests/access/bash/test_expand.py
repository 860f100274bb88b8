"""Expansion against bash itself: the same words in the same directory give the same arguments."""

from __future__ import annotations

import subprocess

import pytest

from tabshell.access.command.walk import doings
from tabshell.access.disk.disk import Disk
from tabshell.access.memory import ShellMemory

SETUP = """x=report.tar.gz; y='two words'; e=; n=5; a=(one 'two three' four); p=/usr/share/doc/file.txt
set -- first 'second one' third
"""

WORDS = [
    "a.txt", "'a b'", '"a b"', "a\\ b", "a'b'\"c\"d", "$x", '"$x"', "$y", '"$y"', "$e", '"$e"', "x$e", "${x}y",
    "${x%.*}", "${x%%.*}", "${x#*.}", "${x##*.}", "${x/tar/zip}", "${x//r/R}", "${x/#re/RE}", "${x/%gz/bz2}", "${x/o}",
    "${x:0:3}", "${x:3}", "${x: -2}", "${x:(-4):2}", "${x^}", "${x^^}", "${x,,}", "${#x}", "${#a[@]}", "${p##*/}", "${p%/*}",
    "${e:-none}", "${e-none}", "${x:-none}", "${e:+set}", "${x:+set}", '"${a[@]}"', "${a[@]}", '"${a[*]}"', "${a[1]}",
    '"${a[1]}"', "${a[-1]}", '"${a[@]:1}"', '"${a[@]:0:2}"', '"${a[@]/o/0}"', "$@", '"$@"', '"$*"', "$#", "$1", '"$2"', "${3}",
    '"${@:2}"', "$((n+1))", "$((n*2-3))", "$(( n / 2 ))", "${x}$((n%3))", "file$n.txt", "{a,b}", "{a,b}{1,2}", "{1..4}",
    "{01..03}", "{3..1}", "{a..e..2}", "x{,y}z", "{a}", "{}", "a{b,c{d,e}}f", "'{a,b}'", "${x}{1,2}", "{$n,x}", '{"a b",c}',
    "*", "*.txt", "[ab].txt", "[!a].txt", "?.txt", "d*/*", "*/", "nomatch*", "'*'.txt", "\\*", '"*.txt"', "$e*.md", ".*rc",
    "[[:digit:]]*", "d?r/*.md", "**/*.md", "d1/../*.md", "./*.md", "$(echo a b)", '"$(echo a b)"', "`echo a`", "$(echo '*.md')",
    '"$(printf "a\\nb\\n")"', "$'a\\tb'", "$'\\x41\\u00e9'", "$(basename $p .txt)", "$(dirname $p)", "~", "~/x", "a~", "'~'",
    "$(seq 3)", "$(cat list)", "x$(echo a b)y", '"a $(echo "b c") d"', "${x/./$n}", '"${x%"$e"}"', "$(ls *.md)", "a$'b'c",
    "--opt=*.txt", "-x", "$(echo $(echo deep))", "${y// /_}", "$(ls | head -2)", "$(ls *.txt | sort -r | tail -1)",
    "$(find d1 -name '*.md' | sort)", "$(echo b a | tr ' ' '\\n' | sort)", "$(cut -d. -f1 <<< $x)", "$(grep two list)",
    "$(awk '{print $2}' list)", "$(sed 's/o/0/g' list)", "$(sed -n 2p list)", "$(wc -l < list | tr -d ' ')x",
    "@(a|b).txt", "!(a).txt", "+([0-9]).md", "?(a)b.txt", "d*(1|2)",
]  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    for name in (
        "a.txt",
        "b.txt",
        "ab.txt",
        "c.md",
        "1.md",
        "22.md",
        "d1/x.md",
        "d1/y y.md",
        "d2/z.txt",
        ".bashrc",
        ".hidden/h.md",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "list").write_text("one two\nthree four\n")
    return tmp_path


@pytest.mark.parametrize("options", ["", "shopt -s globstar extglob dotglob\n"], ids=["plain", "options"])
def test_words_expand_as_bash_expands_them(folder, options, own_home):
    wrong = []
    for word in WORDS:
        if "(" in word and word[0] in "@!+?d" and "$" not in word and not options:
            continue
        script = f"{options}{SETUP}cat -- {word}"
        shown = subprocess.run(
            ["bash", "--norc", "-c", script.replace("cat -- ", "printf '%s\\0' ")],
            cwd=folder, capture_output=True, check=True, env={"HOME": str(own_home), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        ).stdout.decode()  # fmt: skip
        expected = [part for part in shown.split("\0")[:-1] if part and part != "-"]
        acts = doings(script, str(folder), str(own_home), Disk(), ShellMemory()).acts
        found = [w for act in acts if act.utility == "cat" and act.passage == "verbatim" for w in act.words]
        if found != expected:
            wrong.append((word, expected, found))
    assert wrong == []
