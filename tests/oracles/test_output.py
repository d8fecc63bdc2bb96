from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st

from nubbin.oracles.output import Excerpt, PipeReader


@given(st.lists(st.binary(max_size=20)), st.integers(1, 30))
def test_an_excerpt_is_the_beginning_and_the_end(chunks: list[bytes], half: int) -> None:
    excerpt = Excerpt(2 * half)
    for chunk in chunks:
        excerpt.add(chunk)
    whole = b"".join(chunks)
    if len(whole) <= 2 * half:
        assert bytes(excerpt) == whole
    else:
        gap = b"\n[... %d bytes left out ...]\n" % (len(whole) - 2 * half)
        assert bytes(excerpt) == whole[:half] + gap + whole[-half:]


def test_a_reader_ends_though_the_pipe_is_held_open() -> None:
    with PipeReader() as reader:
        held = os.dup(reader.writer)
        os.write(reader.writer, b"all of it")
    os.close(held)
    assert bytes(reader.excerpt) == b"all of it"
