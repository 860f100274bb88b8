"""Text of a command -> a small tree of statements (``nodes``), by tree-sitter-bash.

In: the text as typed. Out: a ``nodes.Node`` and whether the text was bash throughout. Words stay raw source
text: ``words`` reads quotes and expansions, because bash's own rules for them differ from the grammar's cut.
Here-documents are taken out beforehand (``heredocs``): tree-sitter loses the rest of a line that follows one.
A region that does not parse gives the statements that could be recovered from it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tabshell.access.bash import nodes
from tabshell.access.bash.heredocs import STRING, Heredocs, lift, restore, unmask

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tree_sitter import Node as TreeNode
    from tree_sitter import Parser

#: Deeper nesting than this is cut off: no person or agent writes it, and recursion must end.
MAX_DEPTH = 60
#: Statements of one text that are followed.
MAX_STATEMENTS = 6_000
#: Longer texts than this are not parsed (a pasted file, a data blob).
MAX_BYTES = 2_000_000

#: The head of a counting loop: variable, first value, comparison, bound, step.
_COUNTING = re.compile(
    r"\(\(\s*(\w+)\s*=\s*(-?\d{1,9})\s*;\s*\1\s*([<>]=?)\s*(-?\d{1,9})\s*;"
    r"\s*(?:\1\s*(\+\+|--|[+-]=\s*)|\+\+\1|--\1)(\d{0,9})\s*\)\)"
)
#: Bytes that are plain letters to bash and that the grammar's scanner must not see: it looks characters beyond
#: ASCII up in C tables that end before them, and reads outside of them. Offsets stay as they are.
_LETTERS = bytes(byte if byte in b"\t\n\r" or 0x20 <= byte < 0x7F else ord("x") for byte in range(256))
_OPERATORS = {"&&", "||", ";", "&", "\n", ";;", ";&", ";;&"}


@lru_cache(maxsize=1)
def _parser() -> Parser:
    import tree_sitter  # noqa: PLC0415 - costs 40 ms, and most processes never classify
    import tree_sitter_bash  # noqa: PLC0415

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def parse(text: str) -> tuple[nodes.Node, bool, Heredocs]:
    """The statements of ``text``; False where some of it is no bash; its here-documents. Never raises."""
    script, documents, complete = lift(text)
    node, clean = parse_lifted(script, documents)
    return node, clean and complete, documents


@lru_cache(maxsize=256)
def parse_lifted(script: str, documents: Heredocs) -> tuple[nodes.Node, bool]:
    """As ``parse``, for text whose here-documents were taken out before (the inside of ``$(…)``)."""
    source = script.encode("utf-8", "surrogateescape")
    if len(source) > MAX_BYTES:
        return nodes.Sequence(()), False
    root = _parser().parse(source.translate(_LETTERS)).root_node
    return _Converter(source, documents).block(root, 0), not root.has_error


class _Converter:
    """Turns tree-sitter's nodes into ours. One instance per text."""

    def __init__(self, source: bytes, documents: Heredocs) -> None:
        self.source = source
        self.documents = documents
        self.statements = 0
        self.kinds: dict[str, Callable[[TreeNode, int], nodes.Node]] = {
            "command": self.command,
            "declaration_command": self.declaration,
            "unset_command": self.declaration,
            "variable_assignment": self.assignment,
            "variable_assignments": self.command,
            "redirected_statement": self.redirected,
            "pipeline": self.pipeline,
            "list": self.block,
            "program": self.block,
            "do_group": self.block,
            "compound_statement": self.group,
            "subshell": self.subshell,
            "negated_command": self.block,
            "for_statement": self.for_loop,
            "c_style_for_statement": self.c_loop,
            "while_statement": self.while_loop,
            "if_statement": self.branch,
            "case_statement": self.case,
            "function_definition": self.function,
            "test_command": self.test,
        }

    def text(self, node: TreeNode) -> str:
        return unmask(self.source[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape"))

    def shown(self, node: TreeNode) -> str:
        return restore(self.text(node), self.documents)

    def statement(self, node: TreeNode, depth: int) -> nodes.Node | None:
        self.statements += 1
        if depth > MAX_DEPTH or self.statements > MAX_STATEMENTS:
            return None
        convert = self.kinds.get(node.type)
        if convert is not None:
            return convert(node, depth + 1)
        if node.type == "ERROR":
            return self.block(node, depth + 1)
        return None

    def block(self, node: TreeNode, depth: int) -> nodes.Node:
        """Statements one after another, each with the operator that stands before it."""
        return self.sequence(node.children, depth)

    def sequence(self, children: list[TreeNode], depth: int) -> nodes.Node:
        parts: list[tuple[str, nodes.Node]] = []
        operator = ""
        for child in children:
            if child.type in _OPERATORS:
                if child.type == "&" and parts:
                    parts[-1] = (parts[-1][0], nodes.Background(parts[-1][1]))
                operator = child.type if child.type in ("&&", "||") else ";"
                continue
            statement = self.statement(child, depth)
            if statement is not None:
                parts.append((operator or ";", statement))
                operator = ""
        if len(parts) == 1:
            return parts[0][1]
        return nodes.Sequence(tuple(parts))

    def command(self, node: TreeNode, depth: int) -> nodes.Node:
        words: list[str] = []
        assignments: list[nodes.Assignment] = []
        redirects: list[nodes.Redirect] = []
        for child in node.children:
            if child.type == "variable_assignment":
                assignments.append(self.assigned(child))
            elif child.type.endswith("_redirect"):
                redirects.extend(self.redirect(child, words))
            elif child.type == "command_name" and child.children and child.children[0].type in self.kinds:
                return self.statement(child.children[0], depth) or nodes.Sequence(())
            elif child.type != "ERROR" or child.is_named:
                words.append(self.text(child))
        words = self.glued(node, words)
        return nodes.Simple(tuple(words), tuple(assignments), tuple(redirects), self.shown(node))

    def glued(self, node: TreeNode, words: list[str]) -> list[str]:
        """Rejoins words that the grammar cut although no blank stands between them (``a$'b'``, ``{}+``)."""
        pieces = [c for c in node.children if not c.type.endswith("_redirect") and c.type != "variable_assignment"]
        if len(pieces) != len(words):
            return words
        joined: list[str] = []
        end = -1
        for piece, word in zip(pieces, words, strict=True):
            if joined and piece.start_byte == end:
                joined[-1] += word
            else:
                joined.append(word)
            end = piece.end_byte
        return joined

    def declaration(self, node: TreeNode, _depth: int) -> nodes.Node:
        words: list[str] = []
        assignments: list[nodes.Assignment] = []
        redirects: list[nodes.Redirect] = []
        for child in node.children:
            if child.type == "variable_assignment":
                assignments.append(self.assigned(child))
            elif child.type.endswith("_redirect"):
                redirects.extend(self.redirect(child, words))
            else:
                words.append(self.text(child))
        return nodes.Simple(tuple(words), tuple(assignments), tuple(redirects), self.shown(node), declares=True)

    def assignment(self, node: TreeNode, _depth: int) -> nodes.Node:
        return nodes.Simple((), (self.assigned(node),), (), self.shown(node))

    def assigned(self, node: TreeNode) -> nodes.Assignment:
        target = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        name = self.text(target) if target is not None else ""
        name, _, index = name.partition("[")
        append = any(child.type == "+=" for child in node.children)
        if value is not None and value.type == "array":
            items = tuple(self.text(c) for c in value.children if c.type not in ("(", ")", "comment"))
            return nodes.Assignment(name, "", append, items)
        # The value runs to the end of the node: the grammar cuts some values in pieces.
        raw = (
            ""
            if value is None
            else unmask(self.source[value.start_byte : node.end_byte].decode("utf-8", "surrogateescape"))
        )
        return nodes.Assignment(name, raw, append, None, index.rstrip("]") or None)

    def redirect(self, node: TreeNode, words: list[str]) -> Iterator[nodes.Redirect]:
        """The redirection; words that the grammar took for further targets go back to ``words``."""
        descriptor: int | None = None
        operator = ""
        targets: list[str] = []
        for child in node.children:
            if child.type == "file_descriptor":
                digits = self.text(child)
                descriptor = int(digits) if digits.isdigit() and len(digits) < 4 else None
            elif not child.is_named and not operator:
                operator = child.type
            elif child.type != "ERROR":
                targets.append(self.text(child))
        target = targets[0] if targets else ""
        document = self.documents.get(target)
        if document is not None or node.type == "herestring_redirect":
            yield nodes.Redirect(descriptor, "<<<", target, document)
        elif target.startswith(STRING):
            yield nodes.Redirect(descriptor, "<<<", target.removeprefix(STRING))
        elif node.type == "file_redirect":
            yield nodes.Redirect(descriptor, operator, target)
        words.extend(targets[1:])

    def redirected(self, node: TreeNode, depth: int) -> nodes.Node:
        body: nodes.Node = nodes.Simple((), (), (), self.shown(node))
        redirects: list[nodes.Redirect] = []
        late: list[str] = []
        end = node.start_byte
        for child in node.children:
            # The grammar loses a lone ``-`` before a redirection: it stands in no node.
            late.extend(self.source[end : child.start_byte].decode("utf-8", "surrogateescape").split())
            end = child.end_byte
            if child.type.endswith("_redirect"):
                redirects.extend(self.redirect(child, late))
            else:
                body = self.statement(child, depth) or body
        return nodes.redirect_last(body, tuple(redirects), tuple(late), self.shown(node))

    def pipeline(self, node: TreeNode, depth: int) -> nodes.Node:
        stages: list[nodes.Node] = []
        for child in node.children:
            statement = self.statement(child, depth)
            if statement is None:
                continue
            if isinstance(statement, nodes.Pipeline):
                stages.extend(statement.stages)
            else:
                stages.append(statement)
        return nodes.pipe(stages)

    def group(self, node: TreeNode, depth: int) -> nodes.Node:
        return nodes.Group(self.sequence(node.children, depth))

    def subshell(self, node: TreeNode, depth: int) -> nodes.Node:
        return nodes.Subshell(self.sequence(node.children, depth))

    def for_loop(self, node: TreeNode, depth: int) -> nodes.Node:
        variable = node.child_by_field_name("variable")
        body = node.child_by_field_name("body")
        words = tuple(self.text(c) for c in node.children_by_field_name("value"))
        listed = any(child.type == "in" for child in node.children)
        return nodes.For(
            self.text(variable) if variable is not None else "",
            words if listed else None,
            self.part(body, depth),
        )

    def part(self, node: TreeNode | None, depth: int) -> nodes.Node:
        return (self.statement(node, depth) if node is not None else None) or nodes.Sequence(())

    def c_loop(self, node: TreeNode, depth: int) -> nodes.Node:
        """``for ((i=0; i<9; i++))`` over written numbers; else over one unknown value."""
        body = node.child_by_field_name("body")
        if body is None:
            return nodes.Sequence(())
        head = self.source[node.start_byte : body.start_byte].decode("utf-8", "surrogateescape")
        match = _COUNTING.search(head)
        if match is None:
            started = re.search(r"\(\(\s*(\w+)\s*=", head)
            return nodes.For(started[1] if started else "_", ("$__any",), self.part(body, depth))
        begin, end = int(match[2]), int(match[4])
        step = (-1 if "-" in (match[5] or match[0].rsplit(";", 1)[1]) else 1) * int(match[6] or 1)
        numbers = range(begin, end + ((1 if step > 0 else -1) if "=" in match[3] else 0), step or 1)[:2000]
        return nodes.For(match[1], tuple(map(str, numbers)), self.part(body, depth))

    def while_loop(self, node: TreeNode, depth: int) -> nodes.Node:
        condition = self.sequence(node.children_by_field_name("condition"), depth)
        return nodes.While(condition, self.part(node.child_by_field_name("body"), depth))

    def branch(self, node: TreeNode, depth: int) -> nodes.Node:
        clauses: list[tuple[nodes.Node | None, nodes.Node]] = []
        condition: list[TreeNode] = []
        body: list[TreeNode] = []
        in_body = False
        for child in node.children:
            if child.type == "then":
                in_body = True
            elif child.type in ("elif_clause", "else_clause"):
                clauses.extend(self.clause(child, depth))
            elif child.type not in ("if", "fi", "elif"):
                (body if in_body else condition).append(child)
        first = (self.sequence(condition, depth), self.sequence(body, depth))
        return nodes.If((first, *clauses))

    def clause(self, node: TreeNode, depth: int) -> Iterator[tuple[nodes.Node | None, nodes.Node]]:
        children = [c for c in node.children if c.type not in ("elif", "else")]
        at = next((i for i, c in enumerate(children) if c.type == "then"), None)
        if at is None:
            yield None, self.sequence(children, depth)
        else:
            yield self.sequence(children[:at], depth), self.sequence(children[at + 1 :], depth)

    def case(self, node: TreeNode, depth: int) -> nodes.Node:
        value = node.child_by_field_name("value")
        items: list[tuple[tuple[str, ...], nodes.Node]] = []
        for child in node.children:
            if child.type != "case_item":
                continue
            patterns = tuple(self.text(c) for c in child.children_by_field_name("value"))
            at = next((i for i, c in enumerate(child.children) if c.type == ")"), -1)
            items.append((patterns, self.sequence(child.children[at + 1 :], depth)))
        return nodes.Case(self.text(value) if value is not None else "", tuple(items))

    def function(self, node: TreeNode, depth: int) -> nodes.Node:
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        label = self.text(name) if name is not None else ""
        return nodes.Function(label, self.part(body, depth), self.shown(node))

    def test(self, node: TreeNode, _depth: int) -> nodes.Node:
        return nodes.Test(tuple(_leaves(self, node)), self.shown(node))


_WORDS: Any = frozenset(
    {"word", "string", "raw_string", "concatenation", "simple_expansion", "expansion", "command_substitution",
     "number", "ansi_c_string", "test_operator", "regex", "extglob_pattern", "process_substitution"}
)  # fmt: skip


def _leaves(converter: _Converter, node: TreeNode) -> Iterator[str]:
    """The words of ``[ … ]`` in order."""
    for child in node.children:
        if child.type in _WORDS or not child.children:
            yield converter.text(child)
        else:
            yield from _leaves(converter, child)
