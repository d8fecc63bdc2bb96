"""Messages of fields: those that bytes hold are found, with where they and their lengths stand."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from nubbin.documents.consistency.consistency import Consistency
from nubbin.documents.consistency.in_bytes.blocks import fields_in
from nubbin.documents.consistency.items import Hypothesis
from nubbin.documents.containers.wasm.instructions import leb
from nubbin.documents.edits import Edits, File
from nubbin.documents.spans import Replacement
from nubbin.documents.splice import Span
from nubbin_core.minimizers.subset import Subset

#: No message: the first key would have the number 0.
_text = st.binary(max_size=30).map(b"\0".__add__)
_number = st.integers(0, 2**64 - 1).map(leb)


def sized(key: int, body: bytes) -> bytes:
    return leb(key << 3 | 2) + leb(len(body)) + body


#: A name, a number, eight bytes and four.
_record = st.tuples(_text, _number, st.binary(min_size=8, max_size=8)).map(
    lambda parts: sized(1, parts[0]) + b"\x10" + parts[1] + b"\x19" + parts[2] + b"\x25abcd"
)


@settings(max_examples=20)
@given(st.lists(_record, min_size=8, max_size=12), st.data())
def test_fields_that_go_leave_a_message(records: list[bytes], data: st.DataObject) -> None:
    message = _messages(records)
    (found,) = fields_in(message)
    assert len(found.regions) == 3 * len(records)
    assert {len(items.places) for items in found.within} == {len(records), 4}

    at = data.draw(st.integers(0, len(records) - 1))
    outside, inside = found.within[0], found.within[1 + at]
    assert _without(message, found, outside.places[at]) == _messages(
        [*records[:at], *records[at + 1 :]]
    )
    ((start, stop),) = inside.places[0]
    shorter = records[at][stop - start :]
    expected = _messages([*records[:at], shorter, *records[at + 1 :]])
    assert _without(message, found, [(start, stop)]) == expected


def _messages(records: list[bytes]) -> bytes:
    return b"".join(sized(1000, sized(7, each)) for each in records)


def _without(message: bytes, found: Hypothesis, places: list[Span]) -> bytes:
    """Return what is left without some places, with all lengths made right."""
    file = File("a", message, Consistency.of(message, [found]))
    edits = Edits(file, [tuple(Replacement(*span) for span in places)])
    return edits.render(Subset.of([])).data


def test_other_bytes_are_no_messages() -> None:
    for text in (b"", b"\0" * 99, bytes(range(256)), b"\x0a\x01a" * 40, b"plain text " * 20):
        assert not fields_in(text)
