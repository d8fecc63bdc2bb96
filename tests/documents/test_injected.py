"""Texts inside files of another language have trees of their own, at their own place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.parsing.injected import syntax_of
from nubbin.documents.parsing.syntax import Syntax
from nubbin.documents.spans import Areas, Replacement

PAGE = b"<style>\np { color: red }\n</style>\n<p>x</p>\n<script>\nlet a = f(1);\n</script>\n"
HOSTS = {
    "html": PAGE,
    "bash": b"cat <<'SQL'\nselect a from b;\nSQL\necho 1\n",
    "markdown": b"# Title\n\n```js\nlet a = f(1);\n```\n\nText.\n",
    "yaml": b"steps:\n  - run: |\n      cd build\n      make all\n  - name: x\n",
    "ruby": b"a = <<~SQL\n  select a from b;\nSQL\nputs a\n",
    "xml": b"<a><![CDATA[\nlet a = f(1);\n]]></a>\n",
}
#: A kind of node that only the inner language has.
INNER = {
    "html": "call_expression",
    "bash": "from",
    "markdown": "call_expression",
    "yaml": "command",
    "ruby": "from",
    "xml": "lexical_declaration",
}
hosts = pytest.mark.parametrize("language", HOSTS)


@hosts
def test_a_text_inside_has_the_nodes_of_its_own_language(language: str) -> None:
    data = HOSTS[language]
    assert INNER[language] in {node.kind for node in syntax_of(language).nodes(data)}
    assert INNER[language] not in {node.kind for node in Syntax(language).nodes(data)}


@hosts
@given(st.data())
def test_the_tree_is_one_tree(language: str, data: st.DataObject) -> None:
    text = HOSTS[language]
    at = data.draw(st.integers(0, len(text)))
    text = text[:at] + data.draw(st.binary(max_size=4)) + text[at + data.draw(st.integers(0, 4)) :]
    nodes = syntax_of(language).nodes(text)
    for node in nodes[1:]:
        assert node.parent is not None
        assert node.parent.start <= node.start <= node.stop <= node.parent.stop
        assert node.depth == node.parent.depth + 1
        assert node.parent.children[node.index] is node
    assert [node.start for node in nodes] == sorted(node.start for node in nodes)
    if nodes:
        assert list(nodes[0].walk()) == nodes


@hosts
def test_a_depth_cuts_both_trees(language: str) -> None:
    data, syntax = HOSTS[language], syntax_of(language)
    everything = [(node.start, node.stop, node.kind, node.depth) for node in syntax.nodes(data)]
    for depth in range(12):
        cut = [(node.start, node.stop, node.kind, node.depth) for node in syntax.nodes(data, depth)]
        assert cut == [each for each in everything if each[3] <= depth]


@pytest.mark.parametrize(
    ("part", "allowed"), [(b"f(1)", False), (b"let a = f(1);", True), (b"<p>x</p>", True)]
)
def test_edits_inside_a_text_are_judged_by_its_own_grammar(part: bytes, allowed: bool) -> None:
    start = PAGE.index(part)
    span = Replacement(start, start + len(part))
    assert Syntax("html").allows_edit(PAGE, [span])
    assert syntax_of("html").allows_edit(PAGE, [span]) is allowed


@pytest.mark.parametrize(
    ("fence", "text", "kind"),
    [
        (b"python", b"x = f(1)", "call"),
        (b"sh", b"ls | wc", "pipeline"),
        (b"", b'{"a": [1, 2]}', "pair"),
        (b"nonsense", b"a (b (c)), d", "group"),
    ],
)
def test_the_fence_or_the_contents_tell_the_language(fence: bytes, text: bytes, kind: str) -> None:
    data = b"```" + fence + b"\n" + text + b"\n```\n"
    assert kind in {node.kind for node in syntax_of("markdown").nodes(data)}


def test_a_language_that_holds_no_other_is_read_as_it_is() -> None:
    assert type(syntax_of("c")) is Syntax


def test_functions_of_a_script_are_functions_of_the_page() -> None:
    page = b"<p>x</p>\n<script>\nfunction f(a) { g(); }\nfunction h() { }\n</script>\n"
    found = [node for node in syntax_of("html").functions(page) if node.role == "body"]
    assert [page[node.start : node.stop] for node in found] == [b"{ g(); }", b"{ }"]
    held = Areas([page.index(b"\nfunction f")], [page.index(b"</script>")])
    assert not syntax_of("html").functions(page, held)
