"""What grammars do not survive is reduced all the same, to a proven result; no process is left."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nubbin.documents.parsing import trees
from nubbin.documents.parsing.trees import ParserProcess, parsing
from nubbin.reduction.events import Event, Improved
from nubbin.reduction.reduce import reduce
from nubbin.reduction.start import open_job
from nubbin_core.search.problem import Answered
from predicates import calls_printf, has_boom
from runs import run
from snippets import SNIPPETS

Script = Callable[..., Path]


Parsers = list[subprocess.Popen[bytes]]


@pytest.fixture
def parsers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Parsers]:
    """The processes that have parsed, one after the other; at the end none is left."""
    with parsing():
        pass  # ends the one that an earlier test has left
    seen: Parsers = []
    start = ParserProcess._started

    def started(self: ParserProcess) -> subprocess.Popen[bytes]:
        seen.append(start(self))
        return seen[-1]

    monkeypatch.setattr(ParserProcess, "_started", started)
    monkeypatch.setattr(open_job, "parsing", parsing)  # each reduction has its own
    yield seen
    assert seen
    assert all(popen.returncode is not None for popen in seen)


# At once, as the result does too; or only candidates.
@pytest.mark.nightly  # by day: test_from_the_command_line
@pytest.mark.parametrize("data", [b"[" * 3000, b"[x]" * 260])
def test_what_crashes_the_grammar(tmp_path: Path, parsers: Parsers, data: bytes) -> None:
    with parsing():
        ran = run(tmp_path, "input.typ", data, lambda data: data.count(b"[") >= 255)
    assert ran.minimal
    assert ran.data == b"[" * 255
    assert len(parsers) > 1


def test_what_hangs_in_the_grammar(
    tmp_path: Path, parsers: Parsers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trees, "_MAX_OVERTIME_S", 0.5)
    source = tmp_path / "input.cob"
    source.write_bytes(b"a\n\n" * 500 + b"boom\n" + b"a\n\n" * 500)
    result = reduce(has_boom, source)
    assert result.minimal
    assert result.data == b"boom"


def test_from_the_command_line(script: Script, tmp_path: Path) -> None:
    source = tmp_path / "input.typ"
    source.write_bytes(b"[" * 3000)
    test = script('test "$(tr -cd "[" < input.typ | wc -c)" -ge 3')
    told = subprocess.run(
        [sys.executable, "-m", "nubbin", "reduce", test, source],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    assert "1-minimal" in told.stdout + told.stderr
    assert (tmp_path / "input.reduced.typ").read_bytes() == b"[[["


def test_a_parser_that_is_killed_again_and_again_changes_nothing(
    tmp_path: Path, parsers: Parsers
) -> None:
    source = tmp_path / "input.c"
    source.write_bytes(SNIPPETS["c"])
    undisturbed = reduce(calls_printf, source, jobs=1)
    assert len(parsers) == 1

    def kill(event: Event) -> None:
        if isinstance(event, Improved) and len(parsers) < 5:
            parsers[-1].kill()

    again = reduce(
        calls_printf, source, output=source.with_name("again.c"), jobs=1, observers=[kill]
    )
    assert len(parsers) == 5
    assert (again.data, again.runs) == (undisturbed.data, undisturbed.runs)
    assert again.minimal


def test_ctrl_c_leaves_no_process(tmp_path: Path, parsers: Parsers) -> None:
    def interrupt(event: Event) -> None:
        if isinstance(event, Answered):
            raise KeyboardInterrupt

    source = tmp_path / "input.c"
    source.write_bytes(SNIPPETS["c"])
    assert reduce(calls_printf, source, observers=[interrupt]).reason == "interrupted"
    assert len(parsers) == 1
