"""A pass that raises costs its turn and one line, never the run; and nothing is proven by it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from nubbin.documents.edits import File
from nubbin.journal.journal import Journal
from nubbin.passes import table
from nubbin.passes.guard import Guard, PassFailed
from nubbin.passes.proposal import Proposal, Proposals
from nubbin.reduction import pipeline
from nubbin.reduction.events import Event
from nubbin.reduction.reduce import reduce
from nubbin_core.errors import NubbinError
from nubbin_core.minimizers import Subset

NOTE = Guard.note
Script = Callable[..., Path]


def raising(*_: object) -> bool:
    raise ValueError("planted")


def raises_at_once(file: File) -> Proposals[File]:
    raising()
    yield Proposal(1, lambda kept: file)


def raises_at_last(file: File) -> Proposals[File]:
    yield Proposal(1, lambda kept: file if kept else file.with_data(b""))
    raising()


def raises_when_rendered(file: File) -> Proposals[File]:
    def render(kept: Subset) -> File:
        raising()
        return file

    yield Proposal(2, render)


@pytest.mark.parametrize(
    ("name", "change", "minimal", "jobs"),
    [
        ("consistency", {"applies": raising}, True, 1),
        ("white space", {"make": raising}, True, 1),
        ("names", {"make": lambda view: raises_at_last}, True, 3),
        ("chars", {"make": lambda view: raises_when_rendered}, False, 3),
        ("chars", {"make": lambda view: raises_at_once}, False, 1),
        ("chars", {"applies": raising}, False, 1),
    ],
)
def test_a_pass_that_raises_is_left_out(
    *,
    name: str,
    change: dict[str, Callable[..., object]],
    minimal: bool,
    jobs: int,
    script: Script,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def changed(row: table.Row) -> table.Row:
        return replace(row, **change) if row.name == name else row  # type: ignore[arg-type]

    monkeypatch.setattr(Guard, "note", NOTE)
    monkeypatch.setattr(pipeline, "PASSES", tuple(map(changed, table.PASSES)))
    source = tmp_path / "input.txt"
    source.write_text("one two\nboom three\n")
    events: list[Event] = []
    test = script("grep -q boom input.txt")
    result = reduce(
        test,
        source,
        smallest="char",
        record=tmp_path / "run",
        observers=[events.append],
        jobs=jobs,
    )
    assert result.data == b"boom"
    assert result.minimal == minimal
    (failed,) = (event for event in events if isinstance(event, PassFailed))
    assert (failed.name, failed.path, failed.error) == (name, "input.txt", "ValueError('planted')")
    assert result.run is not None
    with Journal(result.run) as journal:
        assert journal.facts is not None
        assert journal.facts.failures == (failed.traceback,)


def test_an_error_that_a_person_can_correct_ends_the_run() -> None:
    def refuses(file: File) -> Proposals[File]:
        raise NubbinError("the proposer ends")
        yield Proposal(1, lambda kept: file)

    with pytest.raises(NubbinError):
        next(Guard().over("proposer", refuses)(File("a", b"a")))
