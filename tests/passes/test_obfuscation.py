"""Words and numbers become meaningless, the same everywhere, and keep their shape."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.document import Document
from nubbin.documents.edits import File, Link
from nubbin.passes.folders.obfuscation import obfuscated, replaced_words
from nubbin.passes.proposal import next_proposal
from nubbin_core.minimizers import EMPTY, Subset

#: Words with a few letters, so that some are equal but for their case, and some are taken.
WORDS = st.text("aBbc19_", min_size=1, max_size=4) | st.sampled_from(["bb", "11", "Grüße", "0x2F"])
TEXTS = st.lists(WORDS | st.sampled_from([" ", "\\n", '"']), max_size=30).map("".join)


def once(document: Document, kept: Subset = EMPTY) -> Document:
    proposal = next_proposal(obfuscated(document))
    return document if proposal is None else proposal.render(kept)


@given(TEXTS, TEXTS)
def test_one_word_becomes_one_word_of_the_same_shape_in_all_files(one: str, other: str) -> None:
    files = (File("d/a", one.encode()), File("d/b.txt", other.encode()))
    document = Document("d", files)
    after = once(document)
    assert after.extent == document.extent
    pairs = replaced_words(document, after)
    assert len({*pairs.values()}) == len(pairs)
    before = set(re.findall(rb"[\w\x80-\xff]+", re.sub(r"\\.", " ", f"{one} {other}").encode()))
    assert before.isdisjoint(pairs), "a word that another one has"
    texts = [re.sub(rb"\\.", b"", file.data) for file in after.files]
    assert all(any(new in text for text in texts) for new in pairs)
    for new, old in pairs.items():
        same = {(a in b"_", a in b"0123456789", 65 <= a <= 90) for a in old}
        assert same == {(a in b"_", a in b"0123456789", 65 <= a <= 90) for a in new}
    assert not replaced_words(after, once(after)) or len(before) > 15


def test_names_of_files_change_with_their_words_but_not_their_suffixes() -> None:
    files = (
        File("d/meier/bill.py", b"import meier_bill"),
        File("d/meier_bill.py", b""),
        File("d/to", Link(b"meier/bill.py")),
    )
    after = once(Document("d", files))
    # Words only in names follow those of the texts.
    assert after.files == (
        File("d/bbbbb_bbbb.py", b""),
        File("d/ccccc/dddd.py", b"import bbbbb_bbbb"),
        File("d/gg", Link(b"ccccc/dddd.py")),
    )
    assert replaced_words(Document("d", files), after) == {
        b"bbbbb_bbbb": b"meier_bill",
        b"ccccc": b"meier",
        b"dddd": b"bill",
        b"gg": b"to",
    }


@pytest.mark.parametrize(
    ("name", "text", "then"),
    [
        # Keywords of a language are kept, also in other words; API is up to the test.
        (
            "a.py",
            'def total(x):\n    return "Total \\nof def"',
            b'def bbbbb(x):\n    return "Bbbbb \\ncc def"',
        ),
        ("a.txt", "Meier owes 1250, 0x1F and 10px", b"Bbbbb cccc 3333, 0x1F ggg 55px"),
        ("a.txt", "a 7 bb 11 _x", None),
    ],
)
def test_what_becomes_of_a_text(name: str, text: str, then: bytes | None) -> None:
    document = Document.single(name, text.encode())
    assert once(document).data[name] == (text.encode() if then is None else then)
