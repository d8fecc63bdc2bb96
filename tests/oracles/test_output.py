from __future__ import annotations

import os

import pytest
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


def test_small_pieces_of_a_long_output_are_read_together(monkeypatch: pytest.MonkeyPatch) -> None:
    reads = 0
    read = os.read

    def counted(descriptor: int, size: int) -> bytes:
        nonlocal reads
        reads += 1
        return read(descriptor, size)

    monkeypatch.setattr(os, "read", counted)
    piece, count = b"x" * 63 + b"\n", 16 * (1 << 20) // 64
    with PipeReader() as reader:
        for _ in range(count):
            os.write(reader.writer, piece)
    assert reads < count / 13  # of the first MB, each piece may be read alone
    assert bytes(reader.excerpt).endswith(piece)


def test_a_reader_ends_though_the_pipe_is_held_open() -> None:
    with PipeReader() as reader:
        held = os.dup(reader.writer)
        os.write(reader.writer, b"all of it")
    os.close(held)
    assert bytes(reader.excerpt) == b"all of it"
