"""What a reader sees of a reduction is what has happened in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from queue import SimpleQueue

import pytest

from examples import mostly_nightly
from nubbin.journal.journal import Journal
from nubbin.journal.recorded_run import RecordedRun
from nubbin.journal.run_facts import Tally
from nubbin.oracles.isolation.candidate_files import Files
from nubbin.oracles.oracle import Oracle
from nubbin.reduction.events import Event, ListStarted
from nubbin.reduction.observers.watched import TallyWriter
from nubbin.reduction.recorded.resume import resume
from nubbin.reduction.reduce import reduce
from nubbin_core.pool import Pool
from nubbin_core.search.budget import Budget
from nubbin_core.search.problem import Answered
from nubbin_core.verdict import Answer, Verdict

Script = Callable[..., Path]

TEXT = b"".join(b"int f%d(int x) { return g(x, %d) + boom; }\n" % (i, i) for i in range(12))
_HANGS_S = 600


class Written(Journal):
    """A journal that hands on the tallies that it is told, and writes nothing."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.tally = None
        self.tallies: SimpleQueue[Tally] = SimpleQueue()

    def tell_tally(self, tally: Tally) -> None:
        self.tallies.put(deepcopy(tally))

    def each(self) -> Iterator[Tally]:
        while True:
            yield self.tallies.get(timeout=_HANGS_S)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "input.c").write_bytes(TEXT)
    return tmp_path / "input.c"


@pytest.mark.parametrize("jobs", mostly_nightly([1, 3], [3]))
def test_the_tally_is_what_has_happened(script: Script, source: Path, jobs: int) -> None:
    events: list[Event] = []
    test = script("grep -q 'f3.*boom' input.c")
    result = reduce(test, source, record=True, jobs=jobs, observers=[events.append])
    assert result.run is not None
    tally = RecordedRun.open(result.run).tally
    assert tally is not None
    assert tally.jobs == jobs
    assert tally.runs == []
    assert tally.queries == result.queries
    assert tally.kinds == {
        kind: [count.asked, count.succeeded] for kind, count in result.by_kind.items()
    }
    lists = [event for event in events if isinstance(event, ListStarted)]
    assert [each.name for each in tally.passes] == list(dict.fromkeys(each.name for each in lists))
    assert sum(each.lists for each in tally.passes) == len(lists)
    assert tally.at_work is not None
    assert tally.at_work.pass_name == lists[-1].name
    seconds = sum(event.seconds for event in events if isinstance(event, Answered))
    assert sum(each.seconds for each in tally.passes) == pytest.approx(seconds)


def test_a_run_that_goes_on_counts_on(script: Script, source: Path) -> None:
    test = script("grep -q 'f3.*boom' input.c")
    whole = reduce(test, source, jobs=1)
    source.with_suffix(".reduced.c").unlink()
    part = reduce(test, source, record=True, jobs=1, max_queries=20)
    assert part.run is not None
    before = RecordedRun.open(part.run).tally
    resume(part.run, jobs=1)
    history = RecordedRun.open(part.run)
    assert before is not None
    assert history.tally is not None
    assert (before.queries, history.tally.queries) == (20, whole.queries)
    assert history.tally.seconds > before.seconds
    assert [each.seconds for each in history.facts.sessions] == [0.0, before.seconds]


def test_a_test_under_way_is_in_the_tally(tmp_path: Path) -> None:
    journal = Written(tmp_path)
    seen: list[Tally] = []

    class Watched(Oracle):
        def ask(self, files: Files, limit: float | None, *, explain: bool = False) -> Answer:
            seen.append(next(tally for tally in journal.each() if tally.runs))
            return Answer(Verdict.INTERESTING, 0.0, 0, False)

    oracle = Watched(None)
    with TallyWriter(journal, oracle, Pool(2), Budget()):
        oracle({"x": b"data"})
    assert [each.bytes for each in seen[0].runs] == [4]
    *_, last = (journal.tallies.get() for _ in range(journal.tallies.qsize()))
    assert last.runs == []


def test_a_journal_that_fails_stops_nobody(tmp_path: Path) -> None:
    class Silent(Oracle):
        def ask(self, files: Files, limit: float | None, *, explain: bool = False) -> Answer:
            raise NotImplementedError

    class Full(Written):
        def tell_tally(self, tally: Tally) -> None:
            super().tell_tally(tally)
            raise OSError("no space left")

    journal = Full(tmp_path)
    with TallyWriter(journal, Silent(None), Pool(), Budget()):
        assert [journal.tallies.get(timeout=_HANGS_S) for _ in range(2)]
