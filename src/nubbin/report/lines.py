"""What plain and live reports say in the same words, a line at a time."""

from __future__ import annotations

from rich.text import Text

from nubbin.documents.sizes import Sizes
from nubbin.oracles.verdict import Verdict
from nubbin.reduction.events import Answered
from nubbin.report.figures import count, counted, duration, share
from nubbin.report.ledger import Ledger

_STYLES = {
    Verdict.INTERESTING: "green",
    Verdict.UNINTERESTING: "dim",
    Verdict.UNRESOLVED: "yellow",
}


def query_line(event: Answered, number: int) -> Text:
    """One query: its number, kind and verdict, and how long the test took."""
    return Text.assemble(
        (f"{count(number):>9}", "dim"),
        f"  {event.kind:<16}",
        (f"{event.verdict.value:<13}", _STYLES[event.verdict]),
        (f"{duration(event.seconds):>9}", "dim"),
    )


def sizes_in_words(sizes: Sizes) -> str:
    """`1,204 bytes, 31 lines, 210 tokens`."""
    return ", ".join(
        (
            counted(sizes.bytes, "byte"),
            counted(sizes.lines, "line"),
            counted(sizes.tokens, "token"),
        )
    )


def progress_line(ledger: Ledger) -> str:
    """How far the run is: sizes, percentage gone, queries and time."""
    before = ledger.started.sizes.bytes if ledger.started else 0
    gone = share(before - ledger.sizes.bytes, before)
    queries = f"{counted(ledger.queries, 'query')} in {duration(ledger.seconds)}"
    return f"{sizes_in_words(ledger.sizes)} ({gone} gone); {queries}"
