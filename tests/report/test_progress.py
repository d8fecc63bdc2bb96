from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.document import Document, Sizes
from nubbin.reduction.events import Event, Improved
from nubbin.report.progress import Progress


def test_counts_a_run(
    progress: Progress, run: tuple[Event, ...], feed: Callable[..., None]
) -> None:
    feed(run, progress)
    assert progress.queries == 4
    assert (progress.so_far, progress.test_seconds) == ((4, 2, 1), 2.75)
    assert progress.sizes == Sizes(31, 3, 9)
    assert [(p.seconds, p.queries, p.sizes.bytes) for p in progress.history] == [
        (1, 0, 48_213),
        (4, 1, 24_000),
        (9, 4, 31),
    ]


def test_time_stands_still_after_the_end(
    progress: Progress, run: tuple[Event, ...], feed: Callable[..., None]
) -> None:
    feed(run[:1], progress)
    assert progress.seconds == 1
    feed(run[1:], progress)
    feed((), pace=1)
    assert progress.seconds == 10


@given(st.integers(1, 10_000))
def test_a_history_stays_small_and_keeps_both_ends(length: int) -> None:
    instants = iter(range(length + 1))
    progress = Progress(lambda: next(instants))
    event = Improved(Document.single("a", b"a"))
    for _ in range(length):
        progress(event)
    kept = [point.seconds for point in progress.history]
    assert len(kept) <= 1001
    assert (kept[0], kept[-1]) == (1, length)
    assert len({after - before for before, after in pairwise(kept[:-1])}) <= 1
