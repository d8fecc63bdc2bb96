"""The commands that make the rows of a record again: what a page prints above its figures."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from nubbin_bench.artifact.published import benchmarks
from nubbin_bench.rows import Row
from nubbin_bench.suites import P0

#: Framework, p0 as an option, and the limits of runs.
_Setting = tuple[str, tuple[float, ...], int, float, float]


def commands(rows: Iterable[Row], suite: str) -> str:
    """Return the commands for all rows of one of the paper's suites, one a line, indented.

    Cases on which the same algorithms were run, in one framework and with the same limits and
    seeds, share a command.
    """
    runs: dict[tuple[_Setting, str], list[Row]] = {}
    for row in rows:
        if row.suite == suite:
            p0 = () if row.p0 == P0.get(suite, 0.1) else (row.p0,)
            limits = (row.max_queries, row.max_time, row.timeout)
            runs.setdefault(((row.framework, p0, *limits), row.case), []).append(row)
    groups: dict[tuple[_Setting, tuple[str, ...], int], list[str]] = {}
    for (setting, case), made in sorted(runs.items()):
        names = tuple(sorted({row.algorithm for row in made}))
        seeds = max(row.seed for row in made) + 1
        groups.setdefault((setting, names, seeds), []).append(case)
    return "\n".join(
        f"    {_line(suite, cases, *group)}" for group, cases in sorted(groups.items())
    )


def _line(
    suite: str, cases: Sequence[str], setting: _Setting, names: Sequence[str], seeds: int
) -> str:
    framework, p0, queries, seconds, timeout = setting
    chosen = suite if benchmarks(suite) == {*cases} else f"{suite}={','.join(cases)}"
    options = [
        *("--suite", chosen, "--frameworks", framework),
        *("--algorithms", ",".join(names), "--seeds", f"{seeds}"),
        *(word for each in p0 for word in ("--p0", f"{each}")),
        *("--max-queries", f"{queries}", "--max-time", f"{seconds:g}", "--timeout", f"{timeout:g}"),
    ]
    return shlex.join(["nubbin-bench", "run", "--artifact", "CHECKOUT", *options])
