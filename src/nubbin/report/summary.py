"""What is left to say when a run is over."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.text import Text

from nubbin.reduction.events import Finished
from nubbin.report.figures import counted, duration, share
from nubbin.report.frame import MARGIN, beside, sizes_table
from nubbin.report.ledger import Ledger
from nubbin.report.lines import progress_line

_MINIMAL = "1-minimal: nothing more can go; each single removal was tried and refused."
_OUTCOMES = {
    "fixpoint": "Not proven 1-minimal: this algorithm does not try every single removal.",
    "max-queries": "Stopped by --max-queries: a longer run may remove more.",
    "max-time": "Stopped by --max-time: a longer run may remove more.",
    "interrupted": "Interrupted: this is the best so far. Reduce it to go on.",
}


def outcome(finished: Finished) -> str:
    """One sentence on how good the result is."""
    return _MINIMAL if finished.minimal else _OUTCOMES[finished.reason]


def print_summary(
    console: Console, ledger: Ledger, *, output: Path, original: Path | None = None
) -> None:
    """Tell what went, what it cost, how good the result is and where it lies.

    A terminal gets a small table, anything else plain lines. `original` is where the input was
    kept when the result took its place. The run in `ledger` must have finished.
    """
    started, finished = ledger.started, ledger.finished
    if started is None or finished is None:
        raise ValueError("there is no summary before the end of the run")
    where = [f"result: {output}"] + ([f"input kept as: {original}"] if original else [])
    if not console.is_terminal:
        for line in (progress_line(ledger), outcome(finished), *where):
            console.print(Text(f"nubbin: {line}"), soft_wrap=True)
        return
    table = sizes_table(started.sizes, finished.sizes)
    cost = f"{counted(ledger.queries, 'query')} in {duration(ledger.seconds)}"
    hits = f"{share(ledger.interesting, ledger.queries)} interesting"
    good = Text(outcome(finished), style="green" if finished.minimal else "yellow")
    title = Text.assemble(("nubbin", "bold cyan"), "  ", (started.name, "bold"))
    lines = [
        beside(title, Text(f"{started.algorithm} · {counted(started.jobs, 'job')}", "dim"), 68),
        Text(),
        *table,
        Text(),
        Text.assemble((cost, "bold"), f"   {hits}"),
        good,
        *(Text(line) for line in where),
    ]
    for line in lines:
        line.pad_left(MARGIN)
        console.print(line, soft_wrap=True, highlight=False)
