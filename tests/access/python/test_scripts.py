"""Python scripts that are read, not run: which files they open, list, write and print the names of."""

from __future__ import annotations

import shlex

import pytest

from tabshell.access.command.walk import doings
from tabshell.access.memory import ShellMemory


def acts_of(source, tree, *arguments):
    words = " ".join(map(shlex.quote, arguments))
    found = doings(f"python3 - {words} <<'END'\n{source}\nEND", "/ws", "/home/u", tree, ShellMemory())
    return {act.verb: act for act in found.acts}


def names(act):
    return [path.removeprefix("/ws/") for path in act.paths]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("print(open('notes.txt').read())", ["notes.txt"]),
        ("import os.path\nprint(open(os.path.join('docs', 'a.md')).read())", ["docs/a.md"]),
        ("d = 'docs'\nn = 'a'\nprint(open(d + '/' + n + '.md').read())", ["docs/a.md"]),
        ("d = 'docs'\nprint(open(f'{d}/a.md').read())", ["docs/a.md"]),
        ("print(open('%s/%s.md' % ('docs', 'a')).read())", ["docs/a.md"]),
        ("print(open('docs/{}.md'.format('b')).read())", ["docs/b.md"]),
        ("from pathlib import Path\np = Path('docs')\nprint((p / 'b.md').read_text())", ["docs/b.md"]),
        ("import pathlib\nprint(pathlib.Path.cwd().joinpath('docs', 'a.md').read_text())", ["docs/a.md"]),
        ("import os\nos.chdir('docs')\nprint(open('a.md').read())", ["docs/a.md"]),
        ("with open('notes.txt') as a, open('report.md') as b:\n  print(a.read(), b.read())", ["notes.txt", "report.md"]),
        ("fs = ['notes.txt', 'report.md', 'data.csv']\nfor f in fs[:2]:\n  print(open(f).read())", ["notes.txt", "report.md"]),
        ("fs = ['notes.txt', 'report.md']\nprint(open(fs[-1]).read())", ["report.md"]),
        ("t = {f: open(f).read() for f in ('notes.txt', 'report.md')}\nprint(t)", ["notes.txt", "report.md"]),
        ("import glob\nprint([open(f).read() for f in glob.glob('docs/*.md') if 'b' in f])", ["docs/b.md"]),
        ("import os\nfor f in os.listdir('docs'):\n  if f.endswith('.md') and not f.startswith('.'):\n"
         "    print(open(os.path.join('docs', f)).read())", ["docs/a.md", "docs/b.md"]),
        ("from pathlib import Path\nfor p in sorted(Path('docs').rglob('*.md')):\n  if p.stem == 'c':\n"
         "    print(p.read_text())", ["docs/deep/c.md"]),
        ("import os\nfor top, _, files in os.walk('docs'):\n  for f in files:\n    if f == 'c.md':\n"
         "      print(open(os.path.join(top, f)).read())", ["docs/deep/c.md"]),
        ("def read(path, mode='r'):\n  return open(path, mode).read()\nprint(read('notes.txt'))", ["notes.txt"]),
        ("class Table:\n  def __init__(self, path):\n    self.path = path\n  def show(self):\n"
         "    print(open(self.path).read())\nTable('data.csv').show()", ["data.csv"]),
        ("import pandas as pd\ndf = pd.concat([pd.read_csv(f) for f in ['data.csv']])\nprint(df)", ["data.csv"]),
        ("import unknown_library\nprint(unknown_library.summary('letter.docx'))", ["letter.docx"]),
        ("import zipfile\nz = zipfile.ZipFile('archive.zip')\nprint(z.open('inner/a.txt').read())", ["archive.zip"]),
        ("from PIL import Image\nprint(Image.open('img.png').size)", ["img.png"]),
        ("import sqlite3\nc = sqlite3.connect('base.sqlite')\nprint(list(c.execute('select 1')))", ["base.sqlite"]),
        ("import csv\nfor row in csv.reader(open('data.csv')):\n  print(row)", ["data.csv"]),
        ("try:\n  print(open('notes.txt').read())\nexcept OSError as e:\n  print(e)", ["notes.txt"]),
    ],
)  # fmt: skip
def test_a_script_opens(source, expected, tree):
    assert names(acts_of(source, tree)["read"]) == expected


def test_arguments_are_the_scripts_own(tree):
    source = "import sys\nfor f in sys.argv[1:]:\n    print(open(f).read())"
    assert names(acts_of(source, tree, "notes.txt", "with space.txt")["read"]) == ["notes.txt", "with space.txt"]


def test_names_that_are_printed_are_listed(tree):
    source = "import glob, os\nfor f in glob.glob('docs/*.md'):\n    print(os.path.basename(f), os.path.getsize(f))"
    acts = acts_of(source, tree)
    assert names(acts["list"]) == ["docs/a.md", "docs/b.md"]
    assert "read" not in acts


def test_written_files_are_no_reads(tree):
    acts = acts_of("with open('new.txt', 'w') as f:\n    f.write(open('notes.txt').read())", tree)
    assert acts["write"].targets == ("/ws/new.txt",)
    assert acts["write"].sources == ("/ws/notes.txt",)
    assert names(acts["read"]) == ["notes.txt"]


def test_what_cannot_be_followed_is_inexact(tree):
    acts = acts_of("name = input()\nprint(open(name).read())", tree)
    assert not acts["run"].exact


def test_an_unknown_part_of_a_name_brings_what_fits(tree):
    acts = acts_of("import time\nn = time.time()\nprint(open(f'docs/{n}.md').read())", tree)
    assert names(acts["read"]) == ["docs/a.md", "docs/b.md"]
    assert not acts["read"].exact


def test_files_behind_a_condition_that_is_not_understood_are_suspects(tree):
    source = "import glob\nfor f in glob.glob('docs/*.md'):\n    if magic(f):\n        print(open(f).read())"
    assert names(acts_of(source, tree)["run"]) == ["docs/a.md", "docs/b.md"]


def test_a_script_of_another_python_gives_its_literals(tree):
    acts = acts_of("print open('notes.txt').read()", tree)
    assert names(acts["run"] if "run" in acts and acts["run"].paths else acts["read"]) == ["notes.txt"]


def test_a_script_that_calls_itself_without_end_ends(tree):
    source = "def f(n):\n    f(n)\n    g(n)\ndef g(n):\n    f(n)\nf(1)\nprint(open('notes.txt').read())"
    assert names(acts_of(source, tree)["read"]) == ["notes.txt"]
