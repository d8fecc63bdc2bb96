"""One input of the ledger, and what a whole reduction of it comes to, in this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from nubbin.documents.document import Document
from nubbin.documents.edits import File
from nubbin.reduction.events import Event, Improved
from nubbin.reduction.pass_problem import Plan
from nubbin.reduction.pipeline import passes_for
from nubbin.reduction.reducer import Reducer
from nubbin_core.minimizers import ALGORITHMS, LastElement, Settings, Subset, is_minimal
from nubbin_core.search.budget import Budget
from nubbin_core.search.flaky_aware_test import FlakyAwareTest
from nubbin_core.search.problem import Answered
from nubbin_core.search.search import Search
from nubbin_core.verdict import Answer, Verdict

Files = Mapping[str, bytes]

#: A reduction that is not over by then is cut: it is open, and not proven.
MAX_QUERIES = 350


class Figures(NamedTuple):
    """What a reduction came to; of a list, `bytes` and `tokens` count its elements."""

    queries_to_90: int  # until nine tenths of the input are removed; all queries if that never is
    queries: int
    bytes: int
    tokens: int
    proven: bool  # whether the result is 1-minimal, and each removal was tried


@dataclass(frozen=True)
class Case:
    """An input, and a test that answers in a millisecond; `open` says what is known to be bad."""

    name: str
    kind: str
    measure: Callable[[], Figures]
    open: str = ""


def reduced(files: Files, test: Callable[[Files], bool], smallest: str = "char") -> Figures:
    """Reduce files as the command does with one worker, against a test of their bytes by path.

    Down to characters, which takes all passes; the command stops at tokens by default.
    """
    paths = tuple(File(path, data) for path, data in files.items())
    document = Document(paths[0].path if len(paths) == 1 else ".", paths).unpacked()
    events: list[Event] = []

    def ask(candidate: Document) -> Answer:
        yes = test({file.path: file.data for file in candidate.packed.files})
        return Answer(Verdict.INTERESTING if yes else Verdict.UNINTERESTING, 0.0, None, False)

    assert ask(document).verdict is Verdict.INTERESTING
    asked = FlakyAwareTest(ask, document, {}, sampled=False)
    search = Search(asked, budget=Budget(MAX_QUERIES))

    def plan(document: Document) -> Plan:
        def read_again(result: Document) -> tuple[Document, Plan]:
            return (read := result.unpacked()), plan(read)

        return Plan(passes_for(document, smallest), read_again=read_again)

    ended = Reducer(plan(document), search, asked, events.append).run()
    queries, sizes = 0, [(0, document.sizes.bytes)]
    for event in events:
        queries += isinstance(event, Answered)
        if isinstance(event, Improved):
            sizes.append((queries, event.sizes.bytes))
    end = ended.document.sizes
    return Figures(_to_90(sizes, queries), queries, end.bytes, end.tokens, ended.minimal)


def minimized(n: int, test: Callable[[frozenset[int]], bool]) -> Figures:
    """Minimize a list of n elements with `auto`; a list that is asked about again is no query."""
    answers: dict[int, bool] = {}
    sizes = [(0, n)]
    state = LastElement.of(ALGORITHMS["auto"])(Subset.full(n), Settings())
    while wave := state.ask():
        for kept in (query.kept for query in wave):
            answers[kept.digest] = test(frozenset(kept))
        state = state.tell(tuple(answers[query.kept.digest] for query in wave))
        sizes.append((len(answers), len(state.kept)))
    left = len(state.kept)
    proven = is_minimal(lambda kept: test(frozenset(kept)), state.kept, 1)
    return Figures(_to_90(sizes, len(answers)), len(answers), left, left, proven)


def _to_90(sizes: list[tuple[int, int]], queries: int) -> int:
    """Return the queries after which a tenth of the input was left: the same goal for any end."""
    goal = sizes[0][1] // 10
    return next((asked for asked, size in sizes if size <= goal), queries)
