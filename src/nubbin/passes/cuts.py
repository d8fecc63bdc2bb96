"""Cut across the structure: delete tokens in a row that are neither a node nor a list of nodes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.lexis import lexed
from nubbin.documents.outlines.pieces import tokens
from nubbin.documents.parsing.syntax import Structure
from nubbin.documents.replacement import Replacement
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import propose

_MAX_WIDTH = 4  # tokens
#: In larger files, cuts are not worth their queries.
_MAX_TOKENS = 2000
#: A text in quotes of at most so many bytes is one token in a window: a quote hardly goes alone.
_MAX_QUOTED = 18


def cuts(file: File, structure: Structure) -> Proposals[File]:
    """Propose to cut from each token to the next equal one, then every few tokens in a row.

    What stands before the first of two equal tokens can often stand before the second as well, so
    a cut between them leaves a text that looks like the one before. These cuts ask no parser: a
    crash in the middle of a file needs no end of it. Then all windows of two tokens, of three and
    of four (Vulcan, Xu et al. 2023): a 1-minimal file can still hold tokens that go only together.
    Bytes of a binary file that are no text are in none of them.
    """
    spans = list(itertools.islice(_tokens(file.data), _MAX_TOKENS + 1))
    if len(spans) > _MAX_TOKENS:
        return
    if edits := _echoes(file.data, spans):
        file = yield propose(file, None, edits)
    for width in range(1, _MAX_WIDTH + 1):
        if edits := list(_windows(file.data, width)):
            file = yield propose(file, structure, edits)


def _tokens(data: bytes) -> Iterator[Replacement]:
    """Yield the spans of the tokens that are not white space; a short quoted text is one."""
    quoted, reached = _short_quoted(data), 0
    for start, stop in itertools.pairwise(tokens(data).offsets.tolist()):
        if start >= reached and not data[start:stop].isspace():
            reached = quoted.get(start, stop)
            yield Replacement(start, reached)


def _short_quoted(data: bytes) -> dict[int, int]:
    """Return where each short text in quotes starts, and where it stops."""
    return {start: stop for start, stop in lexed(data).quoted if stop - start <= _MAX_QUOTED}


def _echoes(data: bytes, spans: list[Replacement]) -> list[Edit]:
    """Return the cuts from each token to the next equal one that is inside brackets of its kind."""
    edits: list[Edit] = []
    seen: dict[tuple[bytes, int], int] = {}
    for span, context in zip(spans, _contexts(data, spans), strict=True):
        what = data[span.start : span.stop].strip(), context
        if what in seen:
            edits.append((Replacement(seen[what], span.start),))
        seen[what] = span.start
    return sorted(edits)


def _contexts(data: bytes, spans: list[Replacement]) -> Iterator[int]:
    """Yield a number for each token: the same where brackets of the same kinds are open before it.

    Angle brackets, and brackets without a partner, are text.
    """
    partners = lexed(data).partners
    numbers: dict[tuple[int, int], int] = {}
    context, around = 0, list[int]()
    for start, _, _ in spans:
        yield context
        if data[start] in b"<>" or start not in partners:
            continue
        if partners[start] > start:
            around.append(context)
            context = numbers.setdefault((context, data[start]), len(numbers) + 1)
        else:
            context = around.pop()


def _windows(data: bytes, width: int) -> Iterator[Edit]:
    """Yield the deletions of tokens in a row and of quoted texts; if binary, of text alone."""
    spans, quoted = list(_tokens(data)), _short_quoted(data)
    is_binary = b"\0" in data
    goes = [not is_binary or _is_text(data[start:stop]) for start, stop, _ in spans]
    for at in range(len(spans) - width + 1):
        start, stop = spans[at].start, spans[at + width - 1].stop
        if all(goes[at : at + width]) and (width > 1 or start in quoted):
            yield (Replacement(start, stop),)


def _is_text(token: bytes) -> bool:
    """Tell whether a token is more than a single byte that is not printable."""
    return len(token) > 1 or b" " < token < b"\x7f"
