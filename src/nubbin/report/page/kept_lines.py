"""The lines of the input of which something is left in the result."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nubbin.report.page.excerpt import excerpt, is_text
from nubbin.report.page.texts import Texts
from nubbin.report.page.weave import NEVER, Weave
from nubbin.report.visible import printable

_MAX_CHARACTERS = 160  # of a line


def kept_lines(texts: Texts) -> Iterator[str]:
    """Yield the number and the text of each such line, under the names of the files."""
    for path, weave in texts.weaves.items():
        if weave.first == texts.first and weave.is_there:
            lines = list(_lines_of(weave))
            if lines and len(texts.weaves) > 1:
                yield f"{printable(path)}:"
            yield from lines


def _lines_of(weave: Weave) -> Iterator[str]:
    """Yield the lines of one file; none of one that is binary."""
    lengths, born, died = weave.segments()
    data = np.frombuffer(weave.text(), dtype=np.uint8)
    is_first = np.repeat(born == weave.first, lengths)
    is_kept = np.repeat(died == NEVER, lengths)[is_first]
    original = data[is_first].tobytes()
    if not is_text(original):
        return
    at = 0
    for number, line in enumerate(original.splitlines(keepends=True), 1):
        words = is_kept[at : at + len(line.rstrip())]
        at += len(line)
        if words.any():
            yield f"{number:6}  {excerpt(line.rstrip(), _MAX_CHARACTERS)}"
