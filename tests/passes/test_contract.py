"""Every row of the table of passes, held to the rules at the head of `nubbin.passes.proposal`."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from nubbin.documents.consistency.consistency import Consistency
from nubbin.documents.consistency.hypotheses import hypotheses
from nubbin.documents.edits import File
from nubbin.passes.grain import GRAIN_OF_LIST, Grain
from nubbin.passes.proposal import FilePass, Proposal, next_proposal
from nubbin.passes.table import HDD_PASSES, LIST_PASSES, PASSES, FileView, Row
from nubbin_core.minimizers import EMPTY, Subset
from snippets import SNIPPETS

#: Files whose own counts are right, by path.
COUNTED = {
    "a.cnf": b"c hello\np cnf 4 5\n1 -2 0\n2 3\n4 0\n-1 0\n-4 3 -2 0\n2 0\n",
    "a.dat": b"4 5\n1 a\n2 b\n3 c\n4 d\n2 4 w\n1 1 x\n3 1 y\n4 3 z\n1 2 v\n",
    "a.s": b"".join(b"%%%d = add %%%d\n" % (n, n // 2) for n in range(9)),
}
#: A function with blocks, whose names and labels are known to follow from the rest.
BLOCKS = (
    b"define @f() {\n  br label %1\n1:\n  %2 = phi i8 [ 0, %0 ], [ %2, %1 ]\n  br label %3\n3:\n"
    + b"".join(b"  %%%d = add i8 %%2, 1\n" % n for n in range(4, 12))
    + b"  ret void\n}\n"
)
#: Rules that a number before them counts, which is known.
RULES = b"/* 24 */\n" + b"".join(b"p%d { a: b }\n" % n for n in range(24))
DEFINITIONS = {f"d{n}": {"of": [n, f"d{n + 1}"]} for n in range(32)}
VIEWS = [
    FileView(File("a.ll", BLOCKS, Consistency.of(BLOCKS, hypotheses(BLOCKS)))),
    FileView(File("a.css", RULES, Consistency.of(RULES, hypotheses(RULES)))),
    *(FileView(File("input", text), language) for language, text in SNIPPETS.items()),
    *(FileView(File(path, data)) for path, data in COUNTED.items()),
    FileView(File("a.txt", b"Some words (in brackets)\n  and an indented line; a bar | 3.1416\n")),
    FileView(File("a.smt2", b"(fun f(Int)Int)(fun a()Int)(fun b()Int)(assert(= a(f b)(f 2)))\n")),
    FileView(File("a.txt", b"a: b c { say 'a'; }\n | '{' c { say 'b'; }\n" * 2)),
    FileView(File("a.py", b"if a:\n    if b:\n        c(1)\n        d(1)\n")),
    FileView(File("a.cc", b"typedef unsigned long e; e g(void) { return 1; }")),
    FileView(File("a.eml", b"boundary=\"=_7.x\"\n--=_7.x\n42 'b c' 42 'b c'\n")),
    FileView(File("a.json", b'{"h":["x","y"],"d":[[1,2],[3.125,4]]}\n')),
    FileView(File("b.json", json.dumps({"use": "d3", "d": DEFINITIONS}).encode())),
    FileView(File("a.html", b"<html><body><p></p><b>x</b></body></html>\n")),
    FileView(File("a.csv", b'name,price,"of, what"\n' + b"x,1.5,\ny,2,z\n" * 3)),
    FileView(File("b.html", b"<style>\np { color: red }\n</style><script>f(1, 2);</script>\n")),
    FileView(
        File("c.html", b"<p>{% if user %} Hello {{ user.name | title }} and all {% endif %}\n")
    ),
    FileView(File("a.txt", b"1 0 obj\n<< /Length 5 >>\nstream\nhello\nendstream\nendobj\n")),
    FileView(File("b.c", b"a;" * 520)),
    FileView(File("c.c", b"".join(b"int f%d;" % i for i in range(256)) + b"int g = f3;")),
    FileView(File("d.c", b"".join(b"int f%d() { return %d; }\n" % (i, i) for i in range(16)))),
    FileView(
        File(
            "d.cc", b"".join(b"struct S%d { S%d() : a(1) {} int a; };" % (n, n) for n in range(32))
        )
    ),
    FileView(File("a.i", b'# 1 "a.c"\n# 1 "b.h" 1\nint b;\n# 2 "a.c" 2\n# 3 "a.c"\nint a;\n')),
    FileView(File("b.bin", b"\0[" + b'"a,",' * 65 + b"1]")),
    FileView(File("a.bin", b"one\n\0two\n\xff\n")),
]
ROWS = [*PASSES, *HDD_PASSES, *(row for rows in LIST_PASSES.values() for row in rows)]
every_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)


def views(row: Row) -> list[FileView]:
    return [view for view in VIEWS if row.applies(view)]


@st.composite
def files(draw: st.DrawFn, view: FileView) -> File:
    """A file that a pass made for a view may get to see: the view's, or one that is broken."""
    data = view.file.data
    at = draw(st.integers(0, len(data)))
    junk = draw(st.binary(max_size=8))
    return view.file.with_data(data[:at] + junk + data[at + draw(st.integers(0, 8)) :])


class Drive:
    """A pass at work: what it proposed, and the files that it saw, which are chosen by chance."""

    def __init__(self, each: FilePass, file: File, seed: int):
        self.proposals: list[Proposal[File]] = []
        self.seen = [file]
        chance = random.Random(seed)
        running = each(file)
        proposal = next_proposal(running)
        while proposal is not None:
            assert len(self.proposals) < 5000, "the pass does not end"
            self.proposals.append(proposal)
            out = proposal.render(some(proposal.size, chance))
            if chance.random() < 0.5 and len(out.data) < len(file.data):
                file = out
            self.seen.append(file)
            proposal = next_proposal(running, file)


def some(size: int, chance: random.Random) -> Subset:
    share = chance.random()
    return Subset.of([i for i in range(size) if chance.random() < share])


def singles(proposal: Proposal[File], most: int = 20) -> Iterator[Subset]:
    """Yield the subsets that apply one edit alone, of some of the edits."""
    for i in range(0, proposal.size, -(-proposal.size // most)):
        yield Subset.full(proposal.size).without(i, i + 1)


def is_longer(one: File, other: File) -> bool:
    """Tell whether a file is longer, and not only by spaces, which have to keep tokens apart."""
    more = len(one.data) - len(other.data)
    return more > max(0, one.data.count(b" ") - other.data.count(b" "))


@every_row
def test_every_row_has_a_file_here_for_which_it_proposes_something(row: Row) -> None:
    assert any(next_proposal(row.make(view)(view.file)) for view in views(row))


@every_row
@given(data=st.data())
@examples(15)
def test_the_full_subset_is_the_file_and_no_other_makes_it_longer(
    row: Row, data: st.DataObject
) -> None:
    view = data.draw(st.sampled_from(views(row)))
    file, seed = data.draw(files(view)), data.draw(st.integers(0, 99))
    drive, chance = Drive(row.make(view), file, seed), random.Random(seed)
    for proposal, file in zip(drive.proposals, drive.seen, strict=False):
        assert proposal.size > 0
        everything = Subset.full(proposal.size)
        assert proposal.render(everything) == file
        assert proposal.is_plausible(everything)
        assert proposal.render(EMPTY) != file
        for kept in (*singles(proposal), some(proposal.size, chance), EMPTY):
            assert not is_longer(proposal.render(kept), file)
        assert len(proposal.weights) in {0, proposal.size}
        assert all(1 <= weight <= len(file.data) for weight in proposal.weights)


@every_row
@given(data=st.data())
@examples(15)
def test_what_a_pass_proposes_depends_on_the_files_that_it_is_given_alone(
    row: Row, data: st.DataObject
) -> None:
    view = data.draw(st.sampled_from(views(row)))
    file, other = data.draw(files(view)), data.draw(files(view))
    seed = data.draw(st.integers(0, 99))
    seasoned = row.make(view)
    fresh = replace(view)  # without its caches
    Drive(seasoned, other, seed)
    again, first = Drive(seasoned, file, seed), Drive(row.make(fresh), file, seed)
    assert again.seen == first.seen
    for one, two in zip(again.proposals, first.proposals, strict=True):
        assert (one.size, list(one.weights)) == (two.size, list(two.weights))
        for kept in singles(one):
            assert one.render(kept) == two.render(kept)
            assert one.is_plausible(kept) == two.is_plausible(kept)


def test_grains_and_flat_lists_are_those_of_the_table() -> None:
    assert {name: rows[0].grain for name, rows in LIST_PASSES.items()} == GRAIN_OF_LIST
    assert PASSES[-1].grain == Grain.CHAR
