"""`nubbin-bench` counts every query, cached or not, goes on, and says how each run ended."""

from __future__ import annotations

import csv
import json
import re
import sys
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from harness.experiment import RECORD
from nubbin.documents.document import Document, measure
from nubbin_bench import suites, tables
from nubbin_bench.cases import Case, Unavailable, write_case
from nubbin_bench.csv_rows import save
from nubbin_bench.family import Family
from nubbin_bench.oracle import CachedOracle
from nubbin_bench.record import Record
from nubbin_bench.results import Results
from nubbin_bench.rows import Job, Row
from nubbin_bench.runs import run
from nubbin_bench.study import run_all
from nubbin_core.errors import NubbinError
from nubbin_core.minimizers import ALGORITHMS, Settings, Subset
from nubbin_core.search.algorithm import Algorithm
from nubbin_core.verdict import Verdict

HEADS = ("ddmin", "auto")
TEST = "#!/bin/sh\ngrep -q f17 input.c && grep -q f3 input.c\n"
PROGRAM = "".join(f"int f{n}(void) {{ return {n}; }}\n" for n in range(30))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("perses-small", "chisel-small", "notes"):
        write_case(tmp_path / "cases" / name, "input.c", PROGRAM, TEST)
    return tmp_path / "cases"


def job(folder: Path, framework: str, algorithm: str, max_queries: int = 1000) -> Job:
    case = Case.load(folder / "perses-small")
    return Job(
        "programs", case, framework, Algorithm.named(algorithm), 0, 0.1, max_queries, 600, 20
    )


def made(folder: Path, framework: str, algorithm: str, max_queries: int = 1000) -> Row:
    """Run a job; the cache and the logs lie beside the cases."""
    chosen = job(folder, framework, algorithm, max_queries)
    return run(chosen, folder.parent / "cache", folder.parent / "log")


@pytest.mark.nightly
@pytest.mark.parametrize("framework", suites.FRAMEWORKS)
@pytest.mark.parametrize("algorithm", ["ddmin", "probdd", "cdd", "auto"])
def test_a_run_counts_the_same_with_and_without_cached_answers(
    folder: Path, tmp_path: Path, framework: str, algorithm: str
) -> None:
    chosen = job(folder, framework, algorithm)
    first = run(chosen, tmp_path / "cache", tmp_path / "log")
    again = run(chosen, tmp_path / "cache", tmp_path / "log")
    assert first.checked
    assert first.end == "fixpoint"
    assert first.queries == first.complement + first.revisit + first.other > 0
    assert first.queries == again.queries
    assert first.seconds == again.seconds > 0  # those of the first time, when the test was run
    assert first.tokens == again.tokens < first.tokens_before


@pytest.mark.nightly
@pytest.mark.parametrize("algorithm", ["greedy", "linear", "ddmin", "cdd"])
def test_questions_are_counted_with_those_that_were_asked_before(
    folder: Path, algorithm: str
) -> None:
    row = made(folder, "lines", algorithm)
    asks, left, before = 0, list(range(30)), list[int]()
    while left != before:
        state = ALGORITHMS[algorithm](Subset.full(len(left)), Settings())
        while wave := state.ask():
            asks += len(wave)
            state = state.tell(tuple({3, 17} <= {left[at] for at in query.kept} for query in wave))
        before, left = left, [left[at] for at in state.kept]
    assert row.asks == asks > row.queries


def test_kinds_are_those_of_the_paper(folder: Path, tmp_path: Path) -> None:
    ddmin = made(folder, "lines", "ddmin")
    cdd = made(folder, "lines", "cdd")
    assert ddmin.complement > ddmin.complement_succeeded
    assert ddmin.revisit > 0
    assert (cdd.complement, cdd.revisit) == (0, 0)
    assert cdd.other_succeeded > 0


def test_a_limit_ends_a_run_with_what_it_has(folder: Path, tmp_path: Path) -> None:
    row = made(folder, "lines", "ddmin", max_queries=7)
    assert (row.end, row.queries, row.checked) == ("max-queries", 7, True)


@pytest.mark.nightly
def test_a_run_that_a_lower_limit_cut_is_made_again(folder: Path, tmp_path: Path) -> None:
    record, limits = Record.load(tmp_path / "runs.csv"), (5, 5, 3, 1000, 2000)
    jobs = [job(folder, "lines", "ddmin", max_queries=limit) for limit in limits]
    rows = [
        list(run_all([each], record, cache=tmp_path / "cache", workers=1, seconds=600))
        for each in jobs
    ]
    assert [len(each) for each in rows] == [1, 0, 0, 1, 0]
    assert [row.end for row in record.rows.values()] == ["fixpoint"]


@pytest.mark.nightly
def test_a_case_of_two_suites_is_run_once(folder: Path, tmp_path: Path) -> None:
    jobs = [replace(job(folder, "lines", "ddmin"), suite=suite) for suite in ("programs", "mine")]
    record = Record.load(tmp_path / "runs.csv")
    rows = list(run_all(jobs, record, cache=tmp_path / "cache", workers=2, seconds=600))
    assert [row.suite for row in rows if isinstance(row, Row)] == ["programs"]


@pytest.mark.nightly
def test_hdd_may_end_at_a_level(folder: Path, tmp_path: Path) -> None:
    declarations = made(folder, "hdd-1", "cdd")
    assert declarations.tokens == 2 * measure(b"int f17(void) { return 17; }").tokens
    assert declarations.lists > 0
    assert made(folder, "hdd", "cdd").tokens < declarations.tokens
    few = made(folder, "hdd-100", "cdd")
    assert few.tokens == made(folder, "hdd", "cdd").tokens


@pytest.mark.nightly
@pytest.mark.parametrize("algorithm", ["ddmin", "cdd", "auto"])
def test_an_element_is_a_unit_and_its_tags_are_none_in_picireny(
    tmp_path: Path, algorithm: str
) -> None:
    """In hdd, ddmin unwraps elements by keeping subsets of tags, and others cannot."""
    text = "<a><x>t</x><b><k><m><c/></m></k></b><x/><y><x/></y></a>"
    parse = "import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])"
    test = f"#!/bin/sh\ngrep -q '<c/>' $1 && exec {sys.executable} -c '{parse}' $1\n"
    case = write_case(tmp_path / "nested", "input.xml", text, test)
    chosen = Job("xml", case, "picireny", Algorithm.named(algorithm), 0, 0.1, 1000, 600, 20)
    row = run(chosen, tmp_path / "cache", tmp_path / "log")
    assert (row.end, row.spared) == ("fixpoint", 0)
    assert row.bytes == len("<a><b><k><m><c/></m></k></b></a>")


@pytest.mark.nightly
def test_flat_lists_may_begin_with_what_hdd_left(folder: Path, tmp_path: Path) -> None:
    ddmin, auto = (made(folder, "tokens-90", name) for name in HEADS)
    assert 0 < ddmin.tokens_before == auto.tokens_before <= 90
    assert ddmin.checked
    assert ddmin.queries == ddmin.complement + ddmin.revisit + ddmin.other > auto.queries
    assert ddmin.queries < made(folder, "tokens", "ddmin").queries


def test_lists_left_loose_are_counted_and_the_last_lap_leaves_none(
    folder: Path, tmp_path: Path
) -> None:
    """Uses come first: cdd goes forward once, and misses definitions that can go after them."""
    test = folder / "perses-small/test.sh"
    test.write_text(
        "#!/bin/sh\ngrep -q f17 input.c && (grep -q f3 input.c || ! grep -q f16 input.c)\n"
    )
    row = made(folder, "hdd", "cdd")
    assert 0 < row.loose < row.lists
    assert row.removable >= row.loose
    assert row.loose_last == 0


def test_what_was_recorded_is_read_again(folder: Path, tmp_path: Path) -> None:
    row = made(folder, "hdd", "auto")
    Record.load(tmp_path / "raw/runs.csv").add(row)
    record = Record.load(tmp_path / "raw/runs.csv")
    assert record.rows == {job(folder, "hdd", "auto").key: row}
    assert isinstance(next(iter(record.rows.values())), Row)


def test_a_row_has_the_tokens_of_the_papers_rule(folder: Path, tmp_path: Path) -> None:
    row = made(folder, "hdd", "auto")
    assert row.paper_tokens_before == row.tokens_before == 30 * 10
    assert row.paper_tokens == row.tokens


def test_rows_of_an_older_record_do_not_have_the_newest_columns(
    folder: Path, tmp_path: Path
) -> None:
    row = made(folder, "hdd", "auto")
    save(tmp_path / "runs.csv", Row, [row])
    with (tmp_path / "runs.csv").open(newline="") as file:
        lines = [line[:-4] for line in csv.reader(file)]
    with (tmp_path / "runs.csv").open("w", newline="") as file:
        csv.writer(file).writerows(lines)
    record = Record.load(tmp_path / "runs.csv")
    older = replace(row, paper_tokens_before=None, paper_tokens=None, asks=None, defect="")
    assert record.rows == {row.key: older}
    results = Results.of(record.rows.values(), "hdd")
    assert results.figure(row.case, "auto", "paper_tokens") is None
    assert results.figure(row.case, "auto", "tokens") == pytest.approx(row.tokens)
    record.add(replace(row, paper_tokens=None))
    assert Record.load(tmp_path / "runs.csv").rows == record.rows


def test_a_case_that_is_not_interesting_is_named(folder: Path, tmp_path: Path) -> None:
    (folder / "perses-small/test.sh").write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(NubbinError, match="its test does not find it interesting"):
        made(folder, "hdd", "auto")


@pytest.mark.nightly
def test_a_broken_case_is_skipped_and_the_others_are_run(folder: Path, tmp_path: Path) -> None:
    (folder / "chisel-small/test.sh").write_text("#!/bin/sh\nexit 1\n")
    record = Record.load(tmp_path / "raw/runs.csv")
    jobs = [
        replace(job(folder, "lines", name), case=Case.load(folder / case))
        for case in ("chisel-small", "perses-small")
        for name in HEADS
    ]
    came = [*run_all(jobs, record, cache=tmp_path / "cache", workers=1, seconds=600)]
    assert came[0] == Unavailable("chisel-small", "its test does not find it interesting")
    assert [type(each) for each in came[1:]] == [Row, Row]
    assert {key[0] for key in record.rows} == {"perses-small"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"input": None}, "is not a case: .*It must be a JSON object"),
        ({"input": "absent.c"}, "its input is not there: .*absent.c"),
        ({"input": "."}, "its input is a folder"),
        ({"test": "input.c"}, "input.c"),
        ({"test": "absent.sh"}, "absent.sh"),
        ({"format": None}, "is not a case: .*format, tools, defect and reducer are strings"),
        ({"tools": [7]}, "is not a case: .*format, tools, defect and reducer are strings"),
        ({"tools": 7}, "is not a case: .*not iterable"),
        ({"sha256": "0" * 64}, "its input input.c has the SHA-256 .*, not that of its case.json"),
    ],
)
def test_a_case_that_cannot_be_loaded_is_left_out(
    folder: Path, change: dict[str, Any], why: str
) -> None:
    path = folder / "notes/case.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    (left_out,) = suites.cases(folder, "others")
    assert isinstance(left_out, Unavailable)
    assert left_out.name == "notes"
    assert re.search(why, left_out.why), left_out.why
    assert next(each.name for each in suites.cases(folder, "mine=*")) == "notes"
    assert len([each for each in suites.cases(folder, "mine=*") if isinstance(each, Case)]) == 2


@pytest.mark.parametrize("field", ["input", "test", "format"])
def test_the_page_on_cases_names_what_is_required(folder: Path, field: str) -> None:
    path = folder / "notes/case.json"
    facts = json.loads(path.read_text())
    del facts[field]
    path.write_text(json.dumps(facts))
    with pytest.raises(NubbinError, match=rf"is not a case: KeyError\('{field}'\)"):
        Case.load(path.parent)
    page = (RECORD / "evaluation/cases.md").read_text()
    assert set(re.findall(r"^\| `(\w+)` \| required", page, re.MULTILINE)) == {
        "input",
        "test",
        "format",
    }


@pytest.mark.parametrize("framework", ["hdd", "picireny"])
def test_a_format_that_nobody_knows_is_told(folder: Path, framework: str) -> None:
    path = folder / "perses-small/case.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": "klingon"}))
    with pytest.raises(NubbinError, match="klingon"):
        made(folder, framework, "ddmin")
    assert made(folder, "lines", "ddmin").checked


def test_a_changed_test_or_tool_gets_new_answers(folder: Path, tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("1")
    case = replace(Case.load(folder / "perses-small"), tools=(str(tool),))
    before = case.digest
    assert before == case.digest
    tool.write_text("2")
    assert case.digest != before
    first = made(folder, "lines", "auto")
    case.test.path.write_text("#!/bin/sh\ngrep -q f17 input.c\n")
    assert made(folder, "lines", "auto").tokens < first.tokens


def test_what_ran_into_the_time_limit_is_run_again(folder: Path, tmp_path: Path) -> None:
    case = Case.load(folder / "perses-small")
    case.test.path.write_text("#!/bin/sh\nsleep 1000\n")
    document = Document.single("input.c", b"int main;")
    with CachedOracle(case, tmp_path / "cache", timeout=0.1, limit=60) as oracle:
        answers = [oracle.peek(document) for _ in range(2)]
    assert [(each.verdict, each.cached) for each in answers] == [(Verdict.UNRESOLVED, False)] * 2


def test_every_query_is_logged(folder: Path, tmp_path: Path) -> None:
    row = made(folder, "lines", "ddmin")
    (path,) = (tmp_path / "log").iterdir()
    table = pq.read_table(path)
    assert table.num_rows == row.queries
    assert table["kind"].to_pylist().count("complement") == row.complement
    assert min(table["bytes"].to_pylist()) <= row.bytes
    assert sum(table["seconds"].to_pylist()) == pytest.approx(row.seconds, abs=0.01)
    assert json.loads(table.schema.metadata[b"nubbin"]) == asdict(row)


def test_records_are_merged_and_contradictions_are_told(folder: Path, tmp_path: Path) -> None:
    row = made(folder, "lines", "ddmin")
    old, other = replace(row, date="2001-01-01T00:00Z", queries=1), replace(row, seed=1)
    here, there = Record.load(tmp_path / "here.csv"), Record.load(tmp_path / "there.csv")
    here.add(row)
    there.add(old)
    there.add(other)
    assert here.merge([there]) == [old]
    assert Record.load(tmp_path / "here.csv").rows == {row.key: row, other.key: other}
    assert there.merge([here]) == [old]
    assert there.rows == here.rows


def test_suites_are_folders_by_name_or_glob(folder: Path) -> None:
    def names(suite: str) -> list[str]:
        return [case.name for case in suites.cases(folder, suite)]

    assert names("programs") == ["perses-small"]
    assert names("debloating") == ["chisel-small"]
    assert names("xml") == []
    assert names("others") == ["notes"]
    assert names("mine=*-small") == ["chisel-small", "perses-small"]


def results_of(figures: dict[str, list[float]]) -> Results:
    """Results in which the algorithms took these queries on each case."""
    values: dict[str, Any] = {field.name: 0 for field in fields(Row)}
    values |= {"suite": "xml", "framework": "hdd", "end": "fixpoint", "checked": True, "p0": 0.0025}
    rows = [
        Row(**{**values, "case": f"{at}", "algorithm": name, "queries": count})
        for name, counts in figures.items()
        for at, count in enumerate(counts)
    ]
    return Results.of(rows, "hdd")


def test_p_values_are_those_of_the_signed_rank_test() -> None:
    less, more = [10.0, 20, 30, 40, 50, 60], [11.0, 22, 33, 44, 55, 66]
    results = results_of({"ddmin": less, "cdd": more, "auto": less})

    def p_value(one: str, other: str) -> float | None:
        found = results.compare("xml", one, other, "queries")
        assert found
        return found.p_value

    assert p_value("ddmin", "cdd") == 2 / 2**6
    assert p_value("ddmin", "auto") is None
    few = results_of({"ddmin": less[:5], "cdd": more[:5]})
    found = few.compare("xml", "ddmin", "cdd", "queries")
    assert found
    assert (found.p_value, found.interval) == (None, None)


def test_among_all_suites_each_weighs_the_same() -> None:
    many = results_of({"cdd": [100.0] * 30, "ddmin": [200.0] * 30}).rows
    few = [
        replace(row, suite="others", case=f"o{row.case}", p0=0.1, queries=row.queries * factor)
        for row, factor in zip(many, [4, 4, 4] + [0] * 27 + [1, 1, 1] + [0] * 27, strict=True)
        if factor
    ]
    one = replace(few[0], suite="programs", case="p")
    results = Results.of([*many, *few, one, replace(one, algorithm="ddmin", queries=1)], "hdd")
    found = results.compare("all", "cdd", "ddmin", "queries")
    assert found
    assert found.ratio == pytest.approx((0.5 * 2) ** 0.5)
    assert found.p_value is None
    assert results.balanced() == ["xml", "others"]
    assert results.mean("all", "cdd", "queries") == pytest.approx((100 * 400) ** 0.5)


def test_a_case_that_one_did_not_finish_is_not_compared() -> None:
    results = results_of({"ddmin": [8.0, 2.0], "cdd": [8.0]})
    assert results.cases("xml") == ["0"]
    assert results.mean("xml", "ddmin", "queries") == pytest.approx(8)
    assert results.mean("all", "ddmin", "queries") is None
    assert results.mean("debloating", "ddmin", "queries") is None
    assert "n 1" in tables.ratios(results, Family(), "queries", [("cdd", "ddmin")])


def test_seconds_are_those_of_the_first_seed() -> None:
    (first,) = results_of({"probdd": [8.0]}).rows
    rows = [replace(first, seed=n, queries=4**n, seconds=4.0**n) for n in (2, 1, 0)]
    results = Results.of(rows, "hdd")
    assert results.figure("0", "probdd", "queries") == pytest.approx(4)
    assert results.figure("0", "probdd", "seconds") == pytest.approx(1)
