from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nubbin.text.figures import is_text, readable


@given(st.binary(max_size=3000), st.integers(1, 2000))
def test_it_is_printable_and_cut(data: bytes, limit: int) -> None:
    text = readable(data, limit)
    assert all(char.isprintable() or char in "\n\t" for char in text)
    assert len(text) < limit + 80


def test_texts_and_binaries() -> None:
    assert is_text("Grüße\r\n\tx".encode())
    assert is_text("Grüße, mostly in ASCII".encode("latin-1"))
    assert is_text(b"")
    assert not is_text(b"PK\0\3")
    assert not is_text(b"\xff\xfe")
    assert readable(b"a\x1b\n", 99) == "a\\x1b\n"
    assert readable(b"\0\1A", 99) == f"00000000  00 01 41{' ' * 40} ..A"
    assert readable(b"x" * 1000, 10) == "xxxxxxxxxx\n... cut off here: these are 1,000 bytes in all"
