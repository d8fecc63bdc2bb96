"""Dedented lines move together, and a block is what is indented deeper than the line before."""

from __future__ import annotations

from nubbin.documents.edits import Edits, File
from nubbin.documents.outlines.line_outline import dedented, indented_blocks
from nubbin.documents.spans import Replacement
from nubbin_core.minimizers import EMPTY

TEXT = b"""\
f:
    x
    if a:
            y
            if z:
              w

              v
    else:
        u
g
"""


def test_blocks_are_what_stands_further_to_the_right() -> None:
    blocks = indented_blocks(TEXT)
    found = [(TEXT[block.start : block.stop].split(), above) for block, above in blocks]
    assert found == [
        ([b"w", b"v"], 12),
        ([b"y", b"if", b"z:", b"w", b"v"], 4),
        ([b"u"], 4),
        ([b"x", b"if", b"a:", b"y", b"if", b"z:", b"w", b"v", b"else:", b"u"], 0),
    ]
    assert not list(indented_blocks(b"a\nb\n\n"))


def test_lines_move_together_and_keep_their_distance() -> None:
    part = Replacement(TEXT.index(b"y"), TEXT.index(b"    else"))
    moved = dedented(TEXT, part, 1)
    assert moved is not None
    lines = Edits(File("", TEXT), [moved]).render(EMPTY).data.split(b"\n")
    assert lines[3:8] == [b"            y", b" if z:", b"   w", b"", b"   v"]


def test_blocks_in_blocks_move_all_at_once() -> None:
    inner, outer = (
        dedented(TEXT, Replacement(TEXT.index(first), TEXT.index(b"    else")), column)
        for first, column in ((b"w", 13), (b"y", 5))
    )
    assert inner and outer
    assert Edits(File("", TEXT), [inner, outer]).render(EMPTY).data.split(b"\n")[7] == b"      v"


def test_what_cannot_move_does_not() -> None:
    assert dedented(b"  a\nb", Replacement(2, 5), 0) is None
    assert dedented(b"- a\n  b", Replacement(2, 7), 0) is None
    assert dedented(b"a\nb", Replacement(0, 3), 0) is None
