"""Find out which numbers of a file depend on the rest of it, and delete what they count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise, product

import numpy as np

from nubbin.documents.consistency.consistency import Consistency
from nubbin.documents.consistency.hypotheses import hypotheses
from nubbin.documents.consistency.items import NEUTRAL, Hypothesis, Kind
from nubbin.documents.edits import Edit, Edits, File
from nubbin.documents.spans import Replacement
from nubbin.documents.splice import Span
from nubbin.passes.proposal import FilePass, Offer, Proposal, Proposals, next_proposal
from nubbin.passes.syntactic import propose
from nubbin_core.minimizers.subset import EMPTY, Subset

#: A large part is an eighth of a file or more, and too long for a list of single bytes, which can
#: rarely be removed from it.
_SHARES, _MAX_LARGE, _MIN_LARGE_BYTES = (2, 4, 8), 8, 512


def consistent(file: File, *, with_items: bool = True) -> Proposals[File]:
    """Propose to accept hypotheses, then to delete the items of each counted list.

    The first query finds out whether the numbers of a text must be right: it removes an item of
    each list and corrects nothing. Bytes skip this query, because no other pass knows their items.
    If the test rejects that, the next query corrects all numbers, and the one after it also removes
    the same items of lists of the same length. If both are rejected, the hypotheses are a list to
    choose from. So H hypotheses cost three queries and this list; without any, the pass costs
    nothing. Placeholders for removed definitions cost at most five queries for each sigil.

    Items that others are made of can be removed only after these. So what is still unknown when the
    lists are done is a list once more. Without `with_items`, items are left to `counted_items`.
    """
    kinds: tuple[Kind, ...] = (Kind.PART, Kind.ELEMENT)
    if file.consistency is None and (found := _by_length(hypotheses(file.data))):
        whole = file
        kinds = (Kind.PART,)  # other passes delete the others, but have not run yet
        if not found[0][0].of_bytes:
            file = yield _test(file, [found], repairs=False)
            if file.data != whole.data:
                return
        pairs = any(len(each) > 1 for each in found)
        for attempt in (
            _test(file, [found]),
            *([_test(file, [found], together=True)] if pairs else []),
            _test(file, [[each] for each in found], together=True, attempt=1),
            *_with_placeholders(file, chain(*found)),
        ):
            if file.consistency is None:
                file = yield attempt
        file = yield from _as_written(file)
        file = yield from _placeholders(file)
    if with_items:
        file = yield from counted_items(file)
    file = yield from _needed_as_written(file, kinds)
    file = yield from _tails(file)
    if (known := file.consistency) is not None and (more := _unknown(file.data, known)):
        file = yield _test(file, [[[each]] for each in more])
        yield from counted_items(file, len(known.sigils))


def counted_items(file: File, first: int = 0) -> Offer[File]:
    """Propose to delete the items of each counted list, from one on; return what came out."""
    for kind in (Kind.PART, Kind.CELL):
        for number in _spans(file, kind):
            items = _spans(file, kind).get(number, [])
            if len(items) > 1 and number >= first:
                file = yield propose(file, None, map(_deleted, items), tidy=kind is Kind.PART)
    return file


def _spans(file: File, kind: Kind) -> dict[int, list[list[Span]]]:
    """Return the spans of each item of a kind, by the number of its list."""
    return file.consistency.places.spans_by_list(kind) if file.consistency else {}


def _tails(file: File) -> Offer[File]:
    """Propose to cut halves, then quarters, then eighths off the ends of large parts of bytes."""
    for share in _SHARES:
        before = None
        while (known := file.consistency) is not None and known.of_bytes and file.data != before:
            before = file.data
            items = chain.from_iterable(known.places.spans_by_list().values())
            parts = (max(item, key=lambda span: span[1] - span[0]) for item in items)
            least = max(len(file.data) // _MAX_LARGE, _MIN_LARGE_BYTES)
            large = [(start, stop) for start, stop in parts if stop - start >= least]
            edits = [_deleted([(stop - (stop - start) // share, stop)]) for start, stop in large]
            file = yield propose(file, None, edits)
    return file


def _as_written(file: File) -> Offer[File]:
    """Propose to delete the first half of each list, and to keep all positions as written.

    Positions that must be right are then too large, and the test rejects it.
    """
    if file.consistency is not None and not file.consistency.of_bytes:
        lists = _lists(file, (Kind.PART, Kind.ELEMENT))
        edits = [edit for items in lists.values() for edit in items[: len(items) // 2]]
        known = file.consistency.as_written(lists, own=True)
        if known is not None and edits:
            file = yield _all_of(file, edits, known)
    return file


def _needed_as_written(file: File, kinds: Sequence[Kind]) -> Offer[File]:
    """Propose to delete halves of each list, with positions corrected; return what came out.

    If the test rejects that, the pass proposes to keep the positions as written: the test may need
    a number that is a position only by chance. It may need items in both halves, so quarters follow
    if neither half was removed.
    """
    for number in _lists(file, kinds):
        whole = file
        for parts, at in ((2, 0), (2, 1), (4, 0), (4, 1), (4, 2), (4, 3)):
            items = _lists(file, kinds).get(number, [])
            known = file.consistency and file.consistency.as_written({number})
            part = items[-(-len(items) * at // parts) : len(items) * (at + 1) // parts]
            if known is None or not part or (parts > 2 and file.data != whole.data):
                break
            right = _all_of(file, part)
            as_written = _all_of(file, part, known)
            if right.render(EMPTY).data == as_written.render(EMPTY).data:
                continue
            before, file = file, (yield right)
            if file.data == before.data:
                file = yield as_written
                if file.data != before.data:
                    file = yield from counted_items(file)
    return file


def _lists(file: File, kinds: Sequence[Kind]) -> dict[int, list[Edit]]:
    """Return what deletes each item, by the number of its list, with the comma after an element."""
    lists: dict[int, list[Edit]] = {}
    for kind in () if file.consistency and file.consistency.of_bytes else kinds:
        for number, items in _spans(file, kind).items():
            lists[number] = [_deleted(item) for item in items]
            if kind is Kind.ELEMENT:
                bounds = [*(item[0][0] for item in items), items[-1][0][1]]
                lists[number] = [_deleted([span]) for span in pairwise(bounds)]
    return lists


def _all_of(file: File, edits: Sequence[Edit], known: Consistency | None = None) -> Proposal[File]:
    """Return the proposal to make all edits together, perhaps with other dependent numbers."""
    made = Edits(file if known is None else file.with_data(file.data, known), edits)
    return Proposal(1, lambda kept: file if kept else made.render(EMPTY))


def _unknown(data: bytes, known: Consistency) -> list[Hypothesis]:
    """Return the hypotheses about numbers of a text of which nothing is known yet."""
    starts = set(known.numbers.starts.tolist())
    return [
        each
        for each in ([] if known.of_bytes else hypotheses(data))
        if not each.regions and starts.isdisjoint(number.start for number in each.numbers)
    ]


#: Hypotheses about lists of the same length, whose items may have to be removed together.
_Alike = list[Hypothesis]


def _by_length(found: Sequence[Hypothesis]) -> list[_Alike]:
    alike: dict[tuple[int, int], _Alike] = {}
    for number, each in enumerate(found):
        is_counted = each.items in {number.items for number in each.numbers}
        alike.setdefault((0 if is_counted else number + 1, len(each.items.places)), []).append(each)
    return list(alike.values())


def _test(
    file: File,
    found: Sequence[Sequence[_Alike]],
    *,
    repairs: bool = True,
    together: bool = False,
    attempt: int = 0,
) -> Proposal[File]:
    """Return the proposal to accept each element, with the deletion that tests it."""

    def render(kept: Subset) -> File:
        chosen = [alike for at in Subset.full(len(found)) - kept for alike in found[at]]
        pairs = [[each.items for each in alike] for alike in chosen if together]
        taken = list(chain.from_iterable(chosen))
        known = file.consistency
        if repairs and chosen:
            of_chosen = Consistency.of(file.data, taken, pairs)
            known = known.joined(of_chosen) if known else of_chosen
        edits = [_deleted(alike[0].probe(file.data, attempt)) for alike in chosen]
        return Edits(file.with_data(file.data, known), edits).render(EMPTY)

    return Proposal(len(found), render)


def _placeholders(file: File) -> Offer[File]:
    """Propose placeholders for definitions, sigil by sigil; return what came out."""
    sigils = file.consistency.used_definitions(file.data) if file.consistency else ()
    for sigil, text in product(sigils, NEUTRAL):
        known = file.consistency
        if known is not None and sigil not in known.placeholders:
            used = known.used_definitions(file.data)
            if sigil in used:
                file = yield _all_of(
                    file, [_deleted([used[sigil]])], known.with_placeholder(sigil, text)
                )
    return file


def _with_placeholders(file: File, found: Iterable[Hypothesis]) -> Iterator[Proposal[File]]:
    """Yield proposals to accept sequences in which every definition is used, with placeholders."""
    used = [each for each in found if each.placeholders]
    for text in filter(None, NEUTRAL) if used else ():
        same = [replace(each, placeholders=dict.fromkeys(each.placeholders, text)) for each in used]
        yield _test(file, [[[each]] for each in same])


def _deleted(places: Sequence[Span]) -> Edit:
    return tuple(Replacement(*span) for span in places)


def also_plain(each: FilePass) -> FilePass:
    """Return a pass that in the end also proposes its edits without corrections.

    It proposes only edits whose results differ. If the test accepts one, the numbers do not depend
    on the rest, and are not corrected any more.
    """

    def propose(file: File) -> Proposals[File]:
        running, came_out = each(file), None
        while proposal := next_proposal(running, came_out):
            file = came_out = yield proposal
        if file.consistency is None:
            return
        both = (proposals_of(each, of) for of in (file, file.with_data(file.data)))
        for repaired, plain in zip(*both, strict=True):
            each_alone = [Subset.full(plain.size).without(at, at + 1) for at in range(plain.size)]
            differ = [repaired.render(kept) != plain.render(kept) for kept in each_alone]
            if any(differ) and (yield plain.only(np.array(differ))).data != file.data:
                return

    return propose


def proposals_of(each: FilePass, file: File) -> Iterator[Proposal[File]]:
    """Yield the proposals of a pass if every list is rejected."""
    running, came_out = each(file), None
    while proposal := next_proposal(running, came_out):
        yield proposal
        came_out = file


def definitions(file: File) -> Proposals[File]:
    """Propose to delete the definitions that refer to labels; then labels with what follows them.

    A definition that refers to labels chooses by where control comes from, so no block can be
    removed before it. A reference to a removed label takes the next one. Costs nothing where
    nothing has a label that follows from the rest.
    """
    if known := file.consistency:
        references = known.references(Kind.LABEL)
        spans = (span for _, span in known.definitions(file.data))
        using = [span for span in spans if np.diff(np.searchsorted(references, span))[0]]
        file = yield propose(file, None, (_deleted([span]) for span in using))
    if known := file.consistency:
        labels = (_deleted([span]) for _, span in known.places.of_kind(Kind.LABEL))
        yield propose(file, None, labels)
