"""Markdown tables: as text for a page, or printed row by row while results come in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

_RULES = {"l": "---", "r": "---:", "c": ":-:"}


def table(head: Sequence[str], rows: Iterable[Sequence[str]], align: str = "lr") -> str:
    """Return a table.

    `align` has a letter for each column: l(eft), r(ight) or c(entred). Its last letter counts for
    all further columns, so that by default the first column is text and the others are figures.
    """
    return "\n".join(_lines(head, rows, align))


def print_table(head: Sequence[str], rows: Iterable[Sequence[str]], align: str = "lr") -> None:
    """Print a table, each row as soon as `rows` yields it."""
    for line in _lines(head, rows, align):
        print(line, flush=True)


def _lines(head: Sequence[str], rows: Iterable[Sequence[str]], align: str) -> Iterator[str]:
    rule = [_RULES[letter] for letter in align.ljust(len(head), align[-1])]
    yield _line(head)
    yield _line(rule)
    yield from map(_line, rows)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
