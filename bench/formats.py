#!/usr/bin/env -S sh -c 'exec "$(dirname "$0")/../.venv/bin/python" "$0" "$@"'
"""Reduce texts that count themselves, of formats that nubbin does not know, as they are and sealed.

    bench/formats.py [--format NAME ...]

Each format has a generator and a strict reader, which refuses what does not fit together and looks
for one odd value. Every text is reduced twice: as anybody would, with at most 2,000 queries, and
with at most 500 without what is found by counting. The results are added to
docs/domains/formats.csv, from which bench/domains.py makes the tables of docs/domains.md, and
printed. `FORMATS` are those that nubbin was made with, `SEALED` those that were written when it was
done.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import command_line
from format_graphs import GRAPHS
from format_meshes import MESHES
from format_records import RECORDS
from format_sealed import SEALED
from format_tables import TABLES
from format_tools import Format, is_refused
from nubbin.documents.document import Document
from nubbin.oracles.oracle import Answer
from nubbin.reduction.events import Event
from nubbin.reduction.pass_problem import Plan
from nubbin.reduction.pipeline import passes_for
from nubbin.reduction.reducer import Reducer
from nubbin.search.budget import Budget
from nubbin.search.flaky_aware_test import FlakyAwareTest
from nubbin.search.search import Search
from nubbin.search.verdict_cache import Answered
from nubbin.verdict import Verdict
from nubbin_bench.csv_rows import load, save
from nubbin_bench.markdown import table

FORMATS = (*GRAPHS, *MESHES, *RECORDS, *TABLES)
RESULTS = command_line.DOCS / "domains" / "formats.csv"
_MAX_QUERIES = 2000
_MAX_PLAIN_QUERIES = 500


@dataclass(frozen=True, slots=True)
class Row:
    """What is left of a format's text, and after how many queries; `plain` without counting."""

    format: str
    bytes: int
    left: int
    queries: int
    minimal: bool
    plain_left: int
    plain_queries: int


def main() -> None:
    options = command_line.parser(__doc__)
    options.add_argument("--format", action="append", help="only this one; may be repeated")
    chosen = options.parse_args().format
    found = {row.format: row for row in load(RESULTS, Row)}
    for each in (*FORMATS, *SEALED):
        if chosen is None or each.name in chosen:
            found[each.name] = measured(each)
            print(found[each.name], flush=True)
            save(
                RESULTS,
                Row,
                [found[each.name] for each in (*FORMATS, *SEALED) if each.name in found],
            )


def measured(of: Format) -> Row:
    data = of.write()
    if is_refused(of.read, data):
        raise ValueError(f"{of.name}: the reader refuses what the generator writes")
    linked = reduced(of, data, (), _MAX_QUERIES)
    plain = reduced(of, data, {"consistency"}, _MAX_PLAIN_QUERIES)
    return Row(of.name, len(data), *linked, *plain[:2])


def reduced(
    of: Format, data: bytes, names: Collection[str], max_queries: int
) -> tuple[int, int, bool]:
    """Reduce a text without some passes; return what is left, the queries, and whether all went.

    In this process: no query takes longer than its reader does.
    """
    document = Document.single(f"input{of.suffix}", data)

    def ask(candidate: Document) -> Answer:
        refused = is_refused(of.read, candidate.files[0].data)
        verdict = Verdict.UNINTERESTING if refused else Verdict.INTERESTING
        return Answer(verdict, 0.0, None, False)

    queries = 0

    def tell(event: Event) -> None:
        nonlocal queries
        queries += isinstance(event, Answered)

    test = FlakyAwareTest(ask, document, {}, sampled=False)
    plan = Plan(tuple(each for each in passes_for(document) if each.name not in names))
    ended = Reducer(plan, Search(test, budget=Budget(max_queries)), test, tell).run()
    return len(ended.document.files[0].data), queries, ended.minimal


def in_table(of: Iterable[Format]) -> str:
    """Return what is left of each format, the least of it first, in a table of Markdown."""
    names = {each.name for each in of}
    rows = [row for row in load(RESULTS, Row) if row.format in names]
    rows.sort(key=lambda row: row.left / row.bytes)
    cells = [
        [
            row.format,
            f"{row.bytes:,}",
            f"{row.left:,}",
            f"{100 * row.left / row.bytes:.2f}",
            f"{row.queries:,}" + ("" if row.minimal else ", stopped"),
            f"{100 * row.plain_left / row.bytes:.1f}",
            f"{row.plain_queries:,}",
        ]
        for row in rows
    ]
    head = ["format", "bytes", "left", "%", "queries", "% without", "queries"]
    return table(head, cells)


if __name__ == "__main__":
    main()
