"""Print the summary at the end of a reduction."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from nubbin.journal.recorded_run import end_of
from nubbin.journal.run_facts import DIFFERENT_FAILURES
from nubbin.oracles.commands.command_line import nubbin_line, quoted_word
from nubbin.reduction.events import Learned
from nubbin.reduction.run_job import Reduction
from nubbin.report.lines import (
    cost_in_words,
    lines_known,
    outcome_in_words,
    progress_line,
    rate_in_words,
)
from nubbin.report.live import (
    MARGIN_COLUMNS,
    MAX_COLUMNS,
    MIN_COLUMNS,
    headline,
    picture,
    row_of_facts,
)
from nubbin.report.progress import Progress
from nubbin.text.figures import counted, listed, printable, share, visible

_MAX_FRAMES = 6  # that are listed as missing
_MAX_SHOWN_LINES = 24  # longer results are not printed
#: A result with so few tokens, of an input with so many, may show any different failure.
_FEW_TOKENS, _MANY_TOKENS = 3, 1_000
_TRIVIAL = (
    "warning: the result is almost empty, so it may show a different failure. Narrow the condition "
    "with --prints, or require valid input with --valid CMD"
)
_UNBALANCED = (
    "the input has balanced brackets and the result has not, so the tool might only "
    "reject broken input: "
)
_EXPOSED = "warning: obfuscation did not finish; the result still has words that it does not need"


def outcome_of_result(result: Reduction) -> str:
    """Return the sentence that says whether the result is 1-minimal, or why not."""
    pieces = result.pieces if result.minimal else None
    said = outcome_in_words(result.reason, pieces, result.cause)
    if result.reproduced is None and not end_of(result.reason).is_broken_off:
        said += " It was over before the test was run on the result again."
    return said


def print_summary(
    console: Console, progress: Progress, result: Reduction, *, original: Path | None = None
) -> None:
    """Print the sizes, the cost, whether the result is 1-minimal, and its path.

    A terminal also shows the table and the curve of the live display, and a small result. Other
    outputs get plain lines. `original` is the new path of the input if the result replaced it.
    """
    good = Text(outcome_of_result(result), style="green" if result.minimal else "yellow")
    facts = [*_facts(progress, result, original)]
    if not console.is_terminal:
        for line in (Text(progress_line(progress)), good, *facts):
            console.print(Text.assemble("nubbin: ", line), soft_wrap=True)
        return
    is_wide = console.width >= MIN_COLUMNS
    lines = _picture(progress, result, console) if is_wide else [Text(progress_line(progress))]
    for line in (*lines, good):
        console.print(Padding(line, (0, 0, 0, MARGIN_COLUMNS)), highlight=False)
    facts += map(Text, lines_known(progress))
    for line in (*facts, *_numbered(result.shown, console.width)):
        # The terminal folds the lines, so that a user can copy a path.
        console.print(Text.assemble(" " * MARGIN_COLUMNS, line), soft_wrap=True, highlight=False)


def _facts(progress: Progress, result: Reduction, original: Path | None) -> Iterator[Text]:
    yield Text(f"result: {printable(result.output)}")
    if result.line is not None:
        yield Text(f"run it: {printable(result.line)}")
    yield from _about_failure(result)
    yield from _about_test(progress, result)
    if result.run is not None and not end_of(result.reason).is_done:
        yield Text(f"continue with: {printable(nubbin_line('resume', result.run))}")
    yield from _about_files(result)
    if original is not None:
        yield Text(f"the input as it was: {printable(original)}")


def _about_failure(result: Reduction) -> Iterator[Text]:
    said = result.printed
    if said is None:
        return
    yield Text(f"the test prints: {printable(said.now) or 'no telling message'}")
    if said.now != said.at_first:
        yield Text(f"at first it printed: {printable(said.at_first)}")
    if said.drifted:
        yield Text(
            "warning: this may be a different failure: the original message is no longer printed",
            style="yellow",
        )
    if said.gone:
        names = listed([*map(printable, said.gone)], _MAX_FRAMES)
        yield Text(f"functions in the first stack trace, but not in the last: {names}")
    if said.step is not None and result.run is not None:
        run, before = result.run, said.step - 1
        shown = nubbin_line("show", run, str(before), "-o PATH")
        yield Text(f"it was there up to candidate {before}: {printable(shown)}")
        held = f"--from {before} --prints {quoted_word(said.pattern)}"
        again = nubbin_line("resume", run, held)
        yield Text(f"to continue from it with the first failure: {printable(again)}")


def _about_test(progress: Progress, result: Reduction) -> Iterator[Text]:
    """Yield doubts about what the test looks for, and whether it is flaky."""
    learned = [each for each in progress.about_test if isinstance(each, Learned)]
    if learned and _is_trivial(progress):
        yield Text(_TRIVIAL, style="yellow")
    for doubt in [each.doubt for each in learned if each.doubt and result.unbalanced]:
        yield Text(_UNBALANCED + printable(doubt), style="yellow")
    if result.flaky and result.reproduced:
        yield Text(f"the test is flaky: it accepted {rate_in_words(result.reproduced)}")


def _about_files(result: Reduction) -> Iterator[Text]:
    """Yield the paths of what was written besides the result."""
    if result.pretty is not None:
        yield Text(f"for reading: {printable(result.pretty)}")
    if result.words is not None:
        yield Text(f"the original words, keep private: {printable(result.words)}")
    if result.exposed:
        yield Text(_EXPOSED, style="yellow")
    if result.others and result.run is not None:
        found = counted(result.others, "different failure")
        yield Text(f"{found}, met on the way: {printable(result.run / DIFFERENT_FAILURES)}")


def _is_trivial(progress: Progress) -> bool:
    """Tell whether the result has a few tokens of many."""
    before, now = progress.before.tokens, progress.sizes.tokens
    return before >= _MANY_TOKENS and now <= _FEW_TOKENS


def _numbered(shown: str | None, width: int) -> list[Text]:
    """Return the lines of a small result under a heading; [] if they do not fit."""
    texts = visible(shown or "").expandtabs().splitlines()
    lines = [Text.assemble((f"{number:>2}  ", "dim"), text) for number, text in enumerate(texts, 1)]
    fits = all(MARGIN_COLUMNS + line.cell_len <= width for line in lines)
    heading = Text("for reading, with line breaks:")
    return [heading, *lines] if lines and fits and len(lines) <= _MAX_SHOWN_LINES else []


def _picture(progress: Progress, result: Reduction, console: Console) -> list[Text]:
    width = min(console.width, MAX_COLUMNS) - 2 * MARGIN_COLUMNS
    ahead = result.runs > result.queries
    return [
        headline(progress.started.name if progress.started else ""),
        Text(),
        *picture(progress, width, braille=console.encoding.startswith("utf")),
        Text(),
        row_of_facts(
            Text.assemble((cost_in_words(progress.queries, progress.seconds), "bold")),
            f"{share(progress.so_far.succeeded, progress.queries)} accepted",
            f"{counted(result.runs, 'run')} of the test" if ahead else "",
            width=width,
        ),
    ]
