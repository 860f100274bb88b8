"""What a recording says of files: names in listings, operands, hits; nothing more."""

import pytest

from tabshell.model.records import CommandRecord, ToolRecord
from tabshell.recordings.tree import RecordedTree


def command(text, output="", cwd="/srv"):
    return CommandRecord("import", text, "import", cwd, output.encode(), confirmable=False)


def files(*records):
    """Every file that the tree knows, by walking it."""
    tree, found, folders = RecordedTree(records), [], ["/"]
    while folders:
        folder = folders.pop()
        for name in tree.names(folder):
            path = f"{folder.rstrip('/')}/{name}"
            kind = tree.info(path).kind
            (folders if kind == "dir" else found).append(path)
    return sorted(found)


@pytest.mark.parametrize(
    ("text", "output", "wanted"),
    [
        ("ls", "a.txt\nREADME\nnotes\n", ["/srv/README", "/srv/a.txt"]),
        ("ls", "a.txt   b.csv  c d.txt\n", ["/srv/a.txt", "/srv/b.csv", "/srv/c d.txt"]),
        ("ls docs", "a.txt\n", ["/srv/docs/a.txt"]),
        ("ls -a 'my docs' && true", ".\n..\na.txt\n", ["/srv/a.txt"]),
        ("ls -R .", ".:\nx\n\n./x:\na.txt\n", ["/srv/x/a.txt"]),
        (
            "ls -la",
            "total 8\ndrwxr-xr-x 2 u g 4096 Jan  1 10:00 .\n-rw-r--r-- 1 u g 12 Jan  1 10:00 my file.txt\n"
            "drwxr-xr-x 2 u g 4096 Jan  1 10:00 sub\n",
            ["/srv/my file.txt"],
        ),
        ("find . -name '*.csv'", "./a/b.csv\n./c.csv\n", ["/srv/a/b.csv", "/srv/c.csv"]),
        ("tree", ".\n├── a\n│   └── b.txt\n└── c.md\n", ["/srv/a/b.txt", "/srv/c.md"]),
        ("tree docs", "docs\n└── c.md\n", ["/srv/docs/c.md"]),
        ("grep -rn x .", "./a/b.txt:3:x marks\nc.txt:9:more x\n", ["/srv/a/b.txt", "/srv/c.txt"]),
        ("wc -l *.md", "  3 a.md\n  4 b.md\n  7 total\n", ["/srv/a.md", "/srv/b.md"]),
        ("head -2 *.txt", "==> a.txt <==\none\n\n==> b.txt <==\ntwo\n", ["/srv/a.txt", "/srv/b.txt"]),
        ("cd sub && cat a.txt", "one\n", ["/srv/sub/a.txt"]),
        ("cat a.txt b.txt", "cat: b.txt: No such file or directory\none\n", ["/srv/a.txt"]),
        ("ls nope.txt", "ls: cannot access 'nope.txt': No such file or directory\n", []),
        ("sed -i s/old.txt/new.txt/g a.txt", "", ["/srv/a.txt"]),
        ("npx tsc", "src/x.ts(28,2): error TS2345: bad\n", ["/srv/src/x.ts"]),
        ("curl https://example.org/a.txt", "", []),
        ("npm ls", "tool@1.2.3\n@scope/tool@0.7.29\n", []),
        ("cat > a.txt <<'E'\nsee b.txt\nE", "", ["/srv/a.txt"]),
        ("true", "plain words here\n10:30 and 7.5 percent\n", []),
    ],
)
def test_the_files_that_a_command_speaks_of(text, output, wanted):
    assert files(command(text, output)) == wanted


def tool(action, paths, output=""):
    return ToolRecord("import", "x", "t", action, "t", "/srv", paths, output.encode(), confirmable=False)


def test_the_files_of_tools_are_those_read_written_and_shown():
    assert files(
        tool("read", ("a.txt",), "see other.txt for more\n"),
        tool("write", ("/srv/out/b.md",)),
        tool("list", (), "c/d.csv\ne.csv\n"),
        tool("search", (), "f/g.py:12:import os\n"),
        tool("other", ("h.txt",)),
    ) == ["/srv/a.txt", "/srv/c/d.csv", "/srv/e.csv", "/srv/f/g.py", "/srv/out/b.md"]


def test_a_bare_word_in_a_listing_is_a_file_once_something_opened_it():
    assert files(command("ls", "Makefile\nrun\ndata\n"), tool("read", ("run",))) == ["/srv/Makefile", "/srv/run"]


def test_it_knows_no_content_and_nothing_that_was_not_spoken_of():
    tree = RecordedTree([command("cat a.txt", "one\n")])
    assert tree.info("/srv/./x/../a.txt").real == "/srv/a.txt"
    assert tree.info("/srv").kind == "dir"
    assert tree.info("/srv/b.txt") is None
    assert tree.text("/srv/a.txt") is None
    assert tree.content("/srv/a.txt") is None
