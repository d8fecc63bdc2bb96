"""The paper's suites from a checkout of its artifact; here, from small ones with its layout."""

from __future__ import annotations

import csv
import shutil
import subprocess
from collections import Counter
from dataclasses import fields, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from harness.experiment import RECORD
from nubbin.oracles.local_oracle import LocalOracle, OracleSpec
from nubbin_bench import artifact, pages, side_by_side
from nubbin_bench.artifact import SUITES, xml_suite
from nubbin_bench.artifact.c_suite import c_cases
from nubbin_bench.artifact.inputs import Input, counted, sizes
from nubbin_bench.artifact.published import published, published_sizes
from nubbin_bench.cases import Case, Unavailable, unavailable
from nubbin_bench.csv_rows import load
from nubbin_bench.family import Family
from nubbin_bench.pages import INPUTS
from nubbin_bench.record import Record
from nubbin_bench.results import Results
from nubbin_bench.rows import Row
from nubbin_bench.suites import from_artifact
from nubbin_core.errors import NubbinError
from nubbin_core.verdict import Verdict

#: The one test of the C suite.
C_TEST = Path(artifact.__file__).with_name("c_test.sh")
PROGRAM = b"#include <stdio.h>\nint main(void) { puts(HELLO); return 0; }\n"
MAKEFILE = """\
all: dep hello

hello:
\tclang-7 -w '-DHELLO="hi"' hello-1.0/hello-1.0.c -o hello-1.0/hello-1.0.origin
"""
#: Passes if the program prints what it did, on a terminal, and cannot write beside its folder.
TEST = """\
cd .
[ -t 1 ] || exit 1
touch /home/coq/cdd/benchmarks/debloating/escaped 2>/dev/null && exit 1
clang-7 -w '-DHELLO="hi"' ./hello-1.0.c -o ./reduced || exit 1
[ "$(./reduced)" = "$(/home/coq/cdd/benchmarks/debloating/hello-1.0/hello-1.0.origin)" ]
"""


def test_what_is_published_is_of_all_76_benchmarks() -> None:
    benchmarks = {benchmark for benchmark, _, _ in published()}
    assert len(benchmarks) == 76
    for algorithm in ("ddmin", "probdd", "cdd"):
        assert {case for case, name, _ in published() if name == algorithm} == benchmarks
    assert published()["clang-22382", "ddmin", "queries"] == 11388


def test_a_suite_that_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "benchmarks/xmlprocessorbugs").mkdir(parents=True)
    with pytest.raises(NubbinError, match="no suite 'xml'; it has paper-"):
        from_artifact(tmp_path, ["xml"], tmp_path)


@pytest.mark.parametrize("suite", SUITES)
def test_a_checkout_of_something_else_is_refused(tmp_path: Path, suite: str) -> None:
    with pytest.raises(NubbinError, match="is not a checkout of the paper's artifact"):
        from_artifact(tmp_path, [suite], tmp_path / "work")


def test_a_case_that_cannot_be_run_says_why(tmp_path: Path) -> None:
    folder = tmp_path / "benchmarks/xmlprocessorbugs"
    for name in ("xml-1e9bc83-1", "xml-071d221-1"):
        (folder / name).mkdir(parents=True)
        (folder / name / "input.xml").write_text("<a/>")
        (folder / name / "r.sh").write_text("QUERY='//a'\n")
    cases = [case for _, case in from_artifact(tmp_path, ["paper-xml"], tmp_path)]
    assert len(cases) == 46
    assert all(isinstance(case, Unavailable) for case in cases)
    assert str(folder / "lib/basex-5b34391.jar") in next(iter(unavailable(cases)))


@pytest.fixture
def engines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a checkout with a document, while Saxon, BaseX and java are empty files."""
    for name in ("saxon.jar", "basex.jar", "java"):
        (tmp_path / name).write_text("")
    monkeypatch.setattr(xml_suite, "_SAXON", tmp_path / "saxon.jar")
    monkeypatch.setattr(xml_suite, "_DEBIAN", tmp_path / "basex.jar")
    monkeypatch.setattr(shutil, "which", lambda _: str(tmp_path / "java"))
    folder = tmp_path / "benchmarks/xmlprocessorbugs/xml-4c99b96-17"
    folder.mkdir(parents=True)
    (folder / "input.xml").write_text("<a/>")
    return tmp_path


def _only_xml(checkout: Path, name: str) -> Case | Unavailable:
    ((_, case),) = from_artifact(checkout, [f"paper-xml={name}"], checkout)
    return case


def test_the_test_of_a_document_has_two_builds_the_papers_query_and_an_option(
    engines: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = sha256(b"<a/>").hexdigest()
    header = "benchmark,with_bug,without_bug,option,input,query\n"
    (engines / "xml_pairs.csv").write_text(f"{header}xml-4c99b96-17,debian,debian,-w,{digest},\n")
    monkeypatch.setattr(xml_suite, "_HERE", engines)
    script = engines / "benchmarks/xmlprocessorbugs/xml-4c99b96-17/r.sh"
    script.write_text("#!/bin/bash\nQUERY='//*[a\n= b]'\nGOOD_VERSION='x'\n")
    case = _only_xml(engines, "xml-4c99b96-17")
    assert isinstance(case, Case)
    basex = str(engines / "basex.jar")
    assert case.test.words[-4:] == (basex, basex, "//*[a = b]", "-w")


def test_a_document_without_its_query_is_left_out(
    engines: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = "benchmark,with_bug,without_bug,option,input,query\n"
    row = f"xml-4c99b96-17,debian,debian,,{sha256(b'<a/>').hexdigest()},\n"
    (engines / "xml_pairs.csv").write_text(header + row)
    monkeypatch.setattr(xml_suite, "_HERE", engines)
    (engines / "benchmarks/xmlprocessorbugs/xml-4c99b96-17/r.sh").write_text("exit 1\n")
    case = _only_xml(engines, "xml-4c99b96-17")
    assert case == Unavailable("xml-4c99b96-17", "the checkout lacks its query")


def test_a_document_that_is_not_the_papers_is_refused(engines: Path) -> None:
    (engines / "benchmarks/xmlprocessorbugs/xml-4c99b96-17/r.sh").write_text("QUERY='//*'\n")
    case = _only_xml(engines, "xml-4c99b96-17")
    assert isinstance(case, Unavailable)
    assert "not the one that was measured" in next(iter(unavailable([case])))


def test_no_more_than_three_c_programs_stop_at_one_message() -> None:
    rows = _c_rows()
    assert len({row["benchmark"] for row in rows}) == len(rows) == 20
    defects = Counter((row["tool"], _target(row), row["message"]) for row in rows)
    assert max(defects.values()) <= 3


def test_a_c_program_whose_tool_is_absent_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    cases = dict(zip(_c_rows_by_name(), c_cases(tmp_path, tmp_path), strict=True))
    case = cases["clang-26760"]
    assert isinstance(case, Unavailable)
    assert case.why == "avr-gcc and gcc-12 and setarch must be installed for its test"


def test_a_c_program_other_than_the_measured_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", str)
    cases = list(c_cases(tmp_path, tmp_path))
    assert len(cases) == 20
    assert list(unavailable(cases)) == ["its input is not the one that was measured"]


@pytest.mark.parametrize(
    ("program", "verdict"),
    [("int answer;", 0), ("int other;", 1), ("int answer; nonsense", 1)],
)
@pytest.mark.skipif(
    not all(map(shutil.which, ("gcc-12", "setarch"))), reason="gcc-12 or setarch is not installed"
)
def test_the_test_of_a_c_program_wants_valid_c_and_the_message(
    tmp_path: Path, program: str, verdict: int
) -> None:
    (tmp_path / "small.c").write_text(program)
    words = (str(C_TEST), "int a[a-z]*wer", "grep -H int")
    assert subprocess.run(words, cwd=tmp_path, check=False).returncode == verdict


def _c_rows() -> list[dict[str, str]]:
    with C_TEST.with_name("c_tests.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def _c_rows_by_name() -> list[str]:
    return sorted(row["benchmark"] for row in _c_rows())


def _target(row: dict[str, str]) -> str:
    return "".join(word for word in row["options"].split() if word.startswith("--target="))


@pytest.mark.skipif(
    not all(map(shutil.which, ("bwrap", "clang", "make", "script"))),
    reason="bwrap, clang, make or script is not installed",
)
def test_a_program_is_debloated_by_the_test_of_the_artifact(tmp_path: Path) -> None:
    folder = tmp_path / "checkout/benchmarks/debloating"
    (tmp_path / "checkout/benchmarks/xmlprocessorbugs").mkdir(parents=True)
    (folder / "hello-1.0").mkdir(parents=True)
    (folder / "lib").mkdir()
    (folder / "lib/Makefile").write_text("all:\n")
    (folder / "Makefile").write_text(MAKEFILE)
    (folder / "test-base.sh").touch()
    (folder / "hello-1.0/hello-1.0.c").write_bytes(PROGRAM)
    (folder / "hello-1.0/test.sh").write_text(TEST)
    (tmp_path / "work/debloating.part/hello-1.0").mkdir(parents=True)  # a build was interrupted
    ((_, case),) = from_artifact(tmp_path / "checkout", ["paper-debloating"], tmp_path / "work")
    if isinstance(case, Unavailable):
        pytest.skip(f"this system makes no sandbox: {case.why}")
    with LocalOracle(OracleSpec(case.test, "hello-1.0.c"), 300) as oracle:
        verdicts = [
            oracle({"hello-1.0.c": program}).verdict
            for program in (PROGRAM, PROGRAM.replace(b"puts(HELLO);", b""))
        ]
    assert verdicts == [Verdict.INTERESTING, Verdict.UNINTERESTING]
    assert not (folder / "hello-1.0/hello-1.0.origin").exists()


def test_every_benchmark_has_a_published_size() -> None:
    assert published_sizes().keys() == {benchmark for benchmark, _, _ in published()}


def test_inputs_of_a_checkout_are_counted(tmp_path: Path) -> None:
    folder = tmp_path / "benchmarks"
    for name, text in (
        ("compilerbugs/clang-22382/small.c", "int x;"),
        ("debloating/lib/filewrap.c", "int x;"),
        ("xmlprocessorbugs/xml-071d221-1/input.xml", "<a/>"),
    ):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(text)
    inputs = list(counted(tmp_path))
    assert [(each.benchmark, each.paper_tokens, each.tokens) for each in inputs] == [
        ("clang-22382", 3, 3),
        ("xml-071d221-1", 3, 4),
    ]
    assert sizes(inputs, "paper-c") == "0 of 1; not clang-22382 (published 9,987, counted 3)"
    assert sizes(inputs, "paper-debloating") == "0 of 0"


def test_what_the_page_says_of_inputs_that_are_off_is_so() -> None:
    inputs = list(load(RECORD / "evaluation" / INPUTS, Input))
    assert len(inputs) == len(published_sizes())
    assert {each.benchmark: each.published for each in inputs} == published_sizes()
    off = {each.benchmark for each in inputs if each.published != each.paper_tokens}
    family = [each for each in inputs if each.benchmark.startswith("xml-4c99b96-")]
    by_number = sorted(family, key=lambda each: int(each.benchmark.rpartition("-")[2]))
    told = [each.published for each in sorted(family, key=lambda each: each.benchmark)]
    assert told == [each.paper_tokens for each in by_number]
    assert off - {each.benchmark for each in family} == {"bzip2-1.0.5", "clang-23353", "uniq-8.16"}


def test_published_figures_stand_beside_ours() -> None:
    results = Results.of([], "picireny")
    assert "published / here" in side_by_side.benchmarks(results, "paper-xml", ["cdd"])
    assert "(0)" in side_by_side.ratios({"picireny": results}, Family(), "paper-xml", ["cdd"])


def test_figures_of_a_run_that_was_cut_are_bounds() -> None:
    values: dict[str, Any] = {field.name: 0 for field in fields(Row)}
    values |= {"suite": "paper-c", "case": "clang-22382", "framework": "picireny", "p0": 0.1}
    whole = Row(**values | {"algorithm": "cdd", "tokens": 350, "queries": 138, "end": "fixpoint"})
    whole = replace(whole, paper_tokens=38)
    cut = replace(whole, algorithm="ddmin", tokens=900, queries=600, end="max-time")
    cut = replace(cut, paper_tokens=71)
    table = side_by_side.benchmarks(
        Results.of([whole, cut], "picireny"), "paper-c", ["cdd", "ddmin", "auto"]
    )
    (row,) = [line for line in table.splitlines() if "clang-22382" in line]
    tokens, queries = row.split(" | ")[2:5], row.split(" | ")[5:8]
    assert tokens == ["350 / 38 (350)", "350 / ≤ 71 (≤ 900)", "– / – (–)"]
    assert queries == ["5,262 / 138", "11,388 / ≥ 600", "– / –"]


def test_the_last_row_has_means_over_what_all_algorithms_finished() -> None:
    values: dict[str, Any] = {field.name: 0 for field in fields(Row)}
    values |= {"suite": "paper-c", "framework": "picireny", "p0": 0.1, "end": "fixpoint"}
    values |= {"algorithm": "cdd", "tokens": 50, "paper_tokens": 40}
    rows = [
        Row(**values | {"case": "clang-22382", "queries": 100}),
        Row(**values | {"case": "gcc-71626", "queries": 400}),
        Row(**values | {"case": "gcc-59903", "queries": 9, "end": "max-time"}),
    ]
    table = side_by_side.benchmarks(Results.of(rows, "picireny"), "paper-c", ["cdd"])
    means = table.splitlines()[-1].strip("| ").split(" | ")
    there = [
        (published()["clang-22382", "cdd", m] * published()["gcc-71626", "cdd", m]) ** 0.5
        for m in ("tokens", "queries")
    ]
    assert means[0] == "**mean of 2**"
    assert means[2] == f"**{there[0]:,.0f} / 40 (50)**"
    assert means[3] == f"**{there[1]:,.0f} / 200**"


@pytest.fixture
def runs(tmp_path: Path) -> Record:
    """Return a record of seven benchmarks, two of them of another kind, that a limit cut."""
    values: dict[str, Any] = {field.name: 0 for field in fields(Row)}
    values |= {"suite": "paper-debloating", "framework": "hdd-1", "p0": 0.1, "end": "max-queries"}
    rows = [
        Row(**values | {"case": f"{kind}-{number}", "algorithm": name, "tokens": tokens})
        for kind, number in (("a", 1), ("a", 2), ("b", 1), ("b", 2), ("b", 3), ("b", 4), ("b", 5))
        for name, tokens in (("auto", 50 if kind == "a" else 200), ("cdd", 100))
    ]
    return Record(tmp_path / "artifact.csv", {row.key: row for row in rows})


def test_runs_that_a_limit_cut_are_compared_by_what_is_left(runs: Record) -> None:
    parts = pages.parts_of_artifact(runs, [], Family())
    suite = ("paper-debloating", "hdd", "tokens", "auto/cdd")
    assert parts["published-conclusions"](*suite) == ""
    ratio = 0.5 ** (2 / 7) * 2 ** (5 / 7)
    assert f"({ratio:.2f} [" in parts["after-limit"](*suite)


def test_benchmarks_can_be_compared_by_how_their_names_begin(runs: Record) -> None:
    ended = {key: replace(row, end="fixpoint") for key, row in runs.rows.items()}
    among = pages.parts_of_artifact(Record(runs.path, ended), [], Family())["among"]
    assert among("a", "hdd", "tokens", "auto", "cdd") == "0.50, from 0.50 to 0.50, n 2"
    assert among("b-1,b-2", "hdd", "tokens", "auto", "cdd") == "2.00, from 2.00 to 2.00, n 2"
    assert among("a,b", "hdd", "tokens", "auto", "cdd").endswith("n 7")


def test_published_questions_are_held_against_ours_with_repeats(runs: Record) -> None:
    first, *_ = runs.rows.values()
    told = published()["xml-2d4ec80-1", "cdd", "queries"]
    rows = [
        replace(first, case="xml-2d4ec80-1", algorithm="cdd-artifact", asks=asks)
        for asks in (round(told / 4), None)
    ]
    assert side_by_side.over_ours(rows, "cdd-artifact") == "4.0 (n 1)"
    assert side_by_side.over_ours(rows, "ddmin") == "–"


def test_benchmarks_without_a_figure_are_not_compared_in_it(runs: Record) -> None:
    rows = {
        key: replace(row, end="fixpoint", asks=None if row.case[0] == "b" else 10)
        for key, row in runs.rows.items()
    }
    among = pages.parts_of_artifact(Record(runs.path, rows), [], Family())["among"]
    assert among("a,b", "hdd", "asks", "auto", "cdd") == "1.00, from 1.00 to 1.00, n 2"
    assert among("b", "hdd", "asks", "auto", "cdd") == ""


def test_cases_of_the_artifact_are_chosen_by_glob(tmp_path: Path) -> None:
    folder = tmp_path / "benchmarks/xmlprocessorbugs"
    for name in ("xml-071d221-1", "xml-f053486-1"):
        (folder / name).mkdir(parents=True)
    found = from_artifact(tmp_path, ["paper-xml=*-f*"], tmp_path)
    assert [case.name for _, case in found if not isinstance(case, Case)] == ["xml-f053486-1"]
