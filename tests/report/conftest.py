from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from nubbin.documents.document import Document, Sizes
from nubbin.reduction.events import Event, Finished, Improved, ListStarted, Started
from nubbin.reduction.run_job import Reduction
from nubbin.report.progress import Progress
from nubbin_core.search.problem import Answered, Count
from nubbin_core.search.trials import Trials
from nubbin_core.verdict import Verdict


def of_sizes(sizes: Sizes) -> Document:
    """Return a document of some sizes: lines of words, of which the last is as long as it takes."""
    ends = ["\n"] * sizes.lines + [" "] * (sizes.tokens - sizes.lines)
    text = "".join(f"a{end}" for end in reversed(ends))
    made = Document.single("x", (text[:-1] + "a" * (sizes.bytes - len(text)) + "\n").encode())
    assert made.sizes == sizes
    return made


class Telling:
    """Makes events of queries, which count on."""

    def __init__(self) -> None:
        self._so_far = Count()

    def __call__(self, kind: str, size: int, verdict: Verdict, seconds: float) -> Answered:
        self._so_far = self._so_far.plus(verdict)
        return Answered(kind, size, verdict, seconds, self._so_far)


answered = Telling()
BEFORE, HALF, AFTER = Sizes(48_213, 1_204, 9_120), Sizes(24_000, 600, 4_500), Sizes(31, 3, 9)

RUN: tuple[Event, ...] = (
    Started("fleet.toml", BEFORE, "cdd", 2, 7, Path("fleet.reduced.toml")),
    ListStarted("lines", 1_204),
    answered("probe", 7, Verdict.INTERESTING, 0.25),
    Improved(of_sizes(HALF)),
    answered("probe", 7, Verdict.UNINTERESTING, 0.25),
    answered("proof", 7, Verdict.UNRESOLVED, 2.0),
    ListStarted("tokens", 4_500),
    answered("probe", 7, Verdict.INTERESTING, 0.25),
    Improved(of_sizes(AFTER)),
    Finished("fixpoint", AFTER, True),
)


class Clock:
    """Time that passes only when told to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def progress(clock: Clock) -> Progress:
    return Progress(clock)


@pytest.fixture
def run() -> tuple[Event, ...]:
    """A whole run, in four queries."""
    return RUN


@pytest.fixture
def feed(clock: Clock) -> Callable[..., None]:
    """Tell events to observers, `pace` seconds apart."""

    def tell(events: Iterable[Event], *observers: Callable[[Event], None], pace: float = 1) -> None:
        for event in events:
            clock.now += pace
            for observer in observers:
                observer(event)

    return tell


@pytest.fixture
def result() -> Reduction:
    return Reduction(
        output=Path("fleet.reduced.toml"),
        files={"input": b""},
        before=BEFORE,
        after=AFTER,
        queries=4,
        runs=9,
        by_kind={"probe": Count(3, 2), "proof": Count(1, 0)},
        seconds=10.0,
        algorithm="cdd",
        reason="fixpoint",
        minimal=True,
        flaky=False,
        reproduced=Trials(1, 1),
        others=0,
        pieces=("a character",),
        pretty=None,
        printed=None,
        line=None,
        shown=None,
        run=None,
    )
