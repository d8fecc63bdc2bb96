"""Whole reductions with real scripts and real files."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from examples import mostly_nightly
from nubbin.checks.case import Checking
from nubbin.journal.recorded_run import RecordedRun
from nubbin.reduction.events import Event, Finished, Improved, Started
from nubbin.reduction.reduce import reduce
from nubbin_core.errors import NubbinError
from nubbin_core.search.problem import Answered

Script = Callable[..., Path]

TEXT = b"first line\nint crash(void) { return boom(1, 2); }\nlast line\n" * 3


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    path = folder / "input.c"
    path.write_bytes(TEXT)
    return path


def test_reduces_to_what_the_test_needs(script: Script, source: Path) -> None:
    events: list[Event] = []
    result = reduce(script("grep -q boom input.c"), source, observers=[events.append])
    assert result.data == b"boom"
    assert result.output == source.with_name("input.reduced.c")
    assert result.output.read_bytes() == b"boom"
    assert source.read_bytes() == TEXT
    assert result.minimal
    assert result.reason == "fixpoint"
    assert (result.before.bytes, result.after.bytes) == (len(TEXT), 4)
    assert [type(event) for event in events[:6]] == [Checking] * 5 + [Started]
    assert events[-1] == Finished("fixpoint", result.after, minimal=True)
    sizes = [event.sizes.bytes for event in events if isinstance(event, Improved)]
    assert sizes == sorted(set(sizes), reverse=True)
    assert sizes[-1] == 4
    needed = sum(count.asked for count in result.by_kind.values())
    assert needed == sum(isinstance(event, Answered) for event in events)
    assert result.runs >= needed + 4  # the three checks, and the last run


def test_the_candidate_comes_as_file_argument_and_input(script: Script, source: Path) -> None:
    test = script(
        'cmp -s input.c - && cmp -s input.c "$1" && [ "$(ls -A)" = input.c ] && grep -q boom "$1"'
    )
    assert reduce(test, source).data == b"boom"


@pytest.mark.parametrize("jobs", mostly_nightly([2, 5], [5]))
def test_any_number_of_workers_gives_the_same_bytes(
    script: Script, source: Path, jobs: int
) -> None:
    test = script("grep -q boom input.c && ! grep -q '^(' input.c && grep -q '1.*2' input.c")
    alone = reduce(test, source, jobs=1)
    together = reduce(test, source, jobs=jobs, output=source.with_name("together.c"))
    assert together.data == alone.data
    assert together.by_kind == alone.by_kind
    assert together.runs >= alone.runs


def test_where_success_is_dear_fewer_candidates_are_accepted(
    script: Script, tmp_path: Path
) -> None:
    source = tmp_path / "numbers.txt"
    source.write_text("".join(f"{i}\n" for i in range(200)))
    test = script("[ $(grep -cxE '7|77|150|151|199' numbers.txt) = 5 ]")
    found = [
        reduce(test, source, smallest="lines", price=price, jobs=jobs, output=tmp_path / "out.txt")
        for price, jobs in ((1.0, 1), (30.0, 1), (30.0, 3))
    ]
    even, alone, together = (sum(each.succeeded for each in r.by_kind.values()) for r in found)
    assert alone == together < even
    assert len({result.data for result in found}) == 1


@pytest.mark.parametrize(
    ("unit", "left"),
    [
        ("lines", b"int crash(void) { return boom(1, 2); }\n"),
        ("tokens", b"boom1"),
        ("chars", b"om1"),
        ("bytes", b"om1"),
    ],
)
def test_flat_lists(script: Script, source: Path, unit: str, left: bytes) -> None:
    assert reduce(script("grep -q 'om.*1' input.c"), source, smallest=unit).data == left


def test_bytes_are_kept_as_they_are(script: Script, tmp_path: Path) -> None:
    odd = tmp_path / "odd.bin"
    odd.write_bytes(b"\xff\x00one\r\n\xfetwo\x00\r\n" * 2)
    result = reduce(script(r"LC_ALL=C grep -qaP '\xfetwo\x00\r' odd.bin"), odd, smallest="lines")
    assert result.data == b"\xfetwo\x00\r\n"


def test_in_place_keeps_the_original(script: Script, source: Path) -> None:
    source.chmod(0o640)
    result = reduce(script("grep -q boom input.c"), source, in_place=True)
    assert result.output == source
    assert source.read_bytes() == b"boom"
    assert source.stat().st_mode & 0o777 == 0o640
    assert source.with_name("input.c.orig").read_bytes() == TEXT
    with pytest.raises(NubbinError, match=r"input\.c\.orig exists already"):
        reduce(script("grep -q boom input.c"), source, in_place=True)
    assert source.with_name("input.c.orig").read_bytes() == TEXT


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "exit 3",
            "rejects input.c as it is, in each of 10 runs: it exited with status 3",
        ),
        ("kill -9 $$", "it was ended by signal 9"),
        ("exit 125", "status 125 .cannot say."),
        ("echo what went wrong; exit 1", "last lines it printed:\n    what went wrong"),
        ("exit 0", "accepts even an empty input.c"),
    ],
)
def test_a_wrong_test_is_told_and_nothing_is_written(
    script: Script, source: Path, body: str, message: str
) -> None:
    with pytest.raises(NubbinError, match=message):
        reduce(script(body), source)
    assert [path.name for path in source.parent.iterdir()] == ["input.c"]
    assert source.read_bytes() == TEXT


def test_a_test_that_hardly_ever_says_yes_is_told(
    script: Script, source: Path, tmp_path: Path
) -> None:
    flag = tmp_path / "asked"
    with pytest.raises(NubbinError, match=r"in 1 of 60 runs only: too seldom .* --runs N"):
        reduce(script(f"[ -s input.c ] && mkdir {flag} 2>/dev/null"), source)


def test_what_does_not_hold_when_asked_again_is_given_up(
    script: Script, source: Path, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    # Accepts every candidate with boom in it, but each only once, and the input always.
    test = script(
        "grep -q boom input.c || exit 1\n"
        f"[ $(wc -c <input.c) -lt {len(TEXT)} ] || exit 0\n"
        f'sum=$(cksum <input.c); grep -qxF "$sum" {seen} && exit 1; echo "$sum" >>{seen}'
    )
    result = reduce(test, source, smallest="lines", algorithm="linear", record=tmp_path / "run")
    assert (result.data, result.flaky) == (TEXT, True)
    assert result.output.read_bytes() == TEXT
    assert result.reproduced == (20, 20)


def test_nothing_to_reduce(script: Script, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    with pytest.raises(NubbinError, match="empty is empty"):
        reduce(script("exit 0"), empty)


def test_the_result_never_overwrites_the_input_unasked(script: Script, source: Path) -> None:
    with pytest.raises(NubbinError, match="use --in-place"):
        reduce(script("grep -q boom input.c"), source, output=source)
    with pytest.raises(NubbinError, match="there is no folder"):
        reduce(script("grep -q boom input.c"), source, output=source.parent / "no" / "where")
    with pytest.raises(NubbinError, match="is a folder"):
        reduce(script("grep -q boom input.c"), source, output=source.parent)
    os.mkfifo(pipe := source.parent / "pipe")
    with pytest.raises(NubbinError, match="a device or a pipe"):
        reduce(script("grep -q boom input.c"), source, output=pipe)
    assert pipe.is_fifo()


@pytest.mark.parametrize("jobs", mostly_nightly([1, 4], [4]))
def test_a_budget_of_queries_cuts_every_run_at_the_same_place(
    script: Script, source: Path, jobs: int
) -> None:
    test = script("grep -q boom input.c")
    result = reduce(test, source, max_queries=7, jobs=jobs)
    assert result.reason == "max-queries"
    assert not result.minimal
    assert sum(count.asked for count in result.by_kind.values()) == 7
    alone = reduce(test, source, max_queries=7, jobs=1, output=source.with_name("alone.c"))
    assert result.data == alone.data
    assert b"boom" in result.output.read_bytes()


def test_a_folder_that_may_not_be_written_to_is_told_before_any_query(
    script: Script, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def access(path: Path, mode: int) -> bool:  # the user who runs this may write everywhere
        return not (path == source.parent and mode & os.W_OK)

    monkeypatch.setattr(os, "access", access)
    test = script("exit 77")
    for in_place in (False, True):
        with pytest.raises(NubbinError, match=r"may not be written to.* name another"):
            reduce(test, source, in_place=in_place)


@pytest.mark.parametrize("jobs", mostly_nightly([1, 3], [3]))
def test_ctrl_c_keeps_the_best(script: Script, source: Path, jobs: int) -> None:
    def interrupt(event: Event) -> None:
        if isinstance(event, Improved):
            os.kill(os.getpid(), signal.SIGINT)

    result = reduce(script("grep -q boom input.c"), source, jobs=jobs, observers=[interrupt])
    assert result.reason == "interrupted"
    assert len(result.data) < len(TEXT)
    assert result.output.read_bytes() == result.data
    assert b"boom" in result.data


def test_the_line_that_the_test_prints_is_left_after_one_query(
    script: Script, source: Path
) -> None:
    """Whether the run is new or read from its journal: what was printed is recorded."""
    lines = [b"a%d = %d\n" % (number, number) for number in range(40)]
    source.write_bytes(b"".join(lines))
    test = script("grep -q 'a30 = 30' input.c && echo 'input.c:31: wrong'")
    result = reduce(test, source, max_queries=1, format="python", record=True)
    assert result.data == lines[30]
    assert result.run is not None
    said = RecordedRun.open(result.run).facts.said
    assert said == ("input.c:31: wrong", "input.c:31: wrong")
