"""Records are found by counting: whole stanzas, mails and events; no byte is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.outlines.line_outline import MAX_SPLITS, ended_blocks, splits
from nubbin.documents.parsing.languages import language_of

STANZAS = b"".join(
    b"Package: p%d\nVersion: %d\nDescription: %d\n a line of text\n .\n another\n\n" % (i, i, i)
    for i in range(40)
)
CALENDAR = (
    b"BEGIN:VCALENDAR\nVERSION:2.0\n"
    + b"".join(b"BEGIN:VEVENT\nUID:%d\nSUMMARY:s\nEND:VEVENT\n" % i for i in range(9))
    + b"END:VCALENDAR\n"
)
LOG = b"".join(
    b"2026-11-%02d request\nTraceback:\n  File x\nValueError: %d\n" % (i, i) for i in range(1, 29)
)
lines = st.sampled_from(
    [b"", b"if a", b"endif", b"begin x", b"end x", b"<x y>", b"</x>", b"key: 1", b"word"]
)
texts = st.lists(lines, max_size=40).map(b"\n".join)


@given(texts)
def test_every_split_is_of_all_bytes_and_finer_than_the_one_before(data: bytes) -> None:
    found = splits(data)
    assert len(found) <= MAX_SPLITS
    for split in found:
        ends = split.offsets.tolist()
        assert ends == sorted(set(ends))
        assert (ends[0], ends[-1]) == (0, len(data))
    sizes = [len(split) for split in found]
    assert sizes == sorted(sizes)


@given(texts)
def test_blocks_lie_in_one_another_or_apart(data: bytes) -> None:
    for start, stop, text in ended_blocks(data):
        assert 0 <= start < stop <= len(data)
        assert not text
    # Of one kind of end; blocks of two kinds may overlap, as `if` and `for` do in broken text.
    for end in (b"endif", b"end x", b"</x>"):
        spans = [(a, b) for a, b, _ in ended_blocks(data) if data[a:b].rstrip().endswith(end)]
        assert all(
            b <= c or d <= a or (a <= c and d <= b) or (c <= a and b <= d)
            for a, b in spans
            for c, d in spans
        )


def test_stanzas() -> None:
    assert len(splits(STANZAS)[0]) == 40


def test_events_and_the_calendar_around_them() -> None:
    found = [CALENDAR[start:stop] for start, stop, _ in ended_blocks(CALENDAR)]
    assert found.count(CALENDAR) == 1
    assert len(found) == 10
    assert b"BEGIN:VEVENT\nUID:3\nSUMMARY:s\nEND:VEVENT\n" in found


def test_records_begin_with_a_time() -> None:
    assert [len(split) for split in splits(LOG)] == [28]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"{% for a in b %}\nx\n{% endfor %}\n", 1),
        (b"#if A\nx\n#if B\n#endif\n#endif\n", 2),
        (b"begin\nend\nend\n", 0),
        (b"one\ntwo\n", 0),
    ],
)
def test_pairs_of_lines(data: bytes, expected: int) -> None:
    assert len(ended_blocks(data)) == expected


def test_a_guess_must_show_structure() -> None:
    """All lines look like YAML, whose tree is an empty shell for such a text."""
    assert language_of("packages", STANZAS) is None
    assert language_of("settings", b"a: 1\nb:\n  - c: 2\n    d: 3\n" * 9) == "yaml"


def test_a_line_with_a_slash_ends_what_it_names() -> None:
    data = b"<Host *:80>\nName a\n<Host *:81>\n</Host>\n</Host>\n"
    found = {data[start:stop] for start, stop, _ in ended_blocks(data)}
    assert found == {data, b"<Host *:81>\n</Host>\n"}
