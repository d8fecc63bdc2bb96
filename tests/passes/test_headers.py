"""A header goes with all that it includes."""

from __future__ import annotations

import pytest

from nubbin.documents.edits import File
from nubbin.documents.parsing.syntax import Syntax
from nubbin.passes.headers import (
    has_headers,
    headers,
    main_file,
    unannotated,
    without_annotations,
)
from nubbin.passes.proposal import next_proposal
from nubbin.passes.syntactic import Gate
from nubbin_core.minimizers import EMPTY, Subset

#: As gcc writes it: b includes c, and includes nothing when it is included again.
TEXT = b"""# 0 "a.c"
# 0 "<built-in>"
# 1 "/usr/include/stdc-predef.h" 1 3 4
# 0 "<command-line>" 2
# 1 "a.c"
# 1 "b.h" 1
int b1;
# 1 "c.h" 1 3
int c;
# 3 "b.h" 2
int b2;
# 2 "a.c" 2
# 1 "d.h" 1
int d;
# 3 "a.c" 2
int a1, a2, a3, a4;
"""


def lists(kept: Subset) -> list[bytes]:
    """Return what comes out of each list if of each the same elements are kept."""
    file, found = File("a.i", TEXT), []
    running = headers(file, Gate(Syntax("c")))
    proposal = next_proposal(running)
    while proposal is not None:
        file = proposal.render(Subset.of(i for i in kept if i < proposal.size))
        found.append(file.data)
        proposal = next_proposal(running, file)
    return found


def test_headers_go_level_by_level() -> None:
    first, second = lists(Subset.full(3))
    assert first == second == TEXT


def test_a_header_goes_with_what_it_includes() -> None:
    (left,) = lists(EMPTY)
    assert [line for line in left.splitlines() if line.startswith(b"int")] == [
        b"int a1, a2, a3, a4;"
    ]


def test_what_a_header_includes_goes_alone_when_the_header_stays() -> None:
    running = headers(File("a.i", TEXT), Gate(Syntax("c")))
    first = next_proposal(running)
    assert first is not None
    second = next_proposal(running, first.render(Subset.of([1])))
    assert second is not None
    left = second.render(EMPTY).data
    assert [line for line in left.splitlines() if line.startswith(b"int")] == [
        b"int b1;",
        b"int b2;",
        b"int a1, a2, a3, a4;",
    ]


@pytest.mark.parametrize("text", [b"", b"int a;\n", b'# 1 "a.c"\nint a;\n', b"# 1 is a comment\n"])
def test_a_text_without_headers_has_no_list(text: bytes) -> None:
    assert not has_headers(text)
    assert next_proposal(headers(File("a.c", text), Gate(Syntax("c")))) is None


def test_headers_are_left_to_other_passes_if_the_main_file_is_short() -> None:
    text = TEXT.replace(b"int d;\n", b"int d;\n" * 64)
    assert next_proposal(headers(File("a.i", text), Gate(Syntax("c")))) is None


def test_the_main_file_comes_back_last() -> None:
    assert TEXT[main_file(TEXT) :] == b"\nint a1, a2, a3, a4;\n"
    assert main_file(TEXT + b'# 4 "a.c" 3 4\nint b;\n') == main_file(TEXT)
    assert main_file(TEXT + b'# 1 "e.h" 1\nint e;\n') == 0
    assert main_file(b"int a;\n") == 0


def test_markers_that_count_lines_go_at_once_and_the_main_file_stays_known() -> None:
    inside = b'int f() { return\n# 3 "a.c" 3 4\n((void *)0)\n# 3 "a.c"\n; }\n'
    proposal = next_proposal(unannotated(File("a.i", TEXT + inside), Gate(Syntax("c"))))
    assert proposal is not None
    assert proposal.size == 1
    left = proposal.render(EMPTY).data
    assert left.count(b"\n# ") == TEXT.count(b"\n# ") - 2
    assert (
        left[main_file(left) :].split()
        == b"int a1, a2, a3, a4; int f() { return ((void *)0) ; }".split()
    )


def test_attributes_go_at_once_with_all_their_brackets() -> None:
    format_ = b"__attribute__ ((__format__ (__printf__, 1, (2)), __pure__))"
    file = File("a.i", TEXT + b"int f (char *, ...) __attribute__((__nothrow__)) %b;\n" % format_)
    proposal = next_proposal(unannotated(file, Gate(Syntax("c"))))
    assert proposal is not None
    assert proposal.size == 2
    assert proposal.render(EMPTY).data.split()[-5:] == b"f (char *, ...) ;".split()
    assert without_annotations(b'# 1 "a.c"\nint a %b;' % format_) == b"\nint a ;"
