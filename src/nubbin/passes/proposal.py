"""What a pass is, and what it proposes.

A pass is a generator function. It looks at a document, yields a list of edits as a `Proposal`, and
is sent the document that came out of it: the one in which the accepted edits are applied, or the
same one if none was. A list without edits is passed over.

    def blank_lines(file: File) -> Proposals[File]:
        file = yield propose(file, None, [...])

Most passes look at one file (`FilePass`); `each_file` makes a pass over documents of them. A new
pass is one file here and one row of `nubbin.passes.table`. These are the rules; a test holds
every row to them.

- It is pure. What it proposes depends on the document that it is given and on those that it is
  sent, and on nothing that it saw before: no clock, no randomness, no memory but caches. The search
  asks a pass about documents that may never come, and runs it again for a second outcome.
- The full subset renders the document itself, and the empty subset a different one.
- No subset renders a longer document, except by spaces that keep tokens apart, by numbers that are
  corrected, and by placeholders for removed definitions. The search drops candidates that
  are not shorter, unless the proposal `keeps_size`.
- It ends, whatever documents it is sent, as long as none is longer than the one before.
- Weights are bytes: by how much each edit alone shortens the document, approximately.
- It costs no query. It may parse. Each proposal takes linear time in the document, or little more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from nubbin.documents.document import Document
from nubbin.documents.edits import File, all_but, subset_of
from nubbin.documents.outlines.lexis import words_of
from nubbin.documents.splice import Mask, Offsets
from nubbin_core.minimizers.subset import EMPTY, Subset
from nubbin_core.minimizers.uses import Uses, by_name

Edited = TypeVar("Edited", File, Document)

#: Reading more, or looking at longer lists after each run, would take longer than it saves.
_MAX_BYTES, _MAX_PARTS = 1 << 22, 1 << 14


class Spans(NamedTuple):
    """The spans that edits change in a file: edit owners[i] changes bytes starts[i]..stops[i]-1.

    An edit may own several spans, in several files. Shapes (S,).
    """

    path: str
    owners: Offsets
    starts: Offsets
    stops: Offsets

    def owned(self, owners: Offsets) -> Spans:
        """Return the spans as those of the owners of their edits; spans of -1 are dropped."""
        found = Spans(self.path, owners[self.owners], self.starts, self.stops)
        return Spans(self.path, *(column[found.owners >= 0] for column in found[1:]))


@dataclass(frozen=True, slots=True)
class Proposal(Generic[Edited]):
    """A list of `size` edits of one file or document, to be minimized.

    `render` applies all edits except those of a subset: a minimizer keeps of the document what it
    must. `weights` are the bytes that each edit removes; empty if all are worth the same. A
    candidate that is not `is_plausible`, such as one that does not parse, is not worth a query.
    `texts` returns what the edits delete, if each deletes one part; its words tell which parts use
    which. `spans` returns most of what the edits change, to find those that change protected parts.

    If there is a function `on_answers`, each edit is a candidate of its own. All are tried at once,
    alone and whatever their size, and the function is called with the answers. Of those that the
    test accepts, the one with the largest weight comes out, unless that is 0 or less. If it
    `keeps_size`, a candidate may be as large as the document.
    """

    size: int
    render: Callable[[Subset], Edited]
    weights: Sequence[float] = ()
    is_plausible: Callable[[Subset], bool] = lambda kept: True
    texts: Callable[[], Sequence[bytes]] = tuple
    spans: Callable[[], Sequence[Spans]] = tuple
    on_answers: Callable[[Sequence[bool]], None] | None = None
    keeps_size: bool = False

    def only(self, chosen: Mask) -> Proposal[Edited]:
        """Return the proposal of the flagged edits; the others are never applied."""
        made = self.owned(np.where(chosen, chosen.cumsum() - 1, -1), int(chosen.sum()))
        return replace(made, texts=lambda: [*compress(self.texts(), chosen)])

    def in_groups(self, count: int) -> Proposal[Edited]:
        """Return the proposal of at most `count` groups of neighbours, of about equal weights."""
        groups = groups_of(self.weights, count)
        return self.owned(groups, int(groups[-1]) + 1)

    def owned(self, owners: Offsets, size: int) -> Proposal[Edited]:
        """Return a proposal of `size` edits: owners[i] is applied with edit i of this; -1: none."""

        def kept_of(kept: Subset) -> Subset:
            return subset_of(~np.append(all_but(kept, size), False)[owners])

        weights = np.bincount(owners + 1, self.weights or [1.0] * self.size, size + 1)
        return replace(
            self.chosen_by(kept_of),
            size=size,
            weights=weights[1:].tolist(),
            spans=lambda: [each.owned(owners) for each in self.spans()],
        )

    def chosen_by(self, kept_of: Callable[[Subset], Subset]) -> Proposal[Edited]:
        """Return the proposal in which `kept_of` translates the subsets for this one."""
        return Proposal(
            self.size,
            lambda kept: self.render(kept_of(kept)),
            self.weights,
            lambda kept: self.is_plausible(kept_of(kept)),
            spans=self.spans,
            keeps_size=self.keeps_size,
        )


def groups_of(weights: Sequence[float], count: int) -> Offsets:
    """Return the group of each element: at most `count`, of neighbours of about equal weights."""
    until = np.cumsum(weights)
    return np.unique((count * until - 1) // until[-1], return_inverse=True)[1]


#: The type of a running pass: see the head of this file.
Proposals = Generator[Proposal[Edited], Edited, Any]
#: The type of a running part of a pass: it returns the document that came out.
Offer = Generator[Proposal[Edited], Edited, Edited]

FilePass = Callable[[File], Proposals[File]]


@dataclass(frozen=True, slots=True)
class Pass:
    """A pass over documents, as the schedule runs it; `name` is for people.

    `propose` yields proposals, and is sent the document that came out of each. `piece` is what each
    element of the lists is, such as `a token`, if the lists hold all of these: then a result is
    1-minimal if no single element can be removed. For other passes it is "". If a pass `closes`,
    the passes after it are finer, and wait longer for their turns. If it `is_golf`, it makes texts
    shorter, but no easier to read. A pass over each file has a `row` in the table of passes, and
    the `paths` of these files. If it `waits`, it begins when the others become slow.
    """

    name: str
    propose: Callable[[Document], Proposals[Document]]
    piece: str = ""
    closes: bool = False
    is_golf: bool = False
    row: Hashable = None
    paths: Collection[str] = ()
    waits: bool = False


def uses_by_words(texts: Sequence[bytes]) -> Uses | None:
    """Return which parts use which: a part uses those with the first occurrence of its words.

    In any language, the first occurrence of a name is mostly its declaration. None if no part uses
    another, or if the list is long or large. Linear in the texts.
    """
    if len(texts) > _MAX_PARTS or sum(map(len, texts)) > _MAX_BYTES:
        return None
    words = [*map(words_of, texts)]
    uses = Uses.by_name(words, {word: parts[:1] for word, parts in by_name(words).items()})
    return uses if uses.targets else None


def next_proposal(
    running: Proposals[Edited], came_out: Edited | None = None
) -> Proposal[Edited] | None:
    """Return the next proposal of a running pass, or None when it has ended.

    `came_out` is what came out of its last proposal; None starts the pass. A proposal without edits
    is passed over: the pass is sent the same document again.
    """
    try:
        proposal = next(running) if came_out is None else running.send(came_out)
        while not proposal.size:
            proposal = running.send(came_out or proposal.render(EMPTY))
    except StopIteration:
        return None
    return proposal
