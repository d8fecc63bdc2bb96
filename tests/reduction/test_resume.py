"""A run goes on after anything, and comes to the same end."""

from __future__ import annotations

import math
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from examples import mostly_nightly
from faults import ASKER
from nubbin.documents.document import Document
from nubbin.journal.journal import Journal
from nubbin.journal.recorded_run import runs_in
from nubbin.oracles.servers.python_test import PythonTest
from nubbin.reduction.events import ChangedTest, Event, Improved
from nubbin.reduction.observers import recorder
from nubbin.reduction.recorded.inspection import verify
from nubbin.reduction.recorded.resume import resume
from nubbin.reduction.reduce import reduce
from nubbin.reduction.result.place import ResultPlace
from nubbin_core.errors import NubbinError
from nubbin_core.search.problem import Answered

Script = Callable[..., Path]

NUBBIN = [sys.executable, "-m", "nubbin"]
TEXT = b"".join(b"int f%d(int x) { return g(x, %d) + boom; }\n" % (i, i) for i in range(12))
CRASH = "case $(cat input.c) in *f3*f7*) ;; *) exit 1 ;; esac"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    path = folder / "input.c"
    path.write_bytes(TEXT)
    return path


def counting(script: Script, tmp_path: Path, more: str = "") -> Path:
    """A test that adds a line to a log for every run, and may do more then."""
    log = tmp_path / "log"
    log.touch()
    return script(f"sha1sum <input.c >>{log}\nn=$(wc -l <{log})\n{more}\n{CRASH}")


def asked(tmp_path: Path) -> list[str]:
    return (tmp_path / "log").read_text().splitlines()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, int]:
    folder = tmp_path_factory.mktemp("undisturbed")
    source = folder / "input.c"
    source.write_bytes(TEXT)
    test = folder / "test.sh"
    test.write_text(f"#!/bin/sh\n{CRASH}\n")
    test.chmod(0o755)
    result = reduce(test, source, jobs=1)
    assert result.reproduced is not None
    return result.data, result.runs - result.reproduced.runs


# The last ones are runs of the result again, and before these of the proof.
@pytest.mark.parametrize(
    "instant", mostly_nightly([4, 5, 9, 20, 40, "-5", "+1", "+3"], [4, 20, "-5", "+1"])
)
def test_killed_at_any_query_it_comes_to_the_same_end(
    script: Script,
    tmp_path: Path,
    source: Path,
    undisturbed: tuple[bytes, int],
    instant: int | str,
) -> None:
    if isinstance(instant, str):
        instant = undisturbed[1] + int(instant)
    test = counting(script, tmp_path, f"[ $n -ne {instant} ] || kill -9 {ASKER}")
    options = ["--quiet", "--timeout", "10m", "--jobs", "1"]
    command = [*NUBBIN, "reduce", *options, str(test), str(source)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    (run,) = runs_in(source.parent)
    assert (run.state, run.resumable) == ("died", True)
    result = resume(run.folder, jobs=1)
    assert (result.data, result.minimal) == (undisturbed[0], True)
    assert result.output.read_bytes() == undisturbed[0]
    # All that were asked, and once more the one that was under way; and the result some times.
    assert len(asked(tmp_path)) - undisturbed[1] in range(2, 15)
    (run,) = runs_in(source.parent)
    assert (run.state, run.resumable, run.after) == ("fixpoint", False, len(undisturbed[0]))


def test_with_another_number_of_workers(
    script: Script, tmp_path: Path, source: Path, undisturbed: tuple[bytes, int]
) -> None:
    run = tmp_path / "run"
    first = reduce(counting(script, tmp_path), source, record=run, jobs=1, max_queries=10)
    assert (first.reason, first.run) == ("max-queries", run)
    assert resume(run, jobs=3, max_queries=20).reason == "max-queries"
    assert resume(run, jobs=2).data == undisturbed[0]


def test_a_finished_run_asks_nothing_but_the_last_question(
    script: Script, tmp_path: Path, source: Path
) -> None:
    run = tmp_path / "run"
    first = reduce(counting(script, tmp_path), source, record=run, jobs=1)
    before = asked(tmp_path)
    assert resume(run).data == first.data
    again = asked(tmp_path)[len(before) :]
    assert again == [before[-1]] * len(again)  # once, if it was run often enough
    assert len(again) in range(1, 12)


class _Impatient:
    """An observer that interrupts a run after three queries."""

    left = 3

    def __call__(self, event: Event) -> None:
        if isinstance(event, Answered):
            self.left -= 1
            if not self.left:
                raise KeyboardInterrupt


def test_a_resumed_run_that_is_broken_off_early_keeps_its_best(
    script: Script, source: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    first = reduce(script(CRASH), source, record=run, jobs=1, max_queries=25)
    limited = resume(run, jobs=1, max_queries=3)
    left = resume(run, jobs=1, observers=[_Impatient()])
    assert (limited.reason, left.reason) == ("max-queries", "interrupted")
    for each in (limited, left):
        assert (each.data, each.after) == (first.data, first.after)
    assert limited.reproduced is not None
    assert first.output.read_bytes() == first.data


def test_a_resumed_run_that_goes_another_way_keeps_its_best(
    script: Script, source: Path, tmp_path: Path
) -> None:
    """Another version of a grammar or of Python may propose something else."""
    run = tmp_path / "run"
    first = reduce(script(CRASH), source, record=run, jobs=1, max_queries=40)
    with closing(Journal(run)) as journal:
        assert journal.facts is not None
        journal.tell(options={"algorithm": "ddmin"})
    written: list[bytes] = []

    def look(event: Event) -> None:
        if isinstance(event, Improved):
            written.append(first.output.read_bytes())

    other = resume(run, jobs=1, max_queries=10, observers=[look])
    assert written == [first.data] * len(written) != []
    assert other.data == first.output.read_bytes() == first.data
    assert len(resume(run, jobs=1).data) <= len(first.data)


def test_an_interrupted_write_is_not_made_up_for(
    script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, run = tmp_path / "in", tmp_path / "run"
    folder.mkdir()
    for name in "abcdefgh":
        (folder / name).write_text(f"text of {name}\n" * 9)
    test = script("cat in/* | grep -q 'of d'")
    undisturbed = reduce(test, folder, output=tmp_path / "other", jobs=1)
    written: list[Document] = []
    write = ResultPlace.write

    def interrupted(best: ResultPlace, document: Document) -> None:
        if len(written) == 3:
            raise KeyboardInterrupt
        write(best, document)
        written.append(document)

    with monkeypatch.context() as patch:
        patch.setattr(ResultPlace, "write", interrupted)
        patch.setattr(recorder, "_PAUSE_S", 0.0)
        patch.setattr(recorder, "_MAX_PAUSES", 0)
        result = reduce(test, folder, record=run, jobs=1)
    assert result.reason == "interrupted"
    assert result.files == written[-1].contents
    with closing(Journal(run)) as journal:
        assert journal.best == result.files
    assert resume(run).files == undisturbed.files


def test_a_finished_run_that_goes_on_and_dies_is_not_finished(
    script: Script, tmp_path: Path, source: Path
) -> None:
    test = counting(script, tmp_path, f"[ -e {tmp_path}/now ] && kill -9 {ASKER}")
    reduce(test, source, record=source.parent / ".nubbin" / "run")
    (run,) = runs_in(source.parent)
    assert run.state == "fixpoint"
    (tmp_path / "now").touch()
    command = [*NUBBIN, "resume", "--quiet", str(run.folder)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    (run,) = runs_in(source.parent)
    assert (run.state, run.resumable) == ("died", True)


def test_a_changed_test_goes_on_from_the_best(script: Script, tmp_path: Path, source: Path) -> None:
    run = tmp_path / "run"
    reduce(script(CRASH), source, record=run, max_queries=30)
    script("grep -q f7 input.c")
    told: list[Event] = []
    result = resume(run, observers=[told.append])
    assert told[0] == ChangedTest()
    assert result.data == b"f7"
    assert resume(run, observers=[told.append]).data == b"f7"
    assert told.count(ChangedTest()) == 1


def test_a_changed_test_that_rejects_the_best(script: Script, tmp_path: Path, source: Path) -> None:
    run = tmp_path / "run"
    reduce(script(CRASH), source, record=run)
    script("grep -q f11 input.c")
    with pytest.raises(NubbinError, match="rejects input"):
        resume(run)


def test_a_variable_is_missing_by_now(
    script: Script, tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, test = tmp_path / "run", script(f'[ "$SWITCH" ] || exit 1\n{CRASH}')
    with monkeypatch.context() as patch:
        patch.setenv("SWITCH", "on")
        reduce(test, source, record=run, max_queries=10)
    with pytest.raises(NubbinError, match=r"has changed.*\$SWITCH, which is not set"):
        resume(run)
    monkeypatch.setenv("SWITCH", "on")
    assert resume(run).minimal


def test_the_input_may_change_meanwhile(
    script: Script, tmp_path: Path, source: Path, undisturbed: tuple[bytes, int]
) -> None:
    run = tmp_path / "run"
    reduce(script(CRASH), source, record=run, max_queries=30)
    source.write_bytes(b"something else")
    assert resume(run).data == undisturbed[0]
    assert source.read_bytes() == b"something else"


def test_in_place(
    script: Script, tmp_path: Path, source: Path, undisturbed: tuple[bytes, int]
) -> None:
    run = tmp_path / "run"
    reduce(script(CRASH), source, record=run, max_queries=30, in_place=True)
    resume(run)
    assert source.read_bytes() == undisturbed[0]
    assert source.with_name("input.c.orig").read_bytes() == TEXT


def test_a_folder(script: Script, tmp_path: Path, source: Path) -> None:
    (source.parent / "more.txt").write_bytes(b"more\n" * 100)
    run = tmp_path / "run"
    test = script("grep -q more work/more.txt && grep -q f7 work/input.c")
    reduce(test, source.parent, record=run, max_queries=6)
    result = resume(run)
    assert result.files == {"work/input.c": b"f7", "work/more.txt": b"more"}
    assert verify(run).holds


def test_a_folder_that_is_not_written_yet_is_not_lost(
    script: Script, tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (source.parent / "more.txt").write_bytes(b"more\n" * 100)
    run, output = tmp_path / "run", tmp_path / "out"
    test = script("grep -q more work/more.txt && grep -q f7 work/input.c")
    sizes: list[int] = []

    def killed(event: Event) -> None:
        match event:
            case Improved():
                sizes.append((output / "input.c").stat().st_size)
                if len(sizes) == 3:
                    raise RuntimeError("as if killed")

    with monkeypatch.context() as patch:
        patch.setattr(recorder, "_PAUSE_S", math.inf)
        with pytest.raises(RuntimeError, match="as if killed"):
            reduce(test, source.parent, record=run, output=output, observers=[killed])
    assert sizes == [len(TEXT)] * 3
    with closing(Journal(run)) as journal:
        best = journal.best
    assert len(best["work/input.c"]) < len(TEXT)
    resume(run, max_queries=1)
    assert (output / "input.c").read_bytes() == best["work/input.c"]
    assert resume(run).files == {"work/input.c": b"f7", "work/more.txt": b"more"}
    assert (output / "input.c").read_bytes() == b"f7"


def test_no_run_there(tmp_path: Path) -> None:
    with pytest.raises(NubbinError, match="no recorded run"):
        resume(tmp_path)


def test_a_result_is_verified_again(script: Script, tmp_path: Path, source: Path) -> None:
    run = tmp_path / "run"
    test = counting(script, tmp_path)
    result = reduce(test, source, smallest="char", record=run)
    before = len(asked(tmp_path))
    found = verify(run)
    assert (found.holds, found.removals) == (True, len(result.data))
    assert len(asked(tmp_path)) == before + 1 + len(result.data)
    result.output.write_bytes(b"f3 boom f7 and more")
    assert not verify(run).unchanged
    shutil.copy(source, result.output)
    script("grep -q f3 input.c")
    weak = verify(run)
    assert weak.interesting
    assert weak.refused < weak.removals
    assert not weak.holds


def test_a_function_goes_on_and_a_changed_one_is_another(source: Path, tmp_path: Path) -> None:
    file = tmp_path / "check.py"
    body = "data = path.read_bytes(); return b'boom' in data and b'f3' in data"
    file.write_text(f"def bad(path):\n    {body}\n")
    test = PythonTest.of(f"{file}:bad")
    whole = reduce(test, source, output=tmp_path / "whole.c")
    part = reduce(test, source, record=tmp_path / "run", max_queries=5)
    assert part.reason == "max-queries"
    assert resume(tmp_path / "run").data == whole.data
    file.write_text(f"def bad(path):\n    {body} and b'f5' in data\n")
    told: list[Event] = []
    with pytest.raises(NubbinError, match="rejects input"):
        resume(tmp_path / "run", observers=[told.append])
    assert told[0] == ChangedTest()


def test_what_follows_from_the_rest_is_carried_through(tmp_path: Path) -> None:
    """A run that goes on where numbers are too few to be found again makes them right."""
    source, file = tmp_path / "ranges.txt", tmp_path / "check.py"
    pairs = "".join(f"{n + 1} {80 - n}\n" for n in range(80))
    source.write_text("80 80\n" + "".join(f"{n * n}\n" for n in range(80)) + pairs)
    file.write_text(
        "def bad(path):\n"
        "    size, pairs, *rest = map(int, path.read_text().split())\n"
        "    values, positions = rest[:size], rest[size:]\n"
        "    assert len(values) == size and len(positions) == 2 * pairs\n"
        "    return 900 in [([0] + values)[at] for at in positions]\n"
    )
    test = PythonTest.of(f"{file}:bad")
    whole = reduce(test, source, output=tmp_path / "whole.txt")
    assert whole.data.split() == [b"1", b"1", b"900", b"1", b"1"]
    part = reduce(test, source, record=tmp_path / "run", max_queries=20)
    assert part.reason == "max-queries"
    assert resume(tmp_path / "run").data == whole.data
