"""Every experiment of bench/ starts and is in its README, and a row stands in a page once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module

import pytest

from harness import experiment
from harness.experiment import BENCH, RECORD, Table, filled, main, mark_of, names
from reliability.attacks import MARKED, PAGE

ROOT = BENCH.parent


@pytest.mark.parametrize("name", names())
def test_an_experiment_shows_its_help_and_is_listed(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert f"usage: bench/run.py {name}" in capsys.readouterr().out
    assert f"bench/run.py {name}" in (import_module(name.replace("/", ".")).__doc__ or "")
    assert f"`{name}`" in (BENCH / "README.md").read_text()


PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "bench/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted(RECORD.rglob("*.md")),
]


def test_every_experiment_that_a_page_names_is_there() -> None:
    named = {
        (str(page.relative_to(ROOT)), name)
        for page in PAGES
        for name in re.findall(r"bench/run\.py\s+(\w+/\w+)", page.read_text(encoding="utf-8"))
    }
    assert len(named) > len(names())
    assert [each for each in sorted(named) if each[1] not in names()] == []


def test_parameters_are_arguments_and_options() -> None:
    def measure(
        names: Sequence[str], *, times: int = 3, rates: Sequence[float] = (0.5,), dry: bool = False
    ) -> None: ...

    parser, arguments = experiment.parser_of(measure, "a/b", "")  # type: ignore[arg-type]
    assert arguments == ["names"]
    found = vars(parser.parse_args(["x", "y", "--times", "4", "--rates", "1", "2", "--dry"]))
    assert found == {
        "names": ["x", "y"],
        "times": 4,
        "rates": [1.0, 2.0],
        "dry": True,
        "page": False,
    }
    assert vars(parser.parse_args(["x"]))["rates"] == (0.5,)


def test_a_row_goes_into_the_page_in_the_place_of_the_one_before() -> None:
    mark, made = mark_of("a/b"), Table("what | times", ())
    page = filled(f"A page.\n\n{mark}\nGoes on.\n", mark, made, ["b", "1"])
    page = filled(page, mark, made, ["a", "1"])
    page = filled(page, mark, made, ["b", "2"])
    rows = "| what | times |\n| --- | ---: |\n| b | 2 |\n| a | 1 |\n"
    assert page == f"A page.\n\n{mark}{rows}\nGoes on.\n"


def test_the_page_of_the_attacks_has_their_mark_once() -> None:
    assert (RECORD / PAGE).read_text(encoding="utf-8").count(mark_of(MARKED)) == 1
