"""The sentences and figures of a report, for HTML and for Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from nubbin.checks.in_words import called
from nubbin.reduction.result.drift import Baseline
from nubbin.report.endings import outcome_in_words
from nubbin.report.lines import rate_in_words
from nubbin.report.page.again import commands, options, test_script
from nubbin.report.page.recording import Recording
from nubbin.report.runs_table import sessions_in_words
from nubbin.runs.steps import gains_of
from nubbin.text.figures import count, counted, duration, share
from nubbin.text.visible import printable, visible

PASS_COLUMNS = ("pass", "queries", "bytes gone", "interesting", "steps", "time in the test")
KIND_COLUMNS = ("kind of query", "asked", "interesting")


def title(recording: Recording) -> str:
    """Return a short name of the input."""
    return printable(recording.original.title)


def looking_for(recording: Recording) -> str:
    """Return what the test looks for."""
    return printable(recording.job.looking_for)


def failure(recording: Recording) -> str:
    """Return the line that the test printed about the failure of the input; "" if none."""
    known = Baseline.of(recording.facts).failure
    return "" if known is None else printable(known.line)


def is_minimal(recording: Recording) -> bool:
    """Tell whether the journal proves that the result is 1-minimal."""
    found = recording.proof
    return recording.state == "fixpoint" and found is not None and found.holds


def outcome(recording: Recording) -> str:
    """Return a sentence that says whether the journal proves the result 1-minimal, or why not."""
    found = recording.proof if recording.state == "fixpoint" else None
    if found and not found.holds and not found.whole:
        return "Done. The result is too large to look up every single removal here."
    return outcome_in_words(recording.state, found.pieces if found and found.holds else None)


def proof_in_words(recording: Recording) -> str:
    """Return a sentence about the removals that the journal has recorded."""
    found = recording.proof
    if found is None or not found.removals:
        return "The result has no single piece that could be removed."
    refused = sum(each.is_refused for each in found.removals)
    number = counted(len(found.removals), "single removal")
    if recording.state != "fixpoint":
        first = "" if found.whole else "the first "
        return (
            f"The run has not come to its end: of {first}{number}, {count(refused)} were tried and "
            "refused."
        )
    if not found.whole:
        return f"The result is large: the test rejected {count(refused)} of its first {number}."
    if refused < len(found.removals):
        return f"The proof is not whole: of {number}, {count(refused)} were tried and refused."
    if refused == 1:
        return "The only single removal was tried and refused."
    return f"Each of the {number} was tried and refused."


def sizes(recording: Recording) -> list[tuple[str, ...]]:
    """Return rows: a unit, the sizes of the input and the result, and the share removed."""
    before, after = recording.original.sizes, recording.result.sizes
    pairs = (("bytes", before.bytes, after.bytes), ("lines", before.lines, after.lines))
    rows = [*pairs, ("tokens", before.tokens, after.tokens)]
    if len(recording.original.files) > 1:
        rows.append(("files", len(recording.original.files), len(recording.result.files)))
    return [
        (unit, count(old), count(new), share(old - new, old) if new <= old else "more")
        for unit, old, new in rows
    ]


def cost(recording: Recording) -> str:
    """Return the number of queries and the time of the reduction."""
    return f"{counted(recording.queries, 'query')} in {duration(recording.seconds)}"


def answers(recording: Recording) -> Iterator[tuple[str, str]]:
    """Yield the name and the value of each fact about the answers of the test."""
    verdicts = recording.verdicts
    total = verdicts.total()
    yield "candidates tested", count(total)
    for name, number in sorted(verdicts.items()):
        yield f"of these {printable(name)}", f"{count(number)} ({share(number, total)})"
    if recording.timed_out:
        yield "stopped by a time limit", count(recording.timed_out)
    yield "runs of the test", count(recording.runs)
    yield "time in the test", duration(recording.test_seconds)


def passes(recording: Recording) -> list[tuple[str, ...]]:
    """Return a row for each pass: its queries and the bytes it removed, see `PASS_COLUMNS`.

    Cells that the journal does not know are empty.
    """
    asked = {} if recording.tally is None else {each.name: each for each in recording.tally.passes}
    gained = gains_of(recording.steps)
    rows: list[tuple[str, ...]] = []
    for name in dict.fromkeys([*asked, *gained]):
        of, gains = asked.get(name), gained.get(name, ())
        rows.append(
            (
                printable(name),
                count(of.queries) if of else "",
                count(sum(gains)),
                share(of.interesting, of.queries) if of else "",
                count(len(gains)),
                duration(of.seconds) if of else "",
            )
        )
    return rows


def kinds(recording: Recording) -> list[tuple[str, ...]]:
    """Return a row for each kind of query: how often it was asked, see `KIND_COLUMNS`."""
    found = sorted(recording.tally.kinds.items()) if recording.tally else []
    return [(printable(kind), count(asked), share(yes, asked)) for kind, (asked, yes) in found]


def circumstances(recording: Recording) -> Iterator[tuple[str, str]]:
    """Yield the name and the value of each fact that is needed to get the same result again."""
    job, told = recording.job, recording.facts
    yield "input", printable(job.source)
    yield "test", printable(job.test.in_full)
    yield "digest of the test", printable(told.test_digest)
    if told.flaky:
        rate = rate_in_words(told.original)
        yield "the test is flaky", f"it finds the input interesting in {rate}"
    yield from options(job).items()
    yield from sessions_in_words(told)
    yield "recorded in", printable(recording.run.absolute())


def again(recording: Recording) -> Sequence[tuple[str, str]]:
    """Return what a user can repeat, each with its command line."""
    done = recording.state == "fixpoint"
    lines = commands(recording.job, recording.run.absolute(), is_done=done)
    return [(words, printable(line)) for words, line in lines]


def contract(recording: Recording, quoted: Callable[[str], str] = str) -> str:
    """Return how the test is called and what it must answer, with the quoted name of the input."""
    contents, argument = called(recording.original)
    return recording.job.test.contract(quoted(printable(contents)), argument)


def script(recording: Recording) -> str | None:
    """Return the text of the test if it is a script that has not changed since the run."""
    text = test_script(recording.job.test, recording.facts.test_digest)
    return text and visible(text)
