"""A whole run against a predicate in this process: what a reduction does, without its scripts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from nubbin.documents.document import Document
from nubbin.passes.proposal import Pass
from nubbin.reduction.events import Event, Improved, RolledBack, to_all
from nubbin.reduction.pass_problem import Plan
from nubbin.reduction.pipeline import passes_for
from nubbin.reduction.reducer import Reducer
from nubbin.reduction.result.place import ResultPlace
from nubbin_core.search.budget import Budget
from nubbin_core.search.flaky_aware_test import FlakyAwareTest
from nubbin_core.search.problem import Answered
from nubbin_core.search.search import Search
from nubbin_core.verdict import Answer, Verdict


@dataclass(frozen=True)
class Ran:
    data: bytes
    reason: str
    minimal: bool
    queries: int
    sizes: list[int]


def run(
    folder: Path,
    name: str,
    data: bytes,
    interesting: Callable[[bytes], bool],
    *,
    format: str | None = None,
    passes: Sequence[Pass] = (),
    max_queries: int = 5000,
) -> Ran:
    events: list[Event] = []
    source = folder / name
    source.write_bytes(data)
    document = Document.single(name, data)

    def ask(candidate: Document) -> Answer:
        yes = interesting(candidate.files[0].data)
        return Answer(Verdict.INTERESTING if yes else Verdict.UNINTERESTING, 0.0, None, False)

    with ResultPlace(folder, folder / "result") as best:

        def keep(event: Event) -> None:
            if isinstance(event, Improved | RolledBack):
                best.write(event.document)

        best.write(document)
        test = FlakyAwareTest(ask, document, {}, sampled=False)
        plan = Plan(tuple(passes) or passes_for(document, "char", format))
        search = Search(test, budget=Budget(max_queries))
        ended = Reducer(plan, search, test, to_all([keep, events.append])).run()
    assert (folder / "result").read_bytes() == ended.document.files[0].data
    return Ran(
        ended.document.files[0].data,
        ended.reason,
        ended.minimal,
        sum(isinstance(event, Answered) for event in events),
        [len(data), *(event.sizes.bytes for event in events if isinstance(event, Improved))],
    )
