"""What remains is told only if it is known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from nubbin.journal.journal import Journal
from nubbin.reduction.keywords import ReduceKeywords
from nubbin.reduction.reduce import reduce
from nubbin.watch.reader import RunReader

Script = Callable[..., Path]


def steered(run: Path) -> None:
    with Journal(run) as journal:
        journal.tell(commands=[{"at": 1.0, "queries": 2, "name": "pause", "value": None}])


def test_a_run_takes_as_long_as_the_same_before(script: Script, tmp_path: Path) -> None:
    source, test = tmp_path / "letters.txt", script("grep -q a letters.txt")
    source.write_text("".join(f"{chr(code)}\n" for code in range(97, 123)))

    def run(max_queries: int | None = None, smallest: str = "char") -> tuple[Path, int]:
        limits: ReduceKeywords = {"max_queries": max_queries, "smallest": smallest}
        result = reduce(test, source, record=True, **limits)
        assert result.run is not None
        return result.run, result.queries

    def estimate(run: Path) -> int | None:
        return RunReader(run).read().estimate

    first, queries = run()
    assert estimate(first) is None
    second, _ = run(max_queries=3)
    assert estimate(second) == queries
    assert estimate(first) is None  # the second did not end
    steered(second)
    assert estimate(second) is None
    other_options, _ = run(max_queries=3, smallest="token")
    assert estimate(other_options) is None
    steered(first)
    third, _ = run(max_queries=3)
    assert estimate(third) is None
    source.write_text("another input")
    other_input, _ = run(max_queries=3)
    assert estimate(other_input) is None
