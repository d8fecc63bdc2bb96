"""What is found to follow from the rest of a text, and that it stays right through every edit."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from examples import examples
from nubbin.documents.consistency.consistency import Consistency
from nubbin.documents.consistency.hypotheses import hypotheses, may_be_counted
from nubbin.documents.consistency.items import (
    Hypothesis,
    Items,
    Kind,
    Number,
    Placeholder,
)
from nubbin.documents.consistency.places import Moved
from nubbin.documents.edits import File
from nubbin.documents.outlines import pieces
from nubbin.documents.outlines.lexis import Lexed, element_around
from nubbin.documents.spans import Replacement
from nubbin.documents.splice import Cuts, joined, spliced
from nubbin.passes.flat import flat
from nubbin.passes.proposal import next_proposal
from nubbin.passes.syntactic import propose
from nubbin_core.minimizers import EMPTY, Subset
from snippets import SNIPPETS


def consistent(data: bytes, *, together: bool = False) -> File:
    """A text with all that is found in it taken for true."""
    found = hypotheses(data)
    pairs = [[each.items for each in found]] if together else []
    return File("a", data, Consistency.of(data, found, pairs))


def without(file: File, *texts: bytes) -> File:
    """A file without the first occurrences of some texts, made right."""
    starts = [file.data.index(text) for text in texts]
    spans = zip(starts, texts, strict=True)
    return propose(file, None, [(Replacement(a, a + len(text)),) for a, text in spans]).render(
        EMPTY
    )


def graph(nodes: int, edges: list[tuple[int, int]]) -> bytes:
    names = "".join(f"n{chr(97 + node)}\n" for node in range(nodes))
    lines = "".join(f"{a} {b}\n" for a, b in edges)
    return f"{nodes} {len(edges)}\n{names}{lines}".encode()


edges = st.lists(st.tuples(st.integers(1, 12), st.integers(1, 12)), min_size=6, max_size=30)


@given(edges, st.data())
def test_counts_and_positions_are_right_after_any_edits(
    pairs: list[tuple[int, int]], data: st.DataObject
) -> None:
    file = consistent(graph(12, [*pairs, (12, 11), (10, 12)]))
    names = file.data.split()[2:14]
    for _ in range(2):  # what was found in the original is carried through one edit into the next
        proposal = next_proposal(flat(pieces.lines)(file))
        assert proposal is not None
        some = data.draw(st.sets(st.integers(0, proposal.size - 1)))
        before, file = file, proposal.render(Subset.of({0, *some}))
    head, *lines = file.data.split(b"\n")[:-1]
    left = [line for line in lines if line.startswith(b"n")]
    rest = [tuple(map(int, line.split())) for line in lines[len(left) :]]
    assert head.split() == [b"%d" % len(left), b"%d" % len(rest)]
    assert left == [name for name in names if name in left]
    assert file.consistency is not None
    assert all(len(file.consistency.references(kind)) <= 2 * len(rest) + 2 for kind in Kind)
    if left:
        assert all(1 <= at <= len(left) for pair in rest for at in pair)
    assert len(file.data) <= len(before.data)


@given(edges, st.data())
@examples(30)
def test_lines_that_list_each_other_still_do_after_any_edits(
    pairs: list[tuple[int, int]], data: st.DataObject
) -> None:
    near: list[set[int]] = [{node % 12 + 1, (node - 2) % 12 + 1} for node in range(1, 13)]
    for a, b in pairs:
        if a != b:
            near[a - 1].add(b)
            near[b - 1].add(a)
    head = f"12 {sum(map(len, near)) // 2}\n"
    file = consistent((head + "".join(f"{' '.join(map(str, row))}\n" for row in near)).encode())
    for part in (rb"\d[^\n]*\n", rb"\d+"):  # lines, then numbers in what is left
        spans = [found.span() for found in re.finditer(part, file.data)]
        spans = [span for span in spans if span[0] > file.data.index(b"\n")]
        some = data.draw(st.sets(st.sampled_from(spans))) if spans else ()
        file = propose(file, None, [(Replacement(*span),) for span in sorted(some)]).render(EMPTY)
    nodes, count = map(int, file.data.split(b"\n")[0].split())
    left = [set(map(int, line.split())) for line in file.data.split(b"\n")[1:] if line.strip()]
    assert (len(left), sum(map(len, left))) == (nodes, 2 * count)
    assert all(at in left[other - 1] for at, row in enumerate(left, 1) for other in row)


def test_what_is_found_later_is_joined_to_what_is_known() -> None:
    text = b"6 12\n" + b"ab\n" * 6 + b"cd ef\n" * 6 + b"1 2 3 4 5 6 6 5 4 3 2 1\n"
    found = hypotheses(text)
    assert len(found) > 1
    joined = Consistency.of(text, found[:1]).joined(Consistency.of(text, found[1:]))
    for cut in ((5, 8), (26, 32), (60, 62)):
        cuts = Cuts(np.array(cut[:1]), np.array(cut[1:]), {})
        once = Consistency.of(text, found).repaired(text, cuts)[0]
        assert spliced(text, joined.repaired(text, cuts)[0]) == spliced(text, once)


def test_a_position_of_what_is_gone_is_that_of_its_neighbour() -> None:
    file = consistent(graph(5, [(1, 5), (2, 4), (3, 3), (5, 1), (4, 2)]))
    assert without(file, b"nc\n").data == b"4 5\nna\nnb\nnd\nne\n1 4\n2 3\n2 2\n4 1\n3 2\n"
    assert without(file, b"na\n", b"nb\n").data == b"3 5\nnc\nnd\nne\n1 3\n1 2\n1 1\n3 1\n2 1\n"


def test_what_is_known_outlives_what_could_be_found() -> None:
    file = consistent(graph(5, [(1, 5), (2, 4), (3, 3), (5, 1), (4, 2)]))
    file = without(file, b"na\n", b"nb\n", b"nd\n", b"1 5\n", b"2 4\n", b"5 1\n", b"4 2\n")
    assert file.data == b"2 1\nnc\nne\n1 1\n"
    assert not hypotheses(file.data)
    assert without(file, b"nc\n").data == b"1 1\nne\n1 1\n"


def test_nothing_refers_to_anything_when_all_is_gone() -> None:
    file = consistent(graph(5, [(1, 5), (2, 4), (3, 3), (5, 1), (4, 2)]))
    assert file.consistency is not None
    known = file.consistency.with_placeholder(b"", b"0")
    for _ in range(2):  # the numbers of the head still count what is gone
        cuts, known = known.repaired(file.data, Cuts(np.array([4]), np.array([len(file.data)]), {}))
        file = File("a", spliced(file.data, cuts), known)
        assert file.data == b"0 0\n"
        assert [len(known.references(kind)) for kind in Kind] == [0] * len(Kind)


def test_a_number_that_is_cut_follows_from_nothing_any_more() -> None:
    file = consistent(b"40\n" + b"a\n" * 40)
    cut = File("a", file.data, file.consistency).cut(Cuts(np.array([0]), np.array([1]), {}))
    assert cut.data == b"0\n" + b"a\n" * 40
    assert without(cut, b"a\na\n").data == b"0\n" + b"a\n" * 38


def test_names_are_renumbered_when_the_last_of_one_goes() -> None:
    file = consistent(b"p cnf 4 10\n1 -2 0\n2 3 4 0\n-1 -3 0\n-4 2 0\n" + b"-2 0\n2 4 0\n" * 3)
    assert without(file, b"1 -2 0\n", b"-1 -3 0\n").data == (
        b"p cnf 3 8\n1 2 3 0\n-3 1 0\n" + b"-1 0\n1 3 0\n" * 3
    )


IR = b"""define i32 @f(i32 %0) {
  %2 = add i32 %0, 1
  %3 = mul i32 %2, %0
  br label %4

4:
  %5 = phi i32 [ %2, %1 ], [ %6, %4 ]
  %6 = add i32 %5, 1
  br label %7

7:
  ret i32 %6
}

define i32 @g() {
  %1 = add i32 1, 1
  %2 = add i32 %1, 1
  %3 = add i32 %2, 1
  %4 = add i32 %3, 1
  ret i32 %3
}
"""


def test_names_in_sequence_are_numbered_scope_by_scope() -> None:
    file = consistent(IR)
    assert without(file, b"  %3 = mul i32 %2, %0\n").data == (
        IR.replace(b"  %3 = mul i32 %2, %0\n", b"", 1)
        .replace(b"label %4", b"label %3")
        .replace(b"4:", b"3:")
        .replace(b"%5", b"%x4")
        .replace(b"%6, %4", b"%5, %3")
        .replace(b"%6", b"%5")
        .replace(b"%x4", b"%4")
        .replace(b"label %7", b"label %6")
        .replace(b"7:", b"6:")
    )
    assert without(file, b"  %1 = add i32 1, 1\n").data == (
        IR.replace(b"  %1 = add i32 1, 1\n", b"")
        .replace(b"  %2 = add i32 %1", b"  %1 = add i32 %1")
        .replace(b"  %3 = add i32 %2", b"  %2 = add i32 %1")
        .replace(b"  %4 = add i32 %3", b"  %3 = add i32 %2")
        .replace(b"ret i32 %3", b"ret i32 %2")
    )


def known(data: bytes, **placeholders: Placeholder) -> File:
    """A text with all that is found in it taken for true, and what stands in for `%` and `@`."""
    marks = {"values": b"%", "symbols": b"@", "nodes": b"!"}
    file = consistent(data)
    assert file.consistency is not None
    for name, text in placeholders.items():
        file = File("a", data, file.consistency.with_placeholder(marks[name], text))
        assert file.consistency is not None
    return file


MODULE = (
    b"@a = global i8 1\n@b = global i8* @a\ndefine i8 @f() {\n"
    b"  %1 = load i8, i8* @a, !t !0, !u !1\n  %2 = add i8 %1, 1\n  %3 = add i8 %1, %2\n"
    b"  ret i8 %2\n}\n"
) + b"".join(b"!%d = !{!%d, i8 7}\n" % (n, (n + 1) % 8) for n in range(8))


def test_something_stands_in_for_what_is_gone() -> None:
    values = MODULE + b"".join(b"%%%d = x\n" % n for n in range(8))
    assert without(
        known(values, values=b"undef"), b"  %1 = load i8, i8* @a, !t !0, !u !1\n"
    ).data == (
        values.replace(b"  %1 = load i8, i8* @a, !t !0, !u !1\n", b"")
        .replace(b"%2 = add i8 %1, 1", b"%1 = add i8 undef, 1")
        .replace(b"%3 = add i8 %1, %2\n  ret i8 %2", b"%2 = add i8 undef, %1\n  ret i8 %1")
    )
    assert without(known(MODULE, symbols=b"null"), b"@a = global i8 1\n").data == (
        MODULE.replace(b"@a = global i8 1\n", b"").replace(b"@a", b"null")
    )


def test_a_name_that_nothing_stands_in_for_stays_as_it_is() -> None:
    line = b"@a = global i8 1\n"
    assert without(known(MODULE), line).data == MODULE.replace(line, b"")


def test_an_element_of_a_list_goes_with_what_it_refers_to() -> None:
    left = without(known(MODULE, nodes=None), b"!1 = !{!2, i8 7}\n").data
    assert b"  %1 = load i8, i8* @a, !t !0\n" in left
    assert b"!0 = !{ i8 7}\n!1 = !{!2, i8 7}\n" in left


def test_a_name_of_an_indented_line_is_known_up_to_the_brace() -> None:
    one, other = (b"define @%s() {\n  %%x = add 1\n  ret %%x\n}\n" % name for name in (b"f", b"g"))
    data = one + other + MODULE
    file = known(data, values=b"undef")
    assert without(file, b"  %x = add 1\n").data == (
        b"define @f() {\n  ret undef\n}\n" + other + MODULE
    )


@pytest.mark.parametrize(
    ("text", "element"),
    [
        (b"f(%1, b)", b"%1,"),
        (b"f(a, i8 %1)", b", i8 %1"),
        (b"f(a, g(%1, c), b)", b"%1,"),
        (b"f(a, [i8 %1], b)", b"i8 %1"),
        (b"f(a, b(c, d) %1, e)", b", b(c, d) %1"),
        (b"a = b %1, c", None),
        (b"%1", None),
        (b"(a\n%1, b)", None),
    ],
)
def test_the_element_around_a_reference(text: bytes, element: bytes | None) -> None:
    at = text.index(b"%1")
    found = element_around(text, (at, at + 2))
    assert (found and text[slice(*found)]) == element


@given(st.text("%1(),[] \na", max_size=30).map(str.encode), st.data())
def test_an_element_holds_the_reference_and_the_partners_of_its_brackets(
    text: bytes, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, len(text)))
    found = element_around(text, (start, stop))
    if found is not None:
        assert found[0] <= start <= stop <= found[1]
        element = range(*found)
        partners = Lexed(text).partners
        assert all(partner in element for at, partner in partners.items() if at in element)


def test_what_lies_in_a_text_that_is_replaced_is_gone() -> None:
    file = known(IR, values=b"undef")
    begin, end = IR.index(b"{"), IR.index(b"}") + 1
    emptied = File("a", IR, file.consistency).cut(
        Cuts(np.array([begin]), np.array([end]), {0: b"{unreachable}"})
    )
    assert emptied.consistency is not None
    assert not emptied.consistency.places.of_kind(Kind.LABEL)


ZONE, POINTS, CELLS = b'Z A="z", N=%d, E=9, F=POINT, T=QUAD\n', b".5 .7\n", b"1 2 3\n" * 9
PLAN = b"1..%d\n" + b"ok %d\n" * 6 + b"not ok %d\n" + b"ok %d\n" * 3
COLOURS, PIXELS = b"".join(b"#%c red\n" % n for n in range(97, 116)), b"ab\n"
IMAGE = b'x = {\n"2 20 %d 1",\n%b};\n'
NAMED = b"".join(b'"%c c red",\n' % n for n in range(97, 109))
SEVENS, NUMBERED, EDGES, ALIGNED = b"a 7\n", b"%d x\n" * 10, b"%d\n" * 12, b"  x%4d\n" * 10


@pytest.mark.parametrize(
    ("data", "gone", "left"),
    [
        # The lines of one shape, the words of one line, what reaches to the end.
        (b"x 4\na 7\nb 6\nc 7\nd 6\nend", b"b 6\n", b"x 3\na 7\nc 7\nd 6\nend"),
        (b"5\n9 8 7 6 5\n", b" 7", b"4\n9 8 6 5\n"),
        (b"10\ntitle\n" + b"x\ny z\n" * 5, b"y z\n", b"9\ntitle\nx\n" + b"x\ny z\n" * 4),
        # Groups that count what follows them, and lines that count themselves, by pairs.
        (b"4\n1\n7\n2\n8 9\n1\n6\n0\n", b" 9", b"4\n1\n7\n1\n8\n1\n6\n0\n"),
        (b"4\n1\na\n2\nb\nc\n1\nd\n1\ne\n", b"2\nb\nc\n", b"3\n1\na\n1\nd\n1\ne\n"),
        (b"10\n2 1 7 2 9\n" + b"1 3 8\n0\n0\n" * 3, b"2 9", b"10\n1 1 7\n" + b"1 3 8\n0\n0\n" * 3),
        # A head of many words, a plan before lines of two kinds, sections with one odd line.
        (ZONE % 60 + POINTS * 60 + CELLS, POINTS, ZONE % 59 + POINTS * 59 + CELLS),
        (
            PLAN % (10, *range(1, 11)),
            b"not ok 7\n",
            (PLAN % (9, *range(1, 7), 0, *range(7, 10))).replace(b"not ok 0\n", b""),
        ),
        (
            b"2 20 10\n" + COLOURS + b"#t none\n" + PIXELS * 10 + b"end",
            b"#t none\n",
            b"2 19 10\n" + COLOURS + PIXELS * 10 + b"end",
        ),
        # Sections in the other order than their numbers, which in their order would fit by chance.
        (
            IMAGE % (12, NAMED + b'"ab",\n' * 20),
            b'"a c red",\n',
            IMAGE % (11, NAMED[11:] + b'"ab",\n' * 20),
        ),
        # The position of each line in a column, as positions are written elsewhere.
        (b"4\n1 a\n2 b\n3 c\n4 d\nend", b"2 b\n", b"3\n1 a\n2 c\n3 d\nend"),
        # Numbers in words, the columns of a table, and one line that looks otherwise.
        (b"n=4,\n(\n7\n5\n9\n6\n)", b"5\n", b"n=3,\n(\n7\n9\n6\n)"),
        (b"5 4\n" + b"7 8 9 8\n" * 5, b"7 8 9 8\n", b"4 4\n" + b"7 8 9 8\n" * 4),
        (b"20\n" + SEVENS * 10 + b"a\n" + SEVENS * 9 + b"z", b"a\n", b"19\n" + SEVENS * 19 + b"z"),
        # Lines with their positions, and others that nothing counts.
        (
            b"10\n" + NUMBERED % (*range(1, 11),) + b"to\n" + EDGES % (*range(1, 11), 1, 10),
            b"2 x\n",
            b"9\n" + NUMBERED[:-5] % (*range(1, 10),) + b"to\n" + EDGES % (1, *range(1, 10), 1, 9),
        ),
        # Columns that end below each other.
        (
            b"10 k\n" + ALIGNED % (*range(1, 11),) + b"end",
            b"  x   3\n",
            b" 9 k\n" + ALIGNED[:-7] % (*range(1, 10),) + b"end",
        ),
        # Elements of lists in brackets, counted beside them, and pointed into by a key.
        (
            b'{"n": 8, "a": [[],[],[],[],[],[],[],[]], "b": [{"a": 2}, {"a": 7}, [{"a": 1}]]}',
            b"[],",
            b'{"n": 7, "a": [[],[],[],[],[],[],[]], "b": [{"a": 1}, {"a": 6}, [{"a": 0}]]}',
        ),
        # Footnotes.
        (
            b"".join(b"says [%d].\n" % n for n in range(1, 9))
            + b"".join(b"[%d]: %c\n" % (n, 96 + n) for n in range(1, 9)),
            b"[1]: a\n[2]: b\n[3]: c\n[4]: d\n[5]: e\n[6]: f\n",
            b"says [1].\n" * 7 + b"says [2].\n[1]: g\n[2]: h\n",
        ),
    ],
)  # fmt: skip
def test_what_is_found(data: bytes, gone: bytes, left: bytes) -> None:
    assert without(consistent(data), gone).data == left


FOUR, ODD = (
    b"x 4\na 7\nb 6\nc 7\nd 6\n",
    b"".join(b"w" * n + b" v" * (n % 5) + b"\n" for n in range(60)),
)


@pytest.mark.parametrize(
    "data",
    [
        FOUR + ODD,  # as four lines of sixty may be
        b"we have to take 12 of all that is there and more\n"
        + b"a\n" * 12
        + b"that is all there is",
        b"17 1 1 2 2 3 1 9 3 1 2\n" + b"a\n" * 17 + b"that is all there is",
        b"".join(b"int f%c(int);\n" % each for each in b"abcdefghi")
        + b"int main() { for (int i = 0; i < 10; i++) fa(i); return 0; }\n",
    ],
)
def test_a_length_that_some_number_says_by_chance_is_no_hypothesis(data: bytes) -> None:
    assert not hypotheses(data)


def test_a_number_too_large_to_track_so_many_names_counts_none() -> None:
    lines = b"".join(b"a %d\n" % n for n in (*range(11), 999_999_999))
    (found,) = hypotheses(b"12 999999999\n" + lines)
    assert [number.start for number in found.numbers] == [0]


def test_a_probe_removes_so_many_items_that_the_last_position_is_that_of_none() -> None:
    mesh = b"v .5\n" * 20 + b"".join(b"f %d %d\n" % (n, n + 2) for n in range(1, 17))
    (found,) = hypotheses(mesh)
    assert len(found.probe(mesh, 0)) == len(found.probe(mesh, 1)) == 3


def test_columns_that_are_counted_go_with_their_number() -> None:
    words, letters = consistent(b"5 4\n" + b"7 8 9 8\n" * 5), consistent(b"5 4\n" + b"abcd\n" * 5)
    assert words.consistency is not None
    assert letters.consistency is not None
    columns = next(iter(words.consistency.places.spans_by_list().values()))
    left = propose(words, None, [tuple(Replacement(*span) for span in columns[1])]).render(EMPTY)
    assert left.data == b"5 3\n" + b"7 9 8\n" * 5
    ((_, *cells),) = letters.consistency.places.spans_by_list(Kind.CELL).values()
    edits = [tuple(Replacement(*span) for span in cell) for cell in cells[:2]]
    left = propose(letters, None, edits, tidy=False).render(EMPTY)
    assert left.data == b"5 2\n" + b"ad\n" * 5


def test_lists_that_go_together_lose_the_same_items() -> None:
    file = consistent(b"4\n9 8 7 6\na 4\nw\nx\ny\nz\n", together=True)
    assert without(file, b" 8").data == b"3\n9 7 6\na 3\nw\ny\nz\n"
    assert without(file, b"y\n", b"9").data == b"2\n8 6\na 2\nx\nz\n"


@pytest.mark.parametrize("language", sorted(SNIPPETS))
def test_nothing_is_found_where_nothing_is_counted(language: str) -> None:
    assert not hypotheses(SNIPPETS[language])


number = st.integers(0, 12).map(str) | st.sampled_from(["-3", "007", "1.5", "4294967296", "²"])
#: Lines of the shapes that are looked for: definitions, heads and counts, columns, groups.
shapes = [
    "{0}{1}={2}", "{0}{1} = {0}{2}, {0}{3}", "[{1}]: {2} [{3}]", "{1}:", "{2}", "{1} {2}",
    "{2} {2} {2} {2}", "p cnf {1} {2}", "{1} {2} 0", "begin {1}", "end", "count={1}", "END+{1}",
    '"n":{1},"at":[{2},{3},{2}]', '{{"id":{1},"of":{2}}},', "{1}:ab,", "L{1}:abe", "Length: {2}",
    "v {1}.5 {2} 0", "f {1} {2} {3}", "#{1}: text", "}}", "", "{2} a b c d e f g h i j k l m",
]  # fmt: skip
scanned = st.lists(
    st.tuples(
        st.sampled_from(shapes),
        st.tuples(st.sampled_from("$%@!#^&~ "), number, number, number),
        st.sampled_from([1, 1, 2, 4, 8, 12]),
    ),
    max_size=8,
).map(
    lambda groups: "".join(
        f"{shape.format(*values)}\n" * times for shape, values, times in groups
    ).encode()
)
risen = st.tuples(st.sampled_from(shapes[:10]), st.integers(0, 3), st.integers(1, 4)).map(
    lambda each: "".join(
        f"{each[0].format('%', at, at // each[2], each[1])}\n" for at in range(each[1], 24, each[2])
    ).encode()
)


@given(
    st.binary(max_size=200)
    | st.text("12 \nab%=:[]{}", max_size=200).map(str.encode)
    | scanned
    | st.tuples(scanned, risen, scanned).map(b"".join)
)
@example(b":[")
@example(b"$2=\n" * 8)
@example(b"%1:\n%2=\n" * 9)
@example(b"1:\n%2=\n" * 9)
@example(b"4\n" + b"a1234567890 a1\n" * 2 + b"a1 a1234567890\n" * 2)
@example(b"5\n" + b"".join(b"! %d\n" % n for n in range(1, 10, 2)) + b"0 !\n" * 5)
def test_any_bytes_can_be_looked_at(data: bytes) -> None:
    assert consistent(data).cut(Cuts(np.array([0]), np.array([len(data) // 2]), {})) is not None


cuts = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20), st.sampled_from([b"", b"xy"])))


def made(spans: list[tuple[int, int, bytes]]) -> Cuts:
    """Disjoint cuts of some spans, in order."""
    chosen: list[tuple[int, int, bytes]] = []
    for start, stop, text in sorted(spans):
        if start < stop and (not chosen or chosen[-1][1] <= start):
            chosen.append((start, stop, text))
    starts, stops, texts = list(zip(*chosen, strict=True)) or ((), (), ())
    return Cuts(
        np.array(starts, dtype=np.int64),
        np.array(stops, dtype=np.int64),
        {n: text for n, text in enumerate(texts) if text},
    )


@given(cuts, st.integers(0, 19))
def test_what_no_cut_touches_is_found_again(spans: list[tuple[int, int, bytes]], at: int) -> None:
    data = bytes(range(65, 85))
    moved = Moved(made(spans))
    here = np.array([at])
    kept = not any(start <= at < stop for start, stop, _ in spans)
    left = spliced(data, made(spans))
    start, stop = int(moved.starts(here)[0]), int(moved.stops(here + 1)[0])
    assert moved.gone(here + 1) - moved.gone(here) == (0 if data[at] in left else 1)
    if kept:
        assert left[start:stop] == data[at : at + 1]


@given(cuts, cuts)
def test_cuts_joined_delete_what_either_does(
    one: list[tuple[int, int, bytes]], other: list[tuple[int, int, bytes]]
) -> None:
    data = bytes(range(65, 85))
    both = joined(made(one), made(other))
    texts = b"".join(each for part in (made(one), made(other)) for each in part.texts.values())
    kept = spliced(data, Cuts(both.starts, both.stops, {}))
    assert set(kept) == set(spliced(data, Cuts(made(one).starts, made(one).stops, {}))) & set(
        spliced(data, Cuts(made(other).starts, made(other).stops, {}))
    )
    assert len(spliced(data, both)) == len(kept) + len(texts)
    assert np.all(both.starts[1:] >= both.stops[:-1])


def test_of_two_meanings_of_a_number_the_first_is_taken() -> None:
    items = [Items([[(2, 3)], [(4, 5)]]), Items([[(6, 7)]])]
    found = [Hypothesis([Number(0, 1, each)], each) for each in items]
    known = Consistency.of(b"2 a b c", found)
    assert known.numbers.starts.tolist() == [0]
    assert File("a", b"2 a b c", known).cut(Cuts(np.array([3]), np.array([5]), {})).data == b"1 a c"


def test_a_large_file_may_be_counted_once_it_is_smaller() -> None:
    large, counted = b"word " * (1 << 18), b"4\na 1\nb 2\nc 3\nd 4\n"
    assert not hypotheses(large)
    assert [*map(may_be_counted, (large, counted, b"word " * 9))] == [True, True, False]
