"""docs/how-good.md, from the records of `peers/compare` and `peers/domains`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import exp, log
from pathlib import Path
from statistics import fmean

from harness.experiment import DOCS, RECORD, Table
from nubbin_bench.templates import fill
from peers.means import verdicts
from peers.records import Record
from peers.runs import Row

TEMPLATE = Path(__file__).with_name("how-good.md.in")


def means_by_format(record: Record) -> str:
    """Return the geometric means of nubbin's figures over the other reducers', by format."""
    found: dict[str, list[tuple[Row, Row]]] = {}
    for pair in record.pairs:
        found.setdefault(pair[0].format, []).append(pair)
    rows = [
        [
            name,
            len(of),
            *ratios([(ours.bytes, theirs.bytes) for ours, theirs in of]),
            *ratios([(ours.queries, theirs.queries) for ours, theirs in of]),
            *ratios([record.queries_of_both(*both) for both in of]),
        ]
        for name, of in [*sorted(found.items()), ("all", record.pairs)]
    ]
    columns = "format | inputs | bytes | at most theirs | queries | at most theirs"
    return str(Table(f"{columns} | to the larger result | at most theirs", rows))


def ratios(pairs: Sequence[tuple[int, int]]) -> list[str]:
    """Return the mean of how nubbin's figures are to the others', and how many are at most 1."""
    found = [ours / theirs for ours, theirs in pairs]
    return [
        f"{exp(fmean(map(log, found))):.2f}",
        f"{sum(each <= 1 for each in found)} of {len(found)}",
    ]


def write_summary() -> None:
    """Write the page."""
    beside, of_formats = Record.load(RECORD / "peers"), Record.load(RECORD / "domains")
    parts: dict[str, Callable[..., str]] = {
        "cases": lambda: str(len(beside.cases)),
        "verdicts": lambda: str(verdicts(beside)),
        "means": partial(means_by_format, of_formats),
    }
    (DOCS / "how-good.md").write_text(fill(TEMPLATE, parts), encoding="utf-8")
