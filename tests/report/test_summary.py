from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from nubbin.documents.document import Document
from nubbin.oracles.failures.conditions import Conditions
from nubbin.reduction.events import Event, Learned, RolledBack, TakenApart
from nubbin.reduction.result.drift import Printed
from nubbin.reduction.run_job import Reduction
from nubbin.report.progress import Progress
from nubbin.report.summary import outcome_of_result, print_summary


@pytest.fixture
def told(progress: Progress, run: tuple[Event, ...], feed: Callable[..., None]) -> Progress:
    feed(run, progress)
    return progress


def test_a_terminal_gets_a_table(told: Progress, result: Reduction) -> None:
    out = io.StringIO()
    console = Console(file=out, width=80, force_terminal=True, color_system=None, _environ={})
    print_summary(console, told, result)
    text = out.getvalue()
    for words in ("48,213", "31", "99.936 %", "4 queries in 10 s", "50.0 % accepted"):
        assert words in text
    assert "9 runs of the test" in text
    assert "1-minimal" in text
    assert "result: fleet.reduced.toml" in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_log_gets_lines(told: Progress, result: Reduction) -> None:
    out = io.StringIO()
    print_summary(Console(file=out), told, result, original=Path("fleet.toml.orig"))
    lines = out.getvalue().splitlines()
    assert all(line.startswith("nubbin: ") for line in lines)
    assert "31 bytes, 3 lines, 9 tokens (99.936 % removed); 4 queries in 10 s" in lines[0]
    assert lines[-1] == "nubbin: the input as it was: fleet.toml.orig"


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (TakenApart(3, 1200, refused=False), "containers with 3 files of 1,200 bytes\n"),
        (TakenApart(1, 12, refused=True), "1 file of 12 bytes; the test rejects the others"),
        (TakenApart(0, 12, refused=True), "reduced as raw bytes: the test rejects the"),
    ],
)
def test_says_as_what_containers_were_reduced(
    told: Progress, result: Reduction, event: TakenApart, words: str
) -> None:
    told(event)
    assert words in terminal(told, result)


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("fixpoint", "Not proven"),
        ("max-queries", "--max-queries"),
        ("max-time", "--max-time"),
        ("target-size", "--target-size"),
        ("interrupted", "best so far"),
    ],
)
def test_says_why_a_result_is_not_minimal(result: Reduction, reason: str, words: str) -> None:
    assert words in outcome_of_result(replace(result, reason=reason, minimal=False))


@pytest.mark.parametrize("columns", [20, 43, 44, 60])
def test_a_narrow_window_folds_between_words(
    told: Progress, result: Reduction, columns: int
) -> None:
    out = io.StringIO()
    console = Console(file=out, width=columns, force_terminal=True, color_system=None, _environ={})
    print_summary(console, told, result)
    lines = out.getvalue().splitlines()
    assert max(map(len, lines[:-1])) <= columns
    assert lines[-1] == "  result: fleet.reduced.toml"
    assert "1-minimal: the test rejects the result with any single" in " ".join(
        out.getvalue().split()
    )


def test_a_terminal_shows_a_small_result_with_line_numbers(
    told: Progress, result: Reduction
) -> None:
    text = terminal(told, replace(result, shown="int a;\nint\tb;\x1b[0m\n"))
    assert text.endswith(
        "  for reading, with line breaks:\n   1  int a;\n   2  int     b;\\x1b[0m\n"
    )


@pytest.mark.parametrize("shown", [None, "x" * 75, "x\n" * 25])
def test_a_result_that_does_not_fit_is_not_shown(
    told: Progress, result: Reduction, shown: str | None
) -> None:
    assert "line breaks" not in terminal(told, replace(result, shown=shown))


def terminal(told: Progress, result: Reduction) -> str:
    """Return the summary as a terminal of 78 columns gets it."""
    out = io.StringIO()
    console = Console(file=out, width=78, force_terminal=True, color_system=None, _environ={})
    print_summary(console, told, result)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def test_tells_a_drift_and_how_to_go_back(told: Progress, result: Reduction) -> None:
    said = Printed("error: no table", "error: syntax", "error: no table", True, 7, 4)
    out = io.StringIO()
    drifted = replace(result, printed=said, run=Path("my run"))
    print_summary(Console(file=out), told, drifted)
    text = out.getvalue()
    assert "the test prints: error: syntax\n" in text
    assert "at first it printed: error: no table\n" in text
    assert "nubbin show 'my run' 6 -o PATH" in text
    assert "nubbin resume 'my run' --from 6 --prints 'error: no table'\n" in text


def test_doubts_a_result_of_hardly_anything(told: Progress, result: Reduction) -> None:
    out = io.StringIO()
    told(Learned(Conditions(exits="1"), "tool {}"))
    print_summary(Console(file=out), told, result)
    assert "the result is almost empty" not in out.getvalue()
    told(RolledBack(Document.single("x", b"a (")))
    print_summary(Console(file=out), told, result)
    assert "the result is almost empty" in out.getvalue()


def test_tells_once_what_stayed_the_same(told: Progress, result: Reduction) -> None:
    said = Printed("error: \x1b[1mno", "error: \x1b[1mno", "error", False, None, 1)
    out = io.StringIO()
    print_summary(Console(file=out), told, replace(result, printed=said))
    assert out.getvalue().count("error: ") == 1
    assert "\x1b" not in out.getvalue()


@pytest.mark.parametrize("unbalanced", [True, False])
def test_a_doubt_is_repeated_if_a_bracket_is_lost(
    told: Progress, result: Reduction, unbalanced: bool
) -> None:
    told(Learned(Conditions(exits="1"), "tool {}", "An input of ) alone fails like this"))
    out = io.StringIO()
    print_summary(Console(file=out), told, replace(result, unbalanced=unbalanced))
    assert ("An input of ) alone" in out.getvalue()) == unbalanced
