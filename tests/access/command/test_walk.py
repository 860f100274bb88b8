"""The walk as a whole: it never raises, always ends, remembers, and does not touch what it is given."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tabshell.access.command.walk import doings, learn
from tabshell.access.memory import ShellMemory

PIECES = [
    "cat", "notes.txt", "|", ";", "&&", "||", "&", "(", ")", "{", "}", "$(", "`", "${", "}", '"', "'", "\\", "<", ">", ">>",
    "<<E", "\nE\n", "<<<", "<(", "$((", "))", "[[", "]]", "for f in *", "; do", "; done", "while read x", "if", "; then", "fi",
    "case x in", "*)", ";;", "esac", "f() {", "f", "$f", "${f%.*}", "${f//a/b}", "${f[@]}", "xargs", "-I{}", "find . -name",
    "-exec", "{}", "\\;", "+", "python3 -c", "print(open('notes.txt').read())", "sed -n 1,3p", "awk", "grep -r", "git show HEAD:",
    "{a,b}", "{1..9}", "**", "?", "[", "]", "!(a)", "~", "#", "\n", " ", "=", "a=(", "eval", "bash -c", "cd", "..", "set --", "$@",
    "\x00", "\x1b[0m", "é", "文件", "\udcff", "$'\\x41'", "tar xzf", "sort -o", "tee", "2>&1", "exec >o", "alias f=f", "source f",
]  # fmt: skip


def walk(command, tree, memory=None, cwd="/ws"):
    return doings(command, cwd, "/home/u", tree, memory or ShellMemory())


@settings(max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=14))
def test_no_heap_of_shell_words_makes_it_raise(tree_of, pieces):
    tree = tree_of({"notes.txt": "f\n", "docs/a.md": "a\n"})
    assert isinstance(walk(" ".join(pieces), tree).acts, tuple)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=80))
def test_no_text_makes_it_raise(tree_of, text):
    tree = tree_of({"notes.txt": text})
    assert isinstance(walk(text, tree).acts, tuple)
    assert isinstance(walk("cat notes.txt | xargs cat; python3 - < notes.txt", tree).acts, tuple)


@pytest.mark.parametrize(
    "command",
    [
        "f() { f; f; }; f",
        "f() { f | f & }; f",
        "cat {1..9}{1..9}{1..9}{1..9}{1..9}{1..9}{1..9}{1..9}",
        "cat " + "{a,b}" * 40,
        "for a in {1..99}; do for b in {1..99}; do for c in {1..99}; do cat $a$b$c; done; done; done",
        "while true; do while true; do cat notes.txt; done; done",
        "alias ls=ls; ls; alias a=b b=a; a",
        "eval 'eval \"eval cat notes.txt\"'",
        "x=a; " + "x=$x$x; " * 60 + "cat $x",
        "cat " + "$(" * 200 + "ls" + ")" * 200,
        "(" * 400 + "cat notes.txt" + ")" * 400,
        "cat " + "a" * 500_000,
        "a;" * 20_000,
        "find . | xargs -I{} sh -c 'find . | xargs -I[] cat {} []'",
        "bash loop.sh",
        ". ./loop.sh",
        "python3 loop.py",
        "cat $((9**9**9)) $((1<<99999999))",
        "python3 -c 'print(" + "(" * 300 + ")" * 300 + ")'",
    ],
    ids=lambda c: c[:40],
)
def test_no_command_is_walked_without_end(command, tree_of):
    tree = tree_of(
        {"notes.txt": "x\n", "loop.sh": "bash loop.sh; . loop.sh", "loop.py": "def f():\n  f()\n  f()\nf()\n"}
    )
    begun = time.thread_time()
    walk(command, tree)
    assert time.thread_time() - begun < 2


def test_a_walk_that_was_cut_short_says_so(tree_of):
    tree = tree_of({f"part{n}.txt": "x\n" for n in range(400)})
    acts = walk("for f in *; do for g in *; do cat $f $g; done; done", tree).acts
    assert acts
    assert not any(act.exact for act in acts)


def test_loops_over_more_words_than_are_followed_carry_the_paths_over(tree_of):
    tree = tree_of({f"part{n:03}.txt": "x\n" for n in range(300)})
    (act,) = walk('for f in *.txt; do head -1 "$f"; done', tree).acts
    assert len(act.paths) == 300
    assert act.looped
    assert not act.exact


def test_what_a_turn_defines_holds_in_the_next(tree):
    memory = ShellMemory()
    first = """F=notes.txt; A=(report.md data.csv); show() { head -2 "$1"; }; alias c=cat; set -- list.txt; shopt -s globstar
    cd docs; pushd /ws"""
    learn(first, "/ws", "/home/u", tree, memory)
    command = 'cat "$F" "${A[1]}"; show report.md; c "$1"; cat **/c.md; cd -; cat a.md'
    paths = [path for act in walk(command, tree, memory).acts for path in act.paths]
    assert paths == [
        "/ws/notes.txt", "/ws/data.csv", "/ws/report.md", "/ws/list.txt", "/ws/docs/deep/c.md", "/ws/docs/a.md",
    ]  # fmt: skip


def test_a_turn_that_defines_nothing_leaves_the_memory_alone(tree):
    memory = ShellMemory(variables={"F": "notes.txt"}, options=frozenset({"globstar"}))
    learn("cat notes.txt | head -3", "/ws", "/home/u", tree, memory)
    assert memory == ShellMemory(variables={"F": "notes.txt"}, options=frozenset({"globstar"}))


def test_what_a_subshell_defines_is_gone_after_it(tree):
    memory = ShellMemory()
    learn("(F=notes.txt); F=report.md | cat; bash -c 'G=1'", "/ws", "/home/u", tree, memory)
    assert memory.variables == {}


def test_walking_changes_no_memory(tree):
    memory = ShellMemory(variables={"F": "notes.txt"})
    walk("F=report.md; cat $F", tree, memory)
    assert memory.variables == {"F": "notes.txt"}


def test_own_words_are_told_from_content(tree):
    found = walk("echo '== notes'; cat notes.txt; cat <<E\nthe end\nE", tree)
    assert found.text_shown == ("== notes", "the end")
    assert walk("echo hidden > new.txt", tree).text_shown == ()


def test_tabshells_own_programs_are_marked(tree):
    assert walk("cat notes.txt; tab list", tree).tab
    assert walk("/x/bin/tab show L1 | head", tree).tab
    assert not walk("echo tab", tree).tab


@pytest.mark.parametrize("command", ["cat 'a", "if true; then", "cat <<E\nno end", "for in do", "cat )"])
def test_a_text_that_is_no_bash_is_marked(command, tree):
    assert not walk(command, tree).parsed


def test_the_order_of_acts_is_the_order_of_output(tree):
    acts = walk('X=$(cat notes.txt); head -1 report.md; echo "$X"', tree).acts
    assert [act.utility for act in acts] == ["head", "echo", "cat"]
    assert [act.index for act in acts] == [0, 1, 2]


def test_a_list_written_by_the_command_itself_is_followed(tree):
    acts = walk("ls docs/*.md > found; xargs cat < found; rm found", tree).acts
    assert acts[-1].paths == ("/ws/docs/a.md", "/ws/docs/b.md")


def test_a_missing_directory_stops_only_what_depends_on_it(tree):
    acts = walk("cd nowhere && cat a.md; cat notes.txt", tree).acts
    assert [act.paths for act in acts] == [("/ws/notes.txt",)]


def test_where_no_disk_is_known_directories_are_believed(tree_of):
    nothing = tree_of({}, "/elsewhere")
    acts = walk("cd src && cat main.py", nothing, cwd="/home/someone/project").acts
    assert acts[0].paths == ("/home/someone/project/src/main.py",)


STRANGE = "\x13\x90\U000b4dc0\x8a\xe3\xa4\xac{\U000f22de`\U00051e8a\xc0\U0004b024\xf2\x9b\x0e\xb9\xf1\xe5,{\U000c64bd\xd5\U00032520\x9bv\x04\x1c\x11\xa3"


def test_characters_beyond_ascii_are_letters_to_the_parser(tree):
    for _ in range(50):
        walk(STRANGE, tree)
    acts = walk("cat 'x\U0001f600.txt' \U0001f4c8\U000f0000{a,b} \u00a0\u3000.md | head -1", tree).acts
    assert acts[0].words == ("x\U0001f600.txt", "\U0001f4c8\U000f0000a", "\U0001f4c8\U000f0000b", "\u00a0\u3000.md")


def test_the_parser_is_loaded_only_when_something_is_walked():
    code = "import sys, tabshell.access.command.walk; print('tree_sitter' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "False"
