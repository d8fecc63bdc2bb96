"""A command line of any form writes nothing outside, and runs no old program of its own."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import nubbin
from examples import mostly_nightly
from nubbin.oracles.commands.project_test import ProjectTest
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.failures.conditions import Conditions
from nubbin.oracles.local_oracle import LocalOracle
from nubbin.oracles.tracing.traced_test import has_strace
from nubbin.reduction.start.check import job_to_check
from nubbin_core.errors import OptionError
from writing_lines import FILES, LINES, compiled


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "build").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
        os.utime(tmp_path / name, (1e9, 1e9))
        (tmp_path / name).chmod(0o755 if text.startswith("#!") else 0o644)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _state(folder: Path) -> dict[str, tuple[object, ...]]:
    found: dict[str, tuple[object, ...]] = {}
    for name in FILES:
        seen = (folder / name).stat()
        found[name] = ((folder / name).read_text(), seen.st_mtime_ns, seen.st_ino, seen.st_mode)
    return found


@pytest.mark.parametrize(
    ("line", "given"), mostly_nightly(LINES, [*LINES[::3], LINES[10], LINES[22]])
)
def test_what_a_command_makes_stays_where_it_runs(here: Path, line: str, given: str) -> None:
    before = _state(here)
    test = RunTest.of(line, Conditions(exits="nonzero"), Path("in.txt"))
    job = job_to_check(test, "in.txt")
    assert isinstance(job.test, RunTest)
    assert [os.path.relpath(each, here) for each in job.test.given] == given.split()
    with LocalOracle(job.oracle_spec, 20) as oracle:
        answer = oracle.explain({"in.txt": b"no bug\n"})
        assert (answer.exit_code, b"old" in answer.output) == (1 if "!" in line else 3, False)
    assert _state(here) == before


def test_a_large_file_is_copied_once_and_again_after_a_run_has_written_to_it(here: Path) -> None:
    (here / "data.db").write_bytes(b"bug\n" * 300_000)
    line = "stat -c %i data.db; wc -c <data.db; grep -q add in.txt && echo more >>data.db; exit 3"
    test = RunTest.of(line, Conditions(exits="3"), Path("in.txt"))
    job = job_to_check(test, "in.txt")
    with LocalOracle(job.oracle_spec, 20) as oracle:
        told = [oracle.explain({"in.txt": each}).output.split() for each in (b"", b"add", b"")]
    assert told[0] == told[1]  # one file, of one size
    assert told[2][1] == b"1200000"
    assert (here / "data.db").stat().st_size == 1_200_000


@pytest.mark.parametrize("jobs", mostly_nightly([1, 4], [4]))
@pytest.mark.parametrize(
    "line", [compiled("./a.out"), "sh copy.sh in.txt report.out", "sh check.sh {}"]
)
def test_a_reduction_runs_what_it_made_and_touches_no_file(
    here: Path, line: str, jobs: int
) -> None:
    before = _state(here)
    test = RunTest.of(
        line, Conditions(stdout="^bug") if "a.out" in line else Conditions(), Path("in.txt")
    )
    if "check" in line:  # it fails whatever its input is
        with pytest.raises(nubbin.NubbinError, match="as it does on this one"):
            nubbin.reduce(test, "in.txt", jobs=jobs)
    else:
        assert nubbin.reduce(test, "in.txt", jobs=jobs).data.strip() == b"bug"
    assert _state(here) == before


@pytest.mark.parametrize(
    ("line", "names"),
    [("sh copy.sh log.txt x", "copy.sh log.txt"), ("cat *.conf; exit 3", "words.conf log.txt")],
)
def test_several_inputs_that_a_command_names_or_opens(here: Path, line: str, names: str) -> None:
    inputs = names.split()
    test = RunTest.of(line, Conditions(exits="3"), [Path(each) for each in inputs])
    job = job_to_check(test, inputs)
    assert str(job.test) == f"cd {{}} && {line}"
    assert isinstance(job.test, RunTest)
    assert not job.test.given


@pytest.mark.skipif(not has_strace(), reason="nothing here tells what a program opens")
def test_several_inputs_that_a_command_does_not_look_at(here: Path) -> None:
    test = RunTest.of("./a.out", Conditions(), [Path("log.txt"), Path("lib.sh"), Path("data.db")])
    with pytest.raises(OptionError) as raised:
        nubbin.reduce(test, ["log.txt", "lib.sh", "data.db"])
    assert "\n    nubbin campaign --run ./a.out data.db ... log.txt\n" in str(raised.value)
    assert "\n    nubbin reduce --run './a.out data.db' log.txt\n" in str(raised.value)


@pytest.mark.parametrize(
    ("line", "at"), [("sh p/make.sh && p/prog", "."), ("sh make.sh && ./prog", "p")]
)
def test_a_program_in_the_input_that_the_command_makes_is_no_input(
    here: Path, monkeypatch: pytest.MonkeyPatch, line: str, at: str
) -> None:
    (here / "p").mkdir()
    monkeypatch.chdir(here / at)
    (here / "p" / "make.sh").write_text("[ -e ${0%make.sh}prog ] || cp /bin/false ${0%make.sh}prog")
    shutil.copy("/bin/true", here / "p" / "prog")
    shutil.copy("/bin/true", here / "p" / "data")
    test = RunTest.of(line, Conditions(exits="1"), here / "p")
    job = job_to_check(test, here / "p")
    assert [file.path for file in job.original.files] == ["p/data", "p/make.sh"]


def test_what_the_command_of_a_project_makes_is_in_the_project(here: Path) -> None:
    """No run looks for it, least of all in another folder."""
    (here / "p").mkdir()
    shutil.copy("/bin/true", here / "p" / "prog")
    line, conditions = f"touch {here}/ran; exit 3", Conditions(exits="3")
    test = ProjectTest((line,), str(here / "p"), conditions=conditions)
    job_to_check(test, here / "p")
    assert not (here / "ran").exists()
