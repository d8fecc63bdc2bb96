"""Texts that occur several times become short everywhere."""

from __future__ import annotations

import pytest

from nubbin.documents.edits import File
from nubbin.passes.proposal import next_proposal
from nubbin.passes.words.names import repeats
from nubbin_core.minimizers import EMPTY


def first(text: bytes) -> bytes:
    """Return what the first list makes of a text."""
    proposal = next_proposal(repeats(File("input", text)))
    return text if proposal is None else proposal.render(EMPTY).data


@pytest.mark.parametrize(
    ("text", "short"),
    [
        (b"a[4096] = b[4096];", b"a[0] = b[0];"),
        (b"VALUES('x 1'), ('x 1'), ('y')", b"VALUES(0), (0), ('y')"),
        (b'boundary="--=_part.7"\n----=_part.7\n', b'boundary="--=a"\n----=a\n'),
        (b"GET http://a.example/x\nRef: http://a.example/x\n", b"GET b\nRef: b\n"),
        (b"1 plus 22 is not 22", b"1 plus 0 is not 0"),
    ],
)
def test_all_copies_change_together(text: bytes, short: bytes) -> None:
    assert first(text) == short


def test_names_and_what_occurs_once_stay() -> None:
    text = b"name 12 name 'other text' 13"
    assert first(text) == text


def test_a_string_stays_a_string_in_the_second_list() -> None:
    file = File("input", b"f('long', 'long')")
    running = repeats(file)
    assert next_proposal(running) is not None
    second = next_proposal(running, file)
    assert second is not None
    assert second.render(EMPTY).data == b"f('a', 'a')"
