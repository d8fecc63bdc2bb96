"""Delete white space, and consecutive tokens that are neither a node nor a list of nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

import numpy as np

from nubbin.documents.edits import Edit, File, all_but, gain
from nubbin.documents.outlines.lexis import NAME_LETTER, WORD, lexed
from nubbin.documents.outlines.line_outline import column_of, dedented, indented_blocks
from nubbin.documents.outlines.pieces import tokens
from nubbin.documents.spans import Replacement
from nubbin.documents.splice import Cuts, Offsets, glued
from nubbin.passes.proposal import Proposal, Proposals, Spans
from nubbin.passes.syntactic import Gate, propose
from nubbin.pattern import pattern
from nubbin_core.minimizers.subset import Subset

# All white space except a single blank between two words, which must be kept. Each alternative
# begins with white space, so the search skips everything else.
BLANK = pattern(rb"\s(?:\s+|(?!%b)|(?<!%b\s))" % (NAME_LETTER, NAME_LETTER))
# Matches only at the start of white space: from each of a million blanks, it would take hours.
LINE_END = pattern(rb"(?<!\s)\s*\n\s*")

# A digit or underscore that is not a word by itself.
_DIGIT = pattern(rb"(?<=\w)[\d_]|[\d_](?=\w)")

_BLANKS = tuple(b" \t\n\v\f\r")

#: More runs than this are left to the pass over tokens, unless they are a large share of the file.
_MAX_RUNS = 64
_MIN_SHARE = 1 / 8


def blanks(file: File) -> Proposals[File]:
    """Propose to delete all white space in one query, except one blank between two words.

    Then propose all except bare line ends, in one query as well, and then each run. Then propose to
    replace each run that has a line end with that line end, which removes indents and empty lines.
    Last, propose an indent of one column for each block that is indented by more.
    """
    if runs := _runs(file.data):
        file = yield propose(file, None, [tuple(runs)])
    if lines := _line_ends_of_runs(file.data):
        file = yield propose(file, None, [tuple(lines)])
    runs = _runs(file.data)
    if runs and (len(runs) <= _MAX_RUNS or gain(runs) >= _MIN_SHARE * len(file.data)):
        file = yield propose(file, None, [(run,) for run in runs])
    ends = (run.span() for run in LINE_END.finditer(file.data) if len(run[0]) > 1)
    file = yield propose(file, None, ((Replacement(*end, b"\n"),) for end in ends))
    yield propose(file, None, _indents(file.data))


def single_blanks(file: File) -> Proposals[File]:
    """Propose to delete each single blank and line end, also between words.

    Then propose each digit and underscore of a longer word. The proof tries them too, but must try
    all characters again whenever it removes one. Among the characters of words, these are removed
    most often.
    """
    values = np.frombuffer(file.data, dtype=np.uint8)
    blank = np.flatnonzero(np.isin(values, _BLANKS))
    file = yield _single_bytes(file, blank)
    if b"\0" not in file.data:
        digits = np.array([each.start() for each in _DIGIT.finditer(file.data)], dtype=np.int64)
        yield _single_bytes(file, digits)


def _single_bytes(file: File, at: Offsets) -> Proposal[File]:
    def render(kept: Subset) -> File:
        gone = at[all_but(kept, len(at))]
        return file.cut(Cuts(gone, gone + 1, {}))

    spans = Spans(file.path, np.arange(len(at)), at, at + 1)
    return Proposal(len(at), render, spans=lambda: [spans])


def _runs(data: bytes) -> list[Replacement]:
    return [
        Replacement(*run.span()) for run in BLANK.finditer(data) if not _is_glue(data, *run.span())
    ]


def _is_glue(data: bytes, start: int, stop: int) -> bool:
    """Tell whether white space is a single blank without which two marks would be another."""
    inside = stop - start == 1 and start > 0 and stop < len(data)
    return inside and glued(data[start - 1], data[stop])


def _line_ends_of_runs(data: bytes) -> list[Replacement]:
    """Return the edits that leave only the line end of a run that has one, and no other runs."""
    return [
        Replacement(run.start, run.stop, b"\n" if b"\n" in data[run.start : run.stop] else b"")
        for run in _runs(data)
        if data[run.start : run.stop] != b"\n"
    ]


def _indents(data: bytes) -> Iterator[Edit]:
    """Yield an edit for each block that is indented by more than one column."""
    for block, above in indented_blocks(data):
        lines = dedented(data, block, above + 1)
        if lines is not None:
            column = column_of(data, block.start)
            yield (Replacement(block.start - column + above + 1, block.start), *lines)


_MAX_WIDTH = 4  # tokens
#: In larger files, cuts are not worth their queries.
_MAX_TOKENS = 2000
#: A quoted text of at most this number of bytes is one token in a window: a single quote is rarely
#: removed alone.
_MAX_QUOTED = 18
#: At most this number of phrases are tried, the smallest. In larger files, none are.
_MAX_PHRASES, _MAX_BYTES = 80, 1 << 14
#: The most words and marks before brackets that may belong to them.
_MAX_BEFORE = 5
#: Clauses of fewer tokens are among the windows of `cuts`.
_MIN_CLAUSE = 5
#: A keyword; names have one letter by now.
_KEYWORD = pattern(rb"[A-Za-z_]{2,}")


def cuts(file: File, gate: Gate) -> Proposals[File]:
    """Propose to cut from each token to the next equal one, then each window of a few tokens.

    What comes before the first of two equal tokens can often come before the second as well, so a
    cut between them leaves a similar text. The parser does not judge these cuts: a crash in the
    middle of a file does not need the end of it. Then propose all windows of two tokens, of three
    and of four (Vulcan, Xu et al. 2023), because some tokens of a 1-minimal file can only be
    removed together. The bytes of a binary file that are not text are in no window.
    """
    spans = list(islice(_tokens(file.data), _MAX_TOKENS + 1))
    if len(spans) > _MAX_TOKENS:
        return
    file = yield propose(file, None, _echoes(file.data, spans))
    for width in range(1, _MAX_WIDTH + 1):
        file = yield propose(file, gate.structure, _windows(file.data, width))


def _tokens(data: bytes) -> Iterator[Replacement]:
    """Yield the spans of the tokens that are not white space; a short quoted text is one token."""
    quoted, reached = _short_quoted(data), 0
    for start, stop in pairwise(tokens(data).offsets.tolist()):
        if start >= reached and not data[start:stop].isspace():
            reached = quoted.get(start, stop)
            yield Replacement(start, reached)


def _short_quoted(data: bytes) -> dict[int, int]:
    return {start: stop for start, stop in lexed(data).quoted if stop - start <= _MAX_QUOTED}


def _echoes(data: bytes, spans: list[Replacement]) -> list[Edit]:
    """Return the cuts from each token to the next equal one that is inside brackets of its kind."""
    partners, edits = lexed(data).partners, list[Edit]()
    seen: dict[tuple[bytes, bytes], int] = {}
    around = b""  # the brackets that are open, except angle brackets
    for start, stop, _ in spans:
        token = data[start:stop].strip(), around
        if token in seen:
            edits.append((Replacement(seen[token], start),))
        seen[token] = start
        if start in partners and data[start] not in b"<>":
            around = around + data[start : start + 1] if partners[start] > start else around[:-1]
    return sorted(edits)


def _windows(data: bytes, width: int) -> Iterator[Edit]:
    """Yield the deletions of consecutive tokens and of quoted texts; in a binary file, of text."""
    spans, quoted = list(_tokens(data)), _short_quoted(data)
    is_binary = b"\0" in data
    removable = [not is_binary or _is_text(data[start:stop]) for start, stop, _ in spans]
    for at in range(len(spans) - width + 1):
        start, stop = spans[at].start, spans[at + width - 1].stop
        if all(removable[at : at + width]) and (width > 1 or start in quoted):
            yield (Replacement(start, stop),)


def _is_text(token: bytes) -> bool:
    """Tell whether a token is more than a single byte that is not printable."""
    return len(token) > 1 or b" " < token < b"\x7f"


def phrases(file: File, gate: Gate) -> Proposals[File]:
    """Propose to delete each phrase of a small text, which need be no node and fit in no window.

    In `with s as (select y) select z`, no part of the first phrase can be removed alone. Phrases
    are the contents of brackets; brackets with up to five words and marks before them; and clauses
    from one keyword to the next. An element of a list is removed with a comma. Costs a query for
    each of at most 80 phrases that was not tried before, and a few more.
    """
    data = file.data
    if len(data) > _MAX_BYTES or b"\0" in data:
        return
    found = {span for level in _levels(data) for span in _phrases(data, level)}
    smallest = sorted(found, key=lambda span: (span.stop - span.start, span))[:_MAX_PHRASES]
    yield propose(file, gate.structure, ((span,) for span in sorted(smallest)))


def _levels(data: bytes) -> Iterator[list[Replacement]]:
    """Yield the tokens and whole brackets in each pair of brackets, and those outside of all."""
    partners, around = lexed(data).partners, [list[Replacement]()]
    for token in _tokens(data):
        partner = partners.get(token.start)
        if partner is None or data[token.start] in b"<>":
            around[-1].append(token)
        elif partner > token.start:
            around.append([])
        else:
            yield around.pop()
            around[-1].append(Replacement(partner, token.stop))
    yield from around


def _phrases(data: bytes, level: Sequence[Replacement]) -> Iterator[Replacement]:
    """Yield the phrases of a level that end with brackets, and the clauses."""
    texts = [data[span.start : span.stop].strip() for span in level]
    for at, (start, stop, _) in enumerate(level):
        if stop - start > 1 and data[start] in b"([{":
            yield from [Replacement(start + 1, stop - 1)] if stop - start > 2 else []
            yield from _with_words_before(level, texts, at)
    keywords = [at for at, text in enumerate(texts) if _KEYWORD.fullmatch(text)] + [len(level)]
    for first, last in pairwise(keywords):
        if last - first >= _MIN_CLAUSE:
            yield Replacement(level[first].start, level[last - 1].stop)


def _with_words_before(
    level: Sequence[Replacement], texts: Sequence[bytes], at: int
) -> Iterator[Replacement]:
    """Yield brackets with none, one and more of the words before them; an element with a comma."""
    stop = level[at].stop
    for first in range(at, max(at - _MAX_BEFORE, 0) - 1, -1):
        before = texts[first - 1] if first else b""
        if before == b",":
            yield Replacement(level[first - 1].start, stop)
        elif not first and texts[at + 1 : at + 2] == [b","]:
            yield Replacement(level[first].start, level[at + 1].stop)
        elif first == at or WORD.match(texts[first]):
            yield Replacement(level[first].start, stop)
        if before in (b",", b";", b"|"):
            return
