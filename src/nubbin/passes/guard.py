"""Change what passes propose: catch their errors, leave protected parts alone, repair candidates.

A pass that raises is skipped, and the reduction goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from traceback import format_exception
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from nubbin.documents.document import Document
from nubbin.documents.edits import File
from nubbin.documents.spans import Areas, Protected
from nubbin.passes.proposal import Edited, Pass, Proposal, Proposals, Spans, next_proposal
from nubbin_core.errors import NubbinError
from nubbin_core.minimizers.subset import Subset

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PassFailed:
    """A pass raised an `error` on a file or a folder: it is skipped there, and the run goes on.

    If the pass is the user's own, `error` is a sentence about it, and there is no traceback.
    """

    name: str
    path: str
    error: str
    traceback: str


class Guard:
    """Catches and records errors of passes, except a `NubbinError`, which is meant for the user.

    A pass that has failed proves nothing: see `could_prove`. Unless it `catches`, it raises all
    errors.
    """

    def __init__(self, *, catches: bool = True) -> None:
        self._caught_types = (Exception,) if catches else ()
        self._told: set[tuple[str, bool]] = set()
        self._untold: list[PassFailed] = []
        self._failed: set[tuple[str, int | None]] = set()
        #: Whether there can be a proof: not if candidates cannot be repaired any more.
        self.can_prove = True

    def new(self) -> list[PassFailed]:
        """Return the first failure of each pass that was not returned before."""
        untold, self._untold = self._untold, []
        return untold

    def could_prove(self, passes: Iterable[Pass], document: Document) -> bool:
        """Tell whether none of the passes that prove has failed on a document, or a file of it."""
        names = [each.name for each in passes if each.piece]
        states = {None, _state(document), *map(_state, document.files)} if self._failed else ()
        return self.can_prove and self._failed.isdisjoint(product(names, states))

    def applies(self, name: str, file: File, ask: Callable[[], bool]) -> bool:
        """Tell whether a pass applies to a file; if that raises, it never does."""
        return self._caught(name, file, ask, False, for_good=True)

    def over(
        self, name: str, propose: Callable[[Edited], Proposals[Edited]]
    ) -> Callable[[Edited], Proposals[Edited]]:
        """Return a pass that ends when this one raises, and whose proposals do not raise."""

        def guarded(edited: Edited) -> Proposals[Edited]:
            came_out: Edited | None = None
            if running := self._caught(name, edited, partial(propose, edited), None):
                while proposal := self._caught(
                    name, edited, partial(next_proposal, running, came_out), None
                ):
                    edited = came_out = yield self._proposal(name, edited, proposal)

        return guarded

    def whole(self, each: Pass) -> Pass:
        """Return the same for a pass over documents."""
        return replace(each, propose=self.over(each.name, each.propose))

    def _proposal(self, name: str, edited: Edited, proposal: Proposal[Edited]) -> Proposal[Edited]:
        """Return a proposal whose edits change nothing if they raise, which costs no query."""
        caught = partial(self._caught, name, edited)
        return replace(
            proposal,
            render=lambda kept: caught(partial(proposal.render, kept), edited),
            is_plausible=lambda kept: caught(partial(proposal.is_plausible, kept), False),
            texts=lambda: caught(proposal.texts, ()),
            spans=lambda: caught(proposal.spans, ()),
        )

    def _caught(
        self,
        name: str,
        edited: File | Document,
        ask: Callable[[], T],
        otherwise: T,
        *,
        for_good: bool = False,
    ) -> T:
        try:
            return ask()
        except NubbinError:
            raise
        except self._caught_types as error:
            self._failed.add((name, None if for_good else _state(edited)))
            path = edited.path if isinstance(edited, File) else edited.name
            self.note(PassFailed(name, path, repr(error), "".join(format_exception(error))))
            return otherwise

    def note(self, failure: PassFailed, *, is_end: bool = False) -> None:
        """Record a failure; of each pass, the first is reported, and the one that ends the run."""
        if (failure.name, is_end) not in self._told:
            self._told.add((failure.name, is_end))
            self._untold.append(failure)


#: Catches nothing.
UNGUARDED = Guard(catches=False)


def _state(edited: File | Document) -> int:
    """Return a number that is equal for files, or documents, with the same paths and bytes."""
    return hash((edited.path, edited.data) if isinstance(edited, File) else edited.key)


def unprotected(each: Pass, protected: Protected) -> Pass:
    """Return a pass without the edits that change any of a protected part.

    `protected` finds these parts in a file. A list without other edits is not proposed.
    """

    def change(document: Document, proposal: Proposal[Document]) -> Proposal[Document] | None:
        free = np.ones(proposal.size, dtype=np.bool_)
        files = {file.path: file for file in document.files}
        for spans in proposal.spans():
            free[spans.owners[_overlap(spans, protected(files[spans.path].data))]] = False
        if free.all():
            return proposal
        return proposal.only(free) if free.any() else None

    return _changed(each, change)


def _overlap(spans: Spans, parts: Areas) -> npt.NDArray[np.bool_]:
    """Return which spans have a byte of a part, or lie inside one: flags of shape (S,)."""
    following = np.searchsorted(parts.stops, spans.starts, "right")
    overlap: npt.NDArray[np.bool_] = np.append(parts.starts, np.iinfo(np.int64).max)[following] < (
        spans.stops
    )
    return overlap


def repaired(each: Pass, repair: Callable[[File], File | None]) -> Pass:
    """Return a pass that calls `repair` with each file that its edits have changed.

    `repair` returns the corrected file, or None if it cannot be corrected. Edits that it undoes are
    not plausible, which costs no query: a piece that the repair restores cannot be removed.
    """

    def change(document: Document, whole: Proposal[Document]) -> Proposal[Document]:
        before = document.data

        def corrected(edited: Document) -> Document | None:
            texts = [file for file in edited.texts if file.data != before.get(file.path)]
            found = {file.path: repair(file) for file in texts}
            if None in found.values():
                return None
            whole_again = edited.each(lambda file: found.get(file.path) or file)
            is_back = edited.extent < document.extent <= whole_again.extent
            return None if is_back and whole.on_answers is None else whole_again

        def render(kept: Subset) -> Document:
            # Not the restored document: it may be one that was accepted before.
            edited = whole.render(kept)
            return corrected(edited) or edited

        def is_plausible(kept: Subset) -> bool:
            return corrected(whole.render(kept)) is not None and whole.is_plausible(kept)

        return replace(whole, render=render, is_plausible=is_plausible)

    return _changed(each, change)


def _changed(
    whole: Pass, change: Callable[[Document, Proposal[Document]], Proposal[Document] | None]
) -> Pass:
    """Return a pass whose proposals `change` replaces; if it returns None, there is none."""

    def propose(document: Document) -> Proposals[Document]:
        running, came_out = whole.propose(document), None
        while proposal := next_proposal(running, came_out):
            changed = change(document, proposal)
            document = came_out = document if changed is None else (yield changed)

    return replace(whole, propose=propose)
