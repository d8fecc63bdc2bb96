"""`auto` and its ablations on real inputs, as tables."""

from __future__ import annotations

from nubbin_bench import tables
from nubbin_bench.family import Family
from nubbin_bench.markdown import table
from nubbin_bench.results import Results
from nubbin_bench.tables import number

#: The functions of auto_ablations.py that start what is compared with `auto`.
PARTS = ("forward", "without_leaps", "without_mixture", "without_belief", "without_floor")

#: Their names in a record.
NAMES = tuple(f"auto_ablations.py:{part}" for part in PARTS)


def by_case(results: Results) -> str:
    """Return the queries on each case, and in brackets the tokens left if `auto` leaves others."""
    rows = []
    for suite in results.suites:
        for case in results.cases(suite, ["auto", *NAMES]):
            whole = results.figure(case, "auto", "tokens")
            cells = []
            for name in ("auto", *NAMES):
                tokens = results.figure(case, name, "tokens")
                left = "" if tokens == whole else f" ({number(tokens)})"
                cells.append(number(results.figure(case, name, "queries")) + left)
            rows.append([f"{suite}, {case}", *cells])
    return table(["queries (tokens)", "auto", *PARTS], rows)


def ratios(results: Results, family: Family, metric: str) -> str:
    """Return what compares each ablation with `auto` in figures, for each suite and for all."""
    return tables.ratios(results, family, metric, [(name, "auto") for name in NAMES])
