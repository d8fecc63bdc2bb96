"""Whatever the test says and whatever the document is: the passes come to an end, and mean it."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples, mostly_nightly
from nubbin.documents.document import Document
from nubbin.documents.edits import File
from nubbin.documents.outlines import pieces
from nubbin.documents.spans import Replacement
from nubbin.passes.each_file import each_file
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import propose
from nubbin.reduction.pipeline import passes_for
from runs import run
from snippets import SNIPPETS

languages = st.sampled_from(sorted(SNIPPETS))


@st.composite
def questions(draw: st.DrawFn) -> tuple[str, bytes, Callable[[bytes], bool]]:
    """A snippet and a test of it: some tokens must stay, and chance may reject what has them."""
    language = draw(languages)
    text = SNIPPETS[language]
    tokens = st.sampled_from(re.findall(rb"\w+|[^\w\s]", text))
    needed = draw(st.lists(tokens, max_size=5))
    salt, share = draw(st.binary(max_size=4)), draw(st.sampled_from([40, 128, 256]))

    def interesting(data: bytes) -> bool:
        lucky = blake2b(data, key=salt).digest()[0] < share
        return data == text or (
            bool(data) and all(token in data for token in needed) and (lucky or share == 256)
        )

    return language, text, interesting


@given(questions())
@examples(8)
def test_every_run_ends_at_a_proven_result(
    question: tuple[str, bytes, Callable[[bytes], bool]],
) -> None:
    language, text, interesting = question
    with tempfile.TemporaryDirectory() as folder:
        ran = run(Path(folder), "input", text, interesting, format=language)
    assert ran.reason == "fixpoint"
    assert interesting(ran.data)
    # Inside a list, a blank may take the place of a mark that goes: of equal size, never larger.
    assert ran.sizes == sorted(ran.sizes, reverse=True)
    assert ran.minimal
    smaller = [ran.data[:i] + ran.data[i + 1 :] for i in range(len(ran.data))]
    assert not any(interesting(data) for data in smaller)


@given(questions())
@examples(6)
def test_at_the_grain_of_tokens_no_single_token_can_go(
    question: tuple[str, bytes, Callable[[bytes], bool]],
) -> None:
    language, text, interesting = question
    passes = passes_for(Document.single("input", text), language=language, smallest="token")
    with tempfile.TemporaryDirectory() as folder:
        ran = run(Path(folder), "input", text, interesting, passes=passes)
    assert ran.minimal
    tokens = pairwise(pieces.tokens(ran.data).offsets.tolist())
    removals = (ran.data[:start] + ran.data[stop:] for start, stop in tokens)
    assert not any(interesting(data) for data in removals if len(data) < len(ran.data))


@pytest.mark.parametrize("language", mostly_nightly(sorted(SNIPPETS), ["python", "json", "sql"]))
def test_the_same_run_twice_is_the_same(language: str, tmp_path: Path) -> None:
    tokens = re.findall(rb"\w\w+", SNIPPETS[language])
    needed = tokens[:: max(1, len(tokens) // 3)]

    def interesting(data: bytes) -> bool:
        return all(token in data for token in needed)

    one, other = (
        run(tmp_path, "input", SNIPPETS[language], interesting, format=language) for _ in range(2)
    )
    assert one == other
    assert len(one.data) < len(SNIPPETS[language]) / 2


def swap(file: File) -> Proposals[File]:
    """Propose to write one letter for another, and back: nothing is gained by either."""
    other = b"b" if file.data == b"a" else b"a"
    yield propose(file, None, [(Replacement(0, 1, other),)])


def test_what_gains_nothing_is_not_done_and_so_not_undone(tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        "input",
        b"a",
        lambda data: True,
        passes=[each_file("swap", {"input": swap}, piece="a letter")],
        max_queries=50,
    )
    assert (ran.reason, ran.data, ran.queries) == ("fixpoint", b"a", 0)
    assert not ran.minimal


DEEP = 20_000
HOSTILE = {
    "nested.c": b"int x = " + b"(" * DEEP + b"boom" + b")" * DEEP + b";\n",
    "blocks.c": b"void f(){" + b"{" * DEEP + b"boom;" + b"}" * DEEP + b"}\n",
    "open.c": b"{" * DEEP + b"boom",
    "nested.json": b"[" * DEEP + b'"boom"' + b"]" * DEEP,
    "open.json": b"[" * DEEP + b'"boom"',
    "nested.py": b"x = " + b"(" * DEEP + b"boom" + b")" * DEEP + b"\n",
    "bracketed.py": b"x = " + b"(" * 200 + b"boom" + b")" * 200 + b"\n",
    "open.py": b"x = " + b"[" * DEEP + b"boom\n",
    "line.c": b"int a=1;" * 10_000 + b"boom",
    "line.txt": b"lorem ipsum " * 100_000 + b"boom",
    "garbage.c": bytes((i * i * 7 + i // 3) % 256 for i in range(20_000)) + b"boom",
    "nul.c": b"\0" * 5_000 + b"boom\0",
    "crlf.c": b"int f(void)\r\n{\r\n return 1;\r\n}\r\n" * 500 + b"int boom;\r\n",
    "broken.cpp": b"class { if template<< ( ] ;\n" * 500 + b"boom",
    "broken.js": b"} ) var ` ${ / * \n" * 500 + b"boom",
    "mixed.xml": b"<a>\xe9" * 500 + "<b>".encode("utf-16") + b"boom\xc3\xbc</b>" * 500,
    "tiny.c": b"boom",
    "blank.c": b"\n\n boom \n",
}


@pytest.mark.parametrize(
    "name",
    mostly_nightly(
        sorted(HOSTILE), ["nested.json", "open.c", "garbage.c", "broken.js", "tiny.c", "blank.c"]
    ),
)
def test_hostile_documents_become_small(name: str, tmp_path: Path) -> None:
    ran = run(tmp_path, name, HOSTILE[name], lambda data: b"boom" in data)
    assert (ran.reason, ran.data, ran.minimal) == ("fixpoint", b"boom", True)
    assert ran.queries < 250


BLOCK = b"layer {\n  param {\n    kernel: %d\n  }\n  name: (a, b)\n}\n"


@pytest.mark.parametrize("name", ["net.unknown", "net.ini"])
def test_blocks_that_no_grammar_knows_go_whole(name: str, tmp_path: Path) -> None:
    def interesting(data: bytes) -> bool:
        return b"kernel: 77" in data and data.count(b"{") == data.count(b"}")

    ran = run(tmp_path, name, b"".join(BLOCK % i for i in range(200)), interesting)
    assert (ran.reason, ran.data, ran.minimal) == ("fixpoint", b"kernel: 77", True)
    assert ran.queries < 100


@pytest.mark.parametrize(
    "name",
    mostly_nightly(["nested.c", "nested.json", "nested.py", "bracketed.py"], ["bracketed.py"]),
)
def test_brackets_that_must_match_go_in_pairs(name: str, tmp_path: Path) -> None:
    def interesting(data: bytes) -> bool:
        opened, closed = re.findall(rb"[(\[]", data), re.findall(rb"[)\]]", data)
        return b"boom" in data and len(opened) == len(closed)

    ran = run(tmp_path, name, HOSTILE[name], interesting)
    assert (ran.reason, ran.data) == ("fixpoint", b"boom")
