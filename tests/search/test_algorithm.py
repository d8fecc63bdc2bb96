"""Algorithms that are not nubbin's own: in a file, or of an installed package."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click import Command
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import nubbin
from examples import mostly_nightly
from nubbin.cli import main
from nubbin_bench.cases import Case, Unavailable, write_case
from nubbin_bench.commands import main as bench
from nubbin_bench.record import Record
from nubbin_bench.rows import Job, Row
from nubbin_bench.study import run_all
from nubbin_core.minimizers import ALGORITHMS, Settings, Subset
from nubbin_core.search.algorithm import Algorithm, AlgorithmError, CheckedMinimizer

Script = Callable[..., Path]

#: One element less at a time, from the front.
SOUND = """
from __future__ import annotations
from dataclasses import dataclass, replace
from nubbin_core.minimizers import Query, Settings, Subset

@dataclass(frozen=True)
class Mine:
    kept: Subset
    at: int = 0

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Mine:
        return cls(kept)

    def ask(self) -> tuple[Query, ...]:
        if self.at == len(self.kept):
            return ()
        return (Query(self.kept.without(self.at, self.at + 1), "mine"),)

    def tell(self, answers: tuple[bool, ...]) -> Mine:
        if answers == (True,):
            return replace(self, kept=self.ask()[0].kept)
        return replace(self, at=self.at + 1)

def begin(kept, settings):
    return Mine.start(kept, settings)

A_NUMBER = 7
"""

#: What is put in the place of what, and what is said of it.
FAULTS = {
    "a syntax error": ("@dataclass", "@@", r"fails when it is loaded: SyntaxError: .*line 6"),
    "an error at import": ("A_NUMBER = 7", "1 / 0", r"loaded: ZeroDivisionError: .*py, line 28\)"),
    "an exit at import": ("A_NUMBER = 7", "raise SystemExit(3)", "loaded: SystemExit: 3"),
    "no such module": ("A_NUMBER = 7", "import nonesuch", r"ModuleNotFoundError: .*py, line 28\)"),
    "no such class": ("class Mine", "class Other", "AttributeError: .* no attribute 'Mine'"),
    "no start": ("def start", "def begin", "AttributeError: .* no attribute 'start'"),
    "other arguments": ("start(cls, kept: Subset,", "start(cls,", "it starts: TypeError"),
    "not the whole list": ("return cls(kept)", "return cls(kept[1:])", "at first it keeps 9 el"),
    "no state": ("return cls(kept)", "pass", "fails when it starts: AttributeError: .*NoneType"),
    "no tuple": ("return ()", "return []", r"ask\(\) returns \[\], not a tuple of queries"),
    "no query": ("return ()", "return (1,)", r"ask\(\) returns \(1,\), not a tuple of queries"),
    "a superset": ("(Query(self", "(Query(Subset.full(99) or self", "asks about 99 elements, not"),
    "no subset": ("self.kept.without(self.at, self.at + 1)", "[1]", r"asks about \[1\], not about"),
    "no kind": ('"mine"', "7", "the kind of a query is 7, not a str"),
    "no chance": ('"mine"', '"mine", 7', "the chance of a query is 7, not from 0 to 1"),
    "an error when asked": (
        "if self.at ==",
        "if 1 / 0 ==",
        r"chooses queries: ZeroDivisionError: .*py",
    ),
    "an error when told": ("== (True,)", "[1]", r"reads the answers: IndexError: .*py, line 21\)"),
    "what is rejected is kept": ("== (True,)", "== (False,)", "it keeps 9 elements after 10, not"),
    "no end": ("at=self.at + 1", "at=self.at", "does not end: the last 2,000 times"),
    "nothing told": (
        "return replace(self, at",
        "replace(self, at",
        "reads the answers: AttributeError",
    ),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(SOUND)
    return path


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package that offers the algorithm `mine`, and one that cannot be loaded."""
    return offered(tmp_path, "minepkg", monkeypatch)


def offered(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    site = folder / f"site-{name}"
    about = site / f"{name}-1.2.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
    (about / "entry_points.txt").write_text(
        f"[nubbin.algorithms]\nmine = {name}:Mine\nmine-{name} = {name}:begin\n"
        f"broken = {name}:Nonesuch\nauto = {name}:Mine\n"
    )
    (site / f"{name}.py").write_text(SOUND)
    monkeypatch.syspath_prepend(str(site))
    return about


def run(*arguments: str | Path) -> Result:
    return invoke(main, *arguments)


def invoke(command: Command, *arguments: str | Path) -> Result:
    told = CliRunner().invoke(command, [*map(str, arguments)])
    assert told.exception is None or isinstance(told.exception, SystemExit), told.exception
    return told


@pytest.mark.parametrize("name", ["{}:Mine", "{}:Mine.start", "{}:begin"])
@pytest.mark.parametrize("jobs", [1, 3])
def test_a_file_has_an_algorithm(file: Path, name: str, jobs: int) -> None:
    found = nubbin.minimize(
        range(10), lambda kept: {2, 5} <= {*kept}, algorithm=name.format(file), jobs=jobs
    )
    assert found.kept == [2, 5]
    assert not found.minimal  # 2 and 5 were tried when there were more
    assert set(found.by_kind) == {"mine"}
    assert not (file.parent / "__pycache__").exists()


@pytest.mark.parametrize("name", ["mine", "mine-minepkg"])
def test_a_package_offers_an_algorithm(package: Path, name: str) -> None:
    found = nubbin.minimize(range(10), lambda kept: 2 in kept, algorithm=name)
    assert found.kept == [2]
    assert "mine" in found.by_kind
    assert Algorithm.named(name).source == "minepkg 1.2"


def test_names_of_nubbins_own_stay_its_own(package: Path) -> None:
    assert Algorithm.named("auto").load() is ALGORITHMS["auto"]


def test_a_package_that_cannot_be_loaded_is_named(package: Path) -> None:
    with pytest.raises(AlgorithmError, match=r"broken fails when it is loaded: AttributeError"):
        Algorithm.named("broken").load()
    with pytest.raises(ValueError, match=r"no algorithm 'none'; .*wdd, auto, broken, .*mine, "):
        Algorithm.named("none")


def test_two_packages_with_one_name_are_named(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered(tmp_path, "otherpkg", monkeypatch)
    with pytest.raises(AlgorithmError, match=r"otherpkg 1\.2, minepkg 1\.2\. Uninstall"):
        Algorithm.named("mine")


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("jobs", mostly_nightly([1, 2], [1]))
def test_what_breaks_the_contract_is_said(file: Path, fault: str, jobs: int) -> None:
    old, new, words = FAULTS[fault]
    assert SOUND.count(old) == 1
    file.write_text(SOUND.replace(old, new))
    with pytest.raises(AlgorithmError, match=rf"mine\.py.*{words}"):
        nubbin.minimize(range(10), lambda kept: 2 in kept, algorithm=f"{file}:Mine", jobs=jobs)


def test_what_is_no_algorithm_is_no_algorithm(file: Path) -> None:
    with pytest.raises(AlgorithmError, match="is neither a class nor a function"):
        Algorithm.named(f"{file}:A_NUMBER").load()


@given(
    st.sampled_from(sorted(ALGORITHMS)),
    st.integers(0, 12),
    st.sets(st.integers(0, 11), max_size=3),
)
def test_the_check_changes_nothing(name: str, size: int, needed: set[int]) -> None:
    """All algorithms of nubbin keep the contract."""
    state = ALGORITHMS[name](Subset.full(size), Settings())
    checked = CheckedMinimizer.start(name, ALGORITHMS[name], Subset.full(size), Settings())
    while wave := state.ask():
        assert checked.ask() == wave
        answers = tuple(needed & {*range(size)} <= {*each.kept} for each in wave)
        state, checked = state.tell(answers), checked.tell(answers)
        assert checked.kept == state.kept
    assert checked.ask() == ()


@pytest.mark.parametrize(
    ("algorithm", "words"),
    [
        ("none.py:Mine", r"/none\.py, cannot be read: No such file"),
        ("mine.py:Other", "AttributeError"),
        ("hdd:mine.py:Other", "AttributeError"),
        ("cdd.py", "there is no algorithm 'cdd.py'. Did you mean cdd"),
    ],
)
def test_the_command_line_says_what_is_wrong(
    script: Script, file: Path, monkeypatch: pytest.MonkeyPatch, algorithm: str, words: str
) -> None:
    monkeypatch.chdir(file.parent)
    (file.parent / "input.txt").write_text("a\nb\n")
    told = run("reduce", "--algorithm", algorithm, script("grep -q a input.txt"), "input.txt")
    assert told.exit_code in {1, 2}
    assert " ".join(told.stderr.split()).count("Traceback") == 0
    assert re.search(words, " ".join(told.stderr.split())), told.stderr
    assert not (file.parent / "input.reduced.txt").exists()
    told = invoke(bench, "run", ".", "--algorithms", algorithm, "--docs", "docs")
    assert told.exit_code == 2


def test_a_run_ends_with_the_algorithm_that_it_began_with(
    script: Script, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    (file.parent / "input.txt").write_text("".join(f"line {n}\n" for n in range(9)))
    test = script("grep -q 'line 3' input.txt")
    told = run("reduce", "-a", "mine.py:Mine", "--max-queries", "3", test, "input.txt")
    assert told.exit_code == 0, told.stderr
    (folder,) = (file.parent / ".nubbin").glob("input*")
    elsewhere = file.parent / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)

    file.write_text(SOUND + "\n# changed\n")
    told = run("resume", folder)
    assert (told.exit_code, "mine.py:Mine has changed since" in told.stderr) == (1, True)
    file.unlink()
    told = run("resume", folder)
    assert (told.exit_code, "cannot be read: No such file" in told.stderr) == (1, True)
    assert run("log", folder).exit_code == 0
    file.write_text(SOUND)
    told = run("resume", folder)
    assert told.exit_code == 0, told.stderr
    assert (file.parent / "input.reduced.txt").read_text() == "line 3"
    assert run("verify", folder).exit_code == 0


def test_what_was_found_before_a_fault_stays(
    script: Script, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    file.write_text(SOUND.replace("at=self.at + 1", "at=1 // 0"))
    (file.parent / "input.txt").write_text("".join(f"line {n}\n" for n in range(9)))
    test = script("grep -q 'line 3' input.txt")
    told = run("reduce", "-a", "mine.py:Mine", "--smallest", "lines", test, "input.txt")
    assert told.exit_code == 1
    assert "mine.py, line 23" in "".join(told.stderr.split("\n"))
    assert (file.parent / "input.reduced.txt").read_text().startswith("line 3\n")


@pytest.mark.nightly
def test_a_study_goes_on_without_a_faulty_algorithm(file: Path, tmp_path: Path) -> None:
    text = "".join(f"line {n}\n" for n in range(9))
    cases = [
        write_case(tmp_path / name, "input.txt", text, "#!/bin/sh\ngrep -q 'line 3' input.txt\n")
        for name in ("one", "two")
    ]
    record = Record.load(tmp_path / "raw/runs.csv")

    def made() -> list[Row | Unavailable]:
        """Make the runs of each algorithm on each case; those of a changed file are new ones."""
        named = [Algorithm.named(each) for each in (f"{file}:Mine", "ddmin")]
        jobs = [
            Job("others", Case.load(tmp_path / case.name), "lines", each, 0, 0.1, 999, 600, 60)
            for case in cases
            for each in named
        ]
        return [*run_all(jobs, record, cache=tmp_path / "cache", workers=1, seconds=600)]

    file.write_text(SOUND.replace("at=self.at + 1", "at=1 // 0"))
    first, *rest = made()
    assert isinstance(first, Unavailable)
    assert first.name == "mine.py:Mine"
    assert first.why.startswith("on one: The algorithm mine.py:Mine fails when it reads")
    assert [each.algorithm for each in rest if isinstance(each, Row)] == ["ddmin", "ddmin"]
    file.write_text(SOUND)
    assert [type(each) for each in made()] == [Row, Row]
    file.write_text(SOUND + "\n")
    named = Algorithm.named(f"{file}:Mine")
    job = Job("others", cases[0], "lines", named, 0, 0.1, 999, 600, 60)
    assert job.key in record.rows
    assert not record.has(job)
