"""Reduce texts that count themselves, of formats that nubbin does not know, as they are and sealed.

    bench/run.py formats/counted [--format NAME ...]

Each format has a text, in formats/texts, and a strict reader, which refuses what does not fit
together and looks for one odd value. Every text is reduced twice: as anybody would, with at most
2,000 queries, and with at most 500 without what is found by counting. The results are added to
record/domains/formats.csv, from which `peers/domains` makes tables. `FORMATS` are those that nubbin
was made with, `SEALED` those that were written when it was done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from formats.format import Format, is_refused
from formats.graphs import GRAPHS
from formats.meshes import MESHES
from formats.records import RECORDS
from formats.sealed import SEALED
from formats.tables import TABLES
from harness.experiment import RECORD, Table
from harness.reductions import reduced
from nubbin.documents.document import Document
from nubbin_bench.csv_rows import load, save

FORMATS = (*GRAPHS, *MESHES, *RECORDS, *TABLES)
RESULTS = RECORD / "domains" / "formats.csv"
_MAX_QUERIES = 2000
_MAX_PLAIN_QUERIES = 500
_COLUMNS = "format | bytes | left | % | queries | % without | queries"


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

    @property
    def cells(self) -> list[str | int]:
        """The row of a table."""
        share = f"{100 * self.left / self.bytes:.2f}"
        asked = f"{self.queries:,}" + ("" if self.minimal else ", stopped")
        plain = f"{100 * self.plain_left / self.bytes:.1f}"
        return [self.format, self.bytes, self.left, share, asked, plain, self.plain_queries]


def experiment(*, format: Sequence[str] = ()) -> Iterator[Table]:
    yield Table(_COLUMNS, rows(format))


def rows(names: Sequence[str]) -> Iterator[list[str | int]]:
    """Yield the row of each format, once it is in the file; all if no names are given."""
    found = {row.format: row for row in load(RESULTS, Row)}
    for each in (*FORMATS, *SEALED):
        if not names or each.name in names:
            found[each.name] = measured(each)
            known = [found[each.name] for each in (*FORMATS, *SEALED) if each.name in found]
            save(RESULTS, Row, known)
            yield found[each.name].cells


def measured(of: Format) -> Row:
    data = of.text
    if is_refused(of.read, data):
        raise ValueError(f"{of.name}: the reader refuses its own text")
    document = Document.single(f"input{of.suffix}", data)

    def holds(candidate: Document) -> bool:
        return not is_refused(of.read, candidate.files[0].data)

    linked = reduced(document, holds, max_queries=_MAX_QUERIES)
    plain = reduced(document, holds, max_queries=_MAX_PLAIN_QUERIES, without={"consistency"})
    left, plain_left = (len(each.document.files[0].data) for each in (linked, plain))
    figures = left, linked.queries, linked.minimal, plain_left, plain.queries
    return Row(of.name, len(data), *figures)


def in_table(of: Iterable[Format]) -> str:
    """Return what is left of each format, the least of it first, in a table of Markdown."""
    names = {each.name for each in of}
    found = [row for row in load(RESULTS, Row) if row.format in names]
    found.sort(key=lambda row: row.left / row.bytes)
    return str(Table(_COLUMNS, [row.cells for row in found]))
