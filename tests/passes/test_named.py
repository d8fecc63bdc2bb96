"""Nothing is left but what leads from what a failure names."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from nubbin.documents.document import Document, Trace
from nubbin.documents.edits import File
from nubbin.passes.folders.named import named_by_failure
from nubbin.passes.proposal import next_proposal
from nubbin.passes.table import FileView
from nubbin_core.minimizers import EMPTY

SUITE = {
    "p/lib.py": b"N = 3\n\ndef add(a):\n    return a + N\n\ndef far(a):\n    return add(a)\n",
    "p/other.py": b"def other():\n    return 'nothing that anybody needs'\n",
    "p/test_a.py": b"from lib import (add,\n    far)\nimport other\n\ndef test_one():\n    add(1)\n"
    b"\ndef test_two():\n    far(2)\n    other.other()\n",
    "p/test_b.py": b"from lib import far\n\ndef test_three():\n    far(3)\n",
}
CALLS = b"int f(int a) { return a; }\nint g(int a) { return f(a); }\nint h(int a) { return 7; }\n"
BORDERS = b'# 1 "h.h" 1\n# 2 "a.c" 2\n'
INCLUDED = BORDERS.replace(b"1\n", b"1\nint k;\n")
BOXES = b"""class Base:
    def __init__(self): pass
    def size(self): pass
class Box(Base):
    def __init__(self): super().__init__()
    def test_a(self): return 1
    def test_b(self): return 2
"""

CLASS = b"class A:\n    def f(self): return 1\n    def g(self): return 2\nx = A()\n"
LOCAL = b"def f():\n    return 1\ndef g():\n    f = 2\n    return f\n"
IMPORTS = b"from lib import a, b, c\ndef g():\n    return a\ndef h():\n    return b, c\n"
SIZE = b"    def size(self): pass\n"


REGISTERED = (
    b"def f():\n    return 1\nadd(f)\ndef g():\n    return 2\ndef h():\n    return 3\nx = h()\n"
)
NESTED = (
    b"if x:\n    def f():\n        return 1\ndef g():\n    return f()\ndef h():\n    return 2\n"
)
IN_BODY = b"def g():\n    import re as r\n    return r.sub\ndef h():\n    return 2\n"
UNREAD = b"fn f() { 1 }\nfn g() { 1 }\nimpl A { fn h() {\n"
MEMBER = b"class A:\n    f = b.f\ndef f():\n    return 1\ndef h():\n    return 2\n"


def reduced(
    files: dict[str, bytes],
    texts: Sequence[str],
    accepts: Callable[[dict[str, bytes]], bool],
    trace: Trace | None = None,
) -> tuple[dict[str, bytes], int]:
    """Return what is left, and the number of questions."""
    given = tuple(File(*each) for each in files.items())
    document = Document(given[0].path if len(given) == 1 else "p", given)
    structures = {file.path: FileView(file).structure for file in given}
    running = named_by_failure(document, structures, texts, document, trace)
    proposal, asked = next_proposal(running), 0
    while proposal is not None:
        asked += 1
        candidate = proposal.render(EMPTY)
        assert proposal.is_plausible(EMPTY)
        if accepts(candidate.contents):
            document = candidate
        proposal = next_proposal(running, document)
    return document.contents, asked


def test_a_suite_is_the_named_test_with_what_it_needs_after_two_questions() -> None:
    left, asked = reduced(
        SUITE, ["cd p; pytest --prints p/test_a\\.py::test_one"], lambda files: True
    )
    assert left == {
        "p/lib.py": b"N = 3\n\ndef add(a):\n    return a + N\n\n",
        "p/test_a.py": b"from lib import (add)\n\ndef test_one():\n    add(1)\n\n",
    }
    assert asked == 3


@pytest.mark.parametrize(
    ("path", "data", "said", "left"),
    [
        ("a.c", CALLS, "a.c:2: error", CALLS[: CALLS.index(b"int h")]),
        ("a.c", CALLS, "in function 'h'", CALLS[CALLS.index(b"int h") :]),
        ("a.c", INCLUDED + CALLS, "in function 'h'", BORDERS + CALLS[CALLS.index(b"int h") :]),
        ("a.c", CALLS, "b.c:2: error", CALLS),
        ("a.c", CALLS, "a.c:200: error", CALLS),
        ("a.c", CALLS, r"a\.c:2: error", CALLS[: CALLS.index(b"int h")]),
        ("a.py", CLASS, "name A", b"class A:\n    def g(self): return 2\n"),
        ("a.py", LOCAL, "in g", LOCAL[LOCAL.index(b"def g") :]),
        ("a.py", IMPORTS, "in g", b"from lib import a\ndef g():\n    return a\n"),
        ("a.py", NESTED, "in g", NESTED[: NESTED.index(b"def h")]),
        ("a.py", IN_BODY, "in g", IN_BODY[: IN_BODY.index(b"def h")]),
        ("a.py", MEMBER, "name A", MEMBER[: MEMBER.index(b"def h")]),
        ("a.rs", UNREAD, "in f", UNREAD),
        ("a.yaml", b"a: 1\nb: 2\nc: 3\n", "in a.yaml, line 2, column 1", b"b: 2\n"),
        (
            "a.py",
            BOXES,
            "FAILED a.py::Box::test_b",
            BOXES.replace(b"    def test_a(self): return 1\n", b"").replace(SIZE, b""),
        ),
    ],
)
def test_of_a_file_it_is_what_is_named_or_around_a_line(
    path: str, data: bytes, said: str, left: bytes
) -> None:
    found, _ = reduced({path: data}, ["./test.sh", said], lambda files: True)
    assert found[path].split() == left.split()


def test_statements_are_kept_with_what_they_lead_to_if_they_have_to_be() -> None:
    data = b"def f():\n    return 1\ndef g():\n    return 2\ndef h():\n    return 3\nprint(f())\n"
    left, asked = reduced(
        {"a.py": data}, ["test", "name g"], lambda files: b"print" in files["a.py"]
    )
    assert left == {"a.py": data.replace(b"def h():\n    return 3\n", b"")}
    assert asked == 2


def test_a_statement_with_effects_is_kept_if_less_is_rejected() -> None:
    left, asked = reduced(
        {"a.py": REGISTERED}, ["test", "name g"], lambda files: b"add(f)" in files["a.py"]
    )
    assert left == {"a.py": REGISTERED[: REGISTERED.index(b"def h")]}
    assert asked == 2


def test_a_part_is_removed_with_its_exports_in_other_files() -> None:
    files = {
        "p/index.ts": b"export * from './a'\nexport {b, c, d as e} from './b'\n",
        "p/a.ts": b"import {b, c} from './b'\nexport function a() { return b() }\n"
        b"export function f() { return c() }\n",
        "p/b.ts": b"export function b() { return 1 }\nexport function c() { return 2 }\n"
        b"export function d() { return 3 }\n",
    }
    left, _ = reduced(files, ["in function a", ""], lambda files: True)
    assert {path: data.split() for path, data in left.items()} == {
        "p/index.ts": b"export * from './a' export {b} from './b'".split(),
        "p/a.ts": b"import {b} from './b' export function a() { return b() }".split(),
        "p/b.ts": b"export function b() { return 1 }".split(),
    }


def test_what_did_not_run_needs_nothing() -> None:
    data = b"def f(n):\n    if n:\n        return g()\n    return 1\ndef g():\n    return 2\n"
    trace = Trace(frozenset({"p/a.py"}), frozenset(), {"p/a.py": (1, 2, 4, 5)})
    files = {"p/a.py": data, "p/b.py": b"x = 1\n"}
    left, asked = reduced(files, ["in f"], lambda files: True, trace)
    assert left == {"p/a.py": b"def f(n):\n    if n:\n        ...\n    return 1\n"}
    assert asked == 3


def test_what_a_text_names_with_those_before_it_is_asked_if_less_is_rejected() -> None:
    left, asked = reduced({"a.c": CALLS}, ["f", "h"], lambda files: b"int h" in files["a.c"])
    assert left == {"a.c": CALLS.replace(CALLS.splitlines(keepends=True)[1], b"")}
    assert asked == 2


def test_once_the_original_has_changed_nothing_is_proposed() -> None:
    file = File("a.c", CALLS)
    changed = Document("a.c", (File("a.c", CALLS[27:]),))
    structures = {"a.c": FileView(file).structure}
    running = named_by_failure(changed, structures, ["h"], Document("a.c", (file,)))
    assert next_proposal(running) is None
