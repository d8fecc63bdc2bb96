"""What plain and live reports say in the same words, a line at a time."""

from __future__ import annotations

from rich.text import Text

from nubbin.documents.sizes import Sizes
from nubbin.oracles.verdict import Verdict
from nubbin.reduction.events import Answered, FoundFlaky, LeftOut
from nubbin.report.figures import count, counted, duration, share
from nubbin.report.progress import Progress
from nubbin.report.visible import printable
from nubbin.search.trials import Trials

#: Names that are told of what is left out.
_NAMED = 8

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


def left_out_line(event: LeftOut) -> str:
    """What is no part of the input: the first few, and how many more there are."""
    shown = ", ".join(printable(name) for name in event.names[:_NAMED])
    more = len(event.names) - _NAMED
    return f"left out of the input: {shown}" + (f", and {count(more)} more" if more > 0 else "")


def sizes_in_words(sizes: Sizes) -> str:
    """`1,204 bytes, 31 lines, 210 tokens`."""
    return ", ".join(
        (
            counted(sizes.bytes, "byte"),
            counted(sizes.lines, "line"),
            counted(sizes.tokens, "token"),
        )
    )


def doubtful_line(event: FoundFlaky) -> str:
    """The test is flaky, and what that means."""
    yes, runs = event.trials
    return (
        f"the test is flaky: it finds the input interesting in {yes} of {runs} runs; "
        "candidates are run until they are known to be as good"
    )


def rate_in_words(trials: Trials) -> str:
    """`19 of 20 runs (76 % to 99 %)`: a rate and its interval at 95 % confidence."""
    low, high = trials.interval()
    return f"{trials.yes} of {counted(trials.runs, 'run')} ({low:.0%} to {high:.0%})"


def progress_line(progress: Progress) -> str:
    """How far the run is: sizes, percentage gone, queries and time."""
    before = progress.started.sizes.bytes if progress.started else 0
    gone = share(before - progress.sizes.bytes, before)
    queries = f"{counted(progress.queries, 'query')} in {duration(progress.seconds)}"
    return f"{sizes_in_words(progress.sizes)} ({gone} gone); {queries}"
