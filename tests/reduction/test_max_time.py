"""--max-time holds wherever a run is when it is over, and leaves the run as it leaves others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from examples import mostly_nightly
from nubbin.checks.case import Checking
from nubbin.documents.document import Document
from nubbin.documents.reading import from_disk
from nubbin.passes import each_file
from nubbin.passes.proposal import FilePass, Proposals
from nubbin.reduction.events import Event, Improved, ListStarted
from nubbin.reduction.recorded.resume import resume
from nubbin.reduction.reduce import reduce
from nubbin.reduction.result.place import ResultPlace
from nubbin.reduction.run_job import Reduction
from nubbin_core.errors import NubbinError
from nubbin_core.minimizers import Subset
from nubbin_core.search import budget
from nubbin_core.search.budget import Budget

Script = Callable[..., Path]

TEXT = "".join(f"line {number}\n" for number in range(40)) + "boom\n"


class Clock:
    """The seconds of every budget: nothing passes until somebody says so."""

    seconds = 0.0

    def strike(self) -> None:
        self.seconds = 100.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(Budget, "seconds", property(lambda _: made.seconds))
    return made


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "work" / "input.txt"
    path.parent.mkdir()
    path.write_text(TEXT)
    return path


def for_ever() -> None:
    while True:
        pass


def check_resumes(result: Reduction, clock: Clock, undisturbed: bytes) -> None:
    """Check that a run has ended as between two queries, and can go on."""
    assert (result.reason, result.minimal) == ("max-time", False)
    assert result.reproduced is None
    assert result.output.read_bytes() == result.data
    assert "boom" in result.data.decode()
    clock.seconds = 0.0
    assert result.run is not None
    again = resume(result.run)
    assert (again.reason, again.data) == ("fixpoint", undisturbed)


def of_pass(
    monkeypatch: pytest.MonkeyPatch, inside: Callable[[], None], *, at: int, rendering: bool
) -> None:
    """Have something happen in the N-th list that is made, or when it is first rendered."""
    whole = each_file.jointly
    made = 0

    def jointly(document: Document, passes: Mapping[str, FilePass]) -> Proposals[Document]:
        nonlocal made
        running = whole(document, passes)
        proposal = next(running, None)
        while proposal is not None:
            made += 1
            if made == at and not rendering:
                inside()
            if made == at:

                def render(kept: Subset) -> Document:
                    inside()
                    return Document("", ())

                proposal = replace(proposal, render=render)
            try:
                proposal = running.send((yield proposal))
            except StopIteration:
                return

    monkeypatch.setattr(each_file, "jointly", jointly)


@pytest.mark.parametrize(
    ("jobs", "rendering"), mostly_nightly(product([1, 3], [False, True]), [(1, True), (3, False)])
)
def test_while_a_list_is_made(
    script: Script,
    source: Path,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    *,
    jobs: int,
    rendering: bool,
) -> None:
    def endless() -> None:
        clock.strike()
        for_ever()

    test = script("grep -q boom input.txt")
    with monkeypatch.context() as patch:
        of_pass(patch, endless, at=1 if rendering else 2, rendering=rendering)
        result = reduce(test, source, record=True, jobs=jobs, max_time=50)
    check_resumes(result, clock, b"boom")


@pytest.mark.parametrize("jobs", mostly_nightly([1, 3], [3]))
def test_while_a_test_runs(script: Script, source: Path, clock: Clock, jobs: int) -> None:
    """The run under way is stopped, and none is begun."""
    test = script(
        """
        grep -q boom input.txt || exit 1
        [ $(wc -l <input.txt) -gt 30 ] && exit 0
        [ -e "$0.hangs" ] && sleep 1000
        exit 0
        """
    )
    hangs = test.with_name(test.name + ".hangs")
    hangs.touch()

    def strike(event: Event) -> None:
        if isinstance(event, ListStarted):
            threading.Timer(0.5, clock.strike).start()

    result = reduce(
        test, source, record=True, jobs=jobs, max_time=50, timeout=2000, observers=[strike]
    )
    hangs.unlink()
    check_resumes(result, clock, b"boom")


def test_in_a_thread_of_a_larger_program(script: Script, source: Path, clock: Clock) -> None:
    def strike(event: Event) -> None:
        if isinstance(event, ListStarted):
            clock.strike()

    test = script("grep -q boom input.txt")
    with ThreadPoolExecutor(1) as threads:
        result = threads.submit(
            reduce, test, source, record=True, max_time=50, observers=[strike]
        ).result()
    check_resumes(result, clock, b"boom")


def test_what_was_found_is_kept_and_observers_are_told_to_the_end(
    script: Script, source: Path, clock: Clock
) -> None:
    told: list[int] = []

    def strike(event: Event) -> None:
        if isinstance(event, Improved):
            clock.strike()
            sum(range(3_000_000))  # longer than it takes to look at the time
            told.append(event.sizes.bytes)

    result = reduce(
        script("grep -q boom input.txt"), source, record=True, max_time=50, observers=[strike]
    )
    assert told == [result.after.bytes]
    check_resumes(result, clock, b"boom")


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("reducer.confirm", "max-time"),
        ("run_job.write_readable", "fixpoint"),
        ("run_job.printed", "fixpoint"),
        ("run_job.small_text", "fixpoint"),
    ],
)
def test_what_comes_last_ends_with_the_time(
    script: Script,
    source: Path,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    *,
    place: str,
    reason: str,
) -> None:
    def endless(*_: object, **__: object) -> None:
        clock.strike()
        for_ever()

    monkeypatch.setattr(f"nubbin.reduction.{place}", endless)
    test = script("grep boom input.txt && echo 'ValueError: boom' >&2")
    result = reduce(test, source, max_time=50, pretty=True)
    assert (result.data, result.reason, result.minimal) == (b"boom", reason, reason == "fixpoint")
    assert (result.reproduced is None) == (reason == "max-time")
    assert clock.seconds, "it was called"


def test_while_a_large_result_is_written(
    script: Script, source: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second after the time is over, the result before it is left."""
    write, written = ResultPlace.write, list[Document]()

    def endless(self: ResultPlace, document: Document) -> None:
        write(self, document)
        written.append(document)
        if len(written) == 3:
            clock.strike()
            for_ever()

    with monkeypatch.context() as patch:
        patch.setattr(ResultPlace, "write", endless)
        patch.setattr(budget, "_MAX_SHIELDED_S", 0.0)
        result = reduce(script("grep -q boom input.txt"), source, record=True, max_time=50)
    assert result.data == written[1].files[0].data
    check_resumes(result, clock, b"boom")


def test_while_the_input_is_read(
    script: Script, source: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def take(*_: object) -> None:
        clock.strike()
        for_ever()

    monkeypatch.setattr(from_disk._Reading, "take", take)
    with pytest.raises(NubbinError, match=r"--max-time was over .* Nothing has been written"):
        reduce(script("exit 0"), source, record=True, max_time=50)
    assert list(source.parent.iterdir()) == [source]


def test_while_the_test_is_checked(script: Script, source: Path, clock: Clock) -> None:
    def strike(event: Event) -> None:
        if isinstance(event, Checking):
            threading.Timer(0.5, clock.strike).start()

    with pytest.raises(NubbinError, match=r"before the first query: the first run.* --hangs 5"):
        reduce(
            script("sleep 1000"), source, record=True, max_time=50, timeout=2000, observers=[strike]
        )
    assert list(source.parent.iterdir()) == [source]


def test_while_a_run_is_opened_to_go_on(
    script: Script, source: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = reduce(script("grep -q boom input.txt"), source, record=True, max_queries=1)
    assert result.run is not None
    clock.strike()
    with pytest.raises(NubbinError, match="before the first query"):
        resume(result.run, max_time=50)
    assert result.output.read_bytes() == result.data
    check_resumes(replace(result, reason="max-time", reproduced=None), clock, b"boom")
