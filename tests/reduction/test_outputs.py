"""A command line of any form writes nothing outside, and runs no old program of its own."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import nubbin
from nubbin.errors import OptionError
from nubbin.oracles.commands.project_test import ProjectTest
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.failures.conditions import Conditions
from nubbin.oracles.tracing.traced_test import has_strace
from nubbin.reduction.option import completed
from nubbin.reduction.options import CheckOptions
from nubbin.reduction.start.check import job_to_check

_SCRIPT = "#!/bin/sh\n"
# Programs and files of a user's folder, some of an earlier run.
_FILES = {
    "in.txt": "bug\nno bug\n",
    "copy.sh": 'cat "$1" > "$2"; grep -q bug "$2" && exit 3\n',
    "check.sh": 'cat "$1" >/dev/null && . "${0%/*}/lib.sh"\n',
    "lib.sh": "exit 3\n",
    "tool": f'{_SCRIPT}cat "$1"; exit 3\n',
    "words.conf": "bug\n",
    "data.db": "bug\n",
    "add.sh": 'grep -q bug "$2" || exit 1; cat "$1" >>"$2"; exit 3\n',
    "a.out": f"{_SCRIPT}echo old\nexit 3\n",
    "build/out": f"{_SCRIPT}echo old\nexit 3\n",
    "report.out": "mine\n",
    "log.txt": "mine\n",
}
# A compiler: what it makes prints the input and fails.
_CC = "{ echo 'cat <<E'; cat in.txt; echo E; echo exit 3; } > OUT && chmod +x OUT && OUT"


def _cc(out: str, run: str | None = None) -> str:
    return _CC.replace("&& OUT", f"&& {run or out}").replace("OUT", out)


# A command line, and the user's files of which its runs are given copies.
_LINES = [
    ("./tool {}", "tool"),
    ("./tool in.txt > log.txt; exit 3", "tool"),
    ("./tool in.txt >> log.txt; exit 3", "tool"),
    ("./tool in.txt > 'log.txt' 2>&1; exit 3", "tool"),
    ("./tool in.txt 2> report.out >/dev/null; exit 3", "tool"),
    ("./tool in.txt | tee log.txt; exit 3", "tool"),
    ("./tool in.txt | tee -a log.txt ./report.out; exit 3", "tool"),
    ("sh copy.sh {} report.out", "copy.sh"),
    ("sh ./copy.sh in.txt ./build/out", "copy.sh"),
    ("sh copy.sh {} build/out && cat build/out; exit 3", "copy.sh"),
    ("cp {} log.txt && ! grep -q bug log.txt", ""),
    ("cp in.txt x.txt && mv x.txt log.txt; grep bug log.txt && exit 3", ""),
    ("OUT=report.out; sh copy.sh in.txt $OUT; cat ./$OUT; exit 3", "copy.sh"),
    ("dd if=in.txt of=report.out status=none; exit 3", ""),
    ("sort --output=report.out in.txt; exit 3", ""),
    ("sort -o report.out in.txt; exit 3", ""),
    ("sort -oreport.out in.txt; exit 3", ""),
    ("cat > report.out <<E\nbug\nE\ngrep -f report.out in.txt && exit 3", ""),
    (_cc("./a.out"), ""),
    (_cc("a.out", "./a.out"), ""),
    (_cc("build/out"), ""),
    ("cat in.txt > $(echo a.out); ! grep -q bug ./a.out", ""),
    ("sed -i s/bug/BUG/ words.conf && ! grep -qi -f words.conf in.txt", "words.conf"),
    ("sh add.sh in.txt data.db", "add.sh data.db"),
    ("D=./data.db; sh add.sh in.txt $D", "add.sh data.db"),
    ("sh check.sh in.txt", "check.sh"),
    ("grep -v -f words.conf in.txt; exit 3", "words.conf"),
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "build").mkdir()
    for name, text in _FILES.items():
        (tmp_path / name).write_text(text)
        os.utime(tmp_path / name, (1e9, 1e9))
        (tmp_path / name).chmod(0o755 if text.startswith("#!") else 0o644)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _state(folder: Path) -> dict[str, tuple[object, ...]]:
    found: dict[str, tuple[object, ...]] = {}
    for name in _FILES:
        seen = (folder / name).stat()
        found[name] = ((folder / name).read_text(), seen.st_mtime_ns, seen.st_ino, seen.st_mode)
    return found


@pytest.mark.parametrize(("line", "given"), _LINES)
def test_what_a_command_makes_stays_where_it_runs(here: Path, line: str, given: str) -> None:
    before = _state(here)
    test = RunTest.of(line, Conditions(exits="nonzero"), Path("in.txt"))
    job = job_to_check(test, "in.txt", completed(CheckOptions(), CheckOptions))
    assert isinstance(job.test, RunTest)
    assert [os.path.relpath(each, here) for each in job.test.given] == given.split()
    with job.oracle_spec.oracle(20) as oracle:
        answer = oracle.explain({"in.txt": b"no bug\n"})
        assert (answer.exit_code, b"old" in answer.output) == (1 if "!" in line else 3, False)
    assert _state(here) == before


@pytest.mark.parametrize("jobs", [1, 4])
@pytest.mark.parametrize("line", [_cc("./a.out"), "sh copy.sh in.txt report.out", "sh check.sh {}"])
def test_a_reduction_runs_what_it_made_and_touches_no_file(
    here: Path, line: str, jobs: int
) -> None:
    before = _state(here)
    test = RunTest.of(line, Conditions(stdout="^bug") if "a.out" in line else None, Path("in.txt"))
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
    job = job_to_check(test, inputs, completed(CheckOptions(), CheckOptions))
    assert str(job.test) == f"cd {{}} && {line}"
    assert isinstance(job.test, RunTest)
    assert not job.test.given


@pytest.mark.skipif(not has_strace(), reason="nothing here tells what a program opens")
def test_several_inputs_that_a_command_does_not_look_at(here: Path) -> None:
    test = RunTest.of("./a.out", None, [Path("log.txt"), Path("lib.sh"), Path("data.db")])
    with pytest.raises(OptionError) as raised:
        nubbin.reduce(test, ["log.txt", "lib.sh", "data.db"])
    assert "\n    nubbin reduce --run ./a.out data.db\n" in str(raised.value)
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
    job = job_to_check(test, here / "p", completed(CheckOptions(), CheckOptions))
    assert [file.path for file in job.original.files] == ["p/data", "p/make.sh"]


def test_what_the_command_of_a_project_makes_is_in_the_project(here: Path) -> None:
    """No run looks for it, least of all in another folder."""
    (here / "p").mkdir()
    shutil.copy("/bin/true", here / "p" / "prog")
    test = ProjectTest((f"touch {here}/ran; exit 3",), str(here / "p"), Conditions(exits="3"))
    job_to_check(test, here / "p", completed(CheckOptions(), CheckOptions))
    assert not (here / "ran").exists()
